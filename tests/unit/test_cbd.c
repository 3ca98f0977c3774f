/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes of a topology file, and the circles of buffer dependencies that routes make: none
 * where packets go up and down, one in a ring whose packets all go the same way round, named
 * port by port; and what a route statement must not say.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/fabric/cbd.h"
#include "dataplane/fabric/topo_file.h"

#define RING_3                                                                                 \
	"host h0\nhost h1\nhost h2\nswitch s0\nswitch s1\nswitch s2\n"                         \
	"link h0 s0 100Gbps 1us\nlink h1 s1 100Gbps 1us\nlink h2 s2 100Gbps 1us\n"             \
	"link s0 s1 100Gbps 1us\nlink s1 s2 100Gbps 1us\nlink s2 s0 100Gbps 1us\n"
/* Clockwise: to the switch before one, the long way. */
#define CLOCKWISE "route s0 s2 s1\nroute s1 s0 s2\nroute s2 s1 s0\n"

static const struct switch_cfg base = {.buffer_bytes = 1 << 20, .pfc_priorities = 1 << 3};

static struct topo *topo_of(const char *text, const struct switch_cfg *sw)
{
	struct topo *t = NULL;
	struct err e = {0};

	if (topo_from_text(&t, "ring", text, strlen(text), sw, &e))
		fail_msg("%s", e.msg);
	return t;
}

static struct routes *routes_of(const struct topo *t)
{
	struct routes *r = NULL;
	struct err e = {0};

	if (routes_build(&r, t, 1, &e))
		fail_msg("%s", e.msg);
	return r;
}

/* "" where there is none. */
static void assert_circle(struct topo *t, const char *want)
{
	struct routes *r = routes_of(t);
	struct cbd c;
	struct err e = {0};
	char text[256];

	assert_int_equal(cbd_find(&c, t, r, &e), 0);
	assert_int_equal(c.skipped_bytes, 0);
	if (!*want)
		assert_int_equal(c.n_hops, 0);
	else
		assert_string_equal(cbd_text(&c, t, text, sizeof(text)), want);
	routes_free(r);
	topo_free(t);
}

static void refused(const char *text, const char *words)
{
	struct topo *t = NULL;
	struct err e = {0};

	assert_int_equal(topo_from_text(&t, "ring", text, strlen(text), &base, &e), -EINVAL);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, words);
}

static void test_routes_are_taken(void **state)
{
	struct topo *t = topo_of(RING_3 CLOCKWISE, &base);
	struct routes *r = routes_of(t);
	struct route_hop hop[8];

	(void)state;
	assert_int_equal(t->n_routes, 3);
	assert_int_equal(routes_path(r, t, 0, 1, 5, hop, 8), 3); /* next to it: as before */
	assert_int_equal(routes_path(r, t, 0, 2, 5, hop, 8), 4); /* by s1 */
	assert_string_equal(t->node[hop[2].node].name, "s1");
	routes_free(r);
	topo_free(t);
}

static void test_several_lines_make_a_set(void **state)
{
	struct topo *t = topo_of(RING_3 "route s0 s2 s1\nroute s0 s2 s2\n", &base);
	struct routes *r = routes_of(t);
	const uint16_t *port = NULL;
	uint16_t one;

	(void)state;
	assert_int_equal(routes_ports(r, 3, 2, &port, &one), 2);
	assert_int_equal(port[0], 1);
	assert_int_equal(port[1], 2);
	routes_free(r);
	topo_free(t);
}

static void test_refusals(void **state)
{
	struct topo *t;
	struct routes *r = NULL;
	struct err e = {0};

	(void)state;
	refused(RING_3 "route s0 s2\n", "ring:13:1: expected: route SWITCH TO VIA");
	refused(RING_3 "route s0 h2 s1\n", "ring:13:10: h2 is a host");
	refused(RING_3 "route s0 s9 s1\n", "ring:13:10: no node named s9");
	refused(RING_3 "route s0 s0 s1\n", "ring:13:10: s0 reaches its own hosts");
	refused(RING_3 "switch s4\nlink s4 s2 1Gbps 1us\nroute s0 s4 s1\n",
	        "no host hangs on s4");
	refused(RING_3 "switch s4\nlink s4 s2 1Gbps 1us\nroute s0 s2 s4\n",
	        "no link above this line joins s0 and s4");
	t = topo_of(RING_3 "route s0 s2 s1\nroute s1 s2 s0\n", &base);
	assert_int_equal(routes_build(&r, t, 1, &e), -EINVAL);
	if (!strstr(e.msg, "the routes to the hosts of s2 lead in a circle through s"))
		fail_msg("%s", e.msg);
	topo_free(t);
}

static void test_rings(void **state)
{
	struct switch_cfg lossy = base;

	(void)state;
	assert_circle(topo_of(RING_3, &base), ""); /* every way is one link long */
	assert_circle(topo_of(RING_3 CLOCKWISE, &base), "s0-s1 -> s1-s2 -> s2-s0 -> s0-s1");
	/* one flow less and it is open */
	assert_circle(topo_of(RING_3 "route s0 s2 s1\nroute s1 s0 s2\n", &base), "");
	lossy.pfc_priorities = 0;
	assert_circle(topo_of(RING_3 CLOCKWISE, &lossy), "");
}

/* In a ring of four the shortest ways to the opposite switch go both ways round. */
static void test_ring_of_four_by_shortest_paths(void **state)
{
	struct topo *t = topo_of(
	        "host a\nhost b\nhost c\nhost d\nswitch s0\nswitch s1\nswitch s2\nswitch s3\n"
	        "link a s0 1Gbps 0s\nlink b s1 1Gbps 0s\nlink c s2 1Gbps 0s\nlink d s3 1Gbps "
	        "0s\n"
	        "link s0 s1 1Gbps 0s\nlink s1 s2 1Gbps 0s\nlink s2 s3 1Gbps 0s\n"
	        "link s3 s0 1Gbps 0s\n",
	        &base);
	struct routes *r = routes_of(t);
	struct cbd c;
	struct err e = {0};

	(void)state;
	assert_int_equal(cbd_find(&c, t, r, &e), 0);
	assert_int_equal(c.n_hops, 4);
	assert_int_equal(c.priority, 3);
	for (uint32_t i = 0; i < 4; i++) { /* each waits for the next */
		const struct route_hop *h = &c.hop[i], *next = &c.hop[(i + 1) % 4];

		assert_int_equal(
		        t->port[t->node[h->node].first_port + h->port].peer_node, next->node);
	}
	routes_free(r);
	topo_free(t);
}

/* Up and down: no circle. Down and up again in two places: one. */
static void test_tiers(void **state)
{
	const struct topo_cfg fat_tree = {.kind = TOPO_FAT_TREE,
	        .k = 6,
	        .pods = TOPO_AUTO,
	        .hosts_per_pod = TOPO_AUTO,
	        .edges_per_pod = TOPO_AUTO,
	        .aggregations_per_pod = TOPO_AUTO,
	        .cores = TOPO_AUTO,
	        .host_rate_bps = TOPO_MIN_RATE_BPS,
	        .fabric_rate_bps = TOPO_MIN_RATE_BPS,
	        .core_rate_bps = TOPO_AS_FABRIC,
	        .core_delay_ps = TOPO_AS_FABRIC};
	struct topo *t = NULL;
	struct err e = {0};

	(void)state;
	if (topo_build(&t, &fat_tree, &base, &e))
		fail_msg("%s", e.msg);
	assert_circle(t, "");
	assert_circle(topo_of("host a\nhost b\nswitch l0\nswitch l1\nswitch x 2\nswitch y 2\n"
	                      "switch l2\nswitch l3\nhost c\nhost d\n"
	                      "link a l0 1Gbps 0s\nlink b l1 1Gbps 0s\nlink c l2 1Gbps 0s\n"
	                      "link d l3 1Gbps 0s\n"
	                      "link l0 x 1Gbps 0s\nlink l0 y 1Gbps 0s\nlink l1 x 1Gbps 0s\n"
	                      "link l1 y 1Gbps 0s\nlink l2 x 1Gbps 0s\nlink l3 y 1Gbps 0s\n"
	                      "link l2 y 1Gbps 0s\nlink l3 x 1Gbps 0s\n"
	                      /* to c: down to l1 and up again; to d: down to l0 and up */
	                      "route x l2 l1\nroute l1 l2 y\n"
	                      "route y l3 l0\nroute l0 l3 x\n",
	                      &base),
	        "l0-x -> x-l1 -> l1-y -> y-l0 -> l0-x");
}

/* 520 switches of 2048 ports: 2048 bits for each port. Only the sizes are looked at. */
static void test_too_large(void **state)
{
	enum { SWITCHES = 520, PORTS = TOPO_MAX_SWITCH_PORTS };
	struct topo t = {.n_nodes = SWITCHES, .n_ports = SWITCHES * PORTS};
	struct routes r = {0};
	struct err e = {0};
	struct cbd c;

	(void)state;
	t.node = calloc(SWITCHES, sizeof(*t.node));
	assert_non_null(t.node);
	for (uint32_t i = 0; i < SWITCHES; i++) {
		t.node[i].first_port = i * PORTS;
		t.node[i].n_ports = PORTS;
	}
	assert_int_equal(cbd_find(&c, &t, &r, &e), 0);
	assert_int_equal(c.n_hops, 0);
	assert_int_equal(c.skipped_bytes, (size_t)SWITCHES * PORTS * PORTS / 8);
	free(t.node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_routes_are_taken),
	        cmocka_unit_test(test_several_lines_make_a_set),
	        cmocka_unit_test(test_refusals),
	        cmocka_unit_test(test_rings),
	        cmocka_unit_test(test_ring_of_four_by_shortest_paths),
	        cmocka_unit_test(test_tiers),
	        cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
