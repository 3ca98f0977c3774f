/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed-point logarithm against libm, and the moments of the draws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen/load/exponential.h"

#define ULP 0x1p-32

static void test_log2_of_powers_is_exact(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 64; k++)
		assert_true(log2_q32(UINT64_C(1) << k) == (uint64_t)k << 32);
}

/* Rounded down: the true value is between 0 and 1 step above, plus what long double is off. */
static void check_log2(uint64_t x)
{
	long double above = log2l((long double)x) - (long double)log2_q32(x) * 0x1p-32L;

	if (above < -0x1p-50L || above > 0x1p-32L + 0x1p-50L)
		fail_msg("log2(%llu) is off by %Lg", (unsigned long long)x, above);
}

static void test_log2_error(void **state)
{
	struct rng r = rng_make(1, 0, RNG_LOAD);

	(void)state;
	for (uint64_t x = 1; x < 3000; x++)
		check_log2(x);
	check_log2(UINT64_MAX);
	check_log2(UINT64_MAX - 1);
	for (int i = 0; i < 100000; i++) {
		uint64_t x = rng_next(&r) >> rng_below(&r, 64);

		check_log2(x ? x : 1);
	}
}

static void test_neg_ln_error(void **state)
{
	struct rng r = rng_make(2, 0, RNG_LOAD);

	(void)state;
	assert_true(neg_ln_q32(UINT64_MAX) == 0);
	for (int i = 0; i < 100000; i++) {
		uint64_t x = rng_next(&r) >> rng_below(&r, 64);
		long double want = 64 * logl(2) - logl((long double)x + 1);
		long double off = (long double)neg_ln_q32(x) * 0x1p-32L - want;

		if (fabsl(off) > 1.2L * ULP)
			fail_msg("-ln of %llu is off by %Lg", (unsigned long long)x, off);
	}
	assert_true(fabs((double)neg_ln_q32(0) * ULP - 64 * log(2)) < 2 * ULP);
}

/* Mean m, standard deviation m, P(X > m) = 1/e; bounds of 5 standard errors. */
static void test_moments(void **state)
{
	enum { N = 200000 };
	const double mean = 1e6;
	struct rng r = rng_make(3, 0, RNG_LOAD);
	double sum = 0, squares = 0, above = 0, p = exp(-1);

	(void)state;
	for (int i = 0; i < N; i++) {
		double x = (double)exponential_ps(&r, (int64_t)mean << 16);

		sum += x;
		squares += x * x;
		above += x > mean;
	}
	assert_true(fabs(sum / N - mean) < 5 * mean / sqrt(N));
	/* Var(X^2) = 20 m^4 */
	assert_true(fabs(squares / N - 2 * mean * mean) < 5 * mean * mean * sqrt(20.0 / N));
	assert_true(fabs(above / N - p) < 5 * sqrt(p * (1 - p) / N));
}

static void test_time_always_moves(void **state)
{
	struct rng r = rng_make(4, 0, RNG_LOAD);

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_true(exponential_ps(&r, 1) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_log2_of_powers_is_exact),
	        cmocka_unit_test(test_log2_error),
	        cmocka_unit_test(test_neg_ln_error),
	        cmocka_unit_test(test_moments),
	        cmocka_unit_test(test_time_always_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
