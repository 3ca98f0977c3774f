/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load balancing at a leaf with four equal uplinks: which path each packet takes, by the draws
 * that are documented; which kinds of packets are spread at all; what a simulation makes of it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/fabric/balance.h"
#include "tests/support/switch_bench.h"

#define SPINES         4
#define SEED           77
#define ACK_WIRE_BYTES 86
/* hosts 0, 1 on leaf 4; hosts 2, 3 on leaf 5; spines 6 .. 9 */
#define LEAF 4

struct bench {
	struct switch_bench *b; /* leaf 4: ports 0, 1 to hosts, 2 .. 5 to spines */
	struct fsw *sw;
	struct routes *r;
};

static void leaf_spine(struct simkit *k)
{
	struct topo_link link[4 + 2 * SPINES];
	uint32_t n = 0;

	for (uint32_t h = 0; h < 4; h++)
		link[n++] = (struct topo_link){h, LEAF + h / 2, 100 * SIMKIT_GBPS, PS_PER_US};
	for (uint32_t s = 0; s < SPINES; s++)
		for (uint32_t l = 0; l < 2; l++)
			link[n++] = (struct topo_link){
			        LEAF + l, LEAF + 2 + s, 100 * SIMKIT_GBPS, PS_PER_US};
	simkit_links(k, 4, 2 + SPINES, link, n);
}

static struct bench bench_open(enum load_balancing kind, int64_t gap_ps)
{
	struct bench b = {.b = switch_bench_new()};
	struct err e = {0};

	b.b->k.sw.load_balancing = kind;
	b.b->k.sw.flowlet_gap_ps = gap_ps;
	leaf_spine(&b.b->k);
	if (switch_bench_at(b.b, LEAF, SEED, &e) || routes_build(&b.r, b.b->k.topo, SEED, &e))
		fail_msg("%s", e.msg);
	b.sw = &b.b->sw;
	return b;
}

static void bench_close(struct bench *b)
{
	switch_bench_close(b->b);
	routes_free(b->r);
}

static struct desc packet(enum desc_kind kind, uint16_t entropy)
{
	return (struct desc){.kind = kind & 15u,
	        .dst = 3,
	        .entropy = entropy,
	        .priority = 3,
	        .frame_bytes = 1082};
}

static uint16_t port_at(
        const struct bench *b, enum desc_kind kind, uint16_t entropy, int64_t now_ps)
{
	struct desc d = packet(kind, entropy);

	return balance_port(b->sw, b->r, &d, now_ps);
}

static void enqueue(const struct bench *b, uint16_t out, int n)
{
	for (int i = 0; i < n; i++) {
		struct desc d = packet(DESC_DATA, 0);

		assert_int_equal(fsw_arrival(b->sw, out, &d, false), FSW_QUEUED);
	}
}

static void test_ecmp_has_no_state(void **state)
{
	struct bench b = bench_open(BALANCE_ECMP, 0);

	(void)state;
	assert_null(b.sw->balance);
	bench_close(&b);
}

/* Packet i goes where draw i of (seed, node, RNG_BALANCE) points, whatever its flow; packets
 * that have one way only draw nothing. */
static void test_spray_follows_its_draws(void **state)
{
	struct bench b = bench_open(BALANCE_SPRAY, 0);
	struct rng draw = rng_make(SEED, LEAF, RNG_BALANCE);
	int count[6] = {0};

	(void)state;
	for (int i = 0; i < 4000; i++) {
		struct desc local = packet(DESC_DATA, 9);
		uint16_t want = (uint16_t)(2 + rng_below(&draw, SPINES));
		uint16_t got = port_at(&b, DESC_DATA, (uint16_t)(i & 1), i);

		assert_int_equal(got, want);
		count[got]++;
		local.dst = 1;
		assert_int_equal(balance_port(b.sw, b.r, &local, i), 1);
	}
	for (int p = 2; p < 6; p++) /* 1000 each; standard deviation 27 */
		assert_in_range(count[p], 890, 1110);
	bench_close(&b);
}

static void test_control_stays_on_its_path(void **state)
{
	static const enum desc_kind kinds[] = {
	        DESC_ACK, DESC_NAK, DESC_CNP, DESC_RNR_NAK, DESC_SACK};
	struct bench b = bench_open(BALANCE_SPRAY, 0);

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (uint16_t entropy = 0; entropy < 20; entropy++)
			assert_int_equal(port_at(&b, kinds[k], entropy, 0),
			        routes_port(b.r, LEAF, 3, entropy));
	bench_close(&b);
}

static void test_adaptive_takes_the_shortest_queue(void **state)
{
	struct bench b = bench_open(BALANCE_ADAPTIVE, 0);

	(void)state;
	enqueue(&b, 2, 3);
	enqueue(&b, 3, 2);
	enqueue(&b, 4, 1);
	enqueue(&b, 5, 2);
	for (int i = 0; i < 20; i++)
		assert_int_equal(port_at(&b, DESC_DATA, (uint16_t)i, 0), 4);
	enqueue(&b, 4, 3); /* 3, 2, 4, 2 */
	b.sw->port[3].blocked = 1 << 3;
	for (int i = 0; i < 20; i++)
		assert_int_equal(port_at(&b, DESC_DATA, (uint16_t)i, 0), 5);
	b.sw->port[3].blocked = 1 << 2; /* of another priority */
	b.sw->port[5].busy_until_ps = 100;
	for (int i = 0; i < 20; i++)
		assert_int_equal(port_at(&b, DESC_DATA, (uint16_t)i, 99), 3);
	bench_close(&b);
}

static void test_adaptive_draws_among_equals(void **state)
{
	struct bench b = bench_open(BALANCE_ADAPTIVE, 0);
	struct rng draw = rng_make(SEED, LEAF, RNG_BALANCE);

	(void)state;
	enqueue(&b, 4, 1);
	for (int i = 0; i < 300; i++) {
		static const uint16_t left[] = {2, 3, 5};

		assert_int_equal(port_at(&b, DESC_DATA, 0, 0), left[rng_below(&draw, 3)]);
	}
	bench_close(&b);
}

static void test_flowlets_move_after_a_gap(void **state)
{
	struct bench b = bench_open(BALANCE_ADAPTIVE, 1000);
	uint16_t first = port_at(&b, DESC_DATA, 5, 0), next;

	(void)state;
	enqueue(&b, first, 2); /* now the worst choice, but the flow stays */
	assert_int_equal(port_at(&b, DESC_DATA, 5, 1000), first);
	assert_int_equal(port_at(&b, DESC_DATA, 5, 2000), first);
	assert_int_not_equal(port_at(&b, DESC_DATA, 6, 2000), first); /* another flow */
	next = port_at(&b, DESC_DATA, 5, 3001);
	assert_int_not_equal(next, first);
	assert_int_equal(port_at(&b, DESC_DATA, 5, 3002), next);
	bench_close(&b);
}

struct counts {
	int data[SPINES], other[SPINES];
};

static void count_at_spines(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct counts *c = arg;

	(void)start_ps;
	if (to < LEAF + 2)
		return;
	if (d->kind == DESC_DATA)
		c->data[to - LEAF - 2]++;
	else
		c->other[to - LEAF - 2]++;
}

static struct run_record *one_flow(enum load_balancing kind, struct counts *c)
{
	struct simkit k;
	struct run_record *r;

	*c = (struct counts){0};
	simkit_init(&k);
	k.sw.load_balancing = kind;
	leaf_spine(&k);
	simkit_flow(&k, 0, 3, 2000 * 1024, 0);
	k.tap = count_at_spines;
	k.tap_arg = c;
	r = simkit_run(&k);
	simkit_fini(&k);
	return r;
}

/* One flow on equal idle paths: nothing is overtaken, and the ACKs stay on one. */
static void test_one_flow_uses_all_spines(void **state)
{
	struct counts c;

	(void)state;
	for (int kind = BALANCE_ECMP; kind <= BALANCE_ADAPTIVE; kind++) {
		struct run_record *r = one_flow((enum load_balancing)kind, &c);
		int used = 0, acks_on = 0;

		assert_int_equal(r->n.retransmitted_packets, 0);
		assert_int_equal(c.data[0] + c.data[1] + c.data[2] + c.data[3], 2000);
		for (int s = 0; s < SPINES; s++) {
			used += c.data[s] > 0;
			acks_on += c.other[s] > 0;
			if (kind != BALANCE_ECMP)
				assert_in_range(c.data[s], 400, 600);
		}
		assert_int_equal(used, kind == BALANCE_ECMP ? 1 : SPINES);
		assert_int_equal(acks_on, 1);
		run_record_free(r);
	}
}

/* Two flows of 100G that ECMP puts on one uplink: half the rate; spread they do not collide. */
static int64_t two_flows_end_ps(enum load_balancing kind, uint64_t seed)
{
	struct simkit k;
	struct run_record *r;
	int64_t end_ps;

	simkit_init(&k);
	k.sw.load_balancing = kind;
	k.seed = seed;
	leaf_spine(&k);
	simkit_flow(&k, 0, 2, 1000 * 1024, 0);
	simkit_flow(&k, 1, 3, 1000 * 1024, 0);
	r = simkit_run(&k);
	end_ps = r->msg[1].done_ps;
	run_record_free(r);
	simkit_fini(&k);
	return end_ps;
}

static void test_adaptive_avoids_a_collision(void **state)
{
	int64_t worst_ps = 0, alone_ps = INT64_MAX;

	(void)state;
	for (uint64_t seed = 1; seed <= 16; seed++) {
		int64_t end_ps = two_flows_end_ps(BALANCE_ECMP, seed);

		worst_ps = end_ps > worst_ps ? end_ps : worst_ps;
		alone_ps = end_ps < alone_ps ? end_ps : alone_ps;
	}
	assert_true(worst_ps > alone_ps * 18 / 10); /* some seed collides */
	for (uint64_t seed = 1; seed <= 16; seed++) /* ACKs may still share a link */
		assert_in_range(two_flows_end_ps(BALANCE_ADAPTIVE, seed), alone_ps,
		        alone_ps + ACK_WIRE_BYTES * 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_ecmp_has_no_state),
	        cmocka_unit_test(test_spray_follows_its_draws),
	        cmocka_unit_test(test_control_stays_on_its_path),
	        cmocka_unit_test(test_adaptive_takes_the_shortest_queue),
	        cmocka_unit_test(test_adaptive_draws_among_equals),
	        cmocka_unit_test(test_flowlets_move_after_a_gap),
	        cmocka_unit_test(test_one_flow_uses_all_spines),
	        cmocka_unit_test(test_adaptive_avoids_a_collision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
