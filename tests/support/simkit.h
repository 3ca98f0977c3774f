/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulation in a few lines: every key at its default, a graph from a list of links, flows,
 * one call to run. What fails ends the calling cmocka test. simkit_fini frees.
 *
 *	simkit_init(&k);
 *	simkit_star(&k, 3, 100 * SIMKIT_GBPS, PS_PER_US);
 *	simkit_flow(&k, 1, 0, 1000000, 0);
 *	r = simkit_run(&k);
 */
#ifndef TESTS_SIMKIT_H
#define TESTS_SIMKIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/sim/sim.h"

#define SIMKIT_GBPS      INT64_C(1000000000)
#define SIMKIT_MAX_LINKS 64
#define SIMKIT_MAX_LOADS 4

struct simkit {
	/* may be changed until the graph is made */
	struct switch_cfg sw;
	/* may be changed until the run */
	struct frame_cfg frame;
	struct rnic_cfg nic;
	struct dcqcn_cfg dcqcn;
	struct np_cfg np;
	struct topo *topo;
	struct load_cfg load[SIMKIT_MAX_LOADS]; /* besides the flows */
	uint32_t n_loads;
	struct load_flow *flow;
	int64_t n_flows;
	int64_t transport;       /* of the flows */
	struct sim_fault *fault; /* owned, as their places are: simkit_fault */
	uint32_t n_faults;
	uint64_t seed;
	int64_t stop_ps, series_ps;
	bool stop_on_deadlock;
	uint32_t threads;
	struct world *world; /* NULL: one process */
	enum sim_core core;
	void (*tap)(void *arg, uint32_t to, const struct desc *d, int64_t start_ps);
	void *tap_arg;
};

/* Defaults of the knob table, but for congestion control and ECN: off. One thread. */
void simkit_init(struct simkit *k);
void simkit_fini(struct simkit *k);

/* Hosts 0 .. n_hosts - 1, then switches; a switch's ports are numbered as its links stand. */
void simkit_links(struct simkit *k, uint32_t n_hosts, uint32_t n_switches,
        const struct topo_link *link, uint32_t n_links);
void simkit_star(struct simkit *k, uint32_t n_hosts, int64_t rate_bps, int64_t delay_ps);
/* host0 - switch - ... - switch - host1: n_links links in this order. */
void simkit_chain(
        struct simkit *k, uint32_t n_links, const int64_t *rate_bps, const int64_t *delay_ps);

/* The last one's priority and the like may be changed at k->flow[k->n_flows - 1]. */
struct load_flow *simkit_flow(
        struct simkit *k, uint32_t src, uint32_t dst, int64_t bytes, int64_t start_ps);
/* A fault at one place for the whole run, which hits every frame where it hits frames; to be
 * changed in what it returns. Places are added with simkit_place. */
struct sim_fault *simkit_fault(
        struct simkit *k, enum fault_kind kind, uint32_t node, uint16_t port);
void simkit_place(struct sim_fault *f, uint32_t node, uint16_t port);

/* Another workload entry with defaults, to be filled. */
struct load_cfg *simkit_load(struct simkit *k, enum load_pattern_kind pattern);

/* The run's configuration, still without a workload, for tests that bring their own programs.
 */
struct sim_cfg simkit_cfg(const struct simkit *k);

/* For run_record_free. */
struct run_record *simkit_run(const struct simkit *k);
/* The same, but an answer of -EINVAL is handed over, with *out NULL. */
int simkit_try(struct run_record **out, const struct simkit *k, struct err *e);

/* The record of the message from src to dst, the n-th of them by completion. */
const struct msg_record *simkit_msg(
        const struct run_record *r, uint32_t src, uint32_t dst, uint32_t n);

/* Compares all that a scenario and a seed decide: everything but events and threads. NULL if it
 * is the same, else what differs first (a static text). */
const char *simkit_difference(const struct run_record *a, const struct run_record *b);

#endif
