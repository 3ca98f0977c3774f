/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives on an idle star without congestion control take their alpha-beta times, within
 * 1 %. With W and A the times of a full data packet and of an ACK on a link, d the delay of
 * one, and P packets in a message:
 *
 * A message alone arrives P W + W + 2 d after its post (the switch stores and forwards). Where
 * a rank sends as it receives, its link also carries an ACK for each packet that comes in: the
 * first after 2 W + 2 d, in which n0 = (2 W + 2 d) / W packets go out, and those of the last n0
 * packets fall into the wait for the last one:
 *
 *	step = P W + max(P - n0, 0) A + A + W + 2 d
 *
 * A ring all-reduce is 2 (n - 1) steps, all-gather and reduce-scatter n - 1, halving and
 * doubling two steps per level, a chain n - 1 hops and one more chunk at a time after the
 * first. One chunk in a tree passes each level once up and once down, with a message for each
 * child. In a stream of chunks the busiest link, that of a rank with two children, carries a
 * packet up and two down for each of the buffer's, and three ACKs: 3 (W + A); with a pair of
 * trees, in which everybody is inner once and leaf once, 2 (W + A). In the end the last ACK
 * comes back: A + A + 2 d.
 *
 * On a congested fabric the bus bandwidth is what the slowest link lets through.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/collective.h"
#include "dataplane/base/units.h"
#include "tests/support/simkit.h"

#define RATE  (100 * SIMKIT_GBPS)
#define DELAY PS_PER_US
#define MTU   1024

/* From docs/models.md: bytes on the wire at an MTU of 1024 over IPv4. */
#define W    tx_ps_floor(1106, RATE)
#define A    tx_ps_floor(86, RATE)
#define RETH tx_ps_floor(16, RATE)
#define BACK (2 * A + 2 * DELAY)

static int64_t step_ps(int64_t bytes)
{
	int64_t p = bytes / MTU, n0 = (2 * W + 2 * DELAY) / W;

	return p * W + RETH + (p > n0 ? (p - n0) * A : 0) + A + W + 2 * DELAY;
}

static int64_t run_ps(uint32_t n, const struct load_cfg *cfg, int64_t switch_rate_bps)
{
	struct simkit k;
	struct load_cfg *c;
	struct run_record *r;
	struct topo_link link[SIMKIT_MAX_LINKS];
	int64_t t_ps;

	simkit_init(&k);
	k.frame.path_mtu_bytes = MTU;
	for (uint32_t i = 0; i < n; i++)
		link[i] = (struct topo_link){i, n, i ? RATE : switch_rate_bps, DELAY};
	simkit_links(&k, n, 1, link, n);
	c = simkit_load(&k, (enum load_pattern_kind)cfg->pattern);
	c->algorithm = cfg->algorithm;
	c->buffer_bytes = cfg->buffer_bytes;
	c->chunk_bytes = cfg->chunk_bytes;
	c->slices = cfg->slices ? cfg->slices : 1;
	if (cfg->channels)
		c->channels = cfg->channels;
	r = simkit_run(&k);
	assert_int_equal(r->n_iteration, 1);
	assert_int_equal(r->iteration[0].start_ps, 0);
	assert_true(r->iteration[0].end_ps != TIME_NEVER);
	t_ps = r->iteration[0].end_ps;
	run_record_free(r);
	simkit_fini(&k);
	return t_ps;
}

static void check(const char *what, uint32_t n, const struct load_cfg *c, int64_t want_ps)
{
	int64_t t_ps = run_ps(n, c, RATE),
	        off_ps = t_ps > want_ps ? t_ps - want_ps : want_ps - t_ps;

	if (off_ps * 100 > want_ps)
		fail_msg("%s of %u ranks and %lld bytes takes %lld ns, not %lld", what, n,
		        (long long)c->buffer_bytes, (long long)(t_ps / 1000),
		        (long long)(want_ps / 1000));
}

static void test_rings(void **state)
{
	static const int64_t pieces[] = {1, 4, 30, 200, 1000}; /* packets */

	(void)state;
	for (uint32_t n = 2; n <= 9; n += n < 4 ? 1 : 5)
		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			struct load_cfg c = {.pattern = LOAD_ALL_REDUCE,
			        .buffer_bytes = pieces[i] * MTU * n,
			        .chunk_bytes = 1 << 30};
			int64_t step = step_ps(pieces[i] * MTU);

			check("ring all-reduce", n, &c, 2 * (n - 1) * step + BACK);
			c.pattern = LOAD_ALL_GATHER;
			check("ring all-gather", n, &c, (n - 1) * step + BACK);
			c.pattern = LOAD_REDUCE_SCATTER;
			check("ring reduce-scatter", n, &c, (n - 1) * step + BACK);
		}
}

static void test_halving_doubling(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 16; n *= 2)
		for (int64_t packets = 16; packets <= 4096; packets *= 16) {
			struct load_cfg c = {.pattern = LOAD_ALL_REDUCE,
			        .algorithm = ALGORITHM_HALVING_DOUBLING,
			        .buffer_bytes = packets * MTU};
			int64_t want_ps = BACK;

			for (uint32_t part = 2; part <= n; part *= 2)
				want_ps += 2 * step_ps(packets * MTU / part);
			check("halving-doubling", n, &c, want_ps);
		}
}

static void test_chain(void **state)
{
	(void)state;
	for (uint32_t n = 3; n <= 9; n += 3)
		for (int64_t chunks = 1; chunks <= 64; chunks *= 8) {
			const int64_t p = 64;
			struct load_cfg c = {.pattern = LOAD_BROADCAST,
			        .buffer_bytes = chunks * p * MTU,
			        .chunk_bytes = p * MTU};
			/* a rank on the way sends ACKs for the next chunk as it passes one on
			 */
			int64_t hop = p * W + RETH + W + 2 * DELAY;
			int64_t busy = chunks > 1 ? p * A : 0;

			check("chain broadcast", n, &c,
			        hop + (n - 2) * (hop + busy) +
			                (chunks - 1) * (p * (W + A) + RETH) + BACK);
		}
}

/* One chunk climbs and descends: at each level the one link of a parent carries a packet for
 * each of its children. */
static void test_tree_latency(void **state)
{
	/* links times children on the longest way up: 0 - 4 - {2, 6} - {1, 3} and so on */
	static const struct {
		uint32_t n, levels, messages;
	} trees[] = {{2, 1, 1}, {4, 2, 3}, {8, 3, 5}, {16, 4, 7}};

	(void)state;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
		for (int64_t packets = 8; packets <= 512; packets *= 8) {
			struct load_cfg c = {.pattern = LOAD_ALL_REDUCE,
			        .algorithm = ALGORITHM_TREE,
			        .buffer_bytes = packets * MTU,
			        .chunk_bytes = 1 << 30};

			check("tree all-reduce of one chunk", trees[i].n, &c,
			        2 * trees[i].messages * (packets * W + RETH) +
			                2 * trees[i].levels * (W + 2 * DELAY) + BACK);
		}
}

/* A stream of chunks fills the busiest link but for what ranks wait for each other: their own
 * link is where two children meet. */
static void test_trees_fill_the_busiest_link(void **state)
{
	const int64_t packets = 16384;
	struct load_cfg c = {.pattern = LOAD_ALL_REDUCE,
	        .algorithm = ALGORITHM_TREE,
	        .buffer_bytes = packets * MTU,
	        .chunk_bytes = 8 * MTU};
	int64_t t_ps = run_ps(8, &c, RATE);

	(void)state;
	assert_true(t_ps >= packets * 3 * (W + A) && t_ps * 100 < packets * 3 * (W + A) * 108);
	c.algorithm = ALGORITHM_DOUBLE_TREE;
	t_ps = run_ps(8, &c, RATE);
	assert_true(t_ps >= packets * 2 * (W + A) && t_ps * 100 < packets * 2 * (W + A) * 108);
}

/* One rank hangs on a slower link: everybody is as slow, and the bus bandwidth is that link's
 * payload share, beside the ACKs that it carries the other way. */
static void test_slowest_link_explains_busbw(void **state)
{
	static const int64_t divisors[] = {2, 4, 10};

	(void)state;
	for (size_t i = 0; i < sizeof(divisors) / sizeof(divisors[0]); i++) {
		const int64_t slow_bps = RATE / divisors[i];
		struct load_cfg c = {.pattern = LOAD_ALL_REDUCE,
		        .buffer_bytes = 16 << 20,
		        .chunk_bytes = 256 << 10,
		        .channels = 2,
		        .slices = 2};
		const struct run_collective all_reduce = {
		        .bytes = c.buffer_bytes, .bus_num = 14, .bus_den = 8};
		int64_t t_ps = run_ps(8, &c, slow_bps);
		double busbw =
		        (double)collective_busbw_micro(&all_reduce, c.buffer_bytes, t_ps) / 1e6;
		double link = (double)slow_bps / 1e9 * MTU / (1106 + 86);

		if (busbw > link || busbw < 0.95 * link)
			fail_msg("busbw %f Gbit/s on a link that lets %f through", busbw, link);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_rings),
	        cmocka_unit_test(test_halving_doubling),
	        cmocka_unit_test(test_chain),
	        cmocka_unit_test(test_tree_latency),
	        cmocka_unit_test(test_trees_fill_the_busiest_link),
	        cmocka_unit_test(test_slowest_link_explains_busbw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
