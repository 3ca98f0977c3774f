/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several priorities on one port, which that simulator serves packet by packet in turns from
 * one shared pool. The figures are those of a second, independent implementation of its model
 * with its own order of events: exact where nothing is random, means over many seeds elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/peer_run.h"
#include "tests/support/reference.h"

#define SEEDS 5

/* A star of n hosts at 100 Gb/s. */
static void make_case(char dir[32], int n, const char *flows, const char *more)
{
	static const char common[] =
	        "RP_TIMER 300\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\n"
	        "MIN_RATE 1000Mb/s\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\n"
	        "FAST_RECOVERY_TIMES 1\nL2_ACK_INTERVAL 1\nKMAX_MAP 1 100000000000 1600\n"
	        "KMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.2\n";
	char topology[2000], config[1000];
	size_t len;

	len = (size_t)snprintf(topology, sizeof(topology), "%d 1 %d\n%d\n", n + 1, n, n);
	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(topology + len, sizeof(topology) - len,
		        "%d %d 100Gbps 1000ns 0\n", i, n);
	snprintf(config, sizeof(config), "%s%s", common, more);
	peer_case_make(dir, topology, flows, config);
}

/* Eight long flows of two priorities to one host and eight short ones beside them, under a
 * fixed window; a host's ACKs wait while class 3 is paused. */
static void test_two_with_a_window(void **state)
{
	static const double want[] = {13861, 13861, 13865, 13904, 13948, 13948, 13948, 13948,
	        1331510, 1331593, 1331676, 1331759, 1331842, 1331925, 1332008, 1332091};
	char dir[32], flows[1000] = "16\n";
	size_t len = strlen(flows);
	struct peer_fct r;

	(void)state;
	for (int i = 1; i <= 8; i++)
		len += (size_t)snprintf(flows + len, sizeof(flows) - len,
		        "%d 0 %d 100 2000000 2.0\n", i, 3 + i % 2);
	for (int i = 1; i <= 8; i++)
		len += (size_t)snprintf(flows + len, sizeof(flows) - len,
		        "%d %d 3 100 100000 2.0001\n", i, 1 + i % 8);
	make_case(dir, 9, flows, "HAS_WIN 1\nVAR_WIN 0\nACK_HIGH_PRIO 0\nBUFFER_SIZE 32\n");
	r = peer_run(dir, ".", 1, NULL);
	peer_case_remove(dir);
	assert_int_equal(r.n, 16);
	for (size_t i = 0; i < r.n; i++)
		if (r.fct_ns[i] != want[i])
			fail_msg("flow of rank %zu: %.0f ns, expected %.0f", i, r.fct_ns[i],
			        want[i]);
	peer_fct_free(&r);
}

/* Sixteen flows of three priorities to host 0, which sends to all of them, in a 2 MiB buffer:
 * PFC holds the classes apart. */
static void test_three_under_pfc(void **state)
{
	char dir[32], flows[1500] = "32\n";
	size_t len = strlen(flows);
	struct peer_fct run[SEEDS];

	(void)state;
	for (int i = 1; i <= 16; i++)
		len += (size_t)snprintf(flows + len, sizeof(flows) - len,
		        "%d 0 %d 100 1000000 2.0\n", i, 3 + i % 3);
	for (int i = 1; i <= 16; i++)
		len += (size_t)snprintf(
		        flows + len, sizeof(flows) - len, "0 %d 3 100 500000 2.0\n", i);
	make_case(dir, 17, flows, "HAS_WIN 0\nACK_HIGH_PRIO 1\nBUFFER_SIZE 2\n");
	for (unsigned i = 0; i < SEEDS; i++)
		run[i] = peer_run(dir, ".", i + 1, NULL);
	peer_case_remove(dir);
	peer_near("three classes", "FCT p50", peer_mean(run, SEEDS, peer_p50), 1041900, 0.01);
	peer_near(
	        "three classes", "FCT maximum", peer_mean(run, SEEDS, peer_max), 1509000, 0.05);
	for (unsigned i = 0; i < SEEDS; i++)
		peer_fct_free(&run[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_two_with_a_window),
	        cmocka_unit_test(test_three_under_pfc),
	};

	if (!getenv("SQUALL_BIN")) {
		printf("skipped: SQUALL_BIN does not name the built program\n");
		return TEST_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
