/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL's logs say of calls and algorithms, and what they leave open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/imports/import_nccl_log.h"
#include "scenarios/imports/nccl_works.h"
#include "tests/support/imports.h"

struct fixture {
	struct nccl_log log;
	struct import_draft draft;
	struct import_job job;
	int rc;
	struct err err;
};

/* Four machines of a rank each, a ring 0 1 2 3 and the tree 0 <- 1 <- 2 <- 3. */
static void open_job(struct fixture *f)
{
	static const char text[] =
	        "a:1:1 [0] NCCL INFO comm 0x11 rank 0 nranks 4 cudaDev 0 commId 0x7 - Init "
	        "START\n"
	        "b:1:1 [0] NCCL INFO comm 0x12 rank 1 nranks 4 cudaDev 0 commId 0x7 - Init "
	        "START\n"
	        "c:1:1 [0] NCCL INFO comm 0x13 rank 2 nranks 4 cudaDev 0 commId 0x7 - Init "
	        "START\n"
	        "d:1:1 [0] NCCL INFO comm 0x14 rank 3 nranks 4 cudaDev 0 commId 0x7 - Init "
	        "START\n"
	        "a:1:1 [0] NCCL INFO Channel 00/01 : 0 1 2 3\n"
	        "a:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1\n"
	        "b:1:1 [0] NCCL INFO Trees [0] 2/-1/-1->1->0\n"
	        "c:1:1 [0] NCCL INFO Trees [0] 3/-1/-1->2->1\n"
	        "d:1:1 [0] NCCL INFO Trees [0] -1/-1/-1->3->2\n";

	*f = (struct fixture){.job = {.stem = "x"}};
	imports_must(nccl_log_init(&f->log, &f->err), &f->err);
	imports_must(
	        nccl_lines_text("x.log", text, strlen(text), nccl_log_take, &f->log, &f->err),
	        &f->err);
}

static void import_text(struct fixture *f, const char *text, int64_t buffer_bytes)
{
	open_job(f);
	f->job.buffer_bytes = buffer_bytes;
	imports_must(
	        nccl_lines_text("x.log", text, strlen(text), nccl_log_take, &f->log, &f->err),
	        &f->err);
	f->rc = nccl_log_import(&f->draft, &f->log, "x.log", &f->job, &f->err);
	if (!f->rc)
		imports_compiles(&f->draft.sched);
}

static void close_job(struct fixture *f)
{
	nccl_log_fini(&f->log);
	import_draft_fini(&f->draft);
}

static void says(struct fixture *f, enum import_line_kind kind, const char *text)
{
	if (!imports_line(&f->draft, kind, text))
		fail_msg("no line with \"%s\"", text);
}

static void silent(struct fixture *f, enum import_line_kind kind, const char *text)
{
	if (imports_line(&f->draft, kind, text))
		fail_msg("a line with \"%s\"", text);
}

/* The ring closes from 3 to 0; the tree has no such edge. */
static bool runs_ring(const struct fixture *f)
{
	return imports_bytes(&f->draft.sched, 3, 0) > 0;
}

static void test_settings(void **state)
{
	(void)state;
	static const struct {
		const char *setting;
		enum nccl_carrier all_reduce, all_gather;
	} row[] = {
	        {"", NCCL_BY_ANY, NCCL_BY_ANY},
	        {"Ring", NCCL_BY_RING, NCCL_BY_RING},
	        {"tree", NCCL_BY_TREE, NCCL_BY_TREE},
	        {"^Ring", NCCL_NOT_RING, NCCL_NOT_RING},
	        {"^Tree", NCCL_NOT_TREE, NCCL_NOT_TREE},
	        {"^NVLS", NCCL_BY_ANY, NCCL_BY_ANY},
	        {"^NVLS,NVLSTree,Tree", NCCL_NOT_TREE, NCCL_NOT_TREE},
	        {"^Ring,Tree", NCCL_BY_OTHER, NCCL_BY_OTHER},
	        {"Ring,Tree", NCCL_BY_ANY, NCCL_BY_ANY},
	        {"Tree,Ring", NCCL_BY_ANY, NCCL_BY_ANY},
	        {"NVLS", NCCL_BY_OTHER, NCCL_BY_OTHER},
	        {"NVLSTree", NCCL_BY_OTHER, NCCL_BY_OTHER},
	        {"NVLS,Ring", NCCL_NOT_TREE, NCCL_NOT_TREE},
	        {"CollNet", NCCL_BY_OTHER, NCCL_BY_OTHER},
	        {"PAT", NCCL_BY_OTHER, NCCL_BY_OTHER},
	        {"allreduce:tree", NCCL_BY_TREE, NCCL_BY_ANY},
	        {"allreduce:tree;allgather:ring", NCCL_BY_TREE, NCCL_BY_RING},
	        {"ring;allreduce:tree,ring", NCCL_BY_ANY, NCCL_BY_RING},
	        {"Ring2", NCCL_BY_ANY, NCCL_BY_ANY},
	        {"Ringo,Tree", NCCL_BY_ANY, NCCL_BY_ANY},
	        {"^", NCCL_BY_ANY, NCCL_BY_ANY},
	        {";:,", NCCL_BY_ANY, NCCL_BY_ANY},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		if (nccl_algorithm_of(row[i].setting, NCCL_ALL_REDUCE) != row[i].all_reduce ||
		        nccl_algorithm_of(row[i].setting, NCCL_ALL_GATHER) != row[i].all_gather)
			fail_msg("NCCL_ALGO=%s", row[i].setting);
	}
	assert_int_equal(nccl_algorithm_picked("RING proto SIMPLE"), NCCL_BY_RING);
	assert_int_equal(nccl_algorithm_picked("1 proto 2"), NCCL_BY_RING);
	assert_int_equal(nccl_algorithm_picked("0 proto 2"), NCCL_BY_TREE);
	assert_int_equal(nccl_algorithm_picked("4 proto 2"), NCCL_BY_OTHER);
	assert_int_equal(nccl_algorithm_picked("NVLS_TREE proto"), NCCL_BY_OTHER);
	assert_int_equal(nccl_algorithm_picked("10 proto"), NCCL_BY_ANY);
}

static void setting(const char *value, bool is_found, bool ring)
{
	char text[200];
	struct fixture f;

	(void)snprintf(text, sizeof(text),
	        "a:1:1 [0] NCCL INFO NCCL_ALGO set by environment to %s.\n", value);
	import_text(&f, text, 0);
	assert_int_equal(f.rc, 0);
	assert_int_equal(!!imports_line(&f.draft, IMPORT_FOUND, "carried the data"), is_found);
	assert_int_equal(
	        !!imports_line(&f.draft, IMPORT_UNKNOWN, "carried the data"), !is_found);
	(void)snprintf(text, sizeof(text), "NCCL_ALGO=%s", value);
	says(&f, is_found ? IMPORT_FOUND : IMPORT_UNKNOWN, text);
	assert_int_equal(runs_ring(&f), ring);
	assert_string_equal(f.draft.other_name, ring ? "tree" : "ring");
	close_job(&f);
}

/* Only one algorithm is a finding; what excludes rings does not run them. */
static void test_what_settings_say(void **state)
{
	(void)state;
	setting("Ring", true, true);
	setting("Tree", true, false);
	setting("allreduce:tree", true, false);
	setting("allgather:ring", false, true);
	setting("^Ring", false, false);
	setting("^Tree", false, true);
	setting("Tree,Ring", false, true);
	setting("NVLS", false, true);
	setting("PAT", false, true);
	setting("CollNet", false, true);
}

/* The tuner names the collective, its bytes and the algorithm. */
static void test_tuner(void **state)
{
	(void)state;
	struct fixture f;

	import_text(&f,
	        "a:1:1 [0] NCCL INFO AllGather: 33554432 Bytes -> Algo RING proto SIMPLE "
	        "channel{Lo..Hi}={0..1}\n",
	        0);
	assert_int_equal(f.rc, 0);
	says(&f, IMPORT_FOUND, "runs all-gather of 33554432 bytes");
	assert_int_equal(imports_bytes(&f.draft.sched, 0, 1), 33554432 * 3 / 4);
	close_job(&f);

	/* where more than one rank says it, it ran once */
	import_text(&f,
	        "a:1:1 [0] NCCL INFO AllGather: 4000 Bytes -> Algo RING proto SIMPLE\n"
	        "b:1:1 [0] NCCL INFO AllGather: 4000 Bytes -> Algo RING proto SIMPLE\n",
	        0);
	assert_int_equal(imports_bytes(&f.draft.sched, 0, 1), 3000);
	close_job(&f);

	/* each size its own: 2 (n - 1) / n of 4000 on the ring, all of 8000 up and down */
	import_text(&f,
	        "a:1:1 [0] NCCL INFO AllReduce: 4000 Bytes -> Algo 1 proto 0 time 1.0\n"
	        "a:1:1 [0] NCCL INFO AllReduce: 8000 Bytes -> Algo 0 proto 2 time 9.0\n",
	        0);
	assert_int_equal(f.rc, 0);
	says(&f, IMPORT_FOUND, "rings and trees carried the data: lines of the tuner");
	assert_int_equal(imports_bytes(&f.draft.sched, 3, 0), 6000);
	assert_int_equal(imports_bytes(&f.draft.sched, 0, 1), 6000 + 8000);
	assert_int_equal(imports_bytes(&f.draft.other, 3, 0), 12000);
	close_job(&f);

	import_text(&f, "a:1:1 [0] NCCL INFO 4000 Bytes -> Algo 4 proto 2 time 123.4\n", 0);
	says(&f, IMPORT_ASSUMED, "all-reduce of 4000 bytes; nothing says which");
	says(&f, IMPORT_UNKNOWN, "what the tuner chose, which does not decide");
	close_job(&f);
}

/* Send and receive calls are what runs: every message once, in steps by opCount. */
static void test_send_and_receive(void **state)
{
	(void)state;
	static const char host[] = "abcd";
	char text[4000] = "";
	struct fixture f;

	for (int r = 0; r < 4; r++)
		for (int k = 0; k < 2; k++) {
			const size_t len = strlen(text);
			const int to = (r + 1 + k) % 4, from = (r + 3 - k) % 4;

			/* rank 3's own lines are missing */
			if (r == 3)
				continue;
			(void)snprintf(text + len, sizeof(text) - len,
			        "%c:1:1 [0] NCCL INFO Send: opCount %x sendbuff 0x1 recvbuff "
			        "(nil) "
			        "count %d datatype 7 op 0 root %d comm 0x%d [nranks=4] stream "
			        "0x1\n"
			        "%c:1:1 [0] NCCL INFO Recv: opCount %x sendbuff (nil) recvbuff "
			        "0x1 "
			        "count %d datatype 7 op 0 root %d comm 0x%d [nranks=4] stream "
			        "0x1\n",
			        host[r], 10 + k, 100 * (r + 1), to, 11 + r, host[r], 10 + k,
			        100 * (from + 1), from, 11 + r);
		}
	import_text(&f, text, 0);
	assert_int_equal(f.rc, 0);
	says(&f, IMPORT_FOUND, "runs 8 messages of send and receive calls, 8000 bytes");
	silent(&f, IMPORT_ASSUMED, "all-reduce");
	silent(&f, IMPORT_UNKNOWN, "carried");
	for (uint32_t r = 0; r < 4; r++)
		for (uint32_t k = 1; k < 3; k++) {
			assert_int_equal(
			        imports_bytes(&f.draft.sched, r, (r + k) % 4), 400 * (r + 1));
			assert_int_equal(imports_messages(&f.draft.sched, r, (r + k) % 4), 1);
		}
	assert_int_equal(f.draft.other.n_ranks, 0);
	close_job(&f);
}

/* Calls of both kinds run in the order of their counts, whatever their order in the log. */
static void test_mixed(void **state)
{
	(void)state;
	const struct sched *s;
	struct fixture f;
	uint32_t first = 0, last = 0;

	import_text(&f,
	        "a:1:1 [0] NCCL INFO Send: opCount 7 sendbuff 0x1 recvbuff (nil) count 50 "
	        "datatype 0 op 0 root 2 comm 0x11 [nranks=4] stream 0x1\n"
	        "a:1:1 [0] NCCL INFO AllReduce: opCount 6 sendbuff 0x1 recvbuff 0x2 count 4000 "
	        "datatype 0 op 0 root 0 comm 0x11 [nranks=4] stream 0x1\n"
	        "a:1:1 [0] NCCL INFO Send: opCount 5 sendbuff 0x1 recvbuff (nil) count 30 "
	        "datatype 0 op 0 root 2 comm 0x11 [nranks=4] stream 0x1\n",
	        0);
	assert_int_equal(f.rc, 0);
	assert_null(f.draft.collective); /* the schedule is more than that */
	assert_int_equal(imports_bytes(&f.draft.sched, 0, 2), 80);
	assert_int_equal(imports_bytes(&f.draft.sched, 3, 0), 6000);
	assert_int_equal(imports_bytes(&f.draft.other, 0, 2), 80);
	assert_int_equal(imports_bytes(&f.draft.other, 3, 0), 0);
	s = &f.draft.sched;
	for (uint32_t i = s->begin[0]; i < s->end[0]; i++) {
		if (s->op[i].kind != SCHED_SEND || s->op[i].peer != 2)
			continue;
		first = s->op[i].value == 30 ? i : first;
		last = s->op[i].value == 50 ? i : last;
	}
	/* nothing before the first, and after it all the rest */
	assert_int_equal(s->first_on[first], s->first_on[first + 1]);
	assert_true(first < last);
	assert_true(s->first_on[last] < s->first_on[last + 1]);
	close_job(&f);
}

/* What cannot be imported is said; no all-reduce stands in for it unless it is asked for. */
static void test_other_calls(void **state)
{
	(void)state;
	static const char gather[] =
	        "a:1:1 [0] NCCL INFO Gather: opCount 0 sendbuff 0x1 recvbuff 0x2 count 10 "
	        "datatype 7 "
	        "op 0 root 0 comm 0x11 [nranks=4] stream 0x1\n";
	static const char type[] =
	        "a:1:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 10 "
	        "datatype 99 op 0 root 0 comm 0x11 [nranks=4] stream 0x1\n";
	static const char known[] =
	        "a:1:1 [0] NCCL INFO AllGather: opCount 1 sendbuff 0x1 recvbuff 0x2 count 10 "
	        "datatype 7 op 0 root 0 comm 0x11 [nranks=4] stream 0x1\n";
	char text[600];
	struct fixture f;

	import_text(&f, gather, 0);
	assert_int_equal(f.rc, -22);
	assert_non_null(strstr(f.err.msg, "1 of Gather"));
	assert_non_null(strstr(f.err.msg, "--buffer"));
	close_job(&f);
	import_text(&f, type, 0);
	assert_int_equal(f.rc, -22);
	close_job(&f);
	import_text(&f, gather, 4000);
	assert_int_equal(f.rc, 0);
	says(&f, IMPORT_UNKNOWN, "1 calls such as Gather are not imported");
	says(&f, IMPORT_ASSUMED, "runs all-reduce of 4000 bytes");
	close_job(&f);

	(void)snprintf(text, sizeof(text), "%s%s", type, known);
	import_text(&f, text, 77);
	assert_int_equal(f.rc, 0);
	says(&f, IMPORT_UNKNOWN, "1 calls such as AllReduce are not imported");
	says(&f, IMPORT_FOUND, "runs all-gather of 160 bytes"); /* --buffer is not for it */
	says(&f, IMPORT_FOUND, "--buffer has no effect");
	close_job(&f);
}

static void table(const char *rows, enum import_line_kind kind, const char *line)
{
	struct fixture f;

	import_text(&f, rows, 0);
	assert_int_equal(f.rc, 0);
	says(&f, kind, line);
	close_job(&f);
}

/* Rows without the name of the program: redop, root and busbw / algbw at n = 4. */
static void test_table(void **state)
{
	(void)state;
	table("  8388608  2097152  float  sum  -1  231.4  36.24  54.36  0\n", IMPORT_FOUND,
	        "runs all-reduce of 8388608");
	table("  8388608  524288  float  sum  -1  231.4  36.24  27.18  0\n", IMPORT_FOUND,
	        "runs reduce-scatter of 8388608");
	table("  8388608  2097152  float  sum  2  231.4  36.24  36.24  0\n", IMPORT_FOUND,
	        "runs reduce of 8388608");
	table("  8388608  2097152  float  none  0  231.4  36.24  36.24  0\n", IMPORT_FOUND,
	        "runs broadcast of 8388608");
	table("  8388608  524288  float  none  -1  231.4  36.24  27.18  0\n", IMPORT_ASSUMED,
	        "runs all-gather of 8388608 bytes; the table");
}

static void test_nics(void **state)
{
	(void)state;
	struct fixture f;

	import_text(&f,
	        "a:1:1 [0] NCCL INFO NET/IB : Using [0]={[0] mlx5_2:1/RoCE, [1] mlx5_3:1/RoCE} "
	        "[1]={[2] mlx5_0:1/RoCE, [3] mlx5_1:1/RoCE} [RO]; OOB bond0:192.0.2.9<0>\n"
	        "a:1:1 [0] NCCL INFO + NET[25.0] - NET/0 (0/1/25.000000)\n"
	        "a:1:1 [0] NCCL INFO + NET[50.0] - NET/1 (0/1/50.000000)\n"
	        "a:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/AWS "
	        "Libfabric/1/GDRDMA\n",
	        0);
	assert_int_equal(f.rc, 0);
	says(&f, IMPORT_FOUND, "is NIC 1 (mlx5_0, 2 ports) of machine 0");
	says(&f, IMPORT_ASSUMED, "NICs of several ports have one link here");
	says(&f, IMPORT_ASSUMED, "the links of all hosts have 400 Gbit/s");
	assert_int_equal(f.draft.rate_bps, INT64_C(400000000000));
	close_job(&f);
}

/* 2 * 2 * 1999 messages on each of 2000 edges and 3 channels are too many to list. */
static void test_too_large(void **state)
{
	(void)state;
	const size_t room = 50000;
	char *text = malloc(room);
	struct import_draft d = {0};
	struct import_job job = {.stem = "x"};
	struct nccl_log l;
	struct err e = {0};

	assert_non_null(text);
	imports_must(nccl_log_init(&l, &e), &e);
	for (int c = 0; c < 3; c++) {
		int len = snprintf(text, room, "a:1:1 [0] NCCL INFO Channel 0%d/03 :", c);

		for (int r = 0; r < 2000; r++)
			len += snprintf(text + len, room - (size_t)len, " %d", r);
		(void)snprintf(text + len, room - (size_t)len, "\n");
		imports_must(
		        nccl_lines_text("x.log", text, strlen(text), nccl_log_take, &l, &e),
		        &e);
	}
	assert_int_equal(nccl_log_import(&d, &l, "x.log", &job, &e), -22);
	if (!strstr(e.msg, "x.log: 2000 ranks on 3 channels send and receive 47976000"))
		fail_msg("%s", e.msg);
	nccl_log_fini(&l);
	import_draft_fini(&d);
	free(text);
}

/* Bytes of the log that are no text do not reach the scenario. */
static void test_text(void **state)
{
	(void)state;
	struct import_draft d = {0};

	import_say(&d, IMPORT_FOUND,
	        "a\xff"
	        "b\x1b[0m \xc3\xa9\xc3");
	assert_string_equal(d.line[IMPORT_FOUND].at[0], "a?b?[0m \xc3\xa9?");
	import_draft_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_settings),
	        cmocka_unit_test(test_what_settings_say),
	        cmocka_unit_test(test_tuner),
	        cmocka_unit_test(test_send_and_receive),
	        cmocka_unit_test(test_mixed),
	        cmocka_unit_test(test_other_calls),
	        cmocka_unit_test(test_table),
	        cmocka_unit_test(test_nics),
	        cmocka_unit_test(test_too_large),
	        cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
