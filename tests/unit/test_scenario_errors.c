/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a scenario is said with its place, what was expected, and a way out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/scenario_group.h"

#define HEAD "squall: 1\nfabric:\n  topology: {kind: star, hosts: 5}\n"
#define LOAD "workload: [{pattern: incast, message: 1MB}]\n"

static void keys(void **state)
{
	static const char *const no_faults[] = {"faults[0].at=1us", NULL};

	(void)state;
	scenario_refused(HEAD LOAD, no_faults,
	        "--set faults[0].at=1us: faults has no entry 0, for it has none: set all of "
	        "it, "
	        "faults=[...]");
	scenario_refused("squall: \"x\\txxxxxx1\"\n" LOAD, NULL, "expected 1");
	scenario_refused("squall: \"x\\x01x\"\n" LOAD, NULL,
	        "s.yaml:1:9: a text holds a character that steers a terminal");
	scenario_refused(HEAD "workload: [{pattern: permutation, message: 1MB, hosts: "
	                      "0-99999999999999999999}]\n",
	        NULL, "\"0-99999999999999999999\": no fabric has more than 65535 hosts");
	scenario_refused(HEAD "  switch: {ecm: {kmin: 1KB}}\n" LOAD, NULL,
	        "s.yaml:4:12: fabric.switch.ecm: unknown key; did you mean ecn?");
	scenario_refused(HEAD "  ecn: {kmin: 1KB}\n" LOAD, NULL,
	        "s.yaml:4:3: fabric.ecn: unknown key; did you mean fabric.nic.ecn?");
	scenario_refused(
	        HEAD "  nic: {colour: blue}\n" LOAD, NULL, "fabric.nic takes cc, retransmit, ");
	scenario_refused(HEAD LOAD "workloads: []\n", NULL,
	        "s.yaml:5:1: workloads: unknown key; did you mean "
	        "workload?");
	scenario_refused(HEAD "  host_link: {rate: 1Gbps, rate: 2Gbps}\n" LOAD, NULL,
	        "s.yaml:4:28: rate: duplicate key, the first one is on line 4");
	scenario_refused(HEAD "  host_link: 100Gbps\n" LOAD, NULL,
	        "s.yaml:4:14: fabric.host_link: expected a mapping with some of the keys rate, "
	        "delay");
	scenario_refused(
	        HEAD "  \"switch.ecn\": {kmin: 1KB}\n" LOAD, NULL, "switch.ecn: unknown key");
}

static void values(void **state)
{
	(void)state;
	scenario_refused(HEAD "  host_link: {rate: 100}\n" LOAD, NULL,
	        "s.yaml:4:21: fabric.host_link.rate: \"100\" has no unit: expected a rate with "
	        "its unit");
	scenario_refused(
	        HEAD "  host_link: {rate: 0Gbps}\n" LOAD, NULL, "\"0Gbps\" is too small");
	scenario_refused(HEAD "  host_link: {rate: 100Gb}\n" LOAD, NULL,
	        "s.yaml:4:21: fabric.host_link.rate:");
	scenario_refused(
	        HEAD "  host_link: {rate: [1Gbps]}\n" LOAD, NULL, "a list: expected a rate");
	scenario_refused(HEAD "  host_link: {rate: {a: 1}}\n" LOAD, NULL,
	        "a mapping where one value belongs");
	scenario_refused(
	        HEAD "  host_link: {rate: }\n" LOAD, NULL, "no value: expected a rate");
	scenario_refused(HEAD "  host_link: {delay: -1us}\n" LOAD, NULL, "negative");
	scenario_refused(HEAD "  nic: {cc: dcqnc}\n" LOAD, NULL, "did you mean dcqcn?");
	scenario_refused(HEAD "seed: 1.5\n" LOAD, NULL, "s.yaml:4:7: seed: ");
	scenario_refused("squall: 2\n", NULL, "s.yaml:1:9: squall: \"2\": expected 1");
	scenario_refused(HEAD "name: a/b\n" LOAD, NULL, "s.yaml:4:7: name: ");
	scenario_refused(HEAD "stop: {after: 0us}\n" LOAD, NULL, "too small");
}

static void missing(void **state)
{
	(void)state;
	scenario_refused("fabric: {topology: {kind: star, hosts: 4}}\n" LOAD, NULL,
	        "s.yaml:1:1: squall is missing");
	scenario_refused("squall: 1\n" LOAD, NULL,
	        "s.yaml:1:1: fabric.topology.kind is missing: expected star");
	scenario_refused("squall: 1\nfabric: {topology: {kind: star}}\n" LOAD, NULL,
	        "s.yaml:2:20: fabric.topology.hosts is missing: expected a whole number");
	scenario_refused(HEAD "workload: [{pattern: ring}]\n", NULL,
	        "s.yaml:4:12: workload[0].message is missing");
	scenario_refused(
	        HEAD "workload: [{message: 1MB}]\n", NULL, "workload[0].pattern is missing");
	scenario_refused(HEAD "workload: []\n", NULL, "s.yaml:4:11: workload: nothing to do");
	scenario_refused(HEAD, NULL, "workload: nothing to do");
	scenario_refused("", NULL, "empty: expected a scenario");
	scenario_refused("# nothing\n", NULL, "empty: expected a scenario");
	scenario_refused("- 1\n", NULL, "s.yaml:1:1: expected a mapping of keys");
}

static void choices(void **state)
{
	(void)state;
	scenario_refused("squall: 1\nfabric: {topology: {kind: fat-tree, hosts: 4}}\n" LOAD,
	        NULL,
	        "s.yaml:2:37: fabric.topology.hosts: not a key of kind fat-tree; its keys are "
	        "kind, "
	        "k, pods, hosts_per_pod");
	scenario_refused(
	        "squall: 1\nfabric: {topology: {kind: star, hosts: 4, leaves: 2}}\n" LOAD, NULL,
	        "s.yaml:2:43: fabric.topology.leaves: not a key of kind star; its keys are "
	        "kind, hosts");
	scenario_refused(HEAD "workload: [{pattern: ring, message: 1KB, senders: 3}]\n", NULL,
	        "s.yaml:4:42: workload[0].senders: not a key of pattern ring; its keys are "
	        "pattern, ");
	scenario_refused(HEAD "workload: [{pattern: incast, message: 1KB, cdf: [[1, 1]]}]\n",
	        NULL, "workload[0].cdf: not a key of pattern incast");
	scenario_refused(
	        HEAD "workload: [{pattern: rnig, message: 1KB}]\n", NULL, "did you mean ring?");
}

static void places(void **state)
{
	(void)state;
	scenario_refused(HEAD "workload:\n  - {pattern: incast, message: 1MB, senders: 9}\n",
	        NULL, "s.yaml:5:37: workload[0].senders: 9 senders need 10 hosts");
	scenario_refused(HEAD "workload: [{pattern: incast, message: 1MB, receiver: 7}]\n",
	        NULL, "s.yaml:4:44: workload[0].receiver: ");
	scenario_refused(
	        "squall: 1\nfabric: {topology: {kind: leaf-spine, hosts: 5, leaves: 2, spines: "
	        "1}}\n" LOAD,
	        NULL, "s.yaml:2:39: fabric.topology.hosts: 5 hosts do not divide by 2");
	scenario_refused(HEAD "  switch:\n    buffer: 100KB\n" LOAD, NULL,
	        "reservations exceed the buffer");
	scenario_refused(HEAD "  switch:\n    ecn: {kmin: 3MB, kmax: 2MB}\n" LOAD, NULL,
	        "s.yaml:5:5: fabric.switch.ecn: kmax 2000000 B is below kmin");
	scenario_refused(HEAD
	        "workload: [{pattern: poisson, load: 10%, cdf: [[1KB, 1], [2KB]]}]\n",
	        NULL, "s.yaml:4:58: expected a row [bytes, probability]");
	scenario_refused(HEAD "workload: [{pattern: poisson, load: 10%, cdf: [[1KB, x]]}]\n",
	        NULL, "s.yaml:4:48: ");
	scenario_refused(HEAD
	        "workload: [{pattern: flows, flows: [[0, 1, 5KB, 1us], [0, 1, 5kg, 1us]]}]\n",
	        NULL, "s.yaml:4:62: bytes: ");
	scenario_refused(HEAD "workload: [{pattern: flows, flows: 5}]\n", NULL,
	        "expected a list of lists");
	scenario_refused(HEAD "workload: [{pattern: flows, file: nowhere.csv}]\n", NULL,
	        "workload[0].file");
}

static void expectations(void **state)
{
	(void)state;
	scenario_refused(HEAD LOAD "expect: [fct_us.p98 < 3]\n", NULL,
	        "s.yaml:5:10: expect: column 1: ");
	scenario_refused(HEAD LOAD "expect: [fct_us.p99 ~ 3]\n", NULL,
	        "expected one of < <= > >= == !=");
	scenario_refused(HEAD LOAD "expect: fct_us.p99 < 3\n", NULL,
	        "s.yaml:5:9: expect: expected a list");
	scenario_refused(HEAD LOAD "expect: [[fct_us.p99]]\n", NULL,
	        "s.yaml:5:10: expect: expected a text");
	scenario_refused(HEAD LOAD "measure: {percentiles: [0]}\n", NULL,
	        "s.yaml:5:25: measure.percentiles: \"0\"");
	scenario_refused(
	        HEAD LOAD "measure: {percentiles: 99}\n", NULL, "expected a list of numbers");
	scenario_refused(HEAD LOAD
	        "measure: {percentiles: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}\n",
	        NULL, "more than 16");
}

static void later_releases(void **state)
{
	struct scenario *s;
	struct err e = {0};

	(void)state;
	scenario_refused(
	        HEAD LOAD "capture: [host0]\n", NULL, "capture: captures of a lab will come");
	if (scenario_from_text(&s, &scratch,
	            HEAD "  switch: {watchdog: off, load_balancing: ecmp, trust: dscp}\n" LOAD
	                 "faults: []\nmeasure: {capture: []}\n",
	            NULL, &e))
		fail_msg("%s", e.msg);
	scenario_free(s);
}

static void captures(void **state)
{
	struct scenario *s;
	struct err e = {0};

	(void)state;
	scenario_refused(HEAD LOAD "measure: {capture: [hots0]}\n", NULL,
	        "measure.capture: \"hots0\": no such node; did you mean host0?");
	scenario_refused(HEAD LOAD "measure: {capture: [host0-host1]}\n", NULL,
	        "measure.capture: \"host0-host1\": no link joins these two nodes");
	scenario_refused(HEAD LOAD "measure: {capture: {port: host0}}\n", NULL,
	        "measure.capture: expected a list of names");
	scenario_refused(HEAD LOAD "measure: {capture: [[host0]]}\n", NULL,
	        "measure.capture: expected the name of a host, link or switch");
	scenario_refused(
	        "squall: 1\nfabric: {topology: {kind: leaf-spine, hosts: 20000, leaves: 200, "
	        "spines: 2}}\nworkload: [{pattern: incast, senders: 4, receiver: 0, message: "
	        "1MB}]\nmeasure: {capture: hosts}\n",
	        NULL, "measure.capture: 20000 ports, at most 16384 are possible");
	scenario_refused(HEAD LOAD "measure: {snap: 70000}\n", NULL, "measure.snap: ");
	if (scenario_from_text(&s, &scratch,
	            HEAD LOAD "measure: {capture: [host0, sw0-host1, host0], snap: 96}\n", NULL,
	            &e))
		fail_msg("%s", e.msg);
	assert_int_equal(s->capture.n_ports, 3);
	assert_int_equal(s->capture.n_places, 3);
	scenario_free(s);
	if (scenario_from_text(&s, &scratch, HEAD LOAD "measure: {capture: off}\n", NULL, &e))
		fail_msg("%s", e.msg);
	assert_null(s->capture.port);
	scenario_free(s);
}

#define SETS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void sets(void **state)
{
	(void)state;
	scenario_refused(HEAD LOAD, SETS("switch.ecn.kmim=1KB"),
	        "--set switch.ecn.kmim=1KB: fabric.switch.ecn.kmim: unknown key; did you mean "
	        "kmin?");
	scenario_refused(
	        HEAD LOAD, SETS("ecn.kmin=1KB"), "did you mean fabric.switch.ecn.kmin?");
	scenario_refused(HEAD LOAD, SETS("switch.ecn.kmin=1"),
	        "--set switch.ecn.kmin=1: fabric.switch.ecn.kmin: ");
	scenario_refused(HEAD LOAD, SETS("workload[1].senders=2"),
	        "--set workload[1].senders=2: there is no entry 1");
	scenario_refused(HEAD LOAD, SETS("workload[0].sendres=2"), "did you mean senders?");
	scenario_refused(HEAD LOAD, SETS("workload[0].senders=9"),
	        "--set workload[0].senders=9: workload[0].senders");
	scenario_refused(HEAD LOAD, SETS("seed="), "--set seed=: no value");
	scenario_refused(HEAD LOAD, SETS("seed=[1"), "--set seed=[1: ");
	scenario_refused(HEAD LOAD, SETS("=1"), "--set =1: not a key");
	scenario_refused(HEAD LOAD, SETS("a[b]=1"), "not a key");
	scenario_refused(HEAD LOAD, SETS("fabric.overrides[0].ecn.kmin=1KB"),
	        "overrides has no entry 0, for it has none: set all of it");
	scenario_refused(HEAD LOAD, SETS("preset=papre"), "did you mean paper?");
	scenario_refused(
	        HEAD "preset: 5\n" LOAD, NULL, "s.yaml:4:9: preset: \"5\": no such preset");
}

static void files(void **state)
{
	static const char nul[] = "squall: 1\nname: \0\n";
	struct scenario *s;
	struct err e = {0};

	(void)state;
	assert_int_equal(scenario_load(&s, scratch.dir, NULL, 0, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "is a directory"));
	assert_int_equal(scenario_load(&s, "/nowhere/x.yaml", NULL, 0, NULL, &e), -EINVAL);
	assert_int_equal(e.code, -EINVAL);
	assert_non_null(strstr(e.msg, "/nowhere/x.yaml: "));
	assert_int_equal(scenario_load(&s, "/dev/zero", NULL, 0, NULL, &e), -EINVAL);
	scratch_put(&scratch, "s.yaml", nul, sizeof(nul) - 1);
	assert_int_equal(scenario_load(&s, scratch.path, NULL, 0, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "s.yaml:2:7: byte 0x00"));
	scenario_refused("squall: 1\nfabric: {topology: {kind: file, file: no.txt}}\n" LOAD,
	        NULL, "s.yaml:2:39: fabric.topology.file: ");
	scratch_put(&scratch, "t.txt",
	        "host a\nhost b\nswitch s\nlink a s 1Gbps 1us\nlnk b s\n", 50);
	scenario_refused("squall: 1\nfabric: {topology: {kind: file, file: t.txt}}\n" LOAD,
	        NULL, "t.txt:5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keys),
	        cmocka_unit_test(values),
	        cmocka_unit_test(missing),
	        cmocka_unit_test(choices),
	        cmocka_unit_test(places),
	        cmocka_unit_test(expectations),
	        cmocka_unit_test(later_releases),
	        cmocka_unit_test(captures),
	        cmocka_unit_test(sets),
	        cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
