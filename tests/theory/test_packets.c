/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The minimal packet simulation against the fluid model's fixed point: what packets and a real
 * notification point add to it. A flow's CNPs are spaced by tau from the first one, so its CNP
 * rate is lower than the fluid model's a / tau and the queue settles higher, between 1.0
 * and 1.4 times q* (CoNEXT 2016, Theorem 1).
 */
#include "tests/support/dcqcn_packets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SEEDS 5

static struct packets_cfg base(int flows)
{
	return (struct packets_cfg){
	        .law = fluid_default(),
	        .flows = flows,
	        .stagger_s = 0.5e-3,
	        .end_s = 0.1,
	        .min_rate_bps = 10e6,
	        .sample_s = 5e-6,
	        .window_s = 10e-3,
	};
}

static struct packets_result mean_over_seeds(struct packets_cfg c)
{
	struct packets_result sum = {0}, r;

	for (c.seed = 1; c.seed <= SEEDS; c.seed++) {
		assert_int_equal(packets_run(&r, &c), 0);
		sum.queue_mean_bytes += r.queue_mean_bytes / SEEDS;
		sum.queue_sd_bytes += r.queue_sd_bytes / SEEDS;
		sum.alpha_mean += r.alpha_mean / SEEDS;
		sum.rate_mean_bps += r.rate_mean_bps / SEEDS;
		sum.jain += r.jain / SEEDS;
	}
	return sum;
}

static void settles_near_the_fixed_point(void **state)
{
	static const struct {
		int flows;
		double kmax_bytes, pmax;
	} row[] = {{4, 200e3, 0.01}, {8, 200e3, 0.01}, {10, 200e3, 0.01}, {10, 2000e3, 0.1},
	        {64, 2000e3, 0.1}};
	double former = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct packets_cfg c = base(row[i].flows);
		struct packets_result r;
		struct fluid_point f;

		c.law.kmax_bytes = row[i].kmax_bytes;
		c.law.pmax = row[i].pmax;
		f = fluid_fixed_point(&c.law, c.flows);
		r = mean_over_seeds(c);
		assert_true(r.queue_mean_bytes > f.queue_bytes);
		assert_true(r.queue_mean_bytes < 1.4 * f.queue_bytes);
		assert_true(r.queue_mean_bytes > former);
		assert_true(fabs(r.rate_mean_bps / f.rate_bps - 1) < 0.02);
		assert_true(fabs(r.alpha_mean / f.alpha - 1) < 0.15);
		former = r.queue_mean_bytes;
	}
}

/* C16 sections 3.2 and 5: stable at a loop delay of 4 us, oscillating at 85 us; marking on
 * enqueue adds the queue's own delay to the loop and oscillates at 4 us. */
static void oscillates_where_the_analysis_says(void **state)
{
	struct packets_cfg c = base(10);
	struct packets_result r;

	(void)state;
	r = mean_over_seeds(c);
	assert_true(r.queue_sd_bytes / r.queue_mean_bytes < 0.45);
	c.mark_on_enqueue = true;
	r = mean_over_seeds(c);
	assert_true(r.queue_sd_bytes / r.queue_mean_bytes > 0.8);
	c.mark_on_enqueue = false;
	c.law.delay_s = 85e-6;
	r = mean_over_seeds(c);
	assert_true(r.queue_sd_bytes / r.queue_mean_bytes > 0.7);
}

/* Theorem 2 and Appendix B. */
static void two_flows_become_fair_within_the_bound(void **state)
{
	struct packets_cfg c = base(2);

	(void)state;
	c.stagger_s = 5e-3;
	c.end_s = 0.3;
	c.fair_from_s = fluid_convergence_bound_s(&c.law, 2) - c.window_s;
	assert_true(mean_over_seeds(c).jain > 0.99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(settles_near_the_fixed_point),
	        cmocka_unit_test(oscillates_where_the_analysis_says),
	        cmocka_unit_test(two_flows_become_fair_within_the_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
