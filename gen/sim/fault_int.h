/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: faults during the run. A fault at one place is an instance; it belongs to the
 * node that sends on that direction, and to that node's thread. What changes the state of a
 * port is an event of its node (SIM_FAULT, before anything else at that time); what happens to
 * frames is asked when one starts. Where no fault is set nothing of this is reached.
 */
#ifndef SIM_FAULT_INT_H
#define SIM_FAULT_INT_H

#include "gen/sim/sim_int.h"

/* Bits of a port's odd_link. */
#define ODD_CUT_THROUGH FSW_CUT_THROUGH
#define ODD_FAULT       2 /* fault_send decides about every frame */

struct fault_instance {
	const struct sim_fault *f;
	uint32_t index;  /* in sim_cfg.fault */
	int64_t next_ps; /* its next event at its node; TIME_NEVER */
	bool active;     /* between its first and its last event */
	uint64_t seed;   /* of its draws */
	uint64_t matched;
	int64_t packets, first_ps, last_ps; /* as in struct fault_record */
};

/* Of one port, host or switch. */
struct port_faults {
	struct fault_instance *inst;
	uint32_t n;
	uint32_t down;       /* how many faults hold the link down now */
	uint32_t ecn_off;    /* how many switch marking off */
	int64_t usual_bps;   /* rate without faults */
	int64_t fastest_bps; /* that it ever has */
	int64_t latency_ps;  /* of the peer's pipeline, which is no part of the link */
	int64_t last_ps[2];  /* arrival of the last frame (PFC apart) on a delayed link */
	struct fsw_profile *marks_not; /* copy of the port's profile */
	const struct fsw_profile *usual_profile;
};

/* Setup, after hosts and switches. */
NODISCARD int sim_fault_setup(struct sim *s, struct err *e);
void sim_fault_teardown(struct sim *s);
NODISCARD int sim_fault_collect(const struct sim *s, struct run_record *r);
/* Adds up what several processes say of the same fault. */
void sim_fault_order(struct run_record *r, uint32_t n_faults);

/* How much later than usual a frame can arrive, and the slowest that a link gets, over all
 * faults; for partition.c. */
int64_t sim_fault_extra_ps(const struct sim_cfg *cfg);
int64_t sim_fault_slowest_bps(const struct sim_cfg *cfg, int64_t usual_bps);

/* A frame starts on a link that has faults: sends it on, changed or not, or loses it. */
void fault_send(struct sim_thread *th, struct port_faults *pf, uint32_t to,
        const struct desc *d, int64_t start_ps, int64_t arrival_ps, uint16_t in_port);

/* The SIM_FAULT event of a switch port, of a host. */
void fault_switch_event(
        struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t now_ps);
void fault_host_event(struct sim_thread *th, struct host_node *h, int64_t now_ps);

/* A PFC frame arrived at a host that has faults. */
void fault_host_pfc(struct host_node *h, int64_t now_ps);

/* The frames of a switch that does not mark, up to now. */
void fault_count_unmarked(struct fault_instance *i, const struct sw_node *s, int64_t now_ps);

/* A frame for a port whose link is down is lost. */
bool fault_port_down(struct sim_thread *th, struct sw_node *s, uint16_t port,
        const struct desc *d, int64_t now_ps);

static inline void fault_touched(struct fault_instance *i, int64_t now_ps, int64_t packets)
{
	if (i->first_ps == TIME_NEVER)
		i->first_ps = now_ps;
	i->last_ps = now_ps;
	i->packets += packets;
}

/* The first instance of a kind that is active. */
static inline struct fault_instance *fault_find(struct port_faults *pf, enum fault_kind kind)
{
	for (uint32_t i = 0; i < pf->n; i++)
		if (pf->inst[i].f->kind == kind && pf->inst[i].active)
			return &pf->inst[i];
	return NULL;
}

/* When the next event of any instance is due. */
static inline int64_t fault_next_ps(const struct port_faults *pf)
{
	int64_t next_ps = TIME_NEVER;

	for (uint32_t i = 0; i < pf->n; i++)
		if (pf->inst[i].next_ps < next_ps)
			next_ps = pf->inst[i].next_ps;
	return next_ps;
}

/* fault_storm.c: the frame of a storm that is due; puts it on record when it was sent. */
void fault_storm_frame(const struct sim_fault *f, const struct sim *s, struct desc *d);
void fault_storm_sent(struct sim_thread *th, struct fault_instance *i, uint32_t node,
        uint16_t port, const struct desc *d, int64_t now_ps, int64_t xoff_frames[PRIORITIES]);
int64_t fault_storm_interval_ps(const struct sim_fault *f, int64_t rate_bps);

#endif
