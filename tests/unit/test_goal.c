/* SPDX-License-Identifier: Apache-2.0 */
/* GOAL text: what is read, what is refused and where, and that what is written reads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/load/goal.h"
#include "gen/load/sched_program.h"

static const char text[] = "// a comment\n"
                           "num_ranks 3\n"
                           "rank 1 { /* two\nlines */\n"
                           "  go: calc 1500 cpu 2\n"
                           "  up: send 1024b to 0 tag 5 cpu 1 nic 3\n"
                           "  up requires go\n"
                           "}\n"
                           "rank 0 { l1: recv 1024 b from 1 tag 5; send 0b to 2 }\n"
                           "rank 2 {\n\trecv 0b from 0\n}\n";

static void must(int rc, const struct err *e)
{
	if (rc)
		fail_msg("%s", e->msg);
}

static void test_reads(void **state)
{
	(void)state;
	struct err e = {0};
	struct sched s;

	must(goal_parse(&s, "x.goal", text, strlen(text), &e), &e);
	assert_int_equal(s.n_ranks, 3);
	assert_int_equal(s.n_ops, 5);
	assert_int_equal(s.begin[1], 0);
	assert_int_equal(s.end[1], 2);
	assert_int_equal(s.op[0].kind, SCHED_CALC);
	assert_int_equal(s.op[0].value, 1500);
	assert_int_equal(s.op[0].cpu, 2);
	assert_int_equal(s.op[1].kind, SCHED_SEND);
	assert_int_equal(s.op[1].value, 1024);
	assert_int_equal(s.op[1].peer, 0);
	assert_int_equal(s.op[1].tag, 5);
	assert_int_equal(s.op[1].nic, 3);
	assert_int_equal(s.op[1].line, 6);
	assert_int_equal(s.first_on[2] - s.first_on[1], 1);
	assert_int_equal(s.on[s.first_on[1]], SCHED_ON(0, false));
	assert_int_equal(s.op[s.begin[0]].kind, SCHED_RECV);
	sched_fini(&s);
}

static char *written(const struct sched *s)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	assert_non_null(f);
	goal_write(f, s);
	assert_int_equal(fclose(f), 0);
	return out;
}

static void test_reads_what_it_writes(void **state)
{
	(void)state;
	struct err e = {0};
	struct sched s, again;
	char *a, *b;

	must(goal_parse(&s, "x.goal", text, strlen(text), &e), &e);
	a = written(&s);
	must(goal_parse(&again, "y.goal", a, strlen(a), &e), &e);
	b = written(&again);
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "l2: send 1024b to 0 tag 5 cpu 1 nic 3\nl2 requires l1\n"));
	free(a);
	free(b);
	sched_fini(&s);
	sched_fini(&again);
}

/* Refused while reading or compiling, with these words. */
static void refused(const char *goal, const char *where, const char *what)
{
	struct sched_program p;
	struct err e = {0};
	struct sched s;
	int rc = goal_parse(&s, "x.goal", goal, strlen(goal), &e);

	if (!rc) {
		rc = sched_compile(&p, &s, &e);
		sched_fini(&s);
	}
	assert_int_equal(rc, -22);
	if (!strstr(e.msg, where) || !strstr(e.msg, what))
		fail_msg("\"%s\" has not \"%s\" and \"%s\"", e.msg, where, what);
}

static void test_refuses(void **state)
{
	(void)state;
	refused("", "x.goal:1:1", "num_ranks");
	refused("num_ranks 2\nrank 0 { calc 1", "x.goal:2:16", "cut short");
	refused("num_ranks 2\nrank 0 { calc }", "x.goal:2:15", "a time");
	refused("num_ranks 2\nrank 0 { a: send 3 to 1 }", "x.goal:2:20", "b after");
	refused("num_ranks 2\nrank 0 { a: send 3b from 1 }", "x.goal:2:21", "\"to\"");
	refused("num_ranks 2\nrank 0 { a: recv 3b from -1 }", "x.goal:2:26", "any rank");
	refused("num_ranks 2\nrank 0 { a: send 3b to 2 }", "x.goal:2:13", "0..1");
	refused("num_ranks 2\nrank 0 { a: send 3b to 0 }", "x.goal:2:13", "itself");
	refused("num_ranks 2\nrank 2 { }", "x.goal:2:1", "0..1");
	refused("num_ranks 2\nrank 0 { calc 1 }\nrank 0 { }", "x.goal:3", "twice");
	refused("num_ranks 2\nrank 0 { a: calc 1; a: calc 2 }", "x.goal:2", "twice");
	refused("num_ranks 2\nrank 0 { a: calc 1; a requires b }", "x.goal:2:32", "labelled");
	refused("num_ranks 2\nrank 0 { a: calc 1; a requires a }", "x.goal:2", "itself");
	refused("num_ranks 2 /* \n", "x.goal:1:13", "*/");
	refused("num_ranks 99999999999999999999\n", "x.goal:1:11", "number of ranks");
	refused("num_ranks 2\nrank 0 { send 5b to 1 tag 3 }", "x.goal:2", "does not receive");
	refused("num_ranks 2\nrank 0 { recv 5b from 1 tag 3 }", "x.goal:2", "does not send");
	refused("num_ranks 2\nrank 0 { send 5b to 1 }\nrank 1 { recv 6b from 0 }", "x.goal:2",
	        "x.goal:3:10: rank 1 receives 6 bytes from rank 0 with tag 0: sizes must "
	        "agree");
	refused("num_ranks 0\n", "x.goal:1:11", "expected the number of ranks, 1 to 65535");
}

static void test_names_the_cycle(void **state)
{
	(void)state;
	refused("num_ranks 2\nrank 0 { a: calc 1; b: calc 2; a requires b; b requires a }",
	        "rank 0 calculates 1", "the first of these");
	refused("num_ranks 2\n"
	        "rank 0 { a: recv 5b from 1\nb: send 5b to 1\nb requires a }\n"
	        "rank 1 { a: recv 5b from 0\nb: send 5b to 0\nb requires a }\n",
	        "x.goal:2:13: rank 0 receives", "x.goal:6:4: rank 1 sends");
	/* irequires: the receive only has to be posted, so this one can run */
	const char good[] = "num_ranks 2\n"
	                    "rank 0 { a: recv 5b from 1\nb: send 5b to 1\nb irequires a }\n"
	                    "rank 1 { a: recv 5b from 0\nb: send 5b to 0\nb requires a }\n";
	struct sched_program p;
	struct err e = {0};
	struct sched s;

	must(goal_parse(&s, "x.goal", good, strlen(good), &e), &e);
	must(sched_compile(&p, &s, &e), &e);
	sched_program_fini(&p);
	sched_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_reads),
	        cmocka_unit_test(test_reads_what_it_writes),
	        cmocka_unit_test(test_refuses),
	        cmocka_unit_test(test_names_the_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
