/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in topologies: shape, numbering, names, and what is refused with which words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/fabric/topo.h"

#define GBPS INT64_C(1000000000)

static const struct switch_cfg base = {.buffer_bytes = 12345};

static struct topo_cfg cfg_of(
        enum topo_kind kind, int64_t hosts, int64_t leaves, int64_t spines)
{
	return (struct topo_cfg){.kind = kind,
	        .hosts = hosts,
	        .leaves = leaves,
	        .spines = spines,
	        .host_rate_bps = 100 * GBPS,
	        .host_delay_ps = 1000000,
	        .fabric_rate_bps = 400 * GBPS,
	        .fabric_delay_ps = 2000000};
}

static struct topo *built(struct topo_cfg cfg)
{
	struct topo *t = NULL;
	struct err e = {0};
	int rc = topo_build(&t, &cfg, &base, &e);

	if (rc)
		fail_msg("%s", e.msg);
	return t;
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

static const struct topo_port *port_of(const struct topo *t, const char *name, uint32_t port)
{
	uint32_t n = topo_find(t, name);

	assert_int_not_equal(n, UINT32_MAX);
	assert_true(port < t->node[n].n_ports);
	return &t->port[t->node[n].first_port + port];
}

static void assert_peer(const struct topo *t, const char *name, uint32_t port, const char *peer,
        uint32_t peer_port)
{
	const struct topo_port *p = port_of(t, name, port);

	assert_string_equal(t->node[p->peer_node].name, peer);
	assert_int_equal(p->peer_port, peer_port);
}

/* Every link is two ports that name each other and agree on rate and delay. */
static void assert_symmetric(const struct topo *t)
{
	uint32_t ports = 0;

	for (uint32_t n = 0; n < t->n_nodes; n++) {
		assert_int_equal(t->node[n].first_port, ports);
		ports += t->node[n].n_ports;
		for (uint16_t i = 0; i < t->node[n].n_ports; i++) {
			const struct topo_port *p = &t->port[t->node[n].first_port + i];
			const struct topo_port *q =
			        &t->port[t->node[p->peer_node].first_port + p->peer_port];

			assert_int_equal(q->peer_node, n);
			assert_int_equal(q->peer_port, i);
			assert_int_equal(q->rate_bps, p->rate_bps);
			assert_int_equal(q->delay_ps, p->delay_ps);
		}
	}
	assert_int_equal(ports, t->n_ports);
}

static void test_star(void **state)
{
	struct topo *t = built(cfg_of(TOPO_STAR, 5, 0, 0));

	(void)state;
	assert_int_equal(t->n_hosts, 5);
	assert_int_equal(t->n_nodes, 6);
	assert_int_equal(t->n_ports, 10);
	assert_int_equal(t->n_profiles, 1);
	assert_int_equal(t->profile[0].buffer_bytes, 12345);
	assert_peer(t, "host3", 0, "sw0", 3);
	assert_int_equal(port_of(t, "sw0", 4)->rate_bps, 100 * GBPS);
	assert_int_equal(port_of(t, "sw0", 4)->delay_ps, 1000000);
	assert_int_equal(t->node[0].tier, 0);
	assert_int_equal(t->node[5].tier, 1);
	assert_int_equal(t->node[5].outside_id, 5);
	assert_symmetric(t);
	topo_free(t);
}

static void test_dumbbell(void **state)
{
	struct topo *t = built(cfg_of(TOPO_DUMBBELL, 6, 0, 0));

	(void)state;
	assert_int_equal(t->n_nodes, 8);
	assert_peer(t, "host2", 0, "sw0", 2);
	assert_peer(t, "host3", 0, "sw1", 0);
	assert_peer(t, "sw0", 3, "sw1", 3);
	assert_int_equal(port_of(t, "sw0", 3)->rate_bps, 400 * GBPS);
	assert_symmetric(t);
	topo_free(t);
}

static void test_leaf_spine(void **state)
{
	struct topo *t = built(cfg_of(TOPO_LEAF_SPINE, 64, 4, 3));

	(void)state;
	assert_int_equal(t->n_nodes, 64 + 4 + 3);
	assert_peer(t, "host0", 0, "leaf0", 0);
	assert_peer(t, "host15", 0, "leaf0", 15);
	assert_peer(t, "host16", 0, "leaf1", 0);
	assert_peer(t, "host63", 0, "leaf3", 15);
	assert_peer(t, "leaf2", 16, "spine0", 2);
	assert_peer(t, "leaf2", 18, "spine2", 2);
	assert_int_equal(t->node[topo_find(t, "spine2")].n_ports, 4);
	assert_int_equal(t->node[topo_find(t, "spine2")].tier, 2);
	assert_int_equal(port_of(t, "leaf2", 18)->rate_bps, 400 * GBPS);
	assert_int_equal(port_of(t, "leaf2", 15)->rate_bps, 100 * GBPS);
	assert_int_equal(topo_find(t, "spine3"), UINT32_MAX);
	assert_symmetric(t);
	topo_free(t);
}

static void test_limits_are_reachable(void **state)
{
	struct topo *t = built(cfg_of(TOPO_LEAF_SPINE, TOPO_MAX_HOSTS, 51, 3));

	(void)state;
	assert_int_equal(t->n_hosts, 65535);
	topo_free(t);
	t = built(cfg_of(TOPO_STAR, TOPO_MAX_SWITCH_PORTS, 0, 0));
	assert_int_equal(t->node[2048].n_ports, 2048);
	topo_free(t);
}

static void test_refusals(void **state)
{
	struct topo_cfg cfg;

	(void)state;
	refused(cfg_of(TOPO_STAR, 1, 0, 0), "fabric.topology.hosts: 1 ");
	refused(cfg_of(TOPO_STAR, 65536, 0, 0), "expected 2 to 65535");
	refused(cfg_of(TOPO_STAR, 2049, 0, 0), "2049 ports, at most 2048");
	refused(cfg_of(TOPO_DUMBBELL, 4096, 0, 0), "2049 ports, at most 2048");
	refused(cfg_of(TOPO_LEAF_SPINE, 62, 4, 4), "the nearest that do are 60 and 64");
	refused(cfg_of(TOPO_LEAF_SPINE, 3, 4, 4), "the nearest that do are 4");
	refused(cfg_of(TOPO_LEAF_SPINE, 65535, 4, 4), "the nearest that do are 65532");
	refused(cfg_of(TOPO_LEAF_SPINE, 64, 0, 4), "fabric.topology.leaves: 0");
	refused(cfg_of(TOPO_LEAF_SPINE, 64, 4, 0), "fabric.topology.spines: 0");
	refused(cfg_of(TOPO_LEAF_SPINE, 4096, 2, 4),
	        "use more leaves (fabric.topology.leaves)");
	refused(cfg_of((enum topo_kind)9, 4, 0, 0), "fabric.topology.kind");
	refused(cfg_of(TOPO_FILE, 4, 0, 0), "fabric.topology.file");

	cfg = cfg_of(TOPO_STAR, 4, 0, 0);
	cfg.host_rate_bps = 0;
	refused(cfg, "fabric.host_link.rate: 0bps");
	cfg = cfg_of(TOPO_LEAF_SPINE, 4, 2, 2);
	cfg.fabric_rate_bps = -1;
	refused(cfg, "fabric.fabric_link.rate: -1bps");
	cfg = cfg_of(TOPO_DUMBBELL, 4, 0, 0);
	cfg.fabric_delay_ps = -1;
	refused(cfg, "fabric.fabric_link.delay: -1ps");
	cfg = cfg_of(TOPO_STAR, 4, 0, 0);
	cfg.host_delay_ps = TOPO_MAX_DELAY_PS + 1;
	refused(cfg, "fabric.host_link.delay");
}

static void links_refused(const struct topo_link *link, uint32_t n, const char *words)
{
	struct topo_node node[5] = {
	        {.name = "h0"}, {.name = "h1"}, {.name = "h2"}, {.name = "s0"}, {.name = "s1"}};
	struct topo *t = NULL;
	struct err e = {0};

	assert_int_equal(topo_from_links(&t, node, 5, 3, link, n, &base, &e), -EINVAL);
	assert_null(t);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, words);
}

#define LINK(x, y)                                                                             \
	{                                                                                      \
		.a = (x), .b = (y), .rate_bps = GBPS, .delay_ps = 0                            \
	}

static void test_links_refused(void **state)
{
	const struct topo_link island[] = {LINK(0, 3), LINK(1, 3), LINK(2, 4)};
	const struct topo_link missing[] = {LINK(0, 3), LINK(2, 3)};
	const struct topo_link twice[] = {LINK(0, 3), LINK(1, 3), LINK(2, 3), LINK(2, 4)};
	const struct topo_link self[] = {LINK(0, 3), LINK(3, 3)};
	const struct topo_link hosts[] = {LINK(0, 3), LINK(1, 2)};
	const struct topo_link outside[] = {LINK(0, 3), LINK(1, 5)};
	const struct topo_link slow[] = {{.a = 0, .b = 3}};
	const struct topo_link early[] = {{.a = 0, .b = 3, .rate_bps = GBPS, .delay_ps = -1}};

	(void)state;
	links_refused(island, 3, "host 2 (h2) cannot reach host 0 (h0)");
	links_refused(missing, 2, "host 1 (h1) has no link");
	links_refused(twice, 4, "host 2 (h2) has 2 links");
	links_refused(self, 2, "link 1 joins s0 to itself");
	links_refused(hosts, 2, "link 1 joins two hosts (h1 and h2)");
	links_refused(outside, 2, "link 1 joins node 1 and node 5, but there are 5 nodes");
	links_refused(slow, 1, "link 0 (h0 - s0) has a rate of 0bps");
	links_refused(early, 1, "link 0 (h0 - s0) has a delay of -1ps");
}

/* Two cables between the same switches are two links. */
static void test_parallel_links(void **state)
{
	const struct topo_node node[] = {
	        {.name = "a"}, {.name = "b"}, {.name = "x"}, {.name = "y"}};
	const struct topo_link link[] = {LINK(0, 2), LINK(1, 3), LINK(2, 3), LINK(3, 2)};
	struct topo *t = NULL;

	(void)state;
	assert_int_equal(topo_from_links(&t, node, 4, 2, link, 4, &base, NULL), 0);
	assert_peer(t, "x", 1, "y", 1);
	assert_peer(t, "x", 2, "y", 2);
	assert_symmetric(t);
	topo_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_star),
	        cmocka_unit_test(test_dumbbell),
	        cmocka_unit_test(test_leaf_spine),
	        cmocka_unit_test(test_limits_are_reachable),
	        cmocka_unit_test(test_refusals),
	        cmocka_unit_test(test_links_refused),
	        cmocka_unit_test(test_parallel_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
