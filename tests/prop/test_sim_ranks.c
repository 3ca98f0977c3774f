/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run on two or three ranks, each with one or two threads, gives the record of one process,
 * over random fabrics and workloads: packets, connections, counters and records all cross
 * between ranks as bytes. A failure prints its seed; SIM_SEED=n replays it.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simkit_random.h"
#include "tests/support/thread_world.h"

struct shared_run {
	const struct simkit *k;
	struct run_record *got; /* of rank 0 */
	int rc[THREAD_WORLD_MAX];
	struct err e[THREAD_WORLD_MAX];
};

static void run_rank(void *arg, struct world *w)
{
	struct shared_run *s = arg;
	struct simkit k = *s->k;
	struct run_record *r;

	k.world = w;
	s->rc[w->rank] = simkit_try(&r, &k, &s->e[w->rank]);
	if (w->rank)
		run_record_free(r);
	else
		s->got = r;
}

/* False: more ranks than edge switches, and every rank says the same. */
static bool same_on_ranks(struct simkit *k, const struct run_record *want, uint32_t ranks)
{
	struct shared_run s = {.k = k};
	const char *difference;

	k->threads = 1 + (uint32_t)(k->seed & 1);
	thread_world_run(ranks, run_rank, &s);
	for (uint32_t r = 1; r < ranks; r++) {
		assert_int_equal(s.rc[r], s.rc[0]);
		assert_string_equal(s.e[r].msg, s.e[0].msg);
	}
	if (s.rc[0]) {
		assert_int_equal(s.rc[0], -EINVAL);
		assert_non_null(strstr(s.e[0].msg, "processes for a fabric"));
		return false;
	}
	assert_int_equal(s.got->ranks, ranks);
	difference = simkit_difference(want, s.got);
	if (difference)
		fail_msg("seed %" PRIu64 ", %u ranks with %u threads: %s", k->seed, ranks,
		        k->threads, difference);
	run_record_free(s.got);
	return true;
}

static void ranks_give_the_record_of_one_process(void **state)
{
	uint64_t first, runs, compared = 0, drops = 0, pauses = 0, crossed = 0;

	(void)state;
	simkit_seeds(&first, &runs, 60);
	for (uint64_t seed = first; seed < first + runs; seed++) {
		struct simkit k;
		struct run_record *one;
		struct err e = {0};

		simkit_random(&k, seed, 0);
		if (!simkit_fit(&one, &k, &e)) {
			bool two = same_on_ranks(&k, one, 2);

			compared += two;
			drops += two && one->n.drops_lossy > 0;
			pauses += two && one->n.pause_frames > 0;
			if (two)
				crossed += same_on_ranks(&k, one, 3);
			run_record_free(one);
		}
		simkit_fini(&k);
	}
	if (runs < 60)
		return;
	/* the runs did what the comparison is about */
	assert_true(compared >= 20);
	assert_true(crossed >= 5);
	assert_true(drops >= 3);
	assert_true(pauses >= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ranks_give_the_record_of_one_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
