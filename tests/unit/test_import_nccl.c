/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL logs: every shape of line that its versions print, and bytes per edge by closed forms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/imports/import_nccl_log.h"
#include "scenarios/imports/nccl_job.h"
#include "tests/support/imports.h"

struct fixture {
	struct nccl_log log;
	struct import_draft draft;
	struct import_job job;
};

static void open_fixture(struct fixture *f)
{
	struct err e = {0};

	*f = (struct fixture){.job = {.stem = "x"}};
	imports_must(nccl_log_init(&f->log, &e), &e);
}

static void close_fixture(struct fixture *f)
{
	nccl_log_fini(&f->log);
	import_draft_fini(&f->draft);
}

static void take(struct fixture *f, const char *text)
{
	struct err e = {0};

	imports_must(
	        nccl_lines_text("x.log", text, strlen(text), nccl_log_take, &f->log, &e), &e);
}

static void convert(struct fixture *f)
{
	struct err e = {0};

	imports_must(nccl_log_import(&f->draft, &f->log, "x.log", &f->job, &e), &e);
}

static void take_data(struct fixture *f, const char *name)
{
	struct err e = {0};
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/tests/data/imports/%s", SQUALL_SOURCE_DIR, name);
	imports_must(nccl_lines_read(path, nccl_log_take, &f->log, &e), &e);
}

/* Two machines of two ranks; ring 0: 0 1 3 2, ring 1: 0 2 3 1. S = 16 MiB of AllReduce. Each
 * edge between machines carries 2 * 3/4 * S/2; edges inside carry nothing over the fabric. Host
 * 2 * machine + NIC. */
static void test_two_machines(void **state)
{
	(void)state;
	const int64_t edge = INT64_C(16777216) * 2 * 3 / 4 / 2;
	struct fixture f;

	open_fixture(&f);
	take_data(&f, "nccl-2x2-a.log");
	take_data(&f, "nccl-2x2-b.log");
	convert(&f);
	assert_int_equal(f.draft.nodes, 2);
	assert_int_equal(f.draft.rails, 2);
	assert_int_equal(f.draft.rate_bps, INT64_C(200000000000));
	assert_int_equal(imports_bytes(&f.draft.sched, 1, 3), edge); /* ring 0: 1 -> 3, NIC 1 */
	assert_int_equal(imports_bytes(&f.draft.sched, 2, 0), edge); /* ring 0: 2 -> 0, NIC 0 */
	assert_int_equal(imports_bytes(&f.draft.sched, 0, 2), edge); /* ring 1 */
	assert_int_equal(imports_bytes(&f.draft.sched, 3, 1), edge);
	/* news between NICs of one machine: 8 bytes a message, nothing else */
	assert_in_range(imports_bytes(&f.draft.sched, 0, 1), 8, 2 * 6 * 8);
	assert_int_equal(
	        imports_bytes(&f.draft.sched, 0, 3), 0); /* a connection of send calls */
	assert_non_null(imports_line(&f.draft, IMPORT_UNKNOWN, "rings or trees"));
	assert_non_null(imports_line(&f.draft, IMPORT_FOUND, "all-reduce of 16777216 bytes"));
	/* trees: channel 0 has 2 -> 0, channel 1 has 1 -> 3; S/2 up and S/2 down */
	assert_string_equal(f.draft.other_name, "tree");
	assert_int_equal(imports_bytes(&f.draft.other, 2, 0), 8388608);
	assert_int_equal(imports_bytes(&f.draft.other, 0, 2), 8388608);
	assert_int_equal(imports_bytes(&f.draft.other, 1, 3), 8388608);
	assert_int_equal(imports_bytes(&f.draft.other, 3, 1), 8388608);
	imports_compiles(&f.draft.sched);
	imports_compiles(&f.draft.other);
	close_fixture(&f);
}

/* Ranks without a prefix, on three machines of one rank. */
static struct nccl_job *job_of(struct fixture *f, const char *text)
{
	struct nccl_job *j = calloc(1, sizeof(*j));
	struct err e = {0};

	open_fixture(f);
	take(f, text);
	imports_must(nccl_job_init(j, &f->log, "x.log", &e), &e);
	return j;
}

static void end_job(struct fixture *f, struct nccl_job *j)
{
	nccl_job_fini(j);
	free(j);
	close_fixture(f);
}

static void parents(const char *text, int32_t p0, int32_t p1, int32_t p2)
{
	struct fixture f;
	struct nccl_job *j = job_of(&f, text);

	assert_non_null(j->parent[0]);
	assert_int_equal(j->n_ranks, 3);
	assert_int_equal(j->parent[0][0], p0);
	assert_int_equal(j->parent[0][1], p1);
	assert_int_equal(j->parent[0][2], p2);
	end_job(&f, j);
}

static void test_notations_of_trees(void **state)
{
	(void)state;
	/* the same tree, 0 over 2 over 1, as versions print it */
	parents("h0:1:1 [0] NCCL INFO Trees [0] 2/-1/-1->0->-1\n"
	        "h1:1:1 [0] NCCL INFO Trees [0] -1/-1/-1->1->2\n"
	        "h2:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->2->0\n",
	        -1, 2, 0);
	parents("h0:1:1 [0] NCCL INFO Tree 0 : -1 -> 0 -> 2/-1/-1\n"
	        "h1:1:1 [0] NCCL INFO Tree 0 : 2 -> 1 -> -1/-1/-1\n"
	        "h2:1:1 [0] NCCL INFO Tree 0 : 0 -> 2 -> 1/-1/-1\n",
	        -1, 2, 0);
	parents("h0:1:1 [0] NCCL INFO Trees [0] 2/-1/-1->0->-1|-1->0->2/-1/-1\n"
	        "h1:1:1 [0] NCCL INFO Trees [0] -1/-1/-1->1->2|2->1->-1/-1/-1\n"
	        "h2:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->2->0|0->2->1/-1/-1\n",
	        -1, 2, 0);
	parents("h0:1:1 [0] NCCL INFO Trees [0] -1->0->2/-1/-1\n"
	        "h1:1:1 [0] NCCL INFO Trees [0] 2->1->-1/-1/-1\n"
	        "h2:1:1 [0] NCCL INFO Trees [0] 0->2->1/-1/-1\n",
	        -1, 2, 0);
	/* one rank's line says enough where it has all neighbours */
	parents("h2:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->2->0\n", -1, 2, 0);
	/* "Trees" are what is used, "Tree" what was planned */
	parents("h0:1:1 [0] NCCL INFO Tree 0 : 1 -> 0 -> 2/-1/-1\n"
	        "h2:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->2->0\n",
	        -1, 2, 0);
}

static void ring(const char *text, uint32_t n, const char *order)
{
	char got[200] = "";
	struct fixture f;
	struct nccl_job *j = job_of(&f, text);

	assert_int_equal(j->n_ranks, n);
	assert_non_null(j->ring[0]);
	for (uint32_t i = 0; i < n; i++)
		(void)snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u",
		        i ? " " : "", j->ring[0][i]);
	assert_string_equal(got, order);
	end_job(&f, j);
}

static void test_notations_of_rings(void **state)
{
	(void)state;
	ring("a:1:1 [0] NCCL INFO Channel 00/02 :    0   3   1   2\n", 4, "0 3 1 2");
	ring("NCCL INFO Channel 00/02: 0 3 1 2\n", 4, "0 3 1 2");
	ring("a:1:1 [0] NCCL INFO Channel 00 :    0   3   1   2\r\n", 4, "0 3 1 2");
	ring("a:1:1 [0] NCCL INFO Ring 00 :    0   3   1   2\n", 4, "0 3 1 2");
	ring("\033[32ma:1:1 [0] NCCL INFO\033[0m Channel 00/02 : 0 3 1 2\n", 4, "0 3 1 2");
	ring("[1,0]<stderr>:a:1:1 [0] NCCL INFO Channel 00/02 : 0 3 1 2\n", 4, "0 3 1 2");
	ring("a:1:1 [0] 1558545003174220 NCCL INFO Channel 00/02 : 0 3 1 2\n", 4, "0 3 1 2");
	ring("pod-0: NCCL INFO Channel 00/02 : 0[0] 3[3] 1[1] 2[2]\n", 4, "0 3 1 2");
	ring("a:1:1 [0] NCCL INFO Ring 00 : 0 -> 3 -> 1 -> 2 -> 0\n", 4, "0 3 1 2");
	ring("a:1:1 [0] NCCL INFO Ring 00 : 0[0] -> 3[b000] -> 1[1] -> 2[2]\n", 4, "0 3 1 2");
	/* each rank says its neighbours; the line of rank 1 is missing */
	ring("a:1:1 [0] NCCL INFO Ring 00 : 2 -> 0 -> 3\n"
	     "d:1:1 [0] NCCL INFO Ring 00 : 0 -> 3 -> 1\n"
	     "c:1:1 [0] NCCL INFO Ring 00 : 1 -> 2 -> 0\n",
	        4, "0 3 1 2");
	/* 2.4: rings are connections */
	ring("a:1:1 [0] NCCL INFO Ring 00 : 0 -> 3 [send] via NET/IB/0/GDRDMA\n"
	     "d:1:1 [0] NCCL INFO Ring 00 : 0 -> 3 [receive] via NET/IB/0\n"
	     "d:1:1 [0] NCCL INFO Ring 00 : 3[0] -> 1[1] via P2P/IPC\n"
	     "c:1:1 [0] NCCL INFO Ring 00 : 1 -> 2 [receive] via NET/Socket/0\n",
	        4, "0 3 1 2");
}

/* One connection said by both sides, and twice, is one; fused NICs are one NIC. */
static void test_nics(void **state)
{
	(void)state;
	const char text[] =
	        "x:1:1 [0] NCCL INFO NET/IB : Using [0]={[0] mlx5_2:1/RoCE, [1] mlx5_3:1/RoCE} "
	        "[1]={[2] mlx5_0:1/RoCE, [3] mlx5_1:1/RoCE} [RO]; OOB bond0:192.0.2.9<0>\n"
	        "x:1:1 [0] NCCL INFO Channel 00/01 : 0 1\n"
	        "x:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IBext_v8/1\n"
	        "x:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IBext_v8/1\n"
	        "y:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [receive] via NET/IBext_v8/0\n"
	        "x:1:1 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/1\n";
	struct fixture f;
	struct nccl_job *j = job_of(&f, text);
	uint32_t src, dst;

	assert_int_equal(j->n_connections, 2);
	assert_int_equal(j->n_nodes, 2);
	assert_int_equal(j->n_rails, 2);
	nccl_job_hosts(j, 0, 0, 1, &src, &dst);
	assert_int_equal(src, 1); /* machine 0, NIC 1 */
	assert_int_equal(dst, 2); /* machine 1, NIC 0 */
	nccl_job_hosts(j, 0, 1, 0, &src, &dst);
	assert_int_equal(src, 3); /* the number of the other side */
	assert_int_equal(dst, 1);
	assert_string_equal(f.log.host[j->node_host[0]].nic[0], "mlx5_2");
	assert_string_equal(f.log.host[j->node_host[0]].nic[1], "mlx5_0");
	assert_int_equal(f.log.host[j->node_host[0]].n_nics, 2);
	end_job(&f, j);
}

static void works(const char *text, const char *line)
{
	struct fixture f;

	open_fixture(&f);
	take(&f, "a:1:1 [0] NCCL INFO Channel 00/01 : 0 1 2 3\n");
	take(&f, text);
	convert(&f);
	if (!imports_line(&f.draft, IMPORT_FOUND, line))
		fail_msg("no line with \"%s\"", line);
	close_fixture(&f);
}

static void test_what_ran(void **state)
{
	(void)state;
	works("a:1:1 [0] NCCL INFO AllGather: opCount 3f sendbuff 0x1 recvbuff 0x2 count 1000 "
	      "datatype 6 op 0 root 0 comm 0x9 [nranks=4] stream 0x1\n",
	        "all-gather of 8000 bytes");
	works("a:1:1 [0] NCCL INFO ReduceScatter: opCount 0 sendbuff 0x1 recvbuff 0x2 count 10 "
	      "datatype 8 op 0 root 0 comm 0x9 [nranks=4] stream 0x1\n",
	        "reduce-scatter of 320 bytes");
	works("a:1:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 10 "
	      "datatype ncclFloat32 op 0 root 0 comm 0x9 [nranks=4] stream 0x1\n",
	        "all-reduce of 40 bytes");
	works("   2097152   524288     float    none      -1    113.2   18.53   18.53      0\n"
	      "   4194304  1048576     float    none      -1    113.2   18.53   18.53      0\n"
	      "# Collective test concluded: all_gather_perf\n",
	        "all-gather of 4194304 bytes");
	works("   2097152   524288     float     sum      -1    113.2   18.53   18.53      0\n",
	        "all-reduce of 2097152 bytes");
}

/* Ranks 0..3 on a machine each, one channel of S bytes: bytes per edge by closed form. */
static void closed_form(const char *call, int64_t s, const int64_t edge[4])
{
	static const char *const host = "abcd";
	char line[300];
	struct fixture f;

	open_fixture(&f);
	for (int r = 0; r < 4; r++) {
		(void)snprintf(line, sizeof(line),
		        "%c:1:1 [0] NCCL INFO comm 0x%d rank %d nranks 4 cudaDev 0 commId 0x7 "
		        "- "
		        "Init START\n",
		        host[r], r + 1, r);
		take(&f, line);
	}
	take(&f, "a:1:1 [0] NCCL INFO Channel 00/01 : 0 1 2 3\n");
	(void)snprintf(line, sizeof(line),
	        "a:1:1 [0] NCCL INFO %s opCount 0 sendbuff 0x1 recvbuff 0x2 count %lld "
	        "datatype 0 "
	        "op 0 root 0 comm 0x1 [nranks=4] stream 0x1\n",
	        call, (long long)s);
	take(&f, line);
	convert(&f);
	for (uint32_t r = 0; r < 4; r++)
		assert_int_equal(imports_bytes(&f.draft.sched, r, (r + 1) % 4), edge[r]);
	imports_compiles(&f.draft.sched);
	close_fixture(&f);
}

static void test_closed_forms(void **state)
{
	(void)state;
	static const int64_t all_reduce[] = {6000, 6000, 6000, 6000}; /* 2 (n - 1) / n */
	static const int64_t gather[] = {3000, 3000, 3000, 3000}; /* (n - 1) / n of 4 counts */
	static const int64_t from_0[] = {4000, 4000, 4000, 0}, to_0[] = {0, 4000, 4000, 4000};

	closed_form("AllReduce:", 4000, all_reduce);
	closed_form("AllGather:", 1000, gather);
	closed_form("ReduceScatter:", 1000, gather);
	closed_form("Broadcast:", 4000, from_0);
	closed_form("Reduce:", 4000, to_0);
}

static void refused(const char *text, const char *why)
{
	struct err e = {0};
	struct fixture f;

	open_fixture(&f);
	take(&f, text);
	assert_int_equal(nccl_log_import(&f.draft, &f.log, "x.log", &f.job, &e), -22);
	if (!strstr(e.msg, why))
		fail_msg("\"%s\" has not \"%s\"", e.msg, why);
	close_fixture(&f);
}

static void test_refuses(void **state)
{
	(void)state;
	refused("nothing\n", "no ring and no tree");
	refused("a:1:1 [0] NCCL INFO Channel 00/01 : 0\n", "no ring and no tree");
	refused("a:1:1 [0] NCCL INFO Ring 00 : 2 -> 0 -> 3\n", "none is whole");
	/* a ring of which only a piece came through */
	refused("a:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 8 cudaDev 0 - Init START\n"
	        "a:1:1 [0] NCCL INFO Channel 00/01 : 0 1 2\n",
	        "no ring and no tree");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_two_machines),
	        cmocka_unit_test(test_notations_of_trees),
	        cmocka_unit_test(test_notations_of_rings),
	        cmocka_unit_test(test_nics),
	        cmocka_unit_test(test_what_ran),
	        cmocka_unit_test(test_closed_forms),
	        cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
