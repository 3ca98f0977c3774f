/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests' own solver of the DCQCN fluid model against figures computed from the published
 * equations and code of "ECN or Delay" (CoNEXT 2016), Theorems 1 and 2.
 */
#include "tests/support/dcqcn_fluid.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.6g, expected %.6g +- %.2g", got, want, tolerance);
}

static void defaults_at_40g(void **state)
{
	static const struct {
		int n;
		double p, p_approx, queue_kb, queue_approx_kb, alpha, target_over_rate;
	} row[] = {
	        {2, 7.770e-4, 9.247e-4, 20.2, 23.0, 0.1014, 1.0109},
	        {4, 1.888e-3, 2.320e-3, 41.8, 50.2, 0.1218, 1.0160},
	        {8, 4.552e-3, 5.832e-3, 93.8, 118.7, 0.1452, 1.0230},
	        {10, 6.032e-3, 7.849e-3, 122.6, 158.0, 0.1533, 1.0258},
	        {16, 1.087e-2, 1.468e-2, 0, 0, 0.1713, 1.0327},
	        {64, 5.905e-2, 9.312e-2, 0, 0, 0.2301, 1.0631},
	};
	struct fluid_cfg c = fluid_default();
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(row); i++) {
		struct fluid_point f = fluid_fixed_point(&c, row[i].n);

		assert_near(f.p / row[i].p, 1, 6e-4);
		assert_near(f.p_approx / row[i].p_approx, 1, 6e-4);
		assert_near(f.alpha, row[i].alpha, 6e-5);
		assert_near(f.target_over_rate, row[i].target_over_rate, 6e-5);
		assert_near(f.rate_bps, 40e9 / row[i].n, 1);
		if (row[i].queue_kb > 0) {
			assert_near(f.queue_bytes / 1e3, row[i].queue_kb, 0.06);
			assert_near(f.queue_approx_bytes / 1e3, row[i].queue_approx_kb, 0.06);
		} else {
			assert_true(f.p > c.pmax && f.queue_bytes > c.kmax_bytes);
		}
	}
}

static void other_marking_laws(void **state)
{
	static const struct {
		int n;
		double kb;
	} room[] = {{2, 20.5}, {10, 125.3}, {64, 1183}},
	  at_100g[] = {{2, 9.7}, {8, 32.7}, {10, 41.8}, {16, 71.9}, {20, 93.8}, {32, 165.4}},
	  script[] = {
	          {2, 401.3}, {8, 408.2}, {16, 420.5}, {32, 451.0}, {64, 525.9}, {128, 705.2}};
	struct fluid_cfg c = fluid_default();
	size_t i;

	(void)state;
	c.kmax_bytes = 2000e3;
	c.pmax = 0.1;
	for (i = 0; i < ARRAY_LEN(room); i++)
		assert_near(
		        fluid_fixed_point(&c, room[i].n).queue_bytes / 1e3, room[i].kb, 0.6);

	c = fluid_default();
	c.link_bps = 100e9;
	for (i = 0; i < ARRAY_LEN(at_100g); i++)
		assert_near(fluid_fixed_point(&c, at_100g[i].n).queue_bytes / 1e3,
		        at_100g[i].kb, 0.06);

	c.kmin_bytes = 400e3;
	c.kmax_bytes = 1600e3;
	c.pmax = 0.2;
	c.ai_bps = 20e6;
	c.fast_steps = 1;
	c.alpha_s = 50e-6;
	for (i = 0; i < ARRAY_LEN(script); i++)
		assert_near(fluid_fixed_point(&c, script[i].n).queue_bytes / 1e3, script[i].kb,
		        0.06);
}

static void without_a_byte_counter(void **state)
{
	struct fluid_cfg c = fluid_default();

	(void)state;
	c.packet_bytes = 1048;
	c.byte_count = INFINITY;
	assert_near(fluid_fixed_point(&c, 2).queue_bytes / 1e3, 20.9, 0.06);
	assert_near(fluid_fixed_point(&c, 10).queue_bytes / 1e3, 128.2, 0.06);
}

static void convergence_bounds(void **state)
{
	static const int n[] = {2, 4, 8, 16, 32, 64, 96};
	static const double base[] = {0.0969, 0.0636, 0.0412, 0.0269, 0.0180, 0.0125, 0.0103},
	                    ai10[] = {0.358, 0.228, 0.142, 0.0875, 0.0543, 0.0343, 0.0265},
	                    kmax1000[] = {0.103, 0.0687, 0.0457, 0.0307, 0.0211, 0.0151,
	                            0.0126},
	                    g16[] = {0.100, 0.0657, 0.0426, 0.0278, 0.0186, 0.0129, 0.0106};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(n); i++) {
		struct fluid_cfg c = fluid_default();

		assert_near(fluid_convergence_bound_s(&c, n[i]) / base[i], 1, 0.006);
		c.ai_bps = 10e6;
		assert_near(fluid_convergence_bound_s(&c, n[i]) / ai10[i], 1, 0.008);
		c = fluid_default();
		c.kmax_bytes = 1000e3;
		assert_near(fluid_convergence_bound_s(&c, n[i]) / kmax1000[i], 1, 0.006);
		c = fluid_default();
		c.g = 1. / 16;
		assert_near(fluid_convergence_bound_s(&c, n[i]) / g16[i], 1, 0.035);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(defaults_at_40g),
	        cmocka_unit_test(other_marking_laws),
	        cmocka_unit_test(without_a_byte_counter),
	        cmocka_unit_test(convergence_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
