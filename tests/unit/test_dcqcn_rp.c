/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/cc/dcqcn_rp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/dcqcn_presets.h"

#define G100  INT64_C(100000000000)
#define G40   INT64_C(40000000000)
#define US(x) ((int64_t)((x)*PS_PER_US))

static struct dcqcn_rp_params params;
static struct dcqcn_rp rp;

static void start(const struct dcqcn_cfg *cfg, int64_t line_bps)
{
	dcqcn_rp_params_init(&params, cfg, line_bps);
	dcqcn_rp_init(&rp, &params);
}

static int64_t alpha_e9(int64_t now_ps)
{
	return (int64_t)(((__int128)dcqcn_rp_alpha_q62(&rp, &params, now_ps) * 1000000000 +
	                         Q62_ONE / 2) >>
	                 62);
}

static void starts_at_the_smaller_of_line_and_maximum(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();

	(void)state;
	start(&cfg, G100);
	assert_int_equal(dcqcn_rp_rate_bps(&rp), G100);
	cfg.rpg_max_rate_bps = G40;
	start(&cfg, G100);
	assert_int_equal(dcqcn_rp_rate_bps(&rp), G40);
	cfg.rpg_max_rate_bps = 2 * G100;
	start(&cfg, G100);
	assert_int_equal(dcqcn_rp_rate_bps(&rp), G100);
}

static void without_a_cnp_nothing_ever_happens(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();

	(void)state;
	start(&cfg, G100);
	dcqcn_rp_sent(&rp, &params, INT64_C(1) << 50, US(1000000));
	dcqcn_rp_advance(&rp, &params, US(2000000));
	assert_int_equal(rp.due_ps, TIME_NEVER);
	assert_int_equal(rp.rate_bps, G100);
	assert_int_equal(rp.increases, 0);
}

/* The published ns-3 model: alpha after four updates without a second mark is (255/256)^4. */
static void grid_cuts_at_its_first_tick_with_the_decayed_alpha(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_ns3();
	int64_t t0 = ps_from_ns(1043999);

	(void)state;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, t0);
	assert_int_equal(rp.rate_bps, G100);
	assert_int_equal(rp.due_ps, t0 + ps_from_ns(4001));
	dcqcn_rp_advance(&rp, &params, t0 + ps_from_ns(4001) - 1);
	assert_int_equal(rp.rate_bps, G100);
	dcqcn_rp_advance(&rp, &params, t0 + ps_from_ns(4001));
	assert_int_equal(rp.rate_bps, INT64_C(50776684272));
	assert_int_equal(rp.target_bps, G100);
	assert_int_equal(alpha_e9(t0 + ps_from_ns(4001)), 984466315);
	assert_int_equal(rp.cuts, 1);
	/* No CNP since: the next change is an increase. */
	assert_int_equal(rp.due_ps, t0 + ps_from_ns(304001));
	dcqcn_rp_sent(&rp, &params, 1048, t0 + ps_from_ns(304001));
	assert_int_equal(rp.rate_bps, INT64_C(50776684272) / 2 + G100 / 2);
}

/* A mark in every alpha period keeps alpha at 1, so each grid cut halves the rate exactly. */
static void grid_under_steady_marks_halves_down_to_the_minimum(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_ns3();
	int64_t t, rate_bps = G100;
	int i;

	(void)state;
	start(&cfg, G100);
	for (t = 0; t <= US(40); t += US(1) / 2)
		dcqcn_rp_cnp(&rp, &params, t);
	for (i = 0; i < 9; i++)
		rate_bps = rate_bps / 2 > 1000000000 ? rate_bps / 2 : 1000000000;
	assert_int_equal(rp.rate_bps, rate_bps);
	assert_int_equal(rp.target_bps, G100); /* clamp off and no increase between the cuts */
	assert_int_equal(rp.cuts, 9);
}

/* CoNEXT 2016 eq 1, applied by hand for two CNPs 50 us apart and a decay after 55 us. */
static void paper_follows_equation_one(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_paper();

	(void)state;
	start(&cfg, G40);
	dcqcn_rp_cnp(&rp, &params, US(100));
	assert_int_equal(rp.target_bps, G40);
	assert_int_equal(rp.rate_bps, G40 / 2); /* alpha(0) = 1 */
	assert_int_equal(alpha_e9(US(100)), 1000000000);
	assert_int_equal(alpha_e9(US(155)), 996093750); /* 255/256 */
	dcqcn_rp_cnp(&rp, &params, US(160));
	/* Increase at 155: 20/2 + 40/2 = 30 Gb/s, cut by 255/512. */
	assert_int_equal(rp.target_bps, INT64_C(30000000000));
	assert_int_equal(rp.rate_bps, INT64_C(30000000000) * 257 / 512);
	assert_int_equal(alpha_e9(US(160)), 996109009); /* (255/256)^2 + 1/256 */
	assert_int_equal(alpha_e9(US(160) + US(55) - 1), 996109009);
	assert_int_equal(alpha_e9(US(160) + US(55)), 992217958);
}

/* Rt - Rc halves on each of the F steps; then the target rises by R_AI per step, up to the
 * line. */
static void fast_recovery_then_additive_increase(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_paper();
	int64_t rate_bps = G40 / 2, target_bps = G40;
	int i;

	(void)state;
	cfg.rpg_byte_reset_bytes = 0;
	start(&cfg, 2 * G40);
	rp.rate_bps = rp.target_bps = G40; /* below the line, as after an earlier cut */
	dcqcn_rp_cnp(&rp, &params, 0);
	for (i = 1; i <= 12; i++) {
		if (i > 5)
			target_bps += 40000000;
		rate_bps = rate_bps / 2 + target_bps / 2;
		dcqcn_rp_advance(&rp, &params, i * US(55));
		assert_int_equal(rp.target_bps, target_bps);
		assert_int_equal(rp.rate_bps, rate_bps);
		if (i == 5)
			assert_int_equal(target_bps - rate_bps, G40 / 2 / 32);
	}
}

static void hyper_increase_by_timer_alone(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_ns3();
	static const int64_t step[] = {0, 20000000, 200000000, 200000000};
	int64_t target_bps = G40;
	int i;

	(void)state;
	start(&cfg, G100);
	rp.rate_bps = rp.target_bps = G40;
	dcqcn_rp_cnp(&rp, &params, 0);
	for (i = 0; i < 4; i++) {
		target_bps += step[i];
		dcqcn_rp_advance(&rp, &params, ps_from_ns(4001) + (i + 1) * US(300));
		assert_int_equal(rp.target_bps, target_bps);
	}
}

/* SIGCOMM 2015: hyper increase once both counters have passed F, until then additive. */
static void hyper_increase_needs_both_counters(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_paper();

	(void)state;
	cfg.rpg_threshold = 1;
	cfg.rpg_byte_reset_bytes = 1000;
	cfg.rpg_hai_rate_bps = 300000000;
	start(&cfg, 2 * G40);
	rp.rate_bps = rp.target_bps = G40;
	dcqcn_rp_cnp(&rp, &params, 0);
	dcqcn_rp_advance(&rp, &params, US(55));
	dcqcn_rp_advance(&rp, &params, US(110));
	dcqcn_rp_advance(&rp, &params, US(165));
	assert_int_equal(rp.target_bps, G40 + 2 * 40000000); /* timer stages 2 and 3 */
	dcqcn_rp_sent(&rp, &params, 1000, US(166));
	assert_int_equal(rp.target_bps, G40 + 3 * 40000000); /* byte stage 1: not past F */
	dcqcn_rp_sent(&rp, &params, 1000, US(167));
	assert_int_equal(rp.target_bps, G40 + 3 * 40000000 + 300000000);
}

static void byte_counter_carries_what_is_over(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_paper();
	int i;

	(void)state;
	cfg.rpg_byte_reset_bytes = 2500;
	start(&cfg, G40);
	dcqcn_rp_cnp(&rp, &params, 0);
	for (i = 1; i <= 10; i++) {
		dcqcn_rp_sent(&rp, &params, 1000, US(1));
		assert_int_equal(rp.increases, i * 1000 / 2500);
	}
	dcqcn_rp_cnp(&rp, &params, US(2)); /* a cut starts the count anew */
	dcqcn_rp_sent(&rp, &params, 2499, US(2));
	assert_int_equal(rp.byte_stage, 0);
	dcqcn_rp_sent(&rp, &params, 1, US(2));
	assert_int_equal(rp.byte_stage, 1);
}

static void no_second_cut_within_the_monitor_period(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();
	int64_t rate_bps;

	(void)state;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	rate_bps = rp.rate_bps;
	assert_int_equal(rate_bps, G100 / 2);
	dcqcn_rp_cnp(&rp, &params, US(1) / 2);
	dcqcn_rp_cnp(&rp, &params, US(4) - 1);
	assert_int_equal(rp.rate_bps, rate_bps);
	assert_int_equal(rp.cuts, 1);
	dcqcn_rp_cnp(&rp, &params, US(4));
	assert_int_equal(rp.cuts, 2);
	/* Ticks at 1 (CNP seen), 2, 3 (none), 4 (CNP seen): alpha counts CNPs that did not cut.
	 */
	assert_int_equal(rp.rate_bps,
	        (int64_t)(50e9 *
	                  (1 - (1019. / 1024 * 1019 / 1024 * 1019 / 1024 + 5. / 1024) / 2)));
}

static void clamp_flags_decide_whether_the_target_follows(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();

	(void)state;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	dcqcn_rp_cnp(&rp, &params, US(10));
	assert_int_equal(rp.target_bps, G100); /* no increase between the cuts */
	dcqcn_rp_cnp(&rp, &params, US(320));
	assert_in_range(
	        rp.target_bps, G100 / 2, G100 * 7 / 10); /* raised by the timer at 310 us */

	cfg.clamp_tgt_rate_after_time_inc = 0;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	dcqcn_rp_cnp(&rp, &params, US(310));
	assert_int_equal(rp.target_bps, G100);
	dcqcn_rp_sent(&rp, &params, cfg.rpg_byte_reset_bytes, US(320));
	dcqcn_rp_cnp(&rp, &params, US(330));
	assert_true(rp.target_bps < G100); /* raised by the byte counter */

	cfg.clamp_tgt_rate = 1;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	dcqcn_rp_cnp(&rp, &params, US(10));
	assert_int_equal(rp.target_bps, G100 / 2);
}

static void a_cut_respects_gd_min_dec_fac_and_min_rate(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();
	int i;

	(void)state;
	cfg.initial_alpha_value = 512;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	assert_int_equal(rp.rate_bps, G100 / 4 * 3); /* alpha/2 = 1/4 */
	cfg.rpg_gd = 10;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	assert_int_equal(rp.rate_bps, G100 / 2); /* alpha = 1/2 */
	cfg.rpg_min_dec_fac_percent = 80;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	assert_int_equal(rp.rate_bps, G100 / 5 * 4);
	cfg.rpg_gd = 0; /* cuts more than everything: only the floor remains */
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	assert_int_equal(rp.rate_bps, G100 / 5 * 4);
	cfg.rpg_min_dec_fac_percent = 0;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	assert_int_equal(rp.rate_bps, cfg.rpg_min_rate_bps);
	cfg.rpg_min_dec_fac_percent = 100;
	start(&cfg, G100);
	for (i = 0; i < 10; i++)
		dcqcn_rp_cnp(&rp, &params, i * US(5));
	assert_int_equal(rp.rate_bps, G100);
}

static void first_cnp_sets_its_rate(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();

	(void)state;
	cfg.rate_to_set_on_first_cnp_bps = 10000000000;
	cfg.first_cnp_cuts = 0;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, US(7));
	assert_int_equal(rp.rate_bps, 10000000000);
	assert_int_equal(rp.target_bps, 10000000000);
	assert_int_equal(rp.due_ps, US(307)); /* it must climb back without a second CNP */
	dcqcn_rp_cnp(&rp, &params, US(7) + 1);
	assert_int_equal(rp.cuts, 1);
	cfg.rate_to_set_on_first_cnp_bps = 2 * G100; /* never above the line */
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	assert_int_equal(rp.rate_bps, G100);
}

/* Back at the line rate the QP needs no attention, and a later CNP works as before. */
static void rests_at_the_line_rate_until_the_next_cnp(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_ns3();

	(void)state;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	dcqcn_rp_advance(&rp, &params, US(100000));
	assert_int_equal(rp.due_ps, TIME_NEVER);
	assert_int_equal(rp.target_bps, G100);
	assert_in_range(rp.rate_bps, G100 - 2, G100);
	dcqcn_rp_cnp(&rp, &params, US(100000));
	/* The grid goes on from the first CNP: ticks at 4.001 us + k 4 us. */
	assert_int_equal(rp.due_ps, ps_from_ns(100000001));
	dcqcn_rp_advance(&rp, &params, US(100001));
	assert_int_equal(rp.cuts, 2);
	assert_true(rp.due_ps != TIME_NEVER);
}

static void grid_tick_and_increase_together_keep_their_order(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_ns3();
	int64_t cut_ps = ps_from_ns(4001), both_ps = cut_ps + US(300);

	(void)state;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	dcqcn_rp_cnp(&rp, &params, both_ps - 1);
	dcqcn_rp_advance(&rp, &params, both_ps);
	assert_int_equal(rp.increases, 1);
	assert_int_equal(rp.cuts, 2);
	assert_int_equal(rp.target_bps, INT64_C(50776684272) / 2 + G100 / 2);

	cfg.rpg_time_reset_ps =
	        US(4); /* now the tick was armed first, and cancels the increase */
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	dcqcn_rp_advance(&rp, &params, cut_ps);
	dcqcn_rp_cnp(&rp, &params, cut_ps + 1);
	dcqcn_rp_advance(&rp, &params, cut_ps + US(4));
	assert_int_equal(rp.increases, 0);
	assert_int_equal(rp.cuts, 2);
}

/* alpha after k quiet periods is (1-g)^k, by squaring as by repeated multiplication. */
static void alpha_decays_as_a_power(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();
	double alpha = 1;
	int k;

	(void)state;
	start(&cfg, G100);
	dcqcn_rp_cnp(&rp, &params, 0);
	for (k = 1; k <= 5000; k++) {
		double got = (double)dcqcn_rp_alpha_q62(&rp, &params, US(k)) / (double)Q62_ONE;

		alpha *= 1019. / 1024;
		assert_true(got - alpha < 1e-14 && alpha - got < 1e-14);
	}
	assert_int_equal(dcqcn_rp_alpha_q62(&rp, &params, INT64_MAX / 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(starts_at_the_smaller_of_line_and_maximum),
	        cmocka_unit_test(without_a_cnp_nothing_ever_happens),
	        cmocka_unit_test(grid_cuts_at_its_first_tick_with_the_decayed_alpha),
	        cmocka_unit_test(grid_under_steady_marks_halves_down_to_the_minimum),
	        cmocka_unit_test(paper_follows_equation_one),
	        cmocka_unit_test(fast_recovery_then_additive_increase),
	        cmocka_unit_test(hyper_increase_by_timer_alone),
	        cmocka_unit_test(hyper_increase_needs_both_counters),
	        cmocka_unit_test(byte_counter_carries_what_is_over),
	        cmocka_unit_test(no_second_cut_within_the_monitor_period),
	        cmocka_unit_test(clamp_flags_decide_whether_the_target_follows),
	        cmocka_unit_test(a_cut_respects_gd_min_dec_fac_and_min_rate),
	        cmocka_unit_test(first_cnp_sets_its_rate),
	        cmocka_unit_test(rests_at_the_line_rate_until_the_next_cnp),
	        cmocka_unit_test(grid_tick_and_increase_together_keep_their_order),
	        cmocka_unit_test(alpha_decays_as_a_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
