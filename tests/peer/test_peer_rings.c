/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of four hosts at seven rates: each host sends 1,000,123 bytes to the next, so data and
 * ACKs share every port and nothing is random. The times are those of a second, independent
 * implementation of the peer simulator's model with its own order of events. About 1001 x (data
 * + ACK) + 4 us, with both cut to whole nanoseconds below: 1048 and 60 bytes take 838 + 47, 335
 * + 19, 209 + 11 (not 12: exact times are cut too), 167 + 9, 83 + 4, 41 + 2, 20 + 1 ns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/peer_run.h"
#include "tests/support/reference.h"

static const struct {
	int gbps;
	double fct_ns;
} ring[] = {
        {10, 889880},
        {25, 358294},
        {40, 224155},
        {50, 180095},
        {100, 91008},
        {200, 46955},
        {400, 24928},
};

static void make_case(char dir[32], int gbps)
{
	char topology[400], config[700];

	snprintf(topology, sizeof(topology),
	        "5 1 4\n4\n0 4 %dGbps 1000ns 0\n1 4 %dGbps 1000ns 0\n2 4 %dGbps 1000ns 0\n"
	        "3 4 %dGbps 1000ns 0\n",
	        gbps, gbps, gbps, gbps);
	snprintf(config, sizeof(config),
	        "RP_TIMER 300\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\n"
	        "L2_ACK_INTERVAL 1\nHAS_WIN 0\nBUFFER_SIZE 32\nKMAX_MAP 1 %d000000000 1600\n"
	        "KMIN_MAP 1 %d000000000 400\nPMAX_MAP 1 %d000000000 0.2\n",
	        gbps, gbps, gbps);
	peer_case_make(dir, topology,
	        "4\n0 1 3 100 1000123 2.0\n1 2 3 100 1000123 2.0\n2 3 3 100 1000123 2.0\n"
	        "3 0 3 100 1000123 2.0\n",
	        config);
}

static void test_every_rate(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ring) / sizeof(ring[0]); i++) {
		char dir[32];
		struct peer_fct r;

		make_case(dir, ring[i].gbps);
		r = peer_run(dir, ".", 1, NULL);
		peer_case_remove(dir);
		assert_int_equal(r.n, 4);
		if (peer_min(&r) != ring[i].fct_ns || peer_max(&r) != ring[i].fct_ns)
			fail_msg("%d Gb/s: %.0f .. %.0f ns, expected %.0f", ring[i].gbps,
			        peer_min(&r), peer_max(&r), ring[i].fct_ns);
		peer_fct_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_rate)};

	if (!getenv("SQUALL_BIN")) {
		printf("skipped: SQUALL_BIN does not name the built program\n");
		return TEST_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
