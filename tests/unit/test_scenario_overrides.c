/* SPDX-License-Identifier: Apache-2.0 */
/* fabric.overrides: who matches, who wins, and what --set may no longer promise. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/scenario_group.h"

#define HEAD                                                                                   \
	"squall: 1\nworkload: [{pattern: incast, message: 1MB}]\n"                             \
	"fabric:\n"                                                                            \
	"  topology: {kind: leaf-spine, hosts: 4, leaves: 2, spines: 2}\n"                     \
	"  fabric_link: {rate: 400Gbps}\n"                                                     \
	"  overrides:\n"
#define SETS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct topo_port *port_of(
        const struct scenario *s, const char *node, uint16_t port)
{
	uint32_t n = topo_find(s->topo, node);

	assert_int_not_equal(n, UINT32_MAX);
	assert_true(port < s->topo->node[n].n_ports);
	return &s->topo->port[s->topo->node[n].first_port + port];
}

static const struct switch_cfg *cfg_of(
        const struct scenario *s, const char *node, uint16_t port)
{
	return &s->topo->profile[port_of(s, node, port)->profile];
}

static const struct switch_cfg *whole(const struct scenario *s, const char *node)
{
	return &s->topo->profile[s->topo->node[topo_find(s->topo, node)].profile];
}

/* leaf0 has ports 0, 1 to hosts at 100G and 2, 3 to spines at 400G. */
static void by_rate_and_later_ones_win(void **state)
{
	struct scenario *s = scenario_taken(HEAD
	        "    - {match: {rate: 400Gbps}, ecn: {kmin: 1MB, kmax: 4MB}}\n"
	        "    - {match: {node: leaf0, port: 2}, ecn: {kmin: 2MB}}\n",
	        NULL);

	(void)state;
	assert_int_equal(cfg_of(s, "leaf0", 0)->ecn_kmin_bytes, 400000);
	assert_int_equal(cfg_of(s, "leaf0", 2)->ecn_kmin_bytes, 2000000);
	assert_int_equal(cfg_of(s, "leaf0", 2)->ecn_kmax_bytes, 4000000);
	assert_int_equal(cfg_of(s, "leaf0", 3)->ecn_kmin_bytes, 1000000);
	assert_int_equal(cfg_of(s, "spine1", 0)->ecn_kmin_bytes, 1000000);
	assert_int_equal(s->sw.ecn_kmin_bytes, 400000);
	assert_int_equal(s->topo->profile[0].ecn_kmin_bytes, 400000);
	/* base, 400G, and that one port */
	assert_int_equal(s->topo->n_profiles, 3);
	scenario_free(s);
}

static void equal_profiles_are_one(void **state)
{
	struct scenario *s =
	        scenario_taken(HEAD "    - {match: {node: leaf0}, ecn: {kmin: 1MB}}\n"
	                            "    - {match: {node: leaf1}, ecn: {kmin: 1MB}}\n"
	                            "    - {match: {tier: leaf}, ecn: {kmin: 400KB}}\n",
	                NULL);

	(void)state;
	assert_int_equal(port_of(s, "leaf0", 0)->profile, 0);
	assert_int_equal(port_of(s, "leaf1", 3)->profile, 0);
	assert_int_equal(s->topo->n_profiles, 2);
	scenario_free(s);
}

static void links_change_both_ends(void **state)
{
	struct scenario *s = scenario_taken(HEAD
	        "    - {match: {link: leaf0-host1}, link: {rate: 200Gbps, delay: 3us}}\n"
	        "    - {match: {rate: 200Gbps}, ecn: {pmax: 50%}}\n"
	        "    - {match: {node: host0}, link: {delay: 9us}}\n",
	        NULL);

	(void)state;
	assert_int_equal(port_of(s, "leaf0", 1)->rate_bps, INT64_C(200000000000));
	assert_int_equal(port_of(s, "host1", 0)->rate_bps, INT64_C(200000000000));
	assert_int_equal(port_of(s, "host1", 0)->delay_ps, 3000000);
	assert_int_equal(port_of(s, "leaf0", 1)->delay_ps, 3000000);
	assert_int_equal(port_of(s, "leaf0", 0)->delay_ps, 9000000);
	assert_int_equal(port_of(s, "leaf0", 0)->rate_bps, INT64_C(100000000000));
	/* the second entry sees what the first one did */
	assert_int_equal(cfg_of(s, "leaf0", 1)->ecn_pmax_q32, INT64_C(1) << 31);
	assert_int_not_equal(cfg_of(s, "leaf0", 0)->ecn_pmax_q32, INT64_C(1) << 31);
	assert_int_equal(s->entry[0].env.host_rate_bps[1], INT64_C(200000000000));
	scenario_free(s);
}

static void whole_switches(void **state)
{
	struct scenario *s = scenario_taken(HEAD
	        "    - {match: {tier: spine}, buffer: 64MiB, cell: 256B, pfc: {alpha: 1}}\n",
	        NULL);

	(void)state;
	assert_int_equal(whole(s, "spine0")->buffer_bytes, 64 << 20);
	assert_int_equal(whole(s, "spine1")->cell_bytes, 256);
	assert_int_equal(whole(s, "leaf0")->buffer_bytes, 32 << 20);
	assert_int_equal(cfg_of(s, "spine0", 1)->pfc_alpha_q32, INT64_C(1) << 32);
	scenario_free(s);
	scenario_refused(HEAD "    - {match: {node: leaf0, port: 1}, buffer: 64MiB}\n", NULL,
	        "s.yaml:7:47: fabric.overrides[0].buffer: belongs to a switch as a whole, but "
	        "only 1 of "
	        "the 4 ports of leaf0 match");
	scenario_refused(HEAD "    - {match: {rate: 400Gbps}, cell: 64B}\n", NULL,
	        "2 of the 4 ports of leaf0");
}

static void nothing_matched(void **state)
{
	(void)state;
	scenario_refused(HEAD "    - {match: {node: leaf0, rate: 25Gbps}, ecn: {kmin: 1KB}}\n",
	        NULL,
	        "s.yaml:7:15: fabric.overrides[0].match: matches no port; leaf0 port 0, for "
	        "one, has "
	        "100Gbps");
	scenario_refused(HEAD "    - {match: {node: leaf0, port: 7}, ecn: {kmin: 1KB}}\n", NULL,
	        "matches no port");
	scenario_refused(HEAD "    - {match: {node: laef0}, ecn: {kmin: 1KB}}\n", NULL,
	        "s.yaml:7:22: fabric.overrides[0].match.node: \"laef0\": no such node; did you "
	        "mean "
	        "leaf0?");
	scenario_refused(HEAD "    - {match: {link: host0-host1}, ecn: {kmin: 1KB}}\n", NULL,
	        "no link joins");
	scenario_refused(HEAD "    - {match: {link: leaf0-host9}, ecn: {kmin: 1KB}}\n", NULL,
	        "no such link");
	scenario_refused(HEAD "    - {match: {tier: core}, ecn: {kmin: 1KB}}\n", NULL,
	        "matches no port");
	scenario_refused(HEAD "    - {match: {tier: host}, ecn: {kmin: 1KB}}\n", NULL,
	        "matches hosts alone");
}

static void forms(void **state)
{
	(void)state;
	scenario_refused(HEAD "    - {ecn: {kmin: 1KB}}\n", NULL,
	        "fabric.overrides[0].match: expected a mapping");
	scenario_refused(HEAD "    - {match: {}, ecn: {kmin: 1KB}}\n", NULL,
	        "at least one of node, port");
	scenario_refused(HEAD "    - {match: {tier: leaf}}\n", NULL,
	        "s.yaml:7:7: fabric.overrides[0]: nothing to "
	        "change");
	scenario_refused(HEAD "    - {match: {tier: leef}, ecn: {kmin: 1KB}}\n", NULL,
	        "did you mean leaf?");
	scenario_refused(HEAD "    - {match: {nod: leaf0}, ecn: {kmin: 1KB}}\n", NULL,
	        "fabric.overrides[0].match.nod: unknown key; did you mean node?");
	scenario_refused(HEAD "    - {match: {tier: leaf}, ecn: {kmim: 1KB}}\n", NULL,
	        "fabric.overrides[0].ecn.kmim: unknown key; did you mean kmin?");
	scenario_refused(HEAD "    - {match: {tier: leaf}, ecn: {kmin: 1}}\n", NULL,
	        "fabric.overrides[0].ecn.kmin: \"1\" has no unit");
	scenario_refused(HEAD "    - 5\n", NULL, "fabric.overrides[0]: expected a mapping");
	scenario_refused(HEAD "    - {match: {tier: leaf}, ecn: {kmin: 9MB}}\n", NULL,
	        "kmax 1600000 B is below kmin");
}

#define TWO                                                                                    \
	HEAD "    - {match: {tier: leaf}, ecn: {kmin: 10KB}}\n"                                \
	     "    - {match: {rate: 400Gbps}, ecn: {kmin: 20KB}, link: {delay: 2us}}\n"

static void set_on_an_overridden_key(void **state)
{
	struct scenario *s;

	(void)state;
	scenario_refused(TWO, SETS("switch.ecn.kmin=1KB"),
	        "--set switch.ecn.kmin=1KB: fabric.overrides[0] (");
	scenario_refused(TWO, SETS("switch.ecn.kmin=1KB"),
	        "s.yaml:7) still sets ecn.kmin on leaf0 port 0");
	scenario_refused(TWO, SETS("switch.ecn={kmin: 1KB}"), "still sets ecn.kmin");
	scenario_refused(TWO, SETS("switch.ecn.kmin=1KB", "overrides[0].ecn.kmin=1KB"),
	        "fabric.overrides[1] (");
	scenario_refused(TWO, SETS("fabric_link.delay=1us"),
	        "--set fabric_link.delay=1us: fabric.overrides[1] (");
	s = scenario_taken(TWO, SETS("switch.ecn.kmax=2MB"));
	scenario_free(s);
	s = scenario_taken(
	        TWO, SETS("host_link.delay=5us")); /* the override changes other cables */
	scenario_free(s);
	s = scenario_taken(TWO, SETS("overrides[1].ecn.kmin=30KB"));
	assert_int_equal(cfg_of(s, "leaf0", 2)->ecn_kmin_bytes, 30000);
	scenario_free(s);
	s = scenario_taken(TWO, SETS("switch.ecn.kmin=1KB", "overrides[0].ecn.kmin=2KB",
	                                "overrides[1].ecn.kmin=3KB"));
	assert_int_equal(cfg_of(s, "leaf0", 0)->ecn_kmin_bytes, 2000);
	assert_int_equal(cfg_of(s, "leaf0", 2)->ecn_kmin_bytes, 3000);
	scenario_free(s);
}

/* Entry 0 is covered on every port by entry 1, which is set by hand: nothing is left of it. */
static void a_covered_override_does_not_count(void **state)
{
	struct scenario *s =
	        scenario_taken(HEAD "    - {match: {tier: leaf}, ecn: {kmin: 10KB}}\n"
	                            "    - {match: {tier: leaf}, ecn: {kmin: 20KB}}\n",
	                SETS("switch.ecn.kmin=1KB", "overrides[1].ecn.kmin=2KB"));

	(void)state;
	assert_int_equal(cfg_of(s, "leaf1", 0)->ecn_kmin_bytes, 2000);
	assert_int_equal(cfg_of(s, "spine0", 0)->ecn_kmin_bytes, 1000);
	scenario_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(by_rate_and_later_ones_win),
	        cmocka_unit_test(equal_profiles_are_one),
	        cmocka_unit_test(links_change_both_ends),
	        cmocka_unit_test(whole_switches),
	        cmocka_unit_test(nothing_matched),
	        cmocka_unit_test(forms),
	        cmocka_unit_test(set_on_an_overridden_key),
	        cmocka_unit_test(a_covered_override_does_not_count),
	};

	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
