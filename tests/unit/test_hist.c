/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/hist.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define SAMPLES 20000

static const double percentiles[] = {0.001, 1, 50, 90, 99, 99.9, 99.99, 100};

#define N_PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void empty(void **state)
{
	static struct hist h;

	(void)state;
	hist_init(&h);
	assert_int_equal(hist_percentile(&h, 50), 0);
	assert_true(hist_mean(&h) == 0.0);
}

/* ceil(p/100 * n) in integers; 99.9 / 100 * 1000 is 999.0000000000001 in doubles. */
static void rank_is_exact(void **state)
{
	(void)state;
	assert_int_equal(hist_rank(1000, 99.9), 999);
	assert_int_equal(hist_rank(10000, 99.99), 9999);
	assert_int_equal(hist_rank(1001, 99.9), 1000);
	assert_int_equal(hist_rank(3, 50), 2);
	assert_int_equal(hist_rank(4, 50), 2);
	assert_int_equal(hist_rank(1, 0.001), 1);
	assert_int_equal(hist_rank(7, 100), 7);
	for (uint64_t n = 1; n < 50000; n++)
		assert_int_equal(hist_rank(n, 99.9), (999 * n + 999) / 1000);
}

static void small_values_are_exact(void **state)
{
	static struct hist h;

	(void)state;
	hist_init(&h);
	for (int64_t v = 0; v < 256; v++)
		hist_add(&h, v);
	for (int64_t v = 0; v < 256; v++)
		assert_int_equal(hist_percentile(&h, 100.0 * (double)(v + 1) / 256.0), v);
}

static void every_index_is_in_range_and_monotonic(void **state)
{
	uint32_t last = 0;

	(void)state;
	for (unsigned bit = 2; bit < 63; bit++) {
		for (int64_t d = -1; d <= 1; d++) {
			uint32_t i = hist_index((INT64_C(1) << bit) + d);

			assert_true(i < HIST_BUCKETS);
			assert_true(i >= last);
			last = i;
		}
	}
	assert_int_equal(hist_index(INT64_MAX), HIST_BUCKETS - 1);
}

static void percentile_error_is_bounded(void **state)
{
	static int64_t v[SAMPLES];
	static struct hist h;
	const uint64_t seed = 11;
	struct rng r = rng_make(seed, 0, RNG_LOAD);

	(void)state;
	for (int round = 0; round < 20; round++) {
		__int128 sum = 0;

		hist_init(&h);
		for (size_t i = 0; i < SAMPLES; i++) {
			v[i] = (int64_t)(rng_next(&r) >> (1 + rng_below(&r, 62)));
			hist_add(&h, v[i]);
			sum += v[i];
		}
		qsort(v, SAMPLES, sizeof(v[0]), by_value);
		assert_int_equal(h.count, SAMPLES);
		assert_int_equal(h.min, v[0]);
		assert_int_equal(h.max, v[SAMPLES - 1]);
		assert_true(h.sum == sum);
		for (size_t p = 0; p < N_PERCENTILES; p++) {
			int64_t exact = v[hist_rank(SAMPLES, percentiles[p]) - 1];
			int64_t got = hist_percentile(&h, percentiles[p]);

			if (got < exact ||
			        (double)(got - exact) > (double)exact * HIST_MAX_RELATIVE_ERROR)
				fail_msg("seed %" PRIu64 " round %d p%g: %" PRId64
				         " for %" PRId64,
				        seed, round, percentiles[p], got, exact);
		}
	}
}

static void merge_equals_one_histogram(void **state)
{
	static struct hist all, part[3], merged;
	struct rng r = rng_make(5, 0, RNG_LOAD);

	(void)state;
	hist_init(&all);
	hist_init(&merged);
	for (int i = 0; i < 3; i++)
		hist_init(&part[i]);
	for (int i = 0; i < 10000; i++) {
		int64_t v = (int64_t)rng_below(&r, 1000000000);

		hist_add(&all, v);
		hist_add(&part[i % 2], v); /* the third stays empty */
	}
	for (int i = 0; i < 3; i++)
		hist_merge(&merged, &part[i]);
	assert_memory_equal(&merged, &all, sizeof(all));
}

static void extremes(void **state)
{
	static struct hist h;

	(void)state;
	hist_init(&h);
	hist_add(&h, INT64_MAX);
	hist_add(&h, INT64_MAX);
	hist_add(&h, 0);
	assert_int_equal(hist_percentile(&h, 33), 0);
	assert_int_equal(hist_percentile(&h, 50), INT64_MAX);
	assert_true(h.sum == (__int128)2 * INT64_MAX);
	assert_true(hist_mean(&h) > 6.1e18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(empty),
	        cmocka_unit_test(rank_is_exact),
	        cmocka_unit_test(small_values_are_exact),
	        cmocka_unit_test(every_index_is_in_range_and_monotonic),
	        cmocka_unit_test(percentile_error_is_bounded),
	        cmocka_unit_test(merge_equals_one_histogram),
	        cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
