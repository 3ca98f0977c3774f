/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015
 * [S15]; Zhu et al., "ECN or Delay", CoNEXT 2016, eqs 1-2 [C16]; NVIDIA ConnectX parameter
 * descriptions [CX]. docs/models.md says what each knob does and where they disagree.
 */
#include "gen/cc/dcqcn_rp.h"

#include <string.h>

#include "dataplane/base/check.h"

static int64_t mul_q62(int64_t a, int64_t b_q62)
{
	return (int64_t)(((__int128)a * b_q62) >> 62);
}

static int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void dcqcn_rp_params_init(
        struct dcqcn_rp_params *p, const struct dcqcn_cfg *cfg, int64_t line_bps)
{
	int i;

	memset(p, 0, sizeof(*p));
	p->max_rate_bps = line_bps;
	if (cfg->rpg_max_rate_bps)
		p->max_rate_bps = min_i64(line_bps, cfg->rpg_max_rate_bps);
	p->min_rate_bps = min_i64(cfg->rpg_min_rate_bps, p->max_rate_bps);
	p->ai_bps = cfg->rpg_ai_rate_bps;
	p->hai_bps = cfg->rpg_hai_rate_bps;
	p->time_reset_ps = cfg->rpg_time_reset_ps;
	p->byte_reset_bytes = cfg->rpg_byte_reset_bytes ? cfg->rpg_byte_reset_bytes : INT64_MAX;
	p->cut_period_ps = cfg->rate_reduce_monitor_period_ps;
	p->cut_grid_offset_ps = cfg->cut_grid_offset_ps;
	p->alpha_period_ps = cfg->dce_tcp_rtt_ps;
	if (cfg->rate_to_set_on_first_cnp_bps)
		p->first_rate_bps = min_i64(p->max_rate_bps,
		        max_i64(p->min_rate_bps, cfg->rate_to_set_on_first_cnp_bps));
	/* 1023 is the largest value of the 10-bit field and stands for 1 (alpha(0) = 1 in
	 * [S15]). */
	p->initial_alpha_q62 = cfg->initial_alpha_value >= 1023
	                               ? Q62_ONE
	                               : cfg->initial_alpha_value * (Q62_ONE / 1024);
	p->g_q62 = cfg->g_q32 ? cfg->g_q32 * (Q62_ONE / Q32_ONE)
	                      : (1024 - cfg->dce_tcp_g) * (Q62_ONE / 1024);
	p->decay_q62[0] = Q62_ONE - p->g_q62;
	for (i = 1; i < DCQCN_DECAY_BITS; i++)
		p->decay_q62[i] = mul_q62(p->decay_q62[i - 1], p->decay_q62[i - 1]);
	p->min_dec_fac_percent = cfg->rpg_min_dec_fac_percent;
	p->threshold = (uint32_t)cfg->rpg_threshold;
	p->gd = (uint8_t)cfg->rpg_gd;
	p->clamp = cfg->clamp_tgt_rate;
	p->clamp_after_time_inc = cfg->clamp_tgt_rate_after_time_inc;
	p->grid = cfg->cut == DCQCN_CUT_ON_GRID;
	/* Two timers that expire together go in the order in which they were armed: the
	 * increase timer time_reset ago, the grid tick one period ago. */
	p->increase_before_cut = p->time_reset_ps > p->cut_period_ps;
	p->alpha_timer_restart = cfg->alpha_timer_restart;
	p->alpha_update_on_cnp = cfg->alpha_update_on_cnp;
	p->hai_needs_both = cfg->hai_needs_both;
	p->first_cnp_cuts = cfg->first_cnp_cuts;
	CHECK(p->time_reset_ps > 0 && p->alpha_period_ps > 0);
	CHECK(!p->grid || p->cut_period_ps > 0);
}

void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	memset(rp, 0, sizeof(*rp));
	rp->due_ps = TIME_NEVER;
	rp->rate_bps = p->max_rate_bps;
	rp->target_bps = p->max_rate_bps;
	rp->increase_ps = TIME_NEVER;
	rp->bytes_left = p->byte_reset_bytes;
	rp->alpha_q62 = p->initial_alpha_q62;
}

static int64_t alpha_with_cnp(int64_t alpha_q62, const struct dcqcn_rp_params *p)
{
	return mul_q62(alpha_q62, p->decay_q62[0]) + p->g_q62;
}

/* alpha after `ticks` periods without a CNP: (1-g)^ticks, by squaring. */
static int64_t alpha_decayed(int64_t alpha_q62, const struct dcqcn_rp_params *p, int64_t ticks)
{
	int i;

	if (ticks >> DCQCN_DECAY_BITS)
		return 0;
	for (i = 0; ticks && alpha_q62; i++, ticks >>= 1)
		if (ticks & 1)
			alpha_q62 = mul_q62(alpha_q62, p->decay_q62[i]);
	return alpha_q62;
}

int64_t dcqcn_rp_alpha_q62(
        const struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	int64_t alpha_q62 = rp->alpha_q62;
	int64_t ticks = (now_ps - rp->alpha_ps) / p->alpha_period_ps;

	if (!rp->active || !ticks)
		return alpha_q62;
	if (rp->cnp_for_alpha) {
		if (!p->alpha_update_on_cnp)
			alpha_q62 = alpha_with_cnp(alpha_q62, p);
		ticks--;
	}
	return alpha_decayed(alpha_q62, p, ticks);
}

static void advance_alpha(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	int64_t since_ps = now_ps - rp->alpha_ps;

	if (since_ps < p->alpha_period_ps)
		return;
	rp->alpha_q62 = dcqcn_rp_alpha_q62(rp, p, now_ps);
	rp->alpha_ps = now_ps - since_ps % p->alpha_period_ps;
	rp->cnp_for_alpha = false;
}

static void set_due(struct dcqcn_rp *rp)
{
	rp->due_ps = rp->cnp_for_cut ? min_i64(rp->cut_ps, rp->increase_ps) : rp->increase_ps;
}

/* [CX] clamp_tgt_rate: every cut lowers the target; otherwise only the first one after an
 * increase does, and after one that the timer caused only with clamp_tgt_rate_after_time_inc.
 */
static bool cut_lowers_target(const struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	return p->clamp || rp->byte_stage || (rp->time_stage && p->clamp_after_time_inc);
}

/* [C16] eq 1: Rc = Rc (1 - alpha/2); with gd 11 the 10-bit alpha over 2^gd is alpha/2. */
static int64_t rate_after_cut(const struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	int64_t rate_bps = rp->rate_bps;
	int64_t floor_bps = max_i64(p->min_rate_bps, rate_bps * p->min_dec_fac_percent / 100);
	__int128 cut_q62 = ((__int128)rp->alpha_q62 << 10) >> p->gd;

	if (cut_q62 >= Q62_ONE)
		return floor_bps;
	return max_i64(floor_bps, mul_q62(rate_bps, Q62_ONE - (int64_t)cut_q62));
}

static void start_increase_timers(
        struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	rp->time_stage = 0;
	rp->byte_stage = 0;
	rp->increase_ps = now_ps + p->time_reset_ps;
	rp->bytes_left = p->byte_reset_bytes;
}

static void cut_rate(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	if (cut_lowers_target(rp, p))
		rp->target_bps = rp->rate_bps;
	rp->rate_bps = rate_after_cut(rp, p);
	rp->cuts++;
	start_increase_timers(rp, p, now_ps);
}

/* How much the target rises: nothing during the first `threshold` increases of either kind
 * (fast recovery), then rpg_ai_rate, then rpg_hai_rate. */
static int64_t target_step_bps(const struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	uint32_t low = rp->time_stage, high = rp->byte_stage;

	if (low > high) {
		low = rp->byte_stage;
		high = rp->time_stage;
	}
	if (high <= p->threshold)
		return 0;
	if (p->hai_needs_both ? low > p->threshold : high > p->threshold + 1)
		return p->hai_bps;
	return p->ai_bps;
}

static void increase_rate(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	int64_t rate_bps;

	rp->target_bps = min_i64(p->max_rate_bps, rp->target_bps + target_step_bps(rp, p));
	rate_bps = rp->rate_bps / 2 + rp->target_bps / 2;
	rp->increases++;
	/* Nothing can rise any further: rest until the next CNP, so that an idle QP costs
	 * nothing. Truncation may leave the rate a bit/s or two below the target for ever. */
	if (rate_bps <= rp->rate_bps && rp->target_bps == p->max_rate_bps)
		rp->increase_ps = TIME_NEVER;
	rp->rate_bps = max_i64(rate_bps, p->min_rate_bps);
}

static void count_stage(uint16_t *stage)
{
	if (*stage < UINT16_MAX)
		++*stage;
}

static void increase_on_timer(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	rp->increase_ps += p->time_reset_ps;
	count_stage(&rp->time_stage);
	increase_rate(rp, p);
}

static void cut_on_grid(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	advance_alpha(rp, p, rp->cut_ps);
	rp->cnp_for_cut = false;
	cut_rate(rp, p, rp->cut_ps);
}

void dcqcn_rp_advance(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	while (rp->due_ps <= now_ps && rp->due_ps != TIME_NEVER) {
		int64_t cut_ps = rp->cnp_for_cut ? rp->cut_ps : TIME_NEVER;

		if (rp->increase_ps < cut_ps ||
		        (rp->increase_ps == cut_ps && p->increase_before_cut))
			increase_on_timer(rp, p);
		else
			cut_on_grid(rp, p);
		set_due(rp);
	}
}

void dcqcn_rp_bytes_expired(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p)
{
	while (rp->bytes_left <= 0) {
		rp->bytes_left +=
		        p->byte_reset_bytes; /* what is over counts for the next one */
		if (rp->increase_ps == TIME_NEVER)
			continue;
		count_stage(&rp->byte_stage);
		increase_rate(rp, p);
	}
	set_due(rp);
}

static void first_cnp(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	rp->active = true;
	rp->alpha_ps = now_ps;
	if (p->first_rate_bps) {
		rp->rate_bps = p->first_rate_bps;
		rp->target_bps = p->first_rate_bps;
	}
	if (rp->rate_bps < p->max_rate_bps)
		start_increase_timers(rp, p, now_ps);
	rp->cut_ps = now_ps;
	if (p->grid) {
		rp->cut_ps += p->cut_period_ps + p->cut_grid_offset_ps;
		rp->cnp_for_cut = !p->first_cnp_cuts;
	}
	if (p->first_cnp_cuts) {
		cut_rate(rp, p, now_ps);
		if (!p->grid)
			rp->cut_ps = now_ps + p->cut_period_ps;
	}
	if (p->alpha_update_on_cnp)
		rp->alpha_q62 = alpha_with_cnp(rp->alpha_q62, p);
	set_due(rp);
}

/* The part of a later CNP that concerns alpha; the cut before it used the old alpha ([C16] eq
 * 1). */
static void count_cnp_in_alpha(
        struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	if (p->alpha_update_on_cnp)
		rp->alpha_q62 = alpha_with_cnp(rp->alpha_q62, p);
	rp->cnp_for_alpha = true;
	if (!p->alpha_timer_restart)
		return;
	rp->alpha_ps = now_ps;
	if (p->alpha_update_on_cnp)
		rp->cnp_for_alpha = false; /* a whole period from here without one is a decay */
}

void dcqcn_rp_cnp(struct dcqcn_rp *rp, const struct dcqcn_rp_params *p, int64_t now_ps)
{
	if (!rp->active) {
		first_cnp(rp, p, now_ps);
		return;
	}
	dcqcn_rp_advance(rp, p, now_ps);
	advance_alpha(rp, p, now_ps);
	if (!p->grid) {
		if (now_ps >= rp->cut_ps) {
			cut_rate(rp, p, now_ps);
			rp->cut_ps = now_ps + p->cut_period_ps;
		}
	} else if (!rp->cnp_for_cut) {
		if (rp->cut_ps <= now_ps)
			rp->cut_ps += ((now_ps - rp->cut_ps) / p->cut_period_ps + 1) *
			              p->cut_period_ps;
		rp->cnp_for_cut = true;
	}
	count_cnp_in_alpha(rp, p, now_ps);
	set_due(rp);
}
