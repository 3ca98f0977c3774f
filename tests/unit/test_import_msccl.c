/* SPDX-License-Identifier: Apache-2.0 */
/* MSCCL algorithms: what moves, in which order it runs, and what is refused where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/text_file.h"
#include "scenarios/imports/import_msccl.h"
#include "tests/support/imports.h"

#define HEAD "<algo name=\"a\" nchunksperloop=\"4\" ngpus=\"2\" coll=\"x\">"

static void test_moves(void **state)
{
	(void)state;
	struct import_draft d = {0};
	struct msccl_algorithm a;
	struct err e = {0};
	size_t len;
	char *text;

	imports_must(text_file_read(&text, &len,
	                     SQUALL_SOURCE_DIR "/tests/data/imports/msccl-3.xml", 1 << 20, &e),
	        &e);
	imports_must(msccl_read_text(&d, &a, "msccl-3.xml", text, len, 1001, &e), &e);
	assert_string_equal(a.coll, "broadcast");
	assert_int_equal(a.sends, 3);
	assert_int_equal(a.chunks_sent, 4);
	assert_int_equal(imports_messages(&d.sched, 0, 1), 2);
	assert_int_equal(imports_bytes(&d.sched, 0, 1), 1000); /* 2 chunks of 1001 / 2 */
	assert_int_equal(imports_messages(&d.sched, 1, 2), 1);
	assert_int_equal(imports_bytes(&d.sched, 1, 2), 1001);
	imports_compiles(&d.sched);
	free(text);
	import_draft_fini(&d);
}

/* Thread blocks in one row: a send waits for the start of the send before it, for the end of a
 * receive before it, and for the step of the other thread block that depid and deps name. */
static void test_order(void **state)
{
	(void)state;
	const char text[] =
	        HEAD "<gpu id=\"0\">"
	             "<tb id=\"3\" send=\"1\" recv=\"-1\" chan=\"0\">"
	             "<step s=\"0\" type=\"s\" cnt=\"1\" depid=\"5\" deps=\"0\"/>"
	             "<step s=\"1\" type=\"s\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/></tb>"
	             "<tb id=\"5\" send=\"-1\" recv=\"1\" chan=\"1\">"
	             "<step s=\"0\" type=\"rrc\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/></tb>"
	             "</gpu><gpu id=\"1\">"
	             "<tb id=\"0\" send=\"0\" recv=\"-1\" chan=\"1\">"
	             "<step s=\"0\" type=\"s\" cnt=\"1\"/></tb>"
	             "<tb id=\"1\" send=\"-1\" recv=\"0\" chan=\"0\">"
	             "<step s=\"0\" type=\"r\" cnt=\"1\"/><step s=\"1\" type=\"re\" cnt=\"1\"/>"
	             "<step s=\"2\" type=\"r\" cnt=\"1\"/></tb></gpu></algo>";
	struct import_draft d = {0};
	struct msccl_algorithm a;
	struct err e = {0};
	const struct sched *s = &d.sched;

	imports_must(msccl_read_text(&d, &a, "t.xml", text, strlen(text), 4000, &e), &e);
	assert_int_equal(s->op[0].kind, SCHED_SEND);
	assert_int_equal(s->op[0].value, 1000);
	assert_int_equal(s->op[2].kind, SCHED_RECV);
	assert_int_equal(s->first_on[1] - s->first_on[0], 1);
	assert_int_equal(s->on[s->first_on[0]], SCHED_ON(2, false));
	assert_int_equal(s->first_on[2] - s->first_on[1], 1);
	assert_int_equal(s->on[s->first_on[1]], SCHED_ON(0, true));
	assert_int_equal(s->op[2].tag, 1);
	imports_compiles(s);
	import_draft_fini(&d);
}

static void refused(const char *text, const char *where, const char *what)
{
	struct import_draft d = {0};
	struct msccl_algorithm a;
	struct err e = {0};

	assert_int_equal(msccl_read_text(&d, &a, "t.xml", text, strlen(text), 4000, &e), -22);
	if (!strstr(e.msg, where) || !strstr(e.msg, what))
		fail_msg("\"%s\" has not \"%s\" and \"%s\"", e.msg, where, what);
	import_draft_fini(&d);
}

#define GPU HEAD "<gpu id=\"0\"><tb id=\"0\" send=\"-1\" recv=\"1\" chan=\"0\">"

static void test_refuses(void **state)
{
	(void)state;
	refused("", "t.xml:1:1", "no element");
	refused("<algo", "t.xml:1:", "unclosed");
	refused("<graph/>", "t.xml:1:1", "<algo> was expected");
	refused("<algo nchunksperloop=\"1\"/>", "t.xml:1:1", "ngpus is missing");
	refused("<algo ngpus=\"2\" nchunksperloop=\"0\"/>", "t.xml:1:1",
	        "nchunksperloop=\"0\"");
	refused(HEAD "\n<gpu id=\"2\"/></algo>", "t.xml:2:1", "id=\"2\"");
	refused(HEAD "\n<gpu id=\"0\"/><gpu id=\"0\"/></algo>", "t.xml:2:14", "twice");
	refused(HEAD "<tb/></algo>", "t.xml:1:", "<gpu> was expected");
	refused(GPU "\n<step s=\"0\" type=\"fly\"/></tb></gpu></algo>", "t.xml:2:1", "\"fly\"");
	refused(GPU "\n<step s=\"1\" type=\"r\"/></tb></gpu></algo>", "t.xml:2:1", "step 0");
	refused(GPU "\n<step s=\"0\" type=\"s\"/></tb></gpu></algo>", "t.xml:2:1",
	        "send=\"-1\"");
	refused(GPU "\n<step s=\"0\" type=\"r\" depid=\"4\" deps=\"0\"/></tb></gpu></algo>",
	        "t.xml:2:", "thread block 4");
	refused("<!DOCTYPE algo [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n" HEAD "</algo>",
	        "t.xml:1:", "entity");
}

static void test_depth(void **state)
{
	(void)state;
	char text[4096] =
	        HEAD "<gpu id=\"0\"><tb id=\"0\" send=\"-1\" recv=\"1\"><step s=\"0\" "
	             "type=\"r\">";

	for (int i = 0; i < 100; i++)
		memcpy(text + strlen(text), "<x>", 4);
	refused(text, "t.xml:1:", "levels");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_moves),
	        cmocka_unit_test(test_order),
	        cmocka_unit_test(test_refuses),
	        cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
