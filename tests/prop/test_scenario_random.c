/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios drawn from the whole knob table: each is refused with a message or runs to its end,
 * adds up, gives the same record by the plain event heap, on two threads and from its resolved
 * form. A failure prints its seed; SIM_SEED=n replays it, SIM_RUNS=n looks further.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/run_sim.h"
#include "tests/support/accounts.h"
#include "tests/support/scenario_random.h"
#include "tests/support/scenario_text.h"
#include "tests/support/simkit_random.h"

struct seen {
	uint64_t accepted, refused, not_simulated;
	/* runs that */
	uint64_t dropped, paused, stormed, deadlocked, disordered, not_ready, datagrams, hit;
};

static void note(struct seen *n, const struct run_record *r)
{
	bool hit = false;

	for (uint64_t i = 0; i < r->n_fault; i++)
		hit |= r->fault[i].packets > 0;
	n->hit += hit;
	n->dropped += r->n.drops_lossy > 0;
	n->paused += r->n.pause_frames > 0;
	n->stormed += r->n.watchdog_storms > 0;
	n->deadlocked += r->n_deadlock > 0;
	n->disordered += r->n.sacks > 0;
	n->not_ready += r->n.rnr_naks > 0;
	n->datagrams += r->n.unacknowledged_sent > 0;
}

static struct run_record *simulate(const struct scenario *s, uint32_t threads,
        enum sim_core core, uint64_t seed, const char *text)
{
	struct sim_cfg cfg = run_sim_cfg(s);
	struct run_record *r = NULL;
	struct err e = {0};
	int rc;

	cfg.threads = threads;
	cfg.core = core;
	rc = sim_run(&r, &cfg, &e);
	if (rc && rc != -EINVAL)
		fail_msg("seed %" PRIu64 ": %s\n%s", seed, e.msg, text);
	return r;
}

static void compare(const struct run_record *want, const struct scenario *s, uint32_t threads,
        enum sim_core core, uint64_t seed, const char *text, const char *what)
{
	struct run_record *got = simulate(s, threads, core, seed, text);
	const char *difference = got ? simkit_difference(want, got) : "it is refused";

	if (difference)
		fail_msg("seed %" PRIu64 ", %s: %s\n%s", seed, what, difference, text);
	run_record_free(got);
}

static void compare_resolved(const struct run_record *want, const struct scenario *s,
        const struct scratch *t, uint64_t seed, const char *text)
{
	struct scenario *again = NULL;
	struct err e = {0};
	char path[160];

	(void)snprintf(path, sizeof(path), "%s/resolved.yaml", t->dir);
	if (scenario_write_resolved(s, path, &e) ||
	        scenario_load(&again, path, NULL, 0, NULL, &e))
		fail_msg("seed %" PRIu64 ", resolved: %s\n%s", seed, e.msg, text);
	compare(want, again, 1, SIM_CORE_WINDOWS, seed, text, "resolved");
	scenario_free(again);
}

static void try_seed(uint64_t seed, const struct scratch *t, struct seen *n)
{
	/* a few keys at a time explore combinations; many at once are mostly refused */
	char *text = scenario_random(seed, seed % 4 ? 40 : 200);
	struct scenario *s;
	struct run_record *one;
	struct err e = {0};

	if (getenv("SIM_SEED"))
		print_message("%s", text);
	if (scenario_from_text(&s, t, text, NULL, &e)) {
		assert_int_equal(e.code, -EINVAL);
		assert_non_null(strstr(e.msg, t->path));
		if (getenv("SIM_SEED"))
			print_message("%s\n", e.msg);
		n->refused++;
		free(text);
		return;
	}
	one = simulate(s, 1, SIM_CORE_WINDOWS, seed, text);
	n->accepted++;
	n->not_simulated += !one;
	if (one) {
		accounts_check(one);
		note(n, one);
		compare(one, s, 1, SIM_CORE_HEAP, seed, text, "the plain event heap");
		compare(one, s, 2, SIM_CORE_WINDOWS, seed, text, "two threads");
		compare_resolved(one, s, t, seed, text);
	}
	run_record_free(one);
	scenario_free(s);
	free(text);
}

static void random_scenarios(void **state)
{
	struct seen n = {0};
	struct scratch t;
	uint64_t first, runs;

	(void)state;
	simkit_seeds(&first, &runs, 300);
	scratch_open(&t);
	for (uint64_t seed = first; seed < first + runs; seed++)
		try_seed(seed, &t, &n);
	scratch_close(&t);
	print_message("%" PRIu64 " accepted (%" PRIu64 " not simulated), %" PRIu64 " refused\n",
	        n.accepted, n.not_simulated, n.refused);
	print_message("drops in %" PRIu64 ", pauses %" PRIu64 ", storms %" PRIu64
	              ", deadlocks %" PRIu64 ", SACKs %" PRIu64 ", RNR NAKs %" PRIu64
	              ", no ACKs %" PRIu64 ", faults that met a frame %" PRIu64 "\n",
	        n.dropped, n.paused, n.stormed, n.deadlocked, n.disordered, n.not_ready,
	        n.datagrams, n.hit);
	if (runs < 300)
		return;
	/* the draw reaches what it is meant to reach */
	assert_true(n.accepted * 4 > runs);
	assert_true(n.dropped && n.paused && n.stormed && n.deadlocked && n.disordered);
	assert_true(n.not_ready && n.datagrams && n.hit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
