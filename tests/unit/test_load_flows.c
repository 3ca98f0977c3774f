/* SPDX-License-Identifier: Apache-2.0 */
/* Flow lists: what CSV text means, where errors point, that no bytes crash the parser, and the
 * programs that rows become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <errno.h>

#include "dataplane/base/rng.h"
#include "gen/load/flow_csv.h"
#include "gen/load/load.h"
#include "tests/unit/load_place.h"

#define N_HOSTS   8
#define MAX_BYTES (INT64_C(1) << 40)

static int parse(struct load_flow **f, int64_t *n, const char *text, struct err *e)
{
	return flow_csv_parse(f, n, "flows.csv", text, strlen(text), N_HOSTS, MAX_BYTES, e);
}

static void test_units_header_comments(void **state)
{
	static const char text[] = "\xef\xbb\xbfSrc, dst ,bytes,start,priority\r\n"
	                           "# a comment\n"
	                           "\n"
	                           "0,1,1000,0\r\n"
	                           " 2 , 3 , 1.5KB , 12.5 , 6 # both\n"
	                           "7,0,1MiB,3ms,\n"
	                           "1,2,1 MB,1 ns,0";
	struct load_flow *f;
	struct err e = {0};
	int64_t n;

	(void)state;
	if (parse(&f, &n, text, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(n, 4);
	assert_int_equal(f[0].src, 0);
	assert_int_equal(f[0].dst, 1);
	assert_int_equal(f[0].bytes, 1000);
	assert_int_equal(f[0].start_ps, 0);
	assert_int_equal(f[0].priority, -1);
	assert_int_equal(f[1].src, 2);
	assert_int_equal(f[1].bytes, 1500);
	assert_int_equal(f[1].start_ps, 12500000);
	assert_int_equal(f[1].priority, 6);
	assert_int_equal(f[2].bytes, 1 << 20);
	assert_int_equal(f[2].start_ps, 3 * PS_PER_MS);
	assert_int_equal(f[2].priority, -1);
	assert_int_equal(f[3].bytes, 1000000);
	assert_int_equal(f[3].start_ps, 1000);
	assert_int_equal(f[3].priority, 0);
	free(f);
}

static void test_errors_have_positions(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} bad[] = {
	        {"", "flows.csv: ", "no flow in it"},
	        {"src,dst,bytes,start\n", "flows.csv: ", "no flow in it"},
	        {"a,b\n", "flows.csv:1:1: ", "neither a host number nor the header"},
	        {"src,dst,size,start\n",
	                "flows.csv:1:1: ", "neither a host number nor the header"},
	        {"0,1,5,0\nsrc,dst,bytes,start\n", "flows.csv:2:1: ", "src: \"src\""},
	        {"0,1,5\n",
	                "flows.csv:1:1: ", "3 fields, expected src,dst,bytes,start[,priority]"},
	        {"0,1,5,0,1,2\n", "flows.csv:1:1: ", "6 fields"},
	        {"0,1,5,0\n0,1,2,3,4,5,6,7,8,9\n", "flows.csv:2:17: ", "more than 8 fields"},
	        {"0,1,5,0\n0, 8,5,0\n", "flows.csv:2:4: ", "dst: host 8 is not there"},
	        {"9,8,5,0\n", "flows.csv:1:1: ", "src: host 9 is not there"},
	        {"4294967296,8,5,0\n", "flows.csv:1:1: ", "src: 4294967296 is too large"},
	        {"3,3,5,0\n", "flows.csv:1:3: ", "dst: host 3 sends to itself"},
	        {"-1,3,5,0\n", "flows.csv:1:1: ", "negative"},
	        {"1,3,0,0\n", "flows.csv:1:5: ", "bytes: a message of 0 bytes"},
	        {"1,3,1099511627777,0\n",
	                "flows.csv:1:5: ", "bytes: a message of 1099511627777"},
	        {"1,3,5us,0\n", "flows.csv:1:5: ", "is a time, not a size"},
	        {"1,3,,0\n", "flows.csv:1:5: ", "bytes: \"\" is empty"},
	        {"1,3,9,54000000s\n", "flows.csv:1:7: ", "start: "},
	        {"1,3,9,4700000s\n", "flows.csv:1:7: ", "at most 53 days"},
	        {"1,3,9,1,8\n",
	                "flows.csv:1:9: ", "priority: 8 is too large, expected at most 7"},
	        {"1,3,9,0.0000001\n", "flows.csv:1:7: ", "finer than 1ps"},
	        {"1,3,9,\x01\n", "flows.csv:1:7: ", "byte 0x01 is no text"},
	        {"1,3,9,00000000000000000000000000000000000000000000000000\n",
	                "flows.csv:1:7: ", "a field of more than 47 characters"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct load_flow *f;
		struct err e = {0};
		int64_t n;

		assert_int_equal(parse(&f, &n, bad[i].text, &e), -EINVAL);
		if (strncmp(e.msg, bad[i].where, strlen(bad[i].where)) != 0 ||
		        !strstr(e.msg, bad[i].what))
			fail_msg("%s: \"%s\"", bad[i].text, e.msg);
		assert_int_equal(parse(&f, &n, bad[i].text, NULL), -EINVAL);
	}
}

/* Random bytes, and good text with random changes: rows in range or one error. */
static void test_any_bytes(void **state)
{
	static const char good[] = "src,dst,bytes,start,priority\n0,1,1000,0,3\n2,3,1MB,5us\n";
	static const char alphabet[] = "0123456789,,,,\n\n. #usMKB-\t\r\"\xff";
	struct rng r = rng_make(7, 0, RNG_LOAD);
	int accepted = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[128];
		size_t len = rng_below(&r, sizeof(good));
		struct load_flow *f;
		struct err e = {0};
		int64_t n;
		int rc;

		memcpy(text, good, sizeof(good));
		if (i % 2) {
			for (uint64_t k = rng_below(&r, 3); k > 0; k--)
				text[rng_below(&r, sizeof(good))] =
				        alphabet[rng_below(&r, sizeof(alphabet))];
		} else {
			len = rng_below(&r, sizeof(text));
			for (size_t k = 0; k < len; k++)
				text[k] = i % 4 ? (char)rng_next(&r)
				                : alphabet[rng_below(&r, sizeof(alphabet))];
		}
		rc = flow_csv_parse(&f, &n, "f", text, len, N_HOSTS, MAX_BYTES, &e);
		if (rc) {
			assert_int_equal(rc, -EINVAL);
			assert_true(e.msg[0]);
			continue;
		}
		accepted++;
		assert_true(n > 0);
		for (int64_t k = 0; k < n; k++)
			assert_true(f[k].src < N_HOSTS && f[k].dst < N_HOSTS &&
			            f[k].src != f[k].dst && f[k].bytes >= 1 &&
			            f[k].start_ps >= 0);
		free(f);
	}
	assert_true(accepted > 100); /* the changes do reach valid lists */
}

static struct load_flow *rows(const struct load_flow *from, size_t n)
{
	struct load_flow *f = malloc(n * sizeof(*f));

	assert_non_null(f);
	return memcpy(f, from, n * sizeof(*f));
}

static void expect_flow(const struct load_entry *en, struct load_state *st, int64_t t_ps,
        uint32_t dst, uint32_t tag, int8_t priority)
{
	struct load_op op;

	en->ops->next(en, st, &op);
	assert_int_equal(op.kind, LOAD_SLEEP_UNTIL);
	assert_int_equal(op.t_ps, t_ps);
	en->ops->next(en, st, &op);
	assert_int_equal(op.kind, LOAD_SEND);
	assert_int_equal(op.t_ps, t_ps);
	assert_int_equal(op.peer, dst);
	assert_int_equal(op.tag, tag);
	assert_int_equal(op.priority, priority);
	assert_int_equal(op.bytes, en->cfg.flow[tag].bytes);
	assert_true(op.qp == LOAD_QP_FRESH);
}

/* A host sends its rows in time order, equal times in the list's order; tag is the row. */
static void test_programs_of_rows(void **state)
{
	static const struct load_flow list[] = {
	        {.src = 5, .dst = 1, .bytes = 10, .start_ps = 300, .priority = -1},
	        {.src = 0, .dst = 2, .bytes = 11, .start_ps = 50, .priority = 2},
	        {.src = 5, .dst = 3, .bytes = 12, .start_ps = 100, .priority = -1},
	        {.src = 7, .dst = 0, .bytes = 13, .start_ps = 0, .priority = -1},
	        {.src = 5, .dst = 4, .bytes = 14, .start_ps = 100, .priority = 0},
	};
	struct load_cfg c = load_cfg_default(LOAD_FLOWS);
	struct load_place p;
	struct load_entry en;
	struct load_state st;
	struct load_op op;
	struct err e = {0};

	(void)state;
	load_place_init(&p, N_HOSTS);
	c.flow = rows(list, 5);
	c.n_flows = 5;
	c.start_ps = 1000;
	if (load_entry_init(&en, &c, &p.env, 0, &e))
		fail_msg("%s", e.msg);
	for (uint32_t h = 0; h < N_HOSTS; h++)
		assert_int_equal(en.ops->involves(&en, h), h == 0 || h == 5 || h == 7);
	en.ops->start(&en, 5, 0, &st);
	expect_flow(&en, &st, 1100, 3, 2, -1);
	expect_flow(&en, &st, 1100, 4, 4, 0);
	expect_flow(&en, &st, 1300, 1, 0, -1);
	en.ops->next(&en, &st, &op);
	assert_int_equal(op.kind, LOAD_END);
	en.ops->start(&en, 0, 0, &st);
	expect_flow(&en, &st, 1050, 2, 1, 2);
	en.ops->start(&en, 7, 0, &st);
	expect_flow(&en, &st, 1000, 0, 3, -1);
	load_entry_fini(&en);
}

static void test_rows_in_memory_are_checked(void **state)
{
	static const struct {
		struct load_flow f;
		const char *text;
	} bad[] = {
	        {{.src = 8, .dst = 1, .bytes = 1, .priority = -1},
	                "workload[0].flows[0]: src: host 8"},
	        {{.src = 0, .dst = 8, .bytes = 1, .priority = -1}, "dst: host 8"},
	        {{.src = 1, .dst = 1, .bytes = 1, .priority = -1}, "sends to itself"},
	        {{.src = 0, .dst = 1, .bytes = 0, .priority = -1}, "bytes: a message of 0"},
	        {{.src = 0, .dst = 1, .bytes = 1, .priority = -2}, "priority: -2"},
	        {{.src = 0, .dst = 1, .bytes = 1, .start_ps = -1, .priority = -1}, "start: -1"},
	        {{.src = 0, .dst = 1, .bytes = 1, .start_ps = LOAD_MAX_TIME_PS, .priority = -1},
	                "workload[0].start: flow 0 would start after the longest run"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct load_cfg c = load_cfg_default(LOAD_FLOWS);
		struct load_place p;
		struct load_entry en;
		struct err e = {0};

		load_place_init(&p, N_HOSTS);
		c.flow = rows(&bad[i].f, 1);
		c.n_flows = 1;
		c.start_ps = 1;
		assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), -EINVAL);
		if (!strstr(e.msg, bad[i].text))
			fail_msg("%s", e.msg);
	}
}

static void test_file(void **state)
{
	char dir[] = "/tmp/test_load_flows.XXXXXX", path[64];
	struct load_cfg c = load_cfg_default(LOAD_FLOWS);
	struct load_place p;
	struct load_entry en;
	struct err e = {0};
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/list.csv", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs("3,4,1MB,7\n3,9,1,1\n", f) >= 0);
	assert_int_equal(fclose(f), 0);
	load_place_init(&p, N_HOSTS);
	p.env.base_dir = dir;
	c.file = "list.csv";
	assert_int_equal(load_entry_init(&en, &c, &p.env, 2, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "workload[2].file: "));
	assert_non_null(strstr(e.msg, "list.csv:2:3: dst: host 9 is not there"));
	load_place_init(&p, 10);
	p.env.base_dir = dir;
	if (load_entry_init(&en, &c, &p.env, 0, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(en.cfg.n_flows, 2);
	assert_int_equal(en.cfg.flow[0].start_ps, 7 * PS_PER_US);
	load_entry_fini(&en);
	c.file = "no-such.csv";
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "no-such.csv"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_units_header_comments),
	        cmocka_unit_test(test_errors_have_positions),
	        cmocka_unit_test(test_any_bytes),
	        cmocka_unit_test(test_programs_of_rows),
	        cmocka_unit_test(test_rows_in_memory_are_checked),
	        cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
