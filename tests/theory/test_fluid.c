/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's DCQCN against the published fluid model (Zhu et al., "ECN or Delay", CoNEXT
 * 2016, Theorems 1 and 2, sections 3.2 and 5) and against the tests' own packet simulation. 40
 * Gb/s, 1000-byte packets on wire and in buffers, loop delay 4 us, staggered starts, second
 * half of 100 ms, means over seeds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/dcqcn_simulator.h"

#define SEEDS      5
#define MANY_SEEDS 20 /* of the minimal simulation: its own noise must not count */

typedef int run_fn(struct packets_result *r, const struct packets_cfg *c);

static int run_simulator(struct packets_result *r, const struct packets_cfg *c)
{
	struct err e = {0};
	int rc = simulator_run(r, c, &e);

	if (rc)
		fail_msg("%s", e.msg);
	return rc;
}

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

static struct packets_result means(run_fn *run, struct packets_cfg c, uint64_t seeds)
{
	struct packets_result sum = {0}, r = {0};

	for (c.seed = 1; c.seed <= seeds; c.seed++) {
		assert_int_equal(run(&r, &c), 0);
		sum.queue_mean_bytes += r.queue_mean_bytes;
		sum.queue_sd_bytes += r.queue_sd_bytes;
		sum.alpha_mean += r.alpha_mean;
		sum.rate_mean_bps += r.rate_mean_bps;
		sum.jain += r.jain;
	}
	sum.queue_mean_bytes /= (double)seeds;
	sum.queue_sd_bytes /= (double)seeds;
	sum.alpha_mean /= (double)seeds;
	sum.rate_mean_bps /= (double)seeds;
	sum.jain /= (double)seeds;
	return sum;
}

static void assert_between(const char *what, int flows, double got, double low, double high)
{
	print_message("  N = %2d: %s %.4g (%.4g .. %.4g)\n", flows, what, got, low, high);
	if (!(got >= low && got <= high))
		fail_msg(
		        "N = %d: %s is %.6g, not in %.6g .. %.6g", flows, what, got, low, high);
}

/* Theorem 1. The queue settles above q*, because a notification point spaces CNPs by tau from
 * the last one and so sends fewer than the fluid model's a / tau. */
static struct packets_result check_fixed_point(const struct packets_cfg *c)
{
	struct fluid_point f = fluid_fixed_point(&c->law, c->flows);
	struct packets_result r = means(run_simulator, *c, SEEDS);
	struct packets_result p = means(packets_run, *c, MANY_SEEDS);
	double queue_bytes = r.queue_mean_bytes;

	assert_between("queue / q*", c->flows, queue_bytes / f.queue_bytes, 1.0, 1.4);
	assert_between("queue / minimal simulation", c->flows, queue_bytes / p.queue_mean_bytes,
	        0.95, 1.05);
	assert_between("rate / (C/N)", c->flows, r.rate_mean_bps / f.rate_bps, 0.98, 1.02);
	assert_between("alpha / alpha*", c->flows, r.alpha_mean / f.alpha, 0.85, 1.15);
	return r;
}

static void fixed_point_with_kmax_200_kb(void **state)
{
	static const int flows[] = {4, 8, 10};
	double former = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		struct packets_cfg c = base(flows[i]);
		struct packets_result r = check_fixed_point(&c);

		assert_true(r.queue_mean_bytes > former); /* q* rises with N */
		former = r.queue_mean_bytes;
	}
}

static void fixed_point_with_kmax_2000_kb(void **state)
{
	static const int flows[] = {10, 64};
	double former = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		struct packets_cfg c = base(flows[i]);
		struct packets_result r;

		c.law.kmax_bytes = 2000e3;
		c.law.pmax = 0.1;
		r = check_fixed_point(&c);
		assert_true(r.queue_mean_bytes > former);
		former = r.queue_mean_bytes;
	}
}

static double spread(const struct packets_cfg *c)
{
	struct packets_result r = means(run_simulator, *c, SEEDS);

	return r.queue_sd_bytes / r.queue_mean_bytes;
}

/* C16 section 5: marking on departure tells of the queue as it is, on arrival of the queue one
 * queueing delay ago; the added delay makes the loop oscillate. */
static void marking_on_enqueue_destabilises(void **state)
{
	struct packets_cfg c = base(10);

	(void)state;
	assert_between("sd / mean, dequeue", 10, spread(&c), 0, 0.45);
	c.mark_on_enqueue = true;
	assert_between("sd / mean, enqueue", 10, spread(&c), 0.8, 3);
}

/* C16 section 3.2, Figures 4 and 5: stable at 4 us, a limit cycle at 85 us. */
static void a_loop_of_85_us_oscillates(void **state)
{
	struct packets_cfg c = base(10);

	(void)state;
	c.law.delay_s = 85e-6;
	assert_between("sd / mean, 85 us", 10, spread(&c), 0.7, 3);
}

/* Theorem 2 with Appendix B's bound on the time. */
static void two_flows_become_fair_within_the_bound(void **state)
{
	struct packets_cfg c = base(2);

	(void)state;
	c.stagger_s = 5e-3;
	c.end_s = 0.3;
	c.fair_from_s = fluid_convergence_bound_s(&c.law, 2) - c.window_s;
	assert_between("Jain", 2, means(run_simulator, c, SEEDS).jain, 0.99, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(fixed_point_with_kmax_200_kb),
	        cmocka_unit_test(fixed_point_with_kmax_2000_kb),
	        cmocka_unit_test(marking_on_enqueue_destabilises),
	        cmocka_unit_test(a_loop_of_85_us_oscillates),
	        cmocka_unit_test(two_flows_become_fair_within_the_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
