/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random configurations and histories: timers caught up late give the same state as timers
 * looked at all the time, and rates stay within their bounds.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen/cc/dcqcn_rp.h"

#define CASES 2000
#define STEPS 60

static uint64_t seed;

/* splitmix64: the histories do not depend on the product's own generator */
static uint64_t draw(uint64_t below)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

static struct dcqcn_cfg random_cfg(void)
{
	return (struct dcqcn_cfg){
	        .clamp_tgt_rate = (int64_t)draw(2),
	        .clamp_tgt_rate_after_time_inc = (int64_t)draw(2),
	        .rpg_time_reset_ps = (int64_t)(1 + draw(60)) * PS_PER_US,
	        .rpg_byte_reset_bytes = draw(2) ? 0 : (int64_t)(64 + draw(20000)),
	        .rpg_threshold = (int64_t)draw(6),
	        .rpg_max_rate_bps = draw(2) ? 0 : (int64_t)draw(90) * 1000000000 + 1000000,
	        .rpg_ai_rate_bps = (int64_t)draw(200) * 1000000,
	        .rpg_hai_rate_bps = (int64_t)draw(2000) * 1000000,
	        .rpg_gd = (int64_t)draw(16),
	        .rpg_min_dec_fac_percent = (int64_t)draw(101),
	        .rpg_min_rate_bps = (int64_t)(1 + draw(3000)) * 1000000,
	        .rate_to_set_on_first_cnp_bps = draw(2) ? 0 : (int64_t)draw(200) * 1000000000,
	        .dce_tcp_g = (int64_t)draw(1024),
	        .dce_tcp_rtt_ps = (int64_t)(1 + draw(60)) * PS_PER_US,
	        .rate_reduce_monitor_period_ps = (int64_t)(1 + draw(60)) * PS_PER_US,
	        .initial_alpha_value = (int64_t)draw(1024),
	        .cut = (int64_t)draw(2),
	        .cut_grid_offset_ps = (int64_t)draw(2) * PS_PER_NS,
	        .alpha_timer_restart = (int64_t)draw(2),
	        .alpha_update_on_cnp = (int64_t)draw(2),
	        .hai_needs_both = (int64_t)draw(2),
	        .first_cnp_cuts = (int64_t)draw(2),
	};
}

static void assert_same(const struct dcqcn_rp *a, const struct dcqcn_rp *b,
        const struct dcqcn_rp_params *p, int64_t now_ps, uint64_t from)
{
	if (a->rate_bps != b->rate_bps || a->target_bps != b->target_bps ||
	        a->cuts != b->cuts || a->increases != b->increases || a->due_ps != b->due_ps ||
	        dcqcn_rp_alpha_q62(a, p, now_ps) != dcqcn_rp_alpha_q62(b, p, now_ps))
		fail_msg("seed %" PRIu64 ": late %" PRId64 " bit/s, often %" PRId64
		         " bit/s at %" PRId64 " ps",
		        from, a->rate_bps, b->rate_bps, now_ps);
}

static void assert_bounds(const struct dcqcn_rp *rp, const struct dcqcn_rp_params *p,
        int64_t now_ps, uint64_t from)
{
	int64_t alpha_q62 = dcqcn_rp_alpha_q62(rp, p, now_ps);

	if (rp->rate_bps < p->min_rate_bps || rp->target_bps > p->max_rate_bps ||
	        rp->rate_bps > p->max_rate_bps || alpha_q62 < 0 || alpha_q62 > Q62_ONE)
		fail_msg("seed %" PRIu64 ": rate %" PRId64 ", target %" PRId64
		         ", alpha %" PRId64,
		        from, rp->rate_bps, rp->target_bps, alpha_q62);
}

static void step(struct dcqcn_rp *late, struct dcqcn_rp *often, const struct dcqcn_rp_params *p,
        int64_t from_ps, int64_t to_ps)
{
	uint64_t what = draw(4);
	int64_t t;

	for (t = from_ps; t < to_ps; t += 1 + (int64_t)draw(2 * PS_PER_US))
		dcqcn_rp_advance(often, p, t);
	if (what == 0) {
		dcqcn_rp_cnp(late, p, to_ps);
		dcqcn_rp_cnp(often, p, to_ps);
	} else if (what == 1) {
		int64_t bytes = 64 + (int64_t)draw(4000);

		dcqcn_rp_sent(late, p, bytes, to_ps);
		dcqcn_rp_sent(often, p, bytes, to_ps);
	} else if (what == 2) {
		dcqcn_rp_advance(late, p, to_ps);
		dcqcn_rp_advance(often, p, to_ps);
	}
}

static void late_is_as_good_as_often(void **state)
{
	int i, k;

	(void)state;
	for (i = 0; i < CASES; i++) {
		struct dcqcn_rp_params p;
		struct dcqcn_rp late, often;
		struct dcqcn_cfg cfg;
		uint64_t from = (uint64_t)i;
		int64_t now_ps = 0;

		seed = from * 1000003;
		cfg = random_cfg();
		dcqcn_rp_params_init(&p, &cfg, 100000000000);
		dcqcn_rp_init(&late, &p);
		dcqcn_rp_init(&often, &p);
		for (k = 0; k < STEPS; k++) {
			struct dcqcn_rp a, b;
			/* Whole microseconds now and then, so that timers and CNPs coincide. */
			int64_t unit = draw(2) ? 1 : PS_PER_US;
			int64_t next_ps =
			        now_ps +
			        (int64_t)draw((uint64_t)(40 * PS_PER_US / unit)) * unit;

			step(&late, &often, &p, now_ps, next_ps);
			now_ps = next_ps;
			a = late;
			b = often;
			dcqcn_rp_advance(&a, &p, now_ps);
			dcqcn_rp_advance(&b, &p, now_ps);
			assert_same(&a, &b, &p, now_ps, from);
			assert_bounds(&a, &p, now_ps, from);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(late_is_as_good_as_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
