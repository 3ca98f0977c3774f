/* SPDX-License-Identifier: Apache-2.0 */
/* Which PSNs were shown: against a plain bitmap of every PSN, and the corners of 24 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/psn_track.h"
#include "dataplane/base/rng.h"

static struct psn_seen see(struct psn_track *s, uint32_t psn)
{
	return psn_track_see(s, psn & PSN_MASK, 1, 0, 0);
}

static void wraps(void **state)
{
	struct psn_track s = {0};

	(void)state;
	assert_int_equal(see(&s, 0xfffffe).verdict, PSN_NEW);
	assert_int_equal(see(&s, 0xffffff).verdict, PSN_NEW);
	assert_int_equal(see(&s, 0).verdict, PSN_NEW);
	assert_int_equal(see(&s, 2).verdict, PSN_GAP);
	assert_int_equal(see(&s, 0xffffff).verdict, PSN_AGAIN);
	assert_int_equal(see(&s, 1).verdict, PSN_FILL);
	assert_int_equal(s.missing, 1);
	assert_int_equal(psn_track_unfilled(&s), 0);
	psn_track_fini(&s);
}

static void begins_in_the_middle(void **state)
{
	struct psn_track s = {0};

	(void)state;
	(void)see(&s, 100);
	/* Older than the first: sent again, but nobody saw it before. */
	assert_int_equal(see(&s, 97).verdict, PSN_BEFORE);
	assert_int_equal(see(&s, 98).verdict, PSN_BEFORE);
	assert_int_equal(see(&s, 98).verdict, PSN_AGAIN);
	assert_int_equal(see(&s, 100).verdict, PSN_AGAIN);
	assert_int_equal(s.missing, 0);
	assert_int_equal(psn_track_unfilled(&s), 0);
	psn_track_fini(&s);
}

static void read_requests_take_many(void **state)
{
	struct psn_track s = {0};
	struct psn_seen r;

	(void)state;
	(void)psn_track_see(&s, 10, 5, 0, 0); /* 10..14 */
	assert_int_equal(see(&s, 15).verdict, PSN_NEW);
	/* Of unknown length: up to 20 more. */
	(void)psn_track_see(&s, 16, 1, 20, 0);
	assert_int_equal(see(&s, 30).verdict, PSN_NEW);
	assert_int_equal(s.missing, 0);
	(void)psn_track_see(&s, 31, 1, 3, 0);
	r = see(&s, 36);
	assert_int_equal(r.verdict, PSN_GAP);
	psn_track_fini(&s);
}

static void another_connection(void **state)
{
	struct psn_track s = {0};

	(void)state;
	(void)see(&s, 5);
	assert_int_equal(see(&s, 5 + 0x400000).verdict, PSN_RESTARTED);
	assert_int_equal(s.missing, 0);
	assert_int_equal(see(&s, 6 + 0x400000).verdict, PSN_NEW);
	psn_track_fini(&s);
}

enum { SPAN = 4000 };

/* Random walks with losses, repetitions and late packets. */
static void against_a_bitmap(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		static uint8_t shown[SPAN];
		struct psn_track s = {0};
		uint64_t missing = 0, unfilled = 0;
		struct rng rng = rng_make(seed, 0, RNG_LOAD);
		uint32_t base = (uint32_t)rng_next(&rng) & PSN_MASK, next = 1;

		memset(shown, 0, sizeof(shown));
		(void)see(&s, base);
		shown[0] = 1;
		while (next < SPAN - 40) {
			uint64_t h = rng_next(&rng);
			uint32_t kind = (uint32_t)(h % 10), far = (uint32_t)(h >> 8) % 30;
			uint32_t at = kind < 6     ? next
			              : kind < 8   ? next + far
			              : far < next ? next - 1 - far % next
			                           : 0;
			struct psn_seen r = see(&s, base + at);
			enum psn_verdict want = at > next    ? PSN_GAP
			                        : at == next ? PSN_NEW
			                        : shown[at]  ? PSN_AGAIN
			                                     : PSN_FILL;

			assert_int_equal(r.verdict, want);
			if (at > next)
				missing += at - next;
			shown[at] = 1;
			if (at >= next)
				next = at + 1;
		}
		for (uint32_t i = 0; i < next; i++)
			unfilled += !shown[i];
		assert_int_equal(s.missing, missing);
		assert_int_equal(psn_track_unfilled(&s), unfilled);
		psn_track_fini(&s);
	}
}

static void holes_are_bounded(void **state)
{
	struct psn_track s = {0};
	uint64_t unfilled;

	(void)state;
	for (uint32_t i = 0; i < 3 * PSN_HOLES_MAX; i++)
		(void)see(&s, 2 * i);
	unfilled = psn_track_unfilled(&s);
	assert_true(s.max_holes <= PSN_HOLES_MAX);
	assert_int_equal(unfilled, 3 * PSN_HOLES_MAX - 1);
	psn_track_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(wraps),
	        cmocka_unit_test(begins_in_the_middle),
	        cmocka_unit_test(read_requests_take_many),
	        cmocka_unit_test(another_connection),
	        cmocka_unit_test(against_a_bitmap),
	        cmocka_unit_test(holes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
