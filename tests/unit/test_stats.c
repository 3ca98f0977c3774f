/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

static const double asked[] = {50, 90, 99, 99.9, 99.99, 100};

/* The definition itself: the smallest sample that at least p percent do not exceed. */
static int64_t by_definition(const int64_t *v, uint64_t n, double p)
{
	for (uint64_t i = 0; i < n; i++)
		if ((double)(i + 1) * 100 >= p * (double)n - 1e-6 &&
		        (i + 1 == n || v[i + 1] > v[i]))
			return v[i];
	return v[n - 1];
}

static void percentiles_are_nearest_rank(void **state)
{
	struct rng rng = rng_make(7, 0, RNG_LOAD);

	(void)state;
	for (uint64_t n = 1; n <= 1200; n += 1 + n / 7) {
		int64_t v[1200];
		struct dist d;
		__int128 sum = 0;

		for (uint64_t i = 0; i < n; i++)
			sum += v[i] = (int64_t)rng_below(&rng, 1000);
		dist_from_samples(&d, v, n, asked, 6);
		for (int i = 0; i < 6; i++)
			assert_int_equal(d.asked[i], by_definition(v, n, asked[i]));
		assert_int_equal(d.p50, d.asked[0]);
		assert_int_equal(d.p90, d.asked[1]);
		assert_int_equal(d.p99, d.asked[2]);
		assert_int_equal(d.p99_9, d.asked[3]);
		assert_int_equal(d.p99_99, d.asked[4]);
		assert_int_equal(d.max, d.asked[5]);
		assert_int_equal(d.min, v[0]);
		assert_int_equal(d.samples, n);
		assert_true(2 * (sum - (__int128)d.mean * n) <= (__int128)n);
		assert_true(2 * (sum - (__int128)d.mean * n) >= -(__int128)n);
	}
}

static void no_samples_is_null_and_not_zero(void **state)
{
	struct hist *h = calloc(1, sizeof(*h));
	struct dist d;

	(void)state;
	assert_non_null(h);
	hist_init(h);
	for (int i = 0; i < 2; i++) {
		if (i)
			dist_from_hist(&d, h, asked, 6);
		else
			dist_from_samples(&d, NULL, 0, asked, 6);
		assert_int_equal(d.samples, 0);
		assert_int_equal(d.min, STATS_NULL);
		assert_int_equal(d.mean, STATS_NULL);
		assert_int_equal(d.p99_99, STATS_NULL);
		assert_int_equal(d.max, STATS_NULL);
		assert_int_equal(d.asked[5], STATS_NULL);
	}
	free(h);
}

static void histogram_error_is_bounded(void **state)
{
	struct rng rng = rng_make(8, 0, RNG_LOAD);
	struct hist *h = calloc(1, sizeof(*h));
	int64_t v[2000];
	struct dist exact, rough;

	(void)state;
	assert_non_null(h);
	hist_init(h);
	for (int i = 0; i < 2000; i++) {
		v[i] = (int64_t)rng_below(&rng, INT64_C(1) << (i % 40));
		hist_add(h, v[i]);
	}
	dist_from_samples(&exact, v, 2000, asked, 6);
	dist_from_hist(&rough, h, asked, 6);
	assert_int_equal(rough.min, exact.min);
	assert_int_equal(rough.max, exact.max);
	assert_int_equal(rough.mean, exact.mean);
	for (int i = 0; i < 6; i++) {
		assert_true(rough.asked[i] >= exact.asked[i]);
		assert_true((double)rough.asked[i] <=
		            (double)exact.asked[i] * (1 + HIST_MAX_RELATIVE_ERROR));
	}
	free(h);
}

static void weak_below_ten_samples_above(void **state)
{
	(void)state;
	assert_true(stats_weak(19, 50));
	assert_false(stats_weak(20, 50));
	assert_true(stats_weak(999, 99));
	assert_false(stats_weak(1000, 99));
	assert_true(stats_weak(9999, 99.9));
	assert_false(stats_weak(10000, 99.9));
	assert_true(stats_weak(99999, 99.99));
	assert_false(stats_weak(100000, 99.99));
}

/* Jain et al. 1984: 1 when all are equal, k/n when k of n share equally and the rest starve. */
static void jain(void **state)
{
	const double equal[] = {5e9, 5e9, 5e9}, starving[] = {1e9, 1e9, 0, 0},
	             uneven[] = {1, 2, 3};

	(void)state;
	assert_int_equal(stats_jain_nano(equal, 3), 1000000000);
	assert_int_equal(stats_jain_nano(starving, 4), 500000000);
	assert_int_equal(stats_jain_nano(uneven, 3), 857142857); /* 36 / (3 * 14) */
	assert_int_equal(stats_jain_nano(NULL, 0), STATS_NULL);
	assert_int_equal(stats_jain_nano(starving + 2, 2), STATS_NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(percentiles_are_nearest_rank),
	        cmocka_unit_test(no_samples_is_null_and_not_zero),
	        cmocka_unit_test(histogram_error_is_bounded),
	        cmocka_unit_test(weak_below_ten_samples_above),
	        cmocka_unit_test(jain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
