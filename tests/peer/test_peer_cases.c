/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer simulator's own files through the built program, against that simulator's results.
 * Where its outcome depends on nothing random, ours is the same to the nanosecond; elsewhere
 * means over five seeds, since its random draws and its order of equal times cannot be
 * reproduced.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/peer_run.h"
#include "tests/support/reference.h"

#define SEEDS 5

static char cases[512];

/* 8000 packets at 83 ns and as many ACKs at 4 ns share each port: 699,991 ns for everyone. */
static void test_ring16(void **state)
{
	struct peer_fct r = peer_run(cases, "ring16", 1, NULL);

	(void)state;
	assert_int_equal(r.n, 16);
	assert_true(peer_min(&r) == 699991);
	assert_true(peer_max(&r) == 699991);
	assert_int_equal(r.marks, 0);
	peer_fct_free(&r);
}

/* The queue never empties before the last packet: 8000 x 83 ns + 4.091 us. */
static void test_incast8_paper(void **state)
{
	struct peer_fct r = peer_run(cases, "incast8__dcqcn_paper", 1, NULL);

	(void)state;
	assert_int_equal(r.n, 8);
	assert_true(peer_max(&r) == 668091);
	peer_fct_free(&r);
}

static void test_a2a16(void **state)
{
	struct peer_fct r = peer_run(cases, "a2a16", 1, NULL);

	(void)state;
	assert_int_equal(r.n, 240);
	peer_near("a2a16", "maximum FCT", peer_max(&r), 1310133, 0.001);
	assert_int_equal(r.marks, 0);
	peer_fct_free(&r);
}

/* marks: of that simulator's run, from its counters. */
static void compare(const char *name, double marks, double tail, double median, double on_marks)
{
	struct peer_fct ref = peer_reference(cases, name), run[SEEDS];

	for (unsigned i = 0; i < SEEDS; i++) {
		run[i] = peer_run(cases, name, i + 1, NULL);
		assert_int_equal(run[i].n, ref.n);
	}
	peer_near(name, "FCT p50", peer_mean(run, SEEDS, peer_p50), peer_p50(&ref), median);
	peer_near(name, "FCT p99", peer_mean(run, SEEDS, peer_p99), peer_p99(&ref), tail);
	peer_near(name, "FCT maximum", peer_mean(run, SEEDS, peer_max), peer_max(&ref), tail);
	peer_near(name, "ECN marks", peer_mean(run, SEEDS, peer_marks), marks, on_marks);
	for (unsigned i = 0; i < SEEDS; i++)
		peer_fct_free(&run[i]);
	peer_fct_free(&ref);
}

static void test_incast8(void **state)
{
	(void)state;
	compare("incast8", 2164, 0.03, 0.06, 0.10);
}

static void test_incast32(void **state)
{
	(void)state;
	compare("incast32", 24775, 0.03, 0.06, 0.10);
}

static void test_incast8_window(void **state)
{
	(void)state;
	compare("incast8__dcqcn_vwin", 0, 0.03, 0.06, 0.10);
}

static void test_incast32_window(void **state)
{
	(void)state;
	compare("incast32__dcqcn_vwin", 1042, 0.03, 0.06, 0.10);
}

static void test_fair2(void **state)
{
	(void)state;
	compare("fair2", 492, 0.05, 0.05, 0.10);
}

/* That simulator's ECMP choices depend on its heap: distributions only. */
static void test_ls64_websearch(void **state)
{
	const char *name = "ls64_websearch";
	struct peer_fct ref = peer_reference(cases, name), run[SEEDS];

	(void)state;
	for (unsigned i = 0; i < SEEDS; i++) {
		run[i] = peer_run(cases, name, i + 1, NULL);
		assert_int_equal(run[i].n, ref.n);
	}
	peer_near(name, "FCT p50", peer_mean(run, SEEDS, peer_p50), peer_p50(&ref), 0.05);
	peer_near(name, "FCT p99", peer_mean(run, SEEDS, peer_p99), peer_p99(&ref), 0.05);
	peer_near(name, "mean slowdown", peer_mean(run, SEEDS, peer_slowdown_mean),
	        peer_slowdown_mean(&ref), 0.05);
	for (unsigned i = 0; i < SEEDS; i++)
		peer_fct_free(&run[i]);
	peer_fct_free(&ref);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_ring16),
	        cmocka_unit_test(test_incast8_paper),
	        cmocka_unit_test(test_a2a16),
	        cmocka_unit_test(test_incast8),
	        cmocka_unit_test(test_incast32),
	        cmocka_unit_test(test_incast8_window),
	        cmocka_unit_test(test_incast32_window),
	        cmocka_unit_test(test_fair2),
	        cmocka_unit_test(test_ls64_websearch),
	};

	reference_path(cases, sizeof(cases), "peer-sim/cases");
	if (!getenv("SQUALL_BIN")) {
		printf("skipped: SQUALL_BIN does not name the built program\n");
		return TEST_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
