/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCQCN reaction point of one QP: a pure state machine. The owner of the QP calls it with
 * non-decreasing times; it schedules nothing. Timers are caught up when the state is used:
 * between two uses no one can see the rate, so the result is the same as if each had been an
 * event.
 */
#ifndef CC_DCQCN_RP_H
#define CC_DCQCN_RP_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/units.h"
#include "gen/cc/dcqcn_cfg.h"

#define Q62_ONE (INT64_C(1) << 62)
/* 2^40 alpha ticks without a CNP leave less than 2^-62, whatever g is. */
#define DCQCN_DECAY_BITS 40

/* Precomputed from the configuration and the port's rate; shared by its QPs, constant. */
struct dcqcn_rp_params {
	int64_t max_rate_bps, min_rate_bps;
	int64_t ai_bps, hai_bps;
	int64_t time_reset_ps;
	int64_t byte_reset_bytes; /* INT64_MAX: no byte counter */
	int64_t cut_period_ps;
	int64_t cut_grid_offset_ps;
	int64_t alpha_period_ps;
	int64_t first_rate_bps; /* 0: keep the current rate */
	int64_t initial_alpha_q62, g_q62;
	int64_t decay_q62[DCQCN_DECAY_BITS]; /* (1-g)^(2^i) */
	int64_t min_dec_fac_percent;
	uint32_t threshold;
	uint8_t gd;
	bool clamp, clamp_after_time_inc;
	bool grid;
	bool increase_before_cut; /* which of two timers at the same instant was armed first */
	bool alpha_timer_restart, alpha_update_on_cnp;
	bool hai_needs_both, first_cnp_cuts;
};

struct dcqcn_rp {
	int64_t due_ps; /* the rate may change at this time; TIME_NEVER: only a CNP can */
	int64_t rate_bps;
	int64_t bytes_left; /* until the byte counter asks for an increase */
	int64_t target_bps;
	int64_t increase_ps; /* next expiry of the increase timer; TIME_NEVER: at rest */
	int64_t cut_ps;      /* no cut before it; grid: a tick, the next one if a cut waits */
	int64_t alpha_q62;   /* at alpha_ps */
	int64_t alpha_ps;    /* last tick of the alpha timer that was accounted for */
	uint32_t cuts, increases;
	uint16_t time_stage, byte_stage; /* increases of either kind since the last cut */
	bool active;                     /* has received a CNP */
	bool cnp_for_alpha;              /* a CNP arrived since alpha_ps */
	bool cnp_for_cut;                /* grid: a cut waits for the next tick */
};

_Static_assert(
        sizeof(struct dcqcn_rp) <= 96, "flat arrays of these are walked by the simulator");

/* Everything that the configuration means on a port of line_bps. The configuration is valid. */
void dcqcn_rp_params_init(
        struct dcqcn_rp_params *p, const struct dcqcn_cfg *cfg, int64_t line_bps);

void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p);

/* A CNP arrived. */
void dcqcn_rp_cnp(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps);

/* Every timer up to and including now_ps, in time order. */
void dcqcn_rp_advance(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps);

/* alpha as it stands at now_ps, for reports; does not change the state. */
int64_t dcqcn_rp_alpha_q62(
        const struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps);

/* The byte counter ran out: dcqcn_rp_sent's rare half. */
void dcqcn_rp_bytes_expired(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p);

static ALWAYS_INLINE int64_t dcqcn_rp_rate_bps(const struct dcqcn_rp *rp)
{
	return rp->rate_bps;
}

/* A packet of `bytes` leaves; afterwards the rate is the one at now_ps. */
static ALWAYS_INLINE void dcqcn_rp_sent(
        struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t bytes, int64_t now_ps)
{
	if (LIKELY(rp->due_ps == TIME_NEVER))
		return;
	if (UNLIKELY(now_ps >= rp->due_ps))
		dcqcn_rp_advance(rp, p, now_ps);
	rp->bytes_left -= bytes;
	if (UNLIKELY(rp->bytes_left <= 0))
		dcqcn_rp_bytes_expired(rp, p);
}

#endif
