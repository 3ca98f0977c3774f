/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every frame of every run must obey, over random fabrics and workloads: trace_check.h
 * lists it. SIM_SEED=n replays a seed, SIM_RUNS=n looks further.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/simkit_random.h"
#include "tests/support/trace_check.h"

static void frames_obey_the_wire_the_order_and_the_pause(void **state)
{
	uint64_t first, runs, frames = 0, waited = 0, paused = 0, late = 0, marked = 0;

	(void)state;
	simkit_seeds(&first, &runs, 200);
	for (uint64_t seed = first; seed < first + runs; seed++) {
		struct trace t = {0};
		struct simkit k;
		struct run_record *r;
		struct err e = {0};

		simkit_random(&k, seed, 0);
		for (uint32_t i = 0; i < k.topo->n_profiles; i++)
			if (k.topo->profile[i].watchdog_action == WATCHDOG_FORWARD)
				k.topo->profile[i].watchdog_action = WATCHDOG_ALERT;
		k.tap = trace_tap;
		k.tap_arg = &t;
		if (simkit_fit(&r, &k, &e) == 0)
			trace_check(&t, &k, r);
		frames += t.n;
		waited += t.waited;
		paused += t.paused;
		late += t.blocked_ps;
		marked += t.marked;
		run_record_free(r);
		trace_fini(&t);
		simkit_fini(&k);
	}
	printf("%" PRIu64 " frames, %" PRIu64 " waited, %" PRIu64 " pause frames, %" PRIu64
	       " frames within a response time, %" PRIu64 " marked\n",
	        frames, waited, paused, late, marked);
	if (runs >= 200)
		assert_true(waited > 1000 && paused > 100 && late > 10 && marked > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(frames_obey_the_wire_the_order_and_the_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
