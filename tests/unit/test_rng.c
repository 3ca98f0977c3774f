/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The first outputs of SplitMix64 from state 1234567, as in the reference implementation by
 * Sebastiano Vigna (splitmix64.c, public domain) that Rosetta Code and others list. */
static void is_splitmix64(void **state)
{
	static const uint64_t expected[] = {
	        UINT64_C(6457827717110365317),
	        UINT64_C(3203168211198807973),
	        UINT64_C(9817491932198370423),
	        UINT64_C(4593380528125082431),
	        UINT64_C(16408922859458223821),
	};
	struct rng r = {1234567};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(rng_next(&r), expected[i]);
}

static void below_stays_below_and_is_even(void **state)
{
	struct rng r = rng_make(1, 2, RNG_ECN);
	uint32_t seen[10] = {0};

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t v = rng_below(&r, 10);

		assert_true(v < 10);
		seen[v]++;
	}
	/* chi-square with 9 degrees of freedom is below 27.9 with probability 0.999 */
	double chi2 = 0;
	for (int i = 0; i < 10; i++)
		chi2 += ((double)seen[i] - 10000) * ((double)seen[i] - 10000) / 10000;
	assert_true(chi2 < 27.9);
	for (int i = 0; i < 100; i++)
		assert_int_equal(rng_below(&r, 1), 0);
	for (int i = 0; i < 100; i++)
		assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
}

/* Streams that differ in one of seed, node and purpose share no value and no first bit pattern.
 */
static void streams_are_separate(void **state)
{
	uint64_t first[4 * 4 * 5];
	size_t n = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++)
		for (uint64_t node = 0; node < 4; node++)
			for (int purpose = RNG_ECN; purpose <= RNG_FAULT; purpose++) {
				struct rng r = rng_make(seed, node, (enum rng_purpose)purpose);

				first[n++] = rng_next(&r);
			}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(first[i] != first[k]);
}

static void same_stream_again(void **state)
{
	struct rng a = rng_make(9, 8, RNG_PORT), b = rng_make(9, 8, RNG_PORT);

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(rng_next(&a), rng_next(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(is_splitmix64),
	        cmocka_unit_test(below_stays_below_and_is_even),
	        cmocka_unit_test(streams_are_separate),
	        cmocka_unit_test(same_stream_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
