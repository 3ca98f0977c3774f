/* SPDX-License-Identifier: Apache-2.0 */
/* faults[] of a scenario: what is read, what is refused and why, and that it is written back.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "tests/support/scenario_group.h"

#define HEAD                                                                                   \
	"squall: 1\nfabric:\n  topology: {kind: leaf-spine, hosts: 8, leaves: 2, spines: 2}\n" \
	"workload: [{pattern: incast, message: 1MB}]\n"

static void says(const char *faults, const char *message)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), HEAD "faults: %s\n", faults);
	scenario_refused(text, NULL, message);
}

static void what_is_wrong_is_said(void **state)
{
	(void)state;
	says("[{at: 1us}]", "s.yaml:5:10: faults[0]: no fault: expected one of drop, corrupt");
	says("[{link_donw: leaf0-spine1}]",
	        "s.yaml:5:11: faults[0].link_donw: unknown key; did you mean link_down?");
	says("[{link_down: leaf0-spine1, rate: 1Gbps}]",
	        "s.yaml:5:36: faults[0].rate: not a key of link_down; beside it stand at, for");
	says("[{link_rate: leaf0-spine1}]", "faults[0].rate is missing: expected a rate");
	says("[{pfc_storm: host0, priority: 3, priorities: [4]}]",
	        "faults[0].priorities: priority says already what is paused");
	says("[{cnp_priority: host0}]", "faults[0].priority is missing");
	says("[{link_down: leaf0-spine1, ecn_off: leaf0}]",
	        "one entry holds one fault; write two entries");
	says("[{link_down: leaf0-leaf1}]", "no link joins these two nodes");
	says("[{link_down: leaf0}]", "expected a link such as leaf0-spine1");
	says("[{pfc_ignored: hots3}]", "did you mean host3?");
	says("[{pfc_ignored: leaf0}]", "expected a host");
	says("[{ecn_off: host1}]", "expected a switch");
	says("[{pfc_storm: leaf0-spine1}]", "or one direction of a link");
	says("[{drop: {probability: 1}}]", "faults[0].drop: where? expected link");
	says("[{drop: {link: all, probability: 2}}]", "too large");
	says("[{drop: {link: all, psn: [3, x]}}]", "s.yaml:5:38: faults[0].drop.psn: expected");
	says("[{drop: {link: all, psn: 9-3}}]", "a range such as 10-19");
	says("[{drop: {link: all, psn: 16777216}}]", "0 to 16777215");
	says("[{drop: 5}]", "faults[0].drop: expected a mapping");
	says("[{drop: {qp: {src: all}}}]", "expected one host");
	says("[{drop: {qp: {src: host1, dst: host1}}}]",
	        "faults[0].drop.qp.dst: is the source too: no host sends to itself");
	says("[{pfc_storm: host0, priorities: []}]", "pauses nothing");
	says("[{at: -1us, link_down: leaf0-spine1}]", "faults[0].at");
	says("{link_down: x}", "faults: expected a list of entries");
	says("[3]", "faults[0]: expected a mapping");
}

static void places_and_filters(void **state)
{
	struct scenario *s = scenario_taken(HEAD
	        "faults:\n"
	        "  - {at: 9ms, link_down: leaf0-spine1, for: 500us}\n"
	        "  - {drop: {link: leaf0->host3, probability: 25%}}\n"
	        "  - {drop: {qp: {src: host1, dst: host0}, psn: [5, 10-12]}}\n"
	        "  - {mark: {link: all, every: 3}}\n"
	        "  - {pfc_storm: host7, priority: 4}\n"
	        "  - {pfc_storm: leaf0->spine1, priorities: [3, 5]}\n",
	        (const char *const[]){"faults[0].for=30us", NULL});
	const struct sim_fault *f = s->fault;

	(void)state;
	assert_int_equal(s->n_faults, 6);
	assert_int_equal(f[0].kind, FAULT_LINK_DOWN);
	assert_int_equal(f[0].from_ps, 9 * PS_PER_MS);
	assert_int_equal(f[0].until_ps, 9 * PS_PER_MS + 30 * PS_PER_US);
	assert_int_equal(f[0].n_places, 2);
	assert_int_equal(f[0].place[0].node, topo_find(s->topo, "leaf0"));
	assert_int_equal(f[0].place[1].node, topo_find(s->topo, "spine1"));
	assert_int_equal(f[1].n_places, 1);
	assert_int_equal(f[1].place[0].port, 3);
	assert_int_equal(f[1].filter.probability_q32, Q32_ONE / 4);
	assert_int_equal(f[1].filter.frames, FAULT_FRAMES_ALL);
	assert_int_equal(f[1].until_ps, TIME_NEVER);
	assert_int_equal(f[2].place[0].node, 1);
	assert_int_equal(f[2].filter.src, 1);
	assert_int_equal(f[2].filter.dst, 0);
	assert_int_equal(f[2].filter.n_psn, 2);
	assert_int_equal(f[2].filter.psn[1].first, 10);
	assert_int_equal(f[2].filter.psn[1].last, 12);
	assert_int_equal(f[2].filter.frames, FAULT_FRAMES_DATA);
	assert_int_equal(f[2].filter.sent, FAULT_SENT_FIRST);
	assert_int_equal(f[3].n_places, s->topo->n_ports);
	assert_int_equal(f[4].priorities, 1 << 4);
	assert_int_equal(f[5].priorities, 1 << 3 | 1 << 5);
	assert_int_equal(f[5].n_places, 1);
	scenario_free(s);
}

/* The list of docs/faults.md is read, and what is written back reads to the same text. */
static void the_page_and_back(void **state)
{
	char path[500], *page, *from, *to, *first, *second;
	char text[8192];
	struct scenario *s;
	struct err e = {0};
	size_t len;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/docs/faults.md", SQUALL_SOURCE_DIR);
	if (text_file_read(&page, &len, path, 1 << 20, &e))
		fail_msg("%s", e.msg);
	from = strstr(page, "```yaml\n");
	assert_non_null(from);
	to = strstr(from + 8, "```");
	assert_non_null(to);
	(void)snprintf(text, sizeof(text), HEAD "%.*s", (int)(to - from - 8), from + 8);
	free(page);
	s = scenario_taken(text, NULL);
	assert_int_equal(s->n_faults, 17);
	(void)snprintf(path, sizeof(path), "%s/first.yaml", scratch.dir);
	assert_int_equal(scenario_write_resolved(s, path, &e), 0);
	scenario_free(s);
	first = scratch_get(&scratch, "first.yaml");
	s = scenario_taken(first, NULL);
	assert_int_equal(s->n_faults, 17);
	(void)snprintf(path, sizeof(path), "%s/second.yaml", scratch.dir);
	free(s->name);
	s->name = strdup("s");
	assert_int_equal(scenario_write_resolved(s, path, &e), 0);
	scenario_free(s);
	second = scratch_get(&scratch, "second.yaml");
	assert_non_null(strstr(first, "psn: [5, 10-12]"));
	assert_string_equal(strstr(first, "faults:"), strstr(second, "faults:"));
	free(first);
	free(second);
}

/* a-b-c: host a at switch b-c, or host a-b at switch c. */
static void a_link_that_can_be_two_is_refused(void **state)
{
	static const char topo[] = "host a\nhost a-b\nswitch b-c\nswitch c\n"
	                           "link a b-c 100Gbps 1us\nlink a-b c 100Gbps 1us\n"
	                           "link b-c c 100Gbps 1us\n";
	static const char head[] = "squall: 1\nfabric:\n"
	                           "  topology: {kind: file, file: two.txt}\n"
	                           "workload: [{pattern: incast, message: 1MB}]\n";
	struct scenario *s;
	struct err e = {0};
	char text[400];

	(void)state;
	scratch_put(&scratch, "two.txt", topo, sizeof(topo) - 1);
	(void)snprintf(text, sizeof(text), "%sfaults: [{link_down: a-b-c}]\n", head);
	assert_int_equal(scenario_from_text(&s, &scratch, text, NULL, &e), -EINVAL);
	if (!strstr(e.msg, "link_down: \"a-b-c\": a to b-c or a-b to c?"))
		fail_msg("%s", e.msg);
	(void)snprintf(text, sizeof(text), "%sfaults: [{link_down: a-b->c}]\n", head);
	s = scenario_taken(text, NULL);
	assert_int_equal(s->fault[0].n_places, 1);
	assert_string_equal(s->topo->node[s->fault[0].place[0].node].name, "a-b");
	scenario_free(s);
	(void)snprintf(text, sizeof(text), "%sfaults: [{link_down: b-c-c}]\n", head);
	s = scenario_taken(text, NULL);
	assert_int_equal(s->fault[0].n_places, 2);
	scenario_free(s);
	(void)snprintf(text, sizeof(text),
	        "%s  overrides: [{match: {link: a-b-c}, link: {delay: 2us}}]\n%s",
	        "squall: 1\nfabric:\n  topology: {kind: file, file: two.txt}\n",
	        "workload: [{pattern: incast, message: 1MB}]\n");
	assert_int_equal(scenario_from_text(&s, &scratch, text, NULL, &e), -EINVAL);
	if (!strstr(e.msg, "a to b-c or a-b to c?"))
		fail_msg("%s", e.msg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_wrong_is_said),
	        cmocka_unit_test(places_and_filters),
	        cmocka_unit_test(a_link_that_can_be_two_is_refused),
	        cmocka_unit_test(the_page_and_back),
	};

	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
