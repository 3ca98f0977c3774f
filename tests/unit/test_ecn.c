/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECN marking: p(q) = 0 up to Kmin, Pmax (q - Kmin) / (Kmax - Kmin) up to Kmax, 1 above (Zhu et
 * al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.1 and
 * figure 5).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dataplane/fabric/ecn.h"

#define DRAWS 200000

static const struct ecn_marker marker = {
        .kmin_bytes = 5000, .kmax_bytes = 205000, .pmax_q32 = Q32_ONE / 5};

static double share(const struct ecn_marker *k, int64_t queue_bytes, uint64_t draw_state)
{
	int marked = 0;

	for (int i = 0; i < DRAWS; i++)
		marked += ecn_marks(k, queue_bytes, &draw_state);
	return (double)marked / DRAWS;
}

static void ends_are_certain(void **state)
{
	uint64_t draws = 1;

	(void)state;
	assert_false(ecn_marks(&marker, 0, &draws));
	assert_false(ecn_marks(&marker, 5000, &draws));
	assert_true(ecn_marks(&marker, 205001, &draws));
	assert_int_equal(draws, 1); /* certain answers cost no draw */
}

/* Five standard deviations of a binomial. */
static void probability_is_linear_between(void **state)
{
	(void)state;
	for (int64_t q = 5000; q <= 205000; q += 20000) {
		double p = 0.2 * (double)(q - 5000) / 200000;
		double sigma = sqrt(p * (1 - p) / DRAWS);

		for (uint64_t seed = 1; seed < 4; seed++)
			assert_true(fabs(share(&marker, q, seed * 1000003) - p) <=
			            5 * sigma + 1e-12);
	}
}

static void full_pmax_marks_all_at_kmax(void **state)
{
	const struct ecn_marker all = {
	        .kmin_bytes = 1000, .kmax_bytes = 2000, .pmax_q32 = Q32_ONE};

	(void)state;
	assert_true(share(&all, 2000, 7) == 1);
	assert_true(share(&all, 1001, 7) < 0.002);
}

/* Kmin = Kmax is a step (DCTCP): no division by zero. */
static void equal_thresholds_are_a_step(void **state)
{
	const struct ecn_marker step = {
	        .kmin_bytes = 1000, .kmax_bytes = 1000, .pmax_q32 = Q32_ONE / 100};

	(void)state;
	assert_true(share(&step, 1000, 3) == 0);
	assert_true(share(&step, 1001, 3) == 1);
}

static void disabled_never_marks(void **state)
{
	const struct ecn_marker off = {.kmin_bytes = INT64_MAX, .kmax_bytes = INT64_MAX};

	(void)state;
	assert_true(share(&off, INT64_C(1) << 40, 3) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ends_are_certain),
	        cmocka_unit_test(probability_is_linear_between),
	        cmocka_unit_test(full_pmax_marks_all_at_kmax),
	        cmocka_unit_test(equal_thresholds_are_a_step),
	        cmocka_unit_test(disabled_never_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
