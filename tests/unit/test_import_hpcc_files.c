/* SPDX-License-Identifier: Apache-2.0 */
/* The HPCC ns-3 family's files: what is read, and that every mistake has a position and a
 * remedy. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scenarios/imports/import_hpcc_files.h"
#include "scenarios/imports/import_hpcc_text.h"

static char dir[64];

static void put_bytes(const char *name, const char *text, size_t len)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/squall-import-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	static const char *const names[] = {"config.txt", "topology.txt", "flow.txt"};
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		(void)unlink(path); /* it may be absent */
	}
	return rmdir(dir);
}

static const char star[] = "4 1 3\n"
                           "1\n"
                           "0 1 100Gbps 1000ns 0\n"
                           "1 2 25Gbps 0.0001ms 0.000000\n"
                           "3 1 400Gbps 1.5us 0\n";

static const char needed[] = "RP_TIMER 300\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\n"
                             "RATE_HAI 200Mb/s\nL2_ACK_INTERVAL 1\n"
                             "KMAX_MAP 1 100000000000 1600\nKMIN_MAP 1 100000000000 400\n"
                             "PMAX_MAP 1 100000000000 0.2\n";

static struct hpcc_topo topo_of(const char *text)
{
	struct hpcc_topo t;
	struct err e = {0};

	put("topology.txt", text);
	if (hpcc_topo_read(&t, dir, "topology.txt", &e))
		fail_msg("%s", e.msg);
	return t;
}

static void expect_error(const char *file, int rc, const struct err *e, const char *text)
{
	char want[600];

	snprintf(want, sizeof(want), "%s/%s%s", dir, file, text);
	assert_int_equal(rc, -EINVAL);
	if (strncmp(e->msg, want, strlen(want)))
		fail_msg("\"%s\"\ndoes not begin with\n\"%s\"", e->msg, want);
}

static void topo_refused(const char *text, const char *message)
{
	struct hpcc_topo t;
	struct err e = {0};

	put("topology.txt", text);
	expect_error("topology.txt", hpcc_topo_read(&t, dir, "topology.txt", &e), &e, message);
}

static void flows_refused(const char *text, const char *message)
{
	struct hpcc_topo t = topo_of(star);
	struct hpcc_flows f;
	struct err e = {0};

	put("flow.txt", text);
	expect_error("flow.txt", hpcc_flows_read(&f, dir, "flow.txt", &t, &e), &e, message);
	hpcc_topo_free(&t);
}

static void config_refused(const char *text, const char *message)
{
	struct import_notes notes = {0};
	struct hpcc_config c;
	struct err e = {0};

	put("config.txt", text);
	expect_error("config.txt", hpcc_config_read(&c, dir, &notes, &e), &e, message);
}

/* Appended to what a config needs, so that the position is known. */
static void config_plus_refused(const char *more, const char *message)
{
	char text[1000];

	snprintf(text, sizeof(text), "%s%s", needed, more);
	config_refused(text, message);
}

static void test_topology(void **state)
{
	struct hpcc_topo t = topo_of(star);

	(void)state;
	assert_int_equal(t.n_nodes, 4);
	assert_int_equal(t.n_hosts, 3);
	assert_int_equal(t.n_links, 3);
	assert_true(t.is_switch[1]);
	assert_int_equal(t.link[0].rate_bps, INT64_C(100000000000));
	assert_int_equal(t.link[0].delay_ns, 1000);
	assert_int_equal(t.link[1].rate_bps, INT64_C(25000000000));
	/* 0.0001 is no binary fraction, and what there is of it in 64 bits is cut: 99 ns.
	 */
	assert_int_equal(t.link[1].delay_ns, 99);
	assert_int_equal(t.link[2].delay_ns, 1500);
	hpcc_topo_free(&t);
}

static void test_topology_mistakes(void **state)
{
	(void)state;
	topo_refused("", ":1:1: the file ends where the number of nodes was expected");
	topo_refused(
	        "x 1 1", ":1:1: the number of nodes is \"x\"; expected a whole number from 2");
	topo_refused("4000000000 1 1", ":1:1: the number of nodes is \"4000000000\"");
	topo_refused("3 3 1",
	        ":1:3: the number of switches is \"3\"; expected a whole number from 0 "
	        "to 2");
	topo_refused("3 1 1000000\n2\n0 2 1Gbps 1us 0\n",
	        ":4:1: the file ends where the first node of a link was expected; it is cut "
	        "short or "
	        "a count in it is too large");
	topo_refused("3 1 2\n7\n", ":2:1: a switch's number is \"7\"");
	topo_refused("4 2 2\n2 2\n", ":2:3: switch 2 is listed twice");
	topo_refused("3 1 2\n2\n0 3 1Gbps 1us 0\n", ":3:3: the second node of a link is \"3\"");
	topo_refused("3 1 2\n2\n2 2 1Gbps 1us 0\n", ":3:3: a link joins node 2 to itself");
	topo_refused("3 1 2\n2\n0 2 0Gbps 1us 0\n",
	        ":3:5: the rate of a link is \"0Gbps\"; expected "
	        "a rate above zero with its unit");
	topo_refused("3 1 2\n2\n0 2 -1Gbps 1us 0\n", ":3:5: the rate of a link");
	topo_refused("3 1 2\n2\n0 2 100Gps 1us 0\n", ":3:5: the rate of a link is \"100Gps\"");
	topo_refused(
	        "3 1 2\n2\n0 2 1Gbps 1parsec 0\n", ":3:11: the delay of a link is \"1parsec\"");
	topo_refused("3 1 2\n2\n0 2 1Gbps 2s 0\n", ":3:11: the delay of a link is \"2s\"");
	topo_refused("3 1 2\n2\n0 2 1Gbps 1us 0.1\n",
	        ":3:15: links with random errors cannot be simulated; set the error rate to 0");
	topo_refused(
	        "3 1 2\n2\n0 2 1Gbps 1us nan\n", ":3:15: the error rate of a link is \"nan\"");
	topo_refused(
	        "3 1 2\n2\n0 1 1Gbps 1us 0\n", ":3:15: the link joins two hosts (0 and 1)");
	topo_refused("3 1 2\n2\n0 2 1Gbps 1us 0\n0 2 1Gbps 1us 0\n",
	        ":4:15: host 0 has a second link");
	topo_refused("3 1 1\n2\n0 2 1Gbps 1us 0\n", ": host 1 has no link");
	topo_refused("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n9",
	        ":5:1: the first line says 2 links but more follows");
}

static void test_flows(void **state)
{
	struct hpcc_topo t = topo_of(star);
	struct hpcc_flows f;
	struct err e = {0};

	(void)state;
	put("flow.txt", "2 \n0 2 3 100 1000000 2.000000577\n3 0 5 200 1 2.001\n\n");
	if (hpcc_flows_read(&f, dir, "flow.txt", &t, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(f.n, 2);
	assert_int_equal(f.flow[0].src, 0);
	assert_int_equal(f.flow[0].dst, 2);
	assert_int_equal(f.flow[0].priority, 3);
	assert_int_equal(f.flow[0].dport, 100);
	assert_int_equal(f.flow[0].bytes, 1000000);
	/* As the simulator printed it: cut, not rounded. */
	assert_int_equal(f.flow[0].start_ps, INT64_C(2000000576000));
	assert_int_equal(f.flow[1].start_ps, INT64_C(2000999999000));
	hpcc_flows_free(&f);
	hpcc_topo_free(&t);
}

static void test_flow_mistakes(void **state)
{
	(void)state;
	flows_refused("0\n", ":1:1: the number of flows is \"0\"");
	flows_refused("99999999999\n", ":1:1: the number of flows is \"99999999999\"");
	flows_refused("2\n0 2 3 100 1000 2.0\n",
	        ":3:1: the file ends where a flow's source was expected");
	flows_refused("1\n0 2 3 100 1000 2.0\n0 2 3 100 1000 2.0\n",
	        ":3:1: the first line says 1 flows but more follows");
	flows_refused(
	        "1\n1 2 3 100 1000 2.0\n", ":2:1: a flow's source is 1, which is a switch");
	flows_refused("1\n0 4 3 100 1000 2.0\n", ":2:3: a flow's destination is \"4\"");
	flows_refused("1\n0 0 3 100 1000 2.0\n", ":2:3: a flow goes from host 0 to itself");
	flows_refused("1\n0 2 0 100 1000 2.0\n", ":2:5: a flow's priority (pg) is \"0\"");
	flows_refused("1\n0 2 8 100 1000 2.0\n", ":2:5: a flow's priority (pg) is \"8\"");
	flows_refused(
	        "1\n0 2 3 70000 1000 2.0\n", ":2:7: a flow's destination port is \"70000\"");
	flows_refused("1\n0 2 3 100 0 2.0\n", ":2:11: a flow's size in bytes is \"0\"");
	flows_refused("1\n0 2 3 100 1e6 2.0\n", ":2:11: a flow's size in bytes is \"1e6\"");
	flows_refused(
	        "1\n0 2 3 100 1000 -2.0\n", ":2:16: a flow's start in seconds is \"-2.0\"");
	flows_refused("1\n0 2 3 100 1000 inf\n", ":2:16: a flow's start in seconds is \"inf\"");
	flows_refused(
	        "1\n0 2 3 100 1000 1e300\n", ":2:16: a flow's start in seconds is \"1e300\"");
}

static void test_config_defaults_and_notes(void **state)
{
	struct import_notes notes = {0};
	struct hpcc_config c;
	struct err e = {0};
	char text[1000];

	(void)state;
	snprintf(text, sizeof(text),
	        "%s\nU_TARGET 0.95\nKMAX_MUP 1 2 3\nTOPOLOGY_FILE mix/my_topo.txt\n"
	        "KMAX_MEP 5\r\nLINK_DOWN 0 0 0\n",
	        needed);
	put("config.txt", text);
	if (hpcc_config_read(&c, dir, &notes, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(c.count[HPCC_CC_MODE], 1);
	assert_int_equal(c.count[HPCC_BUFFER_SIZE], 16);
	assert_int_equal(c.count[HPCC_MIN_RATE], 100000000);
	assert_int_equal(c.count[HPCC_RATE_AI], 20000000);
	assert_int_equal(c.count[HPCC_HAS_WIN], 1);
	assert_int_equal(c.line[HPCC_RP_TIMER], 1);
	assert_int_equal(c.line[HPCC_BUFFER_SIZE], 0);
	assert_true(c.real[HPCC_EWMA_GAIN] == 1.0 / 256);
	assert_string_equal(c.topology_file, "my_topo.txt");
	assert_string_equal(c.flow_file, "flow.txt");
	assert_true(*hpcc_map_find(&c.kmax_kb, INT64_C(100000000000)) == 1600);
	assert_null(hpcc_map_find(&c.kmax_kb, INT64_C(400000000000)));
	assert_int_equal(notes.n, 2);
	assert_non_null(
	        strstr(notes.text[0], "config.txt:11: the key KMAX_MUP is not known and was "
	                              "ignored (did you mean KMAX_MAP?)"));
}

static void test_config_mistakes(void **state)
{
	(void)state;
	config_refused("", ": the key RP_TIMER is missing");
	config_plus_refused(
	        "CC_MODE 3\n", ":9: CC_MODE: only CC_MODE 1 (DCQCN) can be simulated");
	config_plus_refused("RP_TIMER 300\n", ":9:1: RP_TIMER stands twice, first on line 1");
	config_plus_refused("RP_TIMER", ":9:1: RP_TIMER stands twice");
	config_plus_refused("MIN_RATE", ":9:9: the file ends where MIN_RATE was expected");
	config_plus_refused("MIN_RATE fast\n", ":9:10: MIN_RATE is \"fast\"");
	config_plus_refused("BUFFER_SIZE 32MB\n", ":9:13: BUFFER_SIZE is \"32MB\"");
	config_plus_refused("BUFFER_SIZE 0\n", ":9:13: BUFFER_SIZE is \"0\"");
	config_plus_refused("ERROR_RATE_PER_LINK 0.01\n",
	        ":9: ERROR_RATE_PER_LINK: links with random errors cannot be simulated");
	config_plus_refused("LINK_DOWN 2000000 1 2\n", ":9: LINK_DOWN: links that go down");
	config_plus_refused("L2_BACK_TO_ZERO 1\n", ":9: L2_BACK_TO_ZERO: ");
	config_plus_refused("RATE_BOUND 0\n", ":9: RATE_BOUND: ");
	config_plus_refused("PAUSE_TIME 0\n", ":9: PAUSE_TIME: ");
	config_plus_refused("ALPHA_RESUME_INTERVAL 0.5\n",
	        ":9:23: ALPHA_RESUME_INTERVAL is \"0.5\"; expected a number from 1");
	config_plus_refused("FLOW_FILE ..\n", ":9:11: FLOW_FILE: expected the name of a file");
	config_refused(
	        "KMAX_MAP 2 100 5 100 6\n", ":1:18: KMAX_MAP has the rate 100 twice; keep one");
	config_refused("KMAX_MAP 1000000000 1 1\n", ":1:10: the number of rates in the map");
	config_refused("PMAX_MAP 1 100 1.5\n", ":1:16: a marking probability in PMAX_MAP is");
}

static void test_missing_files(void **state)
{
	struct import_notes notes = {0};
	struct hpcc_config c;
	struct hpcc_topo t;
	struct err e = {0};

	(void)state;
	expect_error("config.txt", hpcc_config_read(&c, dir, &notes, &e), &e, ": no such file");
	expect_error(".", hpcc_topo_read(&t, dir, ".", &e), &e, "");
}

/* Every prefix of good files, and every byte of them replaced: a struct or a message, no more.
 */
static void test_damaged_files(void **state)
{
	static const char flows[] = "2\n0 2 3 100 1000 2.0\n3 0 3 100 1000 2.0\n";
	struct import_notes notes = {0};
	struct hpcc_topo good = topo_of(star), t;
	struct hpcc_flows f;
	struct hpcc_config c;
	char text[1000];
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(star); i++) {
		put_bytes("topology.txt", star, i);
		if (!hpcc_topo_read(&t, dir, "topology.txt", &e))
			hpcc_topo_free(&t);
		memcpy(text, star, sizeof(star));
		text[i] = (char)(i * 37);
		put_bytes("topology.txt", text, sizeof(star) - 1);
		if (!hpcc_topo_read(&t, dir, "topology.txt", &e))
			hpcc_topo_free(&t);
	}
	for (size_t i = 0; i < sizeof(flows); i++) {
		memcpy(text, flows, sizeof(flows));
		text[i] = (char)(i * 91);
		put_bytes("flow.txt", text, sizeof(flows) - 1);
		if (!hpcc_flows_read(&f, dir, "flow.txt", &good, &e))
			hpcc_flows_free(&f);
	}
	for (size_t i = 0; i < sizeof(needed); i++) {
		memcpy(text, needed, sizeof(needed));
		text[i] = (char)(i * 53);
		put_bytes("config.txt", text, sizeof(needed) - 1);
		assert_true(hpcc_config_read(&c, dir, &notes, &e) <= 0);
	}
	hpcc_topo_free(&good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_topology, make_dir, remove_dir),
	        cmocka_unit_test_setup_teardown(test_topology_mistakes, make_dir, remove_dir),
	        cmocka_unit_test_setup_teardown(test_flows, make_dir, remove_dir),
	        cmocka_unit_test_setup_teardown(test_flow_mistakes, make_dir, remove_dir),
	        cmocka_unit_test_setup_teardown(
	                test_config_defaults_and_notes, make_dir, remove_dir),
	        cmocka_unit_test_setup_teardown(test_config_mistakes, make_dir, remove_dir),
	        cmocka_unit_test_setup_teardown(test_missing_files, make_dir, remove_dir),
	        cmocka_unit_test_setup_teardown(test_damaged_files, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
