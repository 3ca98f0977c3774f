/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routing: on random graphs every path has the length that a plain breadth-first search over
 * the nodes finds and no node twice; flows spread evenly over equal paths; tiers do not
 * polarise.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/fabric/routes.h"

#define GBPS INT64_C(1000000000)
#define LINK(x, y)                                                                             \
	{                                                                                      \
		.a = (x), .b = (y), .rate_bps = GBPS, .delay_ps = 0                            \
	}

static const struct switch_cfg base;

static struct topo *leaf_spine(int64_t hosts, int64_t leaves, int64_t spines)
{
	const struct topo_cfg cfg = {.kind = TOPO_LEAF_SPINE,
	        .hosts = hosts,
	        .leaves = leaves,
	        .spines = spines,
	        .host_rate_bps = GBPS,
	        .fabric_rate_bps = GBPS};
	struct topo *t = NULL;
	struct err e = {0};

	if (topo_build(&t, &cfg, &base, &e))
		fail_msg("%s", e.msg);
	return t;
}

static struct routes *routes_of(const struct topo *t, uint64_t seed)
{
	struct routes *r = NULL;
	struct err e = {0};

	if (routes_build(&r, t, seed, &e))
		fail_msg("%s", e.msg);
	return r;
}

/* The oracle: hops from a host to every node, hosts not forwarding. */
static void bfs(const struct topo *t, uint32_t root, uint32_t *distance)
{
	uint32_t *queue = malloc(t->n_nodes * sizeof(*queue));
	uint32_t head = 0, tail = 0;

	assert_non_null(queue);
	memset(distance, 0xff, t->n_nodes * sizeof(*distance));
	distance[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		uint32_t at = queue[head++];

		if (at < t->n_hosts && at != root)
			continue;
		for (uint32_t i = 0; i < t->node[at].n_ports; i++) {
			uint32_t peer = t->port[t->node[at].first_port + i].peer_node;

			if (distance[peer] == UINT32_MAX) {
				distance[peer] = distance[at] + 1;
				queue[tail++] = peer;
			}
		}
	}
	free(queue);
}

static struct topo *random_topo(struct rng *rng)
{
	uint32_t n_hosts = 2 + (uint32_t)rng_below(rng, 30);
	uint32_t n_switches = 1 + (uint32_t)rng_below(rng, 20);
	uint32_t n_nodes = n_hosts + n_switches, n_links = 0;
	struct topo_node node[64];
	struct topo_link link[256];
	struct topo *t = NULL;
	struct err e = {0};

	for (uint32_t i = 0; i < n_nodes; i++) {
		node[i] = (struct topo_node){.tier = i >= n_hosts};
		(void)snprintf(node[i].name, sizeof(node[i].name), "n%u", i);
	}
	for (uint32_t h = 0; h < n_hosts; h++)
		link[n_links++] = (struct topo_link)LINK(
		        h, n_hosts + (uint32_t)rng_below(rng, n_switches));
	for (uint32_t s = 1; s < n_switches; s++)
		link[n_links++] = (struct topo_link)LINK(
		        n_hosts + (uint32_t)rng_below(rng, s), n_hosts + s);
	for (uint32_t extra = (uint32_t)rng_below(rng, 60); extra && n_switches > 1; extra--) {
		uint32_t a = (uint32_t)rng_below(rng, n_switches);
		uint32_t b = (uint32_t)rng_below(rng, n_switches - 1);

		link[n_links++] =
		        (struct topo_link)LINK(n_hosts + a, n_hosts + (b < a ? b : b + 1));
	}
	if (topo_from_links(&t, node, n_nodes, n_hosts, link, n_links, &base, &e))
		fail_msg("%s", e.msg);
	return t;
}

static void check_path(const struct topo *t, const struct routes *r, uint32_t src, uint32_t dst,
        uint16_t entropy, uint32_t expected, uint64_t seed)
{
	struct route_hop hop[64];
	uint64_t visited = 0;
	uint32_t n = routes_path(r, t, src, dst, entropy, hop, 64);

	if (n != expected)
		fail_msg("seed %llu: %u to %u takes %u hops, the shortest path has %u",
		        (unsigned long long)seed, src, dst, n, expected);
	for (uint32_t i = 0; i < n; i++) {
		const struct topo_port *p =
		        &t->port[t->node[hop[i].node].first_port + hop[i].port];

		assert_true(hop[i].port < t->node[hop[i].node].n_ports);
		assert_false(visited >> hop[i].node & 1);
		visited |= UINT64_C(1) << hop[i].node;
		assert_int_equal(p->peer_node, i + 1 < n ? hop[i + 1].node : dst);
	}
	assert_int_equal(routes_path(r, t, src, dst, entropy, hop, n - 1), 0);
}

static void test_random_graphs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct rng rng = rng_make(seed, 0, RNG_LOAD);
		struct topo *t = random_topo(&rng);
		struct routes *r = routes_of(t, seed);
		uint32_t distance[64];

		for (uint32_t src = 0; src < t->n_hosts; src++) {
			bfs(t, src, distance);
			for (uint32_t dst = 0; dst < t->n_hosts; dst++)
				if (dst != src)
					check_path(t, r, src, dst, (uint16_t)rng_next(&rng),
					        distance[dst], seed);
		}
		routes_free(r);
		topo_free(t);
	}
}

/*
 * Pearson's chi-square over 64 equal uplinks with 63 degrees of freedom: mean 63, 99.99 % below
 * 110. Hosts' entropies are often consecutive, so those are tried as well as random ones.
 */
static void test_spread_is_even(void **state)
{
	struct topo *t = leaf_spine(128, 2, 64);
	const uint32_t leaf0 = topo_find(t, "leaf0");

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct routes *r = routes_of(t, seed);
		struct rng rng = rng_make(seed, 0, RNG_LOAD);

		for (int consecutive = 0; consecutive < 2; consecutive++) {
			uint32_t count[64] = {0};
			double chi = 0;

			for (uint32_t i = 0; i < 6400; i++) {
				uint16_t entropy = (uint16_t)(consecutive ? i : rng_next(&rng));
				uint16_t port = routes_port(r, leaf0, 100, entropy);

				assert_in_range(port, 64, 127);
				count[port - 64]++;
			}
			for (int i = 0; i < 64; i++)
				chi += ((double)count[i] - 100) * ((double)count[i] - 100) /
				       100;
			if (chi > 110)
				fail_msg("seed %llu: chi-square %.1f", (unsigned long long)seed,
				        chi);
		}
		routes_free(r);
	}
	topo_free(t);
}

/*
 * Two tiers of choice in a row: a0 - {b0..b7} - c - {d0..d7} - e. Flows that chose the same b
 * must still use every d, and c must not repeat a's choice.
 */
static void test_no_polarisation(void **state)
{
	struct topo_node node[21] = {{.name = "h0"}, {.name = "h1"}};
	struct topo_link link[2 + 32] = {LINK(0, 2), LINK(1, 4)};
	uint32_t n_links = 2, table[8][8] = {{0}};
	struct topo *t = NULL;
	struct routes *r;
	struct err e = {0};

	(void)state;
	for (uint32_t i = 2; i < 21; i++)
		(void)snprintf(node[i].name, sizeof(node[i].name), "s%u", i);
	for (uint32_t i = 0; i < 8; i++) {
		const struct topo_link four[] = {
		        LINK(2, 5 + i), LINK(5 + i, 3), LINK(3, 13 + i), LINK(13 + i, 4)};

		memcpy(&link[n_links], four, sizeof(four));
		n_links += 4;
	}
	if (topo_from_links(&t, node, 21, 2, link, n_links, &base, &e))
		fail_msg("%s", e.msg);
	r = routes_of(t, 1);
	for (uint32_t i = 0; i < 6400; i++) {
		struct route_hop hop[8];

		assert_int_equal(routes_path(r, t, 0, 1, (uint16_t)i, hop, 8), 6);
		table[hop[2].node - 5][hop[4].node - 13]++;
	}
	for (int i = 0; i < 64; i++)
		assert_in_range(table[i / 8][i % 8], 60, 140);
	routes_free(r);
	topo_free(t);
}

static void test_seed_decides(void **state)
{
	struct topo *t = leaf_spine(8, 2, 4);
	struct routes *a = routes_of(t, 1), *b = routes_of(t, 1), *c = routes_of(t, 2);
	uint32_t differ = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(
		        routes_port(a, 8, 7, (uint16_t)i), routes_port(b, 8, 7, (uint16_t)i));
		differ +=
		        routes_port(a, 8, 7, (uint16_t)i) != routes_port(c, 8, 7, (uint16_t)i);
	}
	assert_in_range(differ, 650, 850);
	routes_free(a);
	routes_free(b);
	routes_free(c);
	topo_free(t);
}

/* Leaves with equally many hosts use the same uplinks for every other leaf: one set in all. */
static void test_equal_sets_are_shared(void **state)
{
	struct topo *t = leaf_spine(1000, 20, 16);
	struct routes *r = routes_of(t, 1);

	(void)state;
	assert_int_equal(r->n_edges, 20);
	assert_int_equal(r->n_pool, 16);
	routes_free(r);
	topo_free(t);
}

/* The widest set that a switch can have. */
static void test_two_thousand_next_hops(void **state)
{
	struct topo *t = leaf_spine(2, 2, TOPO_MAX_SWITCH_PORTS - 1);
	struct routes *r = routes_of(t, 1);
	uint8_t used[TOPO_MAX_SWITCH_PORTS] = {0};
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 65536; i++)
		used[routes_port(r, 2, 1, (uint16_t)i)] = 1;
	for (uint32_t i = 0; i < sizeof(used); i++)
		n += used[i];
	assert_int_equal(n, TOPO_MAX_SWITCH_PORTS - 1);
	routes_free(r);
	topo_free(t);
}

/* A link list with an island is refused before routing; a graph cut later is refused by
 * routing. */
static void test_unreachable(void **state)
{
	struct topo *t = leaf_spine(4, 2, 1);
	struct routes *r = NULL;
	struct err e = {0};
	uint32_t leaf1 = topo_find(t, "leaf1"), spine0 = topo_find(t, "spine0");

	(void)state;
	t->port[t->node[leaf1].first_port + 2] = t->port[t->node[leaf1].first_port + 1];
	t->port[t->node[spine0].first_port + 1] = t->port[t->node[spine0].first_port];
	assert_int_equal(routes_build(&r, t, 1, &e), -EINVAL);
	assert_null(r);
	assert_non_null(strstr(e.msg, "host 2 (host2) cannot reach host 0 (host0)"));
	topo_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_random_graphs),
	        cmocka_unit_test(test_spread_is_even),
	        cmocka_unit_test(test_no_polarisation),
	        cmocka_unit_test(test_seed_decides),
	        cmocka_unit_test(test_equal_sets_are_shared),
	        cmocka_unit_test(test_two_thousand_next_hops),
	        cmocka_unit_test(test_unreachable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
