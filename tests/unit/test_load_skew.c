/* SPDX-License-Identifier: Apache-2.0 */
/* Shares by popularity against floating point, permutations, and an exchange's sums. */
#include "gen/load/skew.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen/load/perm.h"
#include "tests/unit/load_place.h"

static void test_zipf_law(void **state)
{
	(void)state;
	for (double s = 0; s <= 8; s += 0.37)
		for (uint32_t k = 1; k <= 65535; k += k / 3 + 1) {
			double want = pow(k, -s);
			double is =
			        (double)skew_zipf_q32(k, (int64_t)ldexp(s, 32)) / ldexp(1, 32);

			assert_true(fabs(is - want) < ldexp(1, -31));
		}
}

static void test_permutations(void **state)
{
	static uint8_t seen[1000];

	(void)state;
	for (uint32_t n = 1; n <= 1000; n += n / 5 + 1)
		for (uint64_t key = 0; key < 20; key++) {
			struct perm p = perm_make(key, n);
			uint32_t at = 0, steps = 0;

			for (uint32_t i = 0; i < n; i++)
				seen[i] = 0;
			for (uint32_t i = 0; i < n; i++) {
				uint32_t v = perm_at(&p, i);

				assert_true(v < n && !seen[v]++);
				assert_int_equal(perm_inverse(&p, v), i);
			}
			do { /* one circle through all */
				at = perm_next(&p, at);
				steps++;
			} while (at && steps <= n);
			assert_int_equal(steps, n);
		}
}

static void sums(enum load_skew kind, bool reshuffle, uint32_t n)
{
	struct load_place p;
	struct load_cfg c = load_cfg_default(LOAD_MOE);
	struct load_entry en;
	struct err e = {0};
	int64_t most = 0, sum = 0;
	uint32_t hottest[2] = {0};

	load_place_init(&p, n);
	c.skew = kind;
	c.reshuffle = reshuffle;
	c.buffer_bytes = 10000019;
	c.hot_ranks = 1;
	c.hot_share_q32 = 3 * (Q32_ONE / 4);
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), 0);
	for (uint32_t round = 0; round < 2; round++) {
		most = sum = 0;
		for (uint32_t r = 0; r < n; r++) {
			int64_t bytes = skew_bytes(en.shared, &en, round, r);

			sum += bytes;
			if (bytes > most) {
				most = bytes;
				hottest[round] = r;
			}
		}
		assert_int_equal(sum, c.buffer_bytes);
	}
	if (kind == SKEW_HOT)
		assert_in_range(most, c.buffer_bytes * 3 / 4 - 2, c.buffer_bytes * 3 / 4 + 2);
	if (kind == SKEW_NONE)
		assert_in_range(most, c.buffer_bytes / n, c.buffer_bytes / n + 1);
	if (kind == SKEW_ZIPF) {
		double h = 0;

		for (uint32_t k = 1; k <= n; k++)
			h += 1.0 / k;
		assert_true(fabs((double)most - 10000019 / h) < 3);
	}
	if (kind != SKEW_NONE && !reshuffle)
		assert_int_equal(hottest[0], hottest[1]);
	if (kind != SKEW_NONE && reshuffle && n > 100)
		assert_int_not_equal(hottest[0], hottest[1]); /* of this seed */
	load_entry_fini(&en);
}

static void test_shares_add_up(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 128; n *= 2)
		for (int k = SKEW_NONE; k <= SKEW_HOT; k++) {
			sums((enum load_skew)k, false, n);
			sums((enum load_skew)k, true, n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_zipf_law),
	        cmocka_unit_test(test_permutations),
	        cmocka_unit_test(test_shares_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
