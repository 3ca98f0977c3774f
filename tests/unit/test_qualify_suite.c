/* SPDX-License-Identifier: Apache-2.0 */
/* Suite and ASIC files: what is read, and what is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "scenarios/qualify/qualify_rules.h"
#include "scenarios/qualify/qualify_run.h"

#define HEAD    "squall_suite: 1\ncases:\n  - name: one\n    doc: d\n    for: 100us\n"
#define TRAFFIC "    traffic: [{name: a, from: 1, to: 0, priority: 3, rate: 50%}]\n"
#define CHECKS  "    checks: [{rule: loss}]\n"

static struct qasic *asic_of(const char *text)
{
	struct qasic *a;
	struct err e = {0};

	if (qualify_asic_read(&a, text, strlen(text), "asic.yaml", &e))
		fail_msg("%s", e.msg);
	return a;
}

static struct qsuite *suite_of(const char *text, const struct qasic *a)
{
	struct qsuite *s;
	struct err e = {0};

	if (qualify_suite_read(&s, text, strlen(text), "my.yaml", a, &e))
		fail_msg("%s", e.msg);
	return s;
}

static void refused(const char *text, const char *message)
{
	struct qasic *a = asic_of("squall_asic: 1\n");
	struct qsuite *s;
	struct err e = {0};

	if (!qualify_suite_read(&s, text, strlen(text), "my.yaml", a, &e))
		fail_msg("not refused: %s", message);
	if (!strstr(e.msg, message))
		fail_msg("expected \"%s\" in \"%s\"", message, e.msg);
	qualify_asic_free(a);
}

static void errors_have_their_place(void **state)
{
	(void)state;
	refused("", "my.yaml: empty");
	refused("squall_suite: 2\n", "my.yaml:1:15: squall_suite: expected 1");
	refused("squall_suite: 1\ncase: []\n", "my.yaml:2:1: unknown key");
	refused("squall_suite: 1\ncases: [3]\n", "my.yaml:2:9: cases[]: expected a mapping");
	refused(HEAD CHECKS, "traffic is missing");
	refused(HEAD TRAFFIC, "a case without one proves nothing");
	refused(HEAD TRAFFIC CHECKS "    prots: 3\n",
	        "my.yaml:8:5: prots: unknown key; did you mean ports?");
	refused(HEAD TRAFFIC "    checks: [{rule: losses}]\n", "my.yaml:7:21: rule");
	refused(HEAD TRAFFIC "    checks: [{rule: loss, port: 1}]\n",
	        "port: unknown key; cases[].checks[] takes");
	refused(HEAD TRAFFIC "    checks: [{rule: loss, streams: b}]\n",
	        "my.yaml:7:14: streams: no traffic \"b\"");
	refused(HEAD TRAFFIC "    checks: [{rule: paused, port: 7}]\n", "port: 7 of 3");
	refused(HEAD TRAFFIC "    checks: [{rule: result, holds: \"cnp.snet > 0\"}]\n",
	        "nearest is cnp.sent");
	refused(HEAD
	        "    traffic: [{name: a, from: 0, to: 0, priority: 3, rate: 50%}]\n" CHECKS,
	        "from and to are the same port 0");
	refused(HEAD "    traffic: [{name: a, from: [1, x], to: 0, priority: 3, rate: "
	             "50%}]\n" CHECKS,
	        "from: \"x\": expected whole numbers from 0 to 2");
	refused(HEAD "    traffic: [{name: a, from: 1, to: 0, priority: [3, 3], rate: "
	             "50%}]\n" CHECKS,
	        "could not tell them apart");
	refused(HEAD "    traffic: [{name: a, from: 1, to: 0, priority: 3, rate: "
	             "\"${load}\"}]\n" CHECKS,
	        "${load}: not a name of the case");
	refused(HEAD "    each: {laod: 1%}\n    traffic: [{name: a, from: 1, to: 0, priority: "
	             "3, rate: "
	             "\"${load}\"}]\n" CHECKS,
	        "did you mean ${laod}?");
	refused(HEAD TRAFFIC CHECKS "  - name: one\n    doc: d\n    for: 1us\n" TRAFFIC CHECKS,
	        "there are two cases \"one\"");
	refused(HEAD TRAFFIC CHECKS "    settle: 200us\n", "settle: expected less");
	refused(HEAD TRAFFIC CHECKS "    name: \"../x\"\n", "name: duplicate key");
}

/* Every combination in order, the switch's priorities for the words, lists of mappings as they
 * stand. */
static void a_matrix_makes_every_combination(void **state)
{
	struct qasic *a = asic_of("squall_asic: 1\nlossless: [2, 5]\nlossy: [0]\n");
	struct qsuite *s = suite_of(
	        "squall_suite: 1\ncases:\n  - name: m\n    doc: d\n    for: 100us\n"
	        "    each: {p: lossless, r: [10%, 20%]}\n"
	        "    traffic: [{name: a, from: [1, 2], to: 0, priority: \"${p}\", rate: "
	        "\"${r}\"}]\n"
	        "    checks: [{rule: loss}]\n"
	        "  - name: t\n    doc: d\n    for: 100us\n"
	        "    each: [{p: 1, r: 30%}, {p: \"[3, 4]\", r: 40%}]\n"
	        "    traffic: [{name: a, from: 1, to: 0, priority: \"${p}\", rate: \"${r}\"}]\n"
	        "    checks: [{rule: loss, streams: a}]\n",
	        a);

	(void)state;
	assert_int_equal(s->n_cases, 6);
	assert_string_equal(s->c[0].name, "m (p=2, r=10%)");
	assert_string_equal(s->c[1].name, "m (p=2, r=20%)");
	assert_string_equal(s->c[3].name, "m (p=5, r=20%)");
	assert_int_equal(s->c[3].n_streams, 2);
	assert_int_equal(s->c[3].stream[1].from, 2);
	assert_int_equal(s->c[3].stream[1].priority, 5);
	assert_string_equal(s->c[5].name, "t (p=[3, 4], r=40%)");
	assert_int_equal(s->c[5].n_streams, 2);
	assert_int_equal(s->c[5].check[0].streams, 3);
	/* 1044 wire bytes at 40 Gbps */
	assert_int_equal(s->c[5].stream[0].period_ps, 208800);
	assert_int_equal(s->c[5].stream[0].packets, 479);
	qualify_suite_free(s);
	qualify_asic_free(a);
}

static void a_case_becomes_a_scenario(void **state)
{
	struct qasic *a =
	        asic_of("squall_asic: 1\nscenario: {switch: {buffer: 3MiB, cell: 208B}}\n");
	struct qsuite *s = suite_of("squall_suite: 1\ncases:\n  - name: m\n    doc: d\n    "
	                            "for: 100us\n    ports: 2\n"
	                            "    rates: [100Gbps, 400Gbps]\n    cable: 200ns\n"
	                            "    scenario: {switch: {cell: 254B}}\n"
	                            "    traffic: [{name: a, from: 1, to: 0, priority: 3, "
	                            "rate: 10%, frame: 512B}]\n"
	                            "    checks: [{rule: loss}]\n",
	        a);
	const struct scenario_set set = {.key = "fabric.switch.latency", .value = "5ns"};
	struct scenario *sc;
	struct err e = {0};

	(void)state;
	if (qualify_scenario(&sc, &s->c[0], a, &set, 1, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(sc->sw.buffer_bytes, 3 << 20);
	assert_int_equal(sc->sw.cell_bytes, 254);
	assert_int_equal(sc->sw.latency_ps, 5000);
	assert_int_equal(sc->sw.pfc_priorities, 1 << 3 | 1 << 4);
	assert_int_equal(sc->topo->port[sc->topo->node[1].first_port].rate_bps, 400000000000);
	assert_int_equal(sc->topo->port[sc->topo->node[0].first_port].delay_ps, 200000);
	assert_int_equal(sc->run.stop_after_ps, 100 * PS_PER_US);
	assert_int_equal(sc->n_entries, 2); /* and one that keeps the run going */
	/* 46 bytes of headers and FCS */
	assert_int_equal(sc->entry[0].cfg.message_bytes, 512 - 46);
	scenario_free(sc);
	qualify_suite_free(s);
	qualify_asic_free(a);
}

static void deviations_are_found_by_pattern(void **state)
{
	struct qasic *a = asic_of("squall_asic: 1\nknown:\n"
	                          "  - {case: \"pfc.zero-*\", reason: r1}\n"
	                          "  - {case: \"ecn.marking-curve (pmax=25%)\", reason: r2}\n");

	(void)state;
	assert_string_equal(qualify_deviation(a, "pfc", "zero-source (p=3)")->reason, "r1");
	assert_string_equal(
	        qualify_deviation(a, "ecn", "marking-curve (pmax=25%)")->reason, "r2");
	assert_null(qualify_deviation(a, "ecn", "marking-curve (pmax=50%)"));
	assert_null(qualify_deviation(a, "pfcx", "zero-source"));
	qualify_asic_free(a);
}

/* Each rule has a word, a model and a judge, in the order of the enum. */
static void every_rule_is_complete(void **state)
{
	(void)state;
	for (int i = 0; i < QRULE_N; i++) {
		assert_non_null(qualify_rules[i].word);
		assert_non_null(qualify_rules[i].judge);
		assert_true(strlen(qualify_rules[i].model) > 20);
	}
}

#define TIMES_HEAD                                                                             \
	"squall_suite: 1\nwatchdog: {detect: 200us, restore: 300us, poll: 0us}\n"              \
	"cases:\n  - name: one\n    doc: d\n    each: {poll: [0us, 50us]}\n"

static void times_are_sums_and_follow_set(void **state)
{
	static const struct scenario_set set[] = {
	        {"switch.watchdog.detect", "1ms"}, {"fabric.switch.watchdog.poll", "70us"}};
	static const char text[] = TIMES_HEAD
	        "    for: \"100us + ${detect} / 2 + ${restore} * 3+${poll}\"\n" TRAFFIC CHECKS;
	struct qasic *a = asic_of("squall_asic: 1\n");
	struct qsuite *s = suite_of(text, a);

	(void)state;
	assert_int_equal(s->n_cases, 2);
	assert_int_equal(s->c[0].cfg.for_ps, 1100 * PS_PER_US);
	assert_int_equal(s->c[1].cfg.for_ps, 1150 * PS_PER_US);
	qualify_suite_free(s);
	a->set = set;
	a->n_set = 2;
	s = suite_of(text, a);
	assert_int_equal(s->n_cases, 1); /* poll is given: nothing is left to combine */
	assert_int_equal(s->c[0].cfg.for_ps, 1570 * PS_PER_US);
	qualify_suite_free(s);
	qualify_asic_free(a);
	refused("squall_suite: 1\nwatchdog: {detct: 1us}\n",
	        "my.yaml:2:12: watchdog: expected");
	refused("squall_suite: 1\nwatchdog: {poll: 1}\n", "my.yaml:2:18: poll");
	refused(TIMES_HEAD "    for: \"1us + ${detect} / 0\"\n" TRAFFIC CHECKS,
	        "my.yaml:7:10: for: expected a whole number");
	refused(TIMES_HEAD "    for: \"1us + \"\n" TRAFFIC CHECKS, "my.yaml:7:10: for");
	refused(TIMES_HEAD "    for: \"9000000s * 1000000\"\n" TRAFFIC CHECKS, "for: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(errors_have_their_place),
	        cmocka_unit_test(times_are_sums_and_follow_set),
	        cmocka_unit_test(a_matrix_makes_every_combination),
	        cmocka_unit_test(a_case_becomes_a_scenario),
	        cmocka_unit_test(deviations_are_found_by_pattern),
	        cmocka_unit_test(every_rule_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
