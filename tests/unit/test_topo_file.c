/* SPDX-License-Identifier: Apache-2.0 */
/* Topology files: what is read, and that every mistake is named with its line and its remedy.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/fabric/topo_file.h"

static const struct switch_cfg base = {.cell_bytes = 208};

static const char mixed[] = "# two speeds, three cable lengths\n"
                            "switch leaf0\r\n"
                            "host h0\n"
                            "\thost  h1 # by the door\n"
                            "switch core 2\n"
                            "switch leaf1 1\n"
                            "host h2\n"
                            "\n"
                            "link h0 leaf0 100Gbps 1.5us\n"
                            "link leaf0 core 400Gbps 300ns\n"
                            "link core leaf1 400Gbps 300ns\n"
                            "link h2 leaf1 25Gbps 0ns\n"
                            "link leaf0 h1 100Gbps 20us";

static struct topo *parsed(const char *text)
{
	struct topo *t = NULL;
	struct err e = {0};

	if (topo_from_text(&t, "t.topo", text, strlen(text), &base, &e))
		fail_msg("%s", e.msg);
	return t;
}

static void refused_bytes(const char *text, size_t len, const char *message)
{
	struct topo *t = NULL;
	struct err e = {0};

	assert_int_equal(topo_from_text(&t, "t.topo", text, len, &base, &e), -EINVAL);
	assert_null(t);
	if (strncmp(e.msg, message, strlen(message)) != 0)
		fail_msg("\"%s\" does not begin with \"%s\"", e.msg, message);
}

static void refused(const char *text, const char *message)
{
	refused_bytes(text, strlen(text), message);
}

static void test_mixed_speeds_and_lengths(void **state)
{
	struct topo *t = parsed(mixed);
	const struct topo_port *p;

	(void)state;
	assert_int_equal(t->n_hosts, 3);
	assert_int_equal(t->n_nodes, 6);
	assert_string_equal(t->node[1].name, "h1");
	assert_string_equal(t->node[3].name, "leaf0");
	assert_string_equal(t->node[4].name, "core");
	assert_int_equal(t->node[4].tier, 2);
	assert_int_equal(t->node[3].tier, 1);
	assert_int_equal(t->node[5].outside_id, 5);
	assert_int_equal(t->profile[0].cell_bytes, 208);
	p = &t->port[t->node[3].first_port];
	assert_int_equal(t->node[3].n_ports, 3);
	assert_int_equal(p[0].peer_node, 0);
	assert_int_equal(p[0].delay_ps, 1500000);
	assert_int_equal(p[1].peer_node, 4);
	assert_int_equal(p[1].rate_bps, INT64_C(400000000000));
	assert_int_equal(p[2].peer_node, 1);
	assert_int_equal(p[2].delay_ps, 20000000);
	assert_int_equal(t->port[t->node[2].first_port].delay_ps, 0);
	topo_free(t);
}

static void test_statements_refused(void **state)
{
	(void)state;
	refused("hosts a\n",
	        "t.topo:1:1: hosts is not a statement, expected host, switch, link or route");
	refused("\n\nhost\n", "t.topo:3:1: expected: host NAME");
	refused("host a b\n", "t.topo:1:1: expected: host NAME");
	refused("switch s 1 2\n", "t.topo:1:1: expected: switch NAME [TIER]");
	refused("switch s 0\n", "t.topo:1:10: the tier 0 is not a whole number from 1 to 15");
	refused("switch s 99999999999\n", "t.topo:1:10: the tier 99999999999 is not");
	refused("switch s -1\n", "t.topo:1:10: the tier -1 is not");
	refused("host h/0\n", "t.topo:1:6: the name h/0 contains '/'");
	refused("host abcdefghijklmnop\n",
	        "t.topo:1:6: the name abcdefghijklmnop has 16 characters");
	refused("host all\n", "t.topo:1:6: the name all stands for every node and link");
	refused("switch all\n", "t.topo:1:8: the name all stands");
	refused("host a\nswitch a\n", "t.topo:2:8: the name a is taken by a host on line 1");
	refused("switch s\nlink s s 1 2 3 4 5 6 7 8 9\n",
	        "t.topo:2:1: expected: link A B RATE DELAY");
}

#define TWO "host h0\nhost h1\nswitch leaf0\n"

static void test_links_refused(void **state)
{
	(void)state;
	refused(TWO "link h0 laef0 1Gbps 1us\n",
	        "t.topo:4:9: no node named laef0 above this line, did you mean leaf0?");
	refused(TWO "link h0 bogus 1Gbps 1us\n",
	        "t.topo:4:9: no node named bogus above this line: add a host or switch line");
	refused(TWO "link leaf0 leaf0 1Gbps 1us\n",
	        "t.topo:4:12: the link joins leaf0 to itself");
	refused(TWO "link h0 h1 1Gbps 1us\n",
	        "t.topo:4:9: the link joins two hosts (h0 and h1)");
	refused(TWO "link h0 leaf0 1Gbps 1us\nlink leaf0 h0 1Gbps 1us\n",
	        "t.topo:5:12: host h0 has a link already (line 4)");
	refused(TWO "link h0 leaf0 100 1us\n", "t.topo:4:15: rate of the link: ");
	refused(TWO "link h0 leaf0 1Gbps 1\n", "t.topo:4:21: delay of the link: ");
	refused(TWO "link h0 leaf0 0Gbps 1us\n", "t.topo:4:15: the rate 0Gbps is out of range");
	refused(TWO "link h0 leaf0 1Gbps 2s\n", "t.topo:4:21: the delay 2s is out of range");
	refused(TWO "link h0 leaf0 1Gbps -1us\n", "t.topo:4:21: delay of the link: ");
	refused(TWO "link h0 leaf0 11111111111111111111111111111111Gbps 1us\n",
	        "t.topo:4:15: the rate 11111111111111111111111111111111");
	refused(TWO "link h0 leaf0 1Gbps 1us\n", "t.topo:2:1: host h1 has no link");
	refused(TWO "host h2\nswitch s\nlink h0 leaf0 1Gbps 1us\nlink h1 leaf0 1Gbps 1us\n"
	            "link h2 s 1Gbps 1us\n",
	        "t.topo: host 2 (h2) cannot reach host 0 (h0)");
}

static void test_bytes_refused(void **state)
{
	(void)state;
	refused("", "t.topo: the topology has 0 hosts");
	refused("# nothing\n", "t.topo: the topology has 0 hosts");
	refused("host h0\n", "t.topo:1:1: host h0 has no link");
	refused("host \x01\n", "t.topo:1:6: unexpected byte 0x01");
	refused("host h\xc3\xa4\n", "t.topo:1:7: unexpected byte 0xc3");
	refused_bytes("host a\0b\n", 9, "t.topo:1:7: unexpected byte 0x00");
}

/* A switch may have 2048 links and no more. */
static void test_port_limit(void **state)
{
	const size_t room = 200000;
	char *text = malloc(room);
	struct topo *t;
	size_t len = 0;

	(void)state;
	assert_non_null(text);
	len += (size_t)snprintf(text + len, room - len, "switch s\n");
	for (int i = 0; i < 2048; i++)
		len += (size_t)snprintf(
		        text + len, room - len, "host h%d\nlink h%d s 1Gbps 1us\n", i, i);
	t = parsed(text);
	assert_int_equal(t->node[2048].n_ports, 2048);
	topo_free(t);
	(void)snprintf(text + len, room - len, "host x\nlink x s 1Gbps 1us\n");
	refused(text, "t.topo:4099:8: switch s has 2048 links already");
	free(text);
}

/* Every prefix of a good file is either read or refused, never worse (run with sanitizers). */
static void test_truncated(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(mixed) - 1; len++) {
		char *copy = malloc(len ? len : 1);
		struct topo *t = NULL;
		struct err e = {0};
		int rc;

		assert_non_null(copy);
		memcpy(copy, mixed, len);
		rc = topo_from_text(&t, "t.topo", copy, len, &base, &e);
		assert_true(rc == -EINVAL ? t == NULL && e.msg[0] : rc == 0 && t != NULL);
		topo_free(t);
		free(copy);
	}
}

static void test_files(void **state)
{
	char path[] = "/tmp/squall-topo-XXXXXX";
	struct topo *t = NULL;
	struct err e = {0};
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, mixed, sizeof(mixed) - 1), sizeof(mixed) - 1);
	close(fd);
	assert_int_equal(topo_from_file(&t, path, &base, &e), 0);
	assert_int_equal(t->n_nodes, 6);
	topo_free(t);
	unlink(path);
	assert_int_equal(topo_from_file(&t, path, &base, &e), -ENOENT);
	assert_non_null(strstr(e.msg, path));
	assert_int_equal(topo_from_file(&t, "/dev/zero", &base, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "expected a regular file"));
	assert_int_equal(topo_from_file(&t, "/", &base, &e), -EINVAL);
	assert_int_equal(topo_from_file(&t, NULL, &base, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "fabric.topology.file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_mixed_speeds_and_lengths),
	        cmocka_unit_test(test_statements_refused),
	        cmocka_unit_test(test_links_refused),
	        cmocka_unit_test(test_bytes_refused),
	        cmocka_unit_test(test_port_limit),
	        cmocka_unit_test(test_truncated),
	        cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
