/* SPDX-License-Identifier: Apache-2.0 */
/* Imports against other people's files and what is known to be in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/text_file.h"
#include "scenarios/imports/import_chakra.h"
#include "scenarios/imports/import_msccl.h"
#include "scenarios/imports/import_nccl_log.h"
#include "scenarios/imports/import_nccl_xml.h"
#include "tests/support/imports.h"
#include "tests/support/reference.h"

#define CHUNK_BYTES 1000

static char msccl[4096], nccl[4096], chakra[4096];

static void msccl_draft(struct import_draft *d, const char *name)
{
	char path[5000], *text;
	struct msccl_algorithm a;
	struct err e = {0};
	size_t len;

	(void)snprintf(path, sizeof(path), "%s/%s", msccl, name);
	imports_must(text_file_read(&text, &len, path, 1 << 24, &e), &e);
	imports_must(msccl_read_text(d, &a, path, text, len, CHUNK_BYTES, &e), &e);
	import_draft_fini(d);
	imports_must(msccl_read_text(d, &a, path, text, len, a.chunks * CHUNK_BYTES, &e), &e);
	free(text);
}

/* Every row of the truth, and nothing else. */
static void test_msccl_matrix(void **state)
{
	(void)state;
	char path[5000], line[500], name[100], current[100] = "";
	struct import_draft d = {0};
	int64_t sum = 0, all = 0;
	unsigned src, dst, rows = 0;
	long long chunks;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/traffic_matrix.truth.tsv", msccl);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%99s %u %u %lld", name, &src, &dst, &chunks) != 4)
			continue;
		if (strcmp(name, current) != 0) {
			assert_int_equal(sum, all);
			import_draft_fini(&d);
			msccl_draft(&d, name);
			imports_compiles(&d.sched);
			memcpy(current, name, sizeof(current));
			sum = all = 0;
			for (uint32_t a = 0; a < d.sched.n_ranks; a++)
				for (uint32_t b = 0; b < d.sched.n_ranks; b++)
					all += imports_bytes(&d.sched, a, b);
		}
		assert_int_equal(imports_bytes(&d.sched, src, dst), chunks * CHUNK_BYTES);
		sum += chunks * CHUNK_BYTES;
		rows++;
	}
	assert_int_equal(sum, all);
	assert_int_equal(rows, 16);
	assert_int_equal(fclose(f), 0);
	import_draft_fini(&d);
}

static void nccl_draft(struct import_draft *d, const char *const *name, int64_t bytes)
{
	const struct import_job job = {.buffer_bytes = bytes, .stem = "x"};
	struct nccl_log l;
	struct err e = {0};
	char path[5000];

	imports_must(nccl_log_init(&l, &e), &e);
	for (; *name; name++) {
		(void)snprintf(path, sizeof(path), "%s/%s", nccl, *name);
		imports_must(nccl_lines_read(path, nccl_log_take, &l, &e), &e);
	}
	*d = (struct import_draft){0};
	imports_must(nccl_log_import(d, &l, "log", &job, &e), &e);
	nccl_log_fini(&l);
	imports_compiles(&d->sched);
}

/* Ring 0 1 2; tree 0 over 2 over 1, with old lines "Tree" of which the second is not used. */
static void test_three_ranks(void **state)
{
	(void)state;
	static const char *const names[] = {"log_3rank_tree_rxe_node0.txt",
	        "log_3rank_tree_rxe_node1.txt", "log_3rank_tree_rxe_node2.txt", NULL};
	struct import_draft d;

	nccl_draft(&d, names, 3000000);
	assert_int_equal(d.sched.n_ranks, 3);
	for (uint32_t r = 0; r < 3; r++) {
		assert_int_equal(imports_bytes(&d.sched, r, (r + 1) % 3), 4000000);
		assert_int_equal(imports_bytes(&d.sched, (r + 1) % 3, r), 0);
	}
	assert_int_equal(imports_bytes(&d.other, 2, 0), 3000000);
	assert_int_equal(imports_bytes(&d.other, 0, 2), 3000000);
	assert_int_equal(imports_bytes(&d.other, 1, 2), 3000000);
	assert_int_equal(imports_bytes(&d.other, 2, 1), 3000000);
	assert_int_equal(imports_bytes(&d.other, 0, 1), 0);
	assert_int_equal(d.rate_bps, INT64_C(2500000000));
	imports_compiles(&d.other);
	import_draft_fini(&d);
}

/* 16 channels over two NICs in turn; all-gather of S: (n - 1) / n * S / 16 per channel. */
static void test_two_ranks_two_nics(void **state)
{
	(void)state;
	static const char *const names[] = {"log_2node_2rank_roce200g_16ch.excerpt.txt", NULL};
	struct import_draft d;

	nccl_draft(&d, names, 32000);
	assert_int_equal(d.nodes, 2);
	assert_int_equal(d.rails, 2);
	for (uint32_t nic = 0; nic < 2; nic++) {
		assert_int_equal(imports_messages(&d.sched, nic, 2 + nic), 8);
		assert_int_equal(imports_bytes(&d.sched, nic, 2 + nic), 8 * 1000);
		assert_int_equal(imports_bytes(&d.sched, 2 + nic, nic), 8 * 1000);
		assert_int_equal(imports_bytes(&d.sched, nic, 3 - nic), 0);
	}
	assert_non_null(imports_line(&d, IMPORT_FOUND, "all-gather"));
	import_draft_fini(&d);
}

/* Two machines of eight ranks: 1 -> 8 and 9 -> 0 in channels 0 and 4, 3 -> 10 and 11 -> 2 in
 * channel 1 and so on; 2 * 15/16 * S / 8 each. Five of the eight rings are in the log. */
static void test_sixteen_ranks(void **state)
{
	(void)state;
	static const char *const names[] = {"log_16rank_2node_channels.excerpt.txt", NULL};
	const int64_t edge = INT64_C(128000) / 8 * 2 * 15 / 16;
	struct import_draft d;

	nccl_draft(&d, names, 128000);
	assert_int_equal(d.nodes, 2);
	assert_int_equal(d.rails, 8);
	assert_int_equal(imports_bytes(&d.sched, 1, 8), 2 * edge);
	assert_int_equal(imports_bytes(&d.sched, 9, 0), 2 * edge);
	assert_int_equal(imports_bytes(&d.sched, 3, 10), edge);
	assert_int_equal(imports_bytes(&d.sched, 11, 2), edge);
	assert_int_equal(imports_bytes(&d.sched, 7, 14), edge);
	assert_int_equal(imports_bytes(&d.sched, 15, 6), edge);
	assert_int_equal(imports_bytes(&d.sched, 5, 12), edge);
	assert_int_equal(imports_bytes(&d.sched, 13, 4), edge);
	assert_non_null(imports_line(&d, IMPORT_UNKNOWN, "3 of 8 channels"));
	import_draft_fini(&d);
}

/* One rank's log alone: the ring 0 1 2 from its connections, both NICs fused pairs. */
static void test_one_of_three(void **state)
{
	(void)state;
	static const char *const names[] = {"log_3node_dualport_bond_excerpt.txt", NULL};
	struct import_draft d;

	nccl_draft(&d, names, 6000);
	assert_int_equal(d.n_hosts, 3);
	assert_int_equal(imports_bytes(&d.sched, 1, 2), 8000);
	assert_int_equal(imports_bytes(&d.sched, 2, 0), 8000);
	import_draft_fini(&d);
}

/* Every GPU of every file: the bus ids of the NICs that are nearest. */
static void test_affinity(void **state)
{
	(void)state;
	char path[5000], line[500], current[100] = "";
	const char *name;
	struct nccl_topo t = {0};
	struct err e = {0};
	unsigned index, rows = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/nic_rail_affinity.truth.tsv", nccl);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		bool near[NCCL_TOPO_MAX_DEVICES];
		char got[200] = "";

		const char *field[4];
		char *rest = line;

		for (int k = 0; k < 4; k++) {
			field[k] = strsep(&rest, "\t");
			assert_non_null(field[k]);
		}
		if (!strcmp(field[0], "file"))
			continue;
		name = field[0];
		index = (unsigned)strtoul(field[1], NULL, 10);
		if (strcmp(name, current) != 0) {
			nccl_topo_fini(&t);
			imports_must(nccl_topo_init(&t, &e), &e);
			(void)snprintf(path, sizeof(path), "%s/%s", nccl, name);
			imports_must(nccl_topo_read(&t, path, &e), &e);
			(void)snprintf(current, sizeof(current), "%s", name);
		}
		assert_string_equal(t.gpu[index].name, field[2]);
		(void)nccl_topo_nearest(&t, index, near);
		for (uint32_t i = 0; i < t.n_nics; i++)
			if (near[i])
				(void)snprintf(got + strlen(got), sizeof(got) - strlen(got),
				        "%s%s", got[0] ? "," : "", t.nic[i].name);
		assert_string_equal(got, field[3]);
		rows++;
	}
	assert_int_equal(rows, 28);
	assert_int_equal(fclose(f), 0);
	nccl_topo_fini(&t);
}

/* Four ranks' traces of one all-reduce of 1 MiB. */
static void test_chakra(void **state)
{
	(void)state;
	struct chakra_trace trace[4];
	struct import_draft d = {0};
	struct err e = {0};
	char path[5000], *text;
	size_t len;

	for (int r = 0; r < 4; r++) {
		(void)snprintf(path, sizeof(path), "%s/all_reduce_4npus_1MB.%d.et", chakra, r);
		imports_must(text_file_read(&text, &len, path, 1 << 20, &e), &e);
		imports_must(
		        chakra_trace_parse(&trace[r], "trace", (const uint8_t *)text, len, &e),
		        &e);
		free(text);
	}
	imports_must(chakra_schedule(&d, trace, 4, &e), &e);
	for (uint32_t r = 0; r < 4; r++) {
		assert_int_equal(imports_messages(&d.sched, r, (r + 1) % 4), 6);
		assert_int_equal(imports_bytes(&d.sched, r, (r + 1) % 4), 1048576 * 2 * 3 / 4);
		chakra_trace_fini(&trace[r]);
	}
	imports_compiles(&d.sched);
	import_draft_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_msccl_matrix),
	        cmocka_unit_test(test_three_ranks),
	        cmocka_unit_test(test_two_ranks_two_nics),
	        cmocka_unit_test(test_sixteen_ranks),
	        cmocka_unit_test(test_one_of_three),
	        cmocka_unit_test(test_affinity),
	        cmocka_unit_test(test_chakra),
	};

	reference_path(msccl, sizeof(msccl), "samples/msccl");
	reference_path(nccl, sizeof(nccl), "samples/nccl");
	reference_path(chakra, sizeof(chakra), "samples/chakra");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
