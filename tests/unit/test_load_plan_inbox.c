/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's inbox against plain arrays, over many pairs; memory follows what is in the box. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "gen/load/plan_inbox.h"

#define PROGRAMS 20
#define SOURCES  30

/* Every pair's messages are numbered from 1000 * pair on, in the order of their arrival. */
static uint64_t seq_of(uint32_t program, uint32_t src, uint64_t i)
{
	return 1000 * (uint64_t)(program * SOURCES + src) + i;
}

static void test_against_counts(void **state)
{
	static uint64_t put[PROGRAMS][SOURCES], got[PROGRAMS][SOURCES];
	struct rng r = rng_make(1, 0, RNG_LOAD);
	struct inbox b = {0};
	struct inbox_letter l;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t p = (uint32_t)rng_below(&r, PROGRAMS);
		uint32_t s = (uint32_t)rng_below(&r, SOURCES);
		uint64_t count = got[p][s] + rng_below(&r, 3);
		bool there = count > got[p][s] && got[p][s] < put[p][s];

		assert_int_equal(inbox_count(&b, p, s), put[p][s]);
		if (rng_below(&r, 2)) {
			uint64_t seq = seq_of(p, s, put[p][s]++);

			assert_int_equal(inbox_put(&b, p, s, seq, (int64_t)seq + 7, NULL), 0);
			continue;
		}
		assert_int_equal(inbox_take(&b, p, s, count, &l), there);
		if (!there)
			continue;
		assert_int_equal(l.seq, seq_of(p, s, got[p][s]));
		assert_int_equal(l.start_ps, l.seq + 7);
		got[p][s]++;
	}
	assert_int_equal(b.n_pairs, PROGRAMS * SOURCES);
	inbox_fini(&b);
}

static void test_letters_are_used_again(void **state)
{
	struct inbox b = {0};
	struct inbox_letter l;

	(void)state;
	for (uint64_t i = 1; i <= 10000; i++) {
		assert_int_equal(inbox_put(&b, 1, 2, i, 0, NULL), 0);
		assert_true(inbox_take(&b, 1, 2, i, &l));
	}
	assert_int_equal(b.n_letters, 1);
	inbox_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_against_counts),
	        cmocka_unit_test(test_letters_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
