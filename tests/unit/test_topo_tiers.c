/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fat-trees, rails and oversubscription: wiring and names; how many shortest paths there are
 * between two hosts and how long they are, against the closed forms; the bandwidth between two
 * halves of the hosts by maximum flow; what is refused with which words; the size that 10,240
 * hosts need.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "dataplane/fabric/routes.h"
#include "dataplane/fabric/topo.h"

#define GBPS INT64_C(1000000000)

static const struct switch_cfg base = {.buffer_bytes = 12345};

static struct topo_cfg cfg_of(enum topo_kind kind)
{
	return (struct topo_cfg){.kind = kind,
	        .hosts = 16,
	        .leaves = 4,
	        .spines = TOPO_AUTO,
	        .k = TOPO_AUTO,
	        .pods = TOPO_AUTO,
	        .hosts_per_pod = TOPO_AUTO,
	        .edges_per_pod = TOPO_AUTO,
	        .aggregations_per_pod = TOPO_AUTO,
	        .cores = TOPO_AUTO,
	        .nodes = 4,
	        .rails = 8,
	        .nodes_per_unit = TOPO_AUTO,
	        .host_rate_bps = 100 * GBPS,
	        .host_delay_ps = 1000000,
	        .fabric_rate_bps = 100 * GBPS,
	        .fabric_delay_ps = 2000000,
	        .core_rate_bps = TOPO_AS_FABRIC,
	        .core_delay_ps = TOPO_AS_FABRIC};
}

static struct topo_cfg fat_tree(
        int64_t pods, int64_t hosts, int64_t edges, int64_t aggregations, int64_t cores)
{
	struct topo_cfg c = cfg_of(TOPO_FAT_TREE);

	c.pods = pods;
	c.hosts_per_pod = hosts;
	c.edges_per_pod = edges;
	c.aggregations_per_pod = aggregations;
	c.cores = cores;
	return c;
}

static struct topo *built(struct topo_cfg cfg)
{
	struct topo *t = NULL;
	struct err e = {0};

	if (topo_build(&t, &cfg, &base, &e))
		fail_msg("%s", e.msg);
	return t;
}

static struct routes *routed(const struct topo *t)
{
	struct routes *r = NULL;
	struct err e = {0};

	if (routes_build(&r, t, 1, &e))
		fail_msg("%s", e.msg);
	return r;
}

static void refused(struct topo_cfg cfg, const char *words)
{
	struct topo *t = NULL;
	struct err e = {0};

	assert_int_equal(topo_build(&t, &cfg, &base, &e), -EINVAL);
	assert_null(t);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, words);
}

static void assert_peer(const struct topo *t, const char *name, uint32_t port, const char *peer)
{
	uint32_t n = topo_find(t, name);

	assert_int_not_equal(n, UINT32_MAX);
	assert_true(port < t->node[n].n_ports);
	assert_string_equal(
	        t->node[t->port[t->node[n].first_port + port].peer_node].name, peer);
}

/* The number of different shortest paths, each parallel link a path of its own. */
static uint64_t paths(const struct topo *t, const struct routes *r, uint32_t node, uint16_t dst)
{
	const uint16_t *port;
	uint16_t one;
	uint64_t sum = 0;
	uint32_t n;

	if (node == dst)
		return 1;
	n = routes_ports(r, node, dst, &port, &one);
	for (uint32_t i = 0; i < n; i++)
		sum += paths(t, r, t->port[t->node[node].first_port + port[i]].peer_node, dst);
	return sum;
}

/* Links on the way and the number of ways, from the sender's switch on. */
static void assert_paths(const struct topo *t, const struct routes *r, uint32_t src,
        uint32_t dst, uint32_t links, uint64_t ways)
{
	uint32_t edge = t->port[t->node[src].first_port].peer_node;
	struct route_hop hop[16];

	assert_int_equal(routes_path(r, t, src, dst, 7, hop, 16), links);
	assert_int_equal(paths(t, r, edge, (uint16_t)dst), ways);
}

/*
 * Maximum flow in Gbit/s from the first half of the hosts to the second, by shortest augmenting
 * paths: left[p] is what the link still takes out of port p.
 */
struct flow_net {
	const struct topo *t;
	int64_t *left;
	uint32_t *queue, *from; /* from: port by which a node was reached */
	bool *seen;
};

static uint32_t search(struct flow_net *f)
{
	const struct topo *t = f->t;
	uint32_t head = 0, tail = 0;

	memset(f->seen, 0, t->n_nodes * sizeof(*f->seen));
	for (uint32_t h = 0; h < t->n_hosts / 2; h++) {
		f->seen[h] = true;
		f->from[h] = UINT32_MAX;
		f->queue[tail++] = h;
	}
	while (head < tail) {
		uint32_t node = f->queue[head++];

		if (node < t->n_hosts && node >= t->n_hosts / 2)
			return node;
		for (uint32_t i = 0; i < t->node[node].n_ports; i++) {
			uint32_t p = t->node[node].first_port + i, peer = t->port[p].peer_node;

			if (f->seen[peer] || !f->left[p])
				continue;
			f->seen[peer] = true;
			f->from[peer] = p;
			f->queue[tail++] = peer;
		}
	}
	return UINT32_MAX;
}

static uint32_t reverse(const struct topo *t, uint32_t p)
{
	return t->node[t->port[p].peer_node].first_port + t->port[p].peer_port;
}

static int64_t push_path(struct flow_net *f, uint32_t sink)
{
	int64_t amount = INT64_MAX;

	for (uint32_t n = sink; f->from[n] != UINT32_MAX;
	        n = f->t->port[reverse(f->t, f->from[n])].peer_node)
		if (f->left[f->from[n]] < amount)
			amount = f->left[f->from[n]];
	for (uint32_t n = sink; f->from[n] != UINT32_MAX;
	        n = f->t->port[reverse(f->t, f->from[n])].peer_node) {
		f->left[f->from[n]] -= amount;
		f->left[reverse(f->t, f->from[n])] += amount;
	}
	return amount;
}

static int64_t bisection_gbps(const struct topo *t)
{
	struct flow_net f = {.t = t,
	        .left = calloc(t->n_ports, sizeof(*f.left)),
	        .queue = calloc(t->n_nodes, sizeof(*f.queue)),
	        .from = calloc(t->n_nodes, sizeof(*f.from)),
	        .seen = calloc(t->n_nodes, sizeof(*f.seen))};
	int64_t sum = 0;
	uint32_t sink;

	assert_true(f.left && f.queue && f.from && f.seen);
	for (uint32_t p = 0; p < t->n_ports; p++)
		f.left[p] = t->port[p].rate_bps / GBPS;
	while ((sink = search(&f)) != UINT32_MAX)
		sum += push_path(&f, sink);
	free(f.left);
	free(f.queue);
	free(f.from);
	free(f.seen);
	return sum;
}

/* k = 4: 16 hosts, 4 pods of 2 + 2, 4 cores; (k/2)^2 paths between pods, k/2 within. */
static void test_fat_tree_of_k(void **state)
{
	struct topo_cfg c = cfg_of(TOPO_FAT_TREE);
	struct topo *t;
	struct routes *r;

	(void)state;
	c.k = 4;
	t = built(c);
	r = routed(t);
	assert_int_equal(t->n_hosts, 16);
	assert_int_equal(t->n_nodes - t->n_hosts, 8 + 8 + 4);
	assert_peer(t, "pod0-edge0", 0, "host0");
	assert_peer(t, "pod0-edge1", 1, "host3");
	assert_peer(t, "pod3-edge1", 2, "pod3-agg0");
	assert_peer(t, "pod3-edge1", 3, "pod3-agg1");
	assert_peer(t, "pod2-agg0", 2, "core0");
	assert_peer(t, "pod2-agg0", 3, "core1");
	assert_peer(t, "pod2-agg1", 2, "core2");
	assert_peer(t, "core3", 2, "pod2-agg1");
	assert_int_equal(t->node[topo_find(t, "pod1-edge1")].tier, 1);
	assert_int_equal(t->node[topo_find(t, "pod1-agg1")].tier, 2);
	assert_int_equal(t->node[topo_find(t, "core3")].tier, 3);
	assert_paths(t, r, 0, 1, 2, 1);
	assert_paths(t, r, 0, 2, 4, 2);
	assert_paths(t, r, 0, 15, 6, 4);
	assert_int_equal(bisection_gbps(t), 8 * 100);
	routes_free(r);
	topo_free(t);
}

/* Counts of its own: 3 pods of 12 hosts on 4 edges, 2 aggregations, 6 cores at 400G. */
static void test_fat_tree_of_counts(void **state)
{
	struct topo_cfg c = fat_tree(3, 12, 4, 2, 6);
	struct topo *t;
	struct routes *r;
	uint32_t core;

	(void)state;
	c.core_rate_bps = 400 * GBPS;
	c.core_delay_ps = 5;
	t = built(c);
	r = routed(t);
	core = topo_find(t, "core5");
	assert_int_equal(t->n_hosts, 36);
	assert_int_equal(t->n_nodes, 36 + 3 * 6 + 6);
	assert_int_equal(t->node[core].n_ports, 3);
	assert_int_equal(t->port[t->node[core].first_port].rate_bps, 400 * GBPS);
	assert_int_equal(t->port[t->node[core].first_port].delay_ps, 5);
	assert_int_equal(t->port[t->node[topo_find(t, "pod0-edge0")].first_port + 3].rate_bps,
	        100 * GBPS);
	assert_paths(t, r, 0, 35, 6, 2 * 3);
	/* 18 hosts to 18 others: 4 edges of pod 0 and 2 of pod 1 with 200G up each */
	assert_int_equal(bisection_gbps(t), 6 * 200);
	routes_free(r);
	topo_free(t);
}

/* 2:1 at the edge and 3:1 above: counts follow, and so does the bandwidth between halves. */
static void test_oversubscription(void **state)
{
	struct topo_cfg c = fat_tree(2, 24, 4, TOPO_AUTO, TOPO_AUTO);
	struct topo *t;

	(void)state;
	c.host_rate_bps = 200 * GBPS;
	t = built(c); /* non-blocking: 6 * 200G below, 12 * 100G above, and as much again */
	assert_int_equal(t->n_nodes - t->n_hosts, 2 * (4 + 12) + 12 * 4);
	assert_int_equal(bisection_gbps(t), 24 * 200);
	topo_free(t);
	c.oversubscription_q32 = 2 * Q32_ONE;
	c.core_oversubscription_q32 = 4 * Q32_ONE;
	t = built(c);
	assert_int_equal(t->n_nodes - t->n_hosts, 2 * (4 + 6) + 6);
	assert_int_equal(bisection_gbps(t), 24 * 200 / 8);
	topo_free(t);
	c = cfg_of(TOPO_LEAF_SPINE);
	c.oversubscription_q32 = 4 * Q32_ONE;
	t = built(c); /* 4 hosts on a leaf: one uplink */
	assert_int_equal(t->n_nodes - t->n_hosts, 4 + 1);
	assert_int_equal(bisection_gbps(t), 8 * 100 / 4);
	topo_free(t);
}

/* Where the switches above are given, parallel links make the ratio. */
static void test_parallel_links(void **state)
{
	struct topo_cfg c = cfg_of(TOPO_LEAF_SPINE);
	struct topo *t;
	struct routes *r;

	(void)state;
	c.spines = 2;
	c.oversubscription_q32 = Q32_ONE;
	t = built(c);
	r = routed(t);
	assert_int_equal(t->node[topo_find(t, "leaf0")].n_ports, 4 + 4);
	assert_int_equal(t->node[topo_find(t, "spine1")].n_ports, 8);
	assert_peer(t, "leaf0", 4, "spine0");
	assert_peer(t, "leaf0", 5, "spine0");
	assert_peer(t, "leaf0", 6, "spine1");
	assert_paths(t, r, 0, 15, 4, 2 * 2 * 2);
	assert_int_equal(bisection_gbps(t), 800);
	routes_free(r);
	topo_free(t);
	c.oversubscription_q32 = TOPO_RATIO_AUTO; /* one link each: 2:1 */
	t = built(c);
	assert_int_equal(t->node[topo_find(t, "leaf0")].n_ports, 4 + 2);
	assert_int_equal(bisection_gbps(t), 400);
	topo_free(t);
}

/* 4 nodes of 8 in units of 2: equal rails meet in one leaf, unequal ones in a spine. */
static void test_rail(void **state)
{
	struct topo_cfg c = cfg_of(TOPO_RAIL);
	struct topo *t;
	struct routes *r;

	(void)state;
	c.nodes_per_unit = 2;
	t = built(c);
	r = routed(t);
	assert_int_equal(t->n_hosts, 32);
	assert_int_equal(t->n_nodes - t->n_hosts, 16 + 2);
	assert_peer(t, "rail0-leaf0", 0, "host0");
	assert_peer(t, "rail0-leaf0", 1, "host8");
	assert_peer(t, "rail3-leaf1", 1, "host27");
	assert_peer(t, "host13", 0, "rail5-leaf0");
	assert_peer(t, "spine1", 15, "rail7-leaf1");
	assert_paths(t, r, 0, 8, 2, 1);  /* NIC 0 of the node beside it */
	assert_paths(t, r, 0, 16, 4, 2); /* NIC 0 of another unit */
	assert_paths(t, r, 0, 9, 4, 2);  /* NIC 1 of the node beside it */
	assert_int_equal(bisection_gbps(t), 16 * 100);
	routes_free(r);
	topo_free(t);
	c.oversubscription_q32 = 2 * Q32_ONE;
	t = built(c);
	assert_int_equal(bisection_gbps(t), 16 * 100 / 2);
	topo_free(t);
}

static void test_refusals(void **state)
{
	struct topo_cfg c = cfg_of(TOPO_FAT_TREE);

	(void)state;
	refused(c, "fabric.topology.pods: missing");
	c.k = 5;
	refused(c, "fabric.topology.k: 5 is odd");
	c.k = 4;
	c.pods = 3;
	refused(c, "fabric.topology.k: gives every count by itself");
	refused(fat_tree(4, 30, 4, 4, 16), "30 do not divide by 4 edges_per_pod; the nearest "
	                                   "that do are 28 and 32");
	refused(fat_tree(4, 32, 4, 4, 18), "18 do not divide by 4 aggregations_per_pod; the "
	                                   "nearest that do are 16 and 20");
	refused(fat_tree(300, 320, 4, 4, 16), "96000 hosts in all");
	refused(fat_tree(4, 8192, 4, 4, 16), "an edge switch would have 2052 ports");
	refused(fat_tree(999, 32, 16, 16, 2048), "16384 are possible");
	c = fat_tree(2, 24, 4, TOPO_AUTO, TOPO_AUTO);
	c.oversubscription_q32 = 4 * Q32_ONE;
	refused(c, "fabric.topology.oversubscription: 4:1 cannot be had: an edge switch has 6 "
	           "links of 100Gbps below");
	c = cfg_of(TOPO_RAIL);
	c.nodes_per_unit = 3;
	refused(c, "fabric.topology.nodes: 4 do not divide by 3 nodes_per_unit");
	c = cfg_of(TOPO_LEAF_SPINE);
	c.spines = 3;
	c.oversubscription_q32 = Q32_ONE;
	refused(c, "a leaf needs 4 uplinks for it, which do not divide by 3 spines");
}

/* 32 pods of 320 hosts: the graph and its routes stay small. */
static void test_ten_thousand_hosts(void **state)
{
	struct topo *t = built(fat_tree(32, 320, 20, 16, 320));
	struct routes *r = routed(t);

	(void)state;
	assert_int_equal(t->n_hosts, 10240);
	assert_int_equal(t->n_nodes - t->n_hosts, 32 * 36 + 320);
	assert_int_equal(r->n_edges, 640);
	assert_true((size_t)r->n_switches * r->n_edges * sizeof(*r->set) < 4 << 20);
	assert_true(r->n_pool < 4096);
	assert_paths(t, r, 0, 10239, 6, 16 * 20);
	assert_paths(t, r, 0, 319, 4, 16);
	assert_string_equal(t->node[10240 + 36 + 20].name, "pod1-agg0");
	routes_free(r);
	topo_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_fat_tree_of_k),
	        cmocka_unit_test(test_fat_tree_of_counts),
	        cmocka_unit_test(test_oversubscription),
	        cmocka_unit_test(test_parallel_links),
	        cmocka_unit_test(test_rail),
	        cmocka_unit_test(test_refusals),
	        cmocka_unit_test(test_ten_thousand_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
