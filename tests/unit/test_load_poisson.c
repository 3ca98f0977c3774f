/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson load: rate, gaps, destinations and sizes within 5 standard errors of their closed
 * forms; the exact number of flows; the same flows for a seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "dataplane/base/units.h"
#include "gen/load/cdf.h"
#include "gen/load/load.h"
#include "tests/unit/load_place.h"

static struct load_cfg websearch(int64_t flows)
{
	struct load_cfg c = load_cfg_default(LOAD_POISSON);

	c.cdf_file = "websearch";
	c.flows = flows;
	return c;
}

static struct load_entry prepared(const struct load_cfg *c, const struct load_place *p)
{
	struct load_entry en;
	struct err e = {0};

	if (load_entry_init(&en, c, &p->env, 0, &e))
		fail_msg("%s", e.msg);
	return en;
}

/* The next message, or false at the end. Checks the sleep that goes before it. */
static bool next_flow(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	int64_t t_ps;

	en->ops->next(en, st, op);
	if (op->kind == LOAD_END)
		return false;
	assert_int_equal(op->kind, LOAD_SLEEP_UNTIL);
	t_ps = op->t_ps;
	en->ops->next(en, st, op);
	assert_int_equal(op->kind, LOAD_SEND);
	assert_int_equal(op->t_ps, t_ps);
	assert_true(op->qp == LOAD_QP_FRESH);
	return true;
}

/* Wire bytes that a message of this size takes: design section 1. */
static double wire_bytes(int64_t bytes)
{
	return (double)(bytes + (bytes + 1023) / 1024 * PLACE_HEADER_BYTES + 16);
}

static void test_rate_sizes_destinations(void **state)
{
	enum { N = 50000, HOSTS = 8, HOST = 3 };
	struct load_place p;
	struct load_cfg c = websearch(0);
	struct load_entry en;
	struct load_state st;
	struct load_op op;
	double mean_size, wire = 0, wire2 = 0, bytes = 0, bytes2 = 0, last = 0, expect_gap;
	double gap2 = 0;
	int to[HOSTS] = {0};

	(void)state;
	load_place_init(&p, HOSTS);
	p.env.stop_ps = PS_PER_S;
	p.rate_bps[HOST] = 4 * PLACE_RATE_BPS;
	c.start_ps = PS_PER_MS;
	en = prepared(&c, &p);
	mean_size = (double)cdf_mean_bytes_q32(en.cfg.cdf, en.cfg.n_cdf) / 0x1p32;
	en.ops->start(&en, HOST, 0, &st);
	last = (double)c.start_ps;
	for (int i = 0; i < N; i++) {
		double w, gap;

		assert_true(next_flow(&en, &st, &op));
		w = wire_bytes(op.bytes);
		gap = (double)op.t_ps - last;
		last = (double)op.t_ps;
		gap2 += gap * gap;
		wire += w;
		wire2 += w * w;
		bytes += (double)op.bytes;
		bytes2 += (double)op.bytes * (double)op.bytes;
		to[op.peer]++;
	}
	wire /= N;
	bytes /= N;
	/* The mean wire size is a closed form of the distribution; take it from the gap. */
	expect_gap = ((double)cdf_mean_bytes_q32(en.cfg.cdf, en.cfg.n_cdf) / 0x1p32 +
	                     (double)cdf_mean_packets_q32(en.cfg.cdf, en.cfg.n_cdf, 1024) /
	                             0x1p32 * PLACE_HEADER_BYTES +
	                     16) *
	             8e12 / (4.0 * (double)PLACE_RATE_BPS * 0.5);
	assert_true(fabs(bytes - mean_size) < 5 * sqrt((bytes2 / N - bytes * bytes) / N));
	assert_true(fabs(wire * 8e12 / (4.0 * (double)PLACE_RATE_BPS * 0.5) - expect_gap) <
	            5 * sqrt((wire2 / N - wire * wire) / N) * 8e12 /
	                    (4.0 * (double)PLACE_RATE_BPS * 0.5));
	/* N exponential gaps: their mean has the relative error 1/sqrt(N), their second moment
	 * 2 gap^2 the error gap^2 sqrt(20/N). */
	last = (last - (double)c.start_ps) / N;
	assert_true(fabs(last - expect_gap) < 5 * expect_gap / sqrt(N));
	assert_true(fabs(gap2 / N / expect_gap / expect_gap - 2) < 5 * sqrt(20.0 / N));
	for (int h = 0; h < HOSTS; h++) {
		double share = 1.0 / (HOSTS - 1);

		if (h == HOST)
			assert_int_equal(to[h], 0);
		else
			assert_true(
			        fabs(to[h] - N * share) < 5 * sqrt(N * share * (1 - share)));
	}
	load_entry_fini(&en);
}

/* Messages of five bytes that take eight on the wire: the same load by as much rarer ones. */
static void test_padding_is_part_of_the_load(void **state)
{
	const double wire = 5 + PLACE_HEADER_BYTES + 16;
	double last[2];

	(void)state;
	for (int pads = 0; pads < 2; pads++) {
		struct load_cfg c = websearch(0);
		struct load_place p;
		struct load_entry en;
		struct load_state st;
		struct load_op op;

		load_place_init(&p, 4);
		p.env.stop_ps = PS_PER_S;
		p.env.pads_payload = pads;
		c.cdf = malloc(sizeof(*c.cdf)); /* the entry's, which frees it */
		assert_non_null(c.cdf);
		*c.cdf = (struct load_cdf_point){5, Q32_ONE};
		c.n_cdf = 1;
		c.cdf_file = NULL;
		en = prepared(&c, &p);
		en.ops->start(&en, 0, 0, &st);
		for (int i = 0; i < 1000; i++)
			assert_true(next_flow(&en, &st, &op));
		last[pads] = (double)op.t_ps;
		load_entry_fini(&en);
	}
	assert_true(fabs(last[1] / last[0] - (wire + 3) / wire) < 1e-3);
}

struct sent {
	int64_t t_ps;
	uint32_t src;
};

static int by_time(const void *a, const void *b)
{
	const struct sent *x = a, *y = b;

	if (x->t_ps != y->t_ps)
		return x->t_ps < y->t_ps ? -1 : 1;
	return (x->src > y->src) - (x->src < y->src);
}

static size_t collect(
        const struct load_entry *en, struct sent *out, size_t room, int64_t until_ps)
{
	size_t n = 0;

	for (uint32_t h = 0; h < en->env.n_hosts; h++) {
		struct load_state st;
		struct load_op op;

		if (!en->ops->involves(en, h))
			continue;
		en->ops->start(en, h, 0, &st);
		while (next_flow(en, &st, &op) && op.t_ps <= until_ps) {
			assert_true(n < room);
			out[n++] = (struct sent){op.t_ps, h};
		}
	}
	qsort(out, n, sizeof(*out), by_time);
	return n;
}

/* `flows: N` keeps exactly the first N of the endless workload. */
static void test_first_n_flows_in_time(void **state)
{
	enum { N = 3000, ROOM = 20000 };
	static struct sent all[ROOM], some[ROOM];
	struct load_place p;
	struct load_cfg c = websearch(N);
	struct load_entry en;
	size_t n;

	(void)state;
	load_place_init(&p, 20);
	c.first_host = 3;
	c.ranks = 16;
	p.rate_bps[5] = PLACE_RATE_BPS / 10;
	en = prepared(&c, &p);
	n = collect(&en, some, ROOM, TIME_NEVER - 1);
	load_entry_fini(&en);
	assert_int_equal(n, N);
	c.flows = 0;
	p.env.stop_ps = PS_PER_S;
	en = prepared(&c, &p);
	assert_true(collect(&en, all, ROOM, some[N - 1].t_ps + PS_PER_MS) > N);
	load_entry_fini(&en);
	for (int i = 0; i < N; i++) {
		assert_int_equal(all[i].t_ps, some[i].t_ps);
		assert_int_equal(all[i].src, some[i].src);
		assert_true(some[i].src >= 3 && some[i].src < 19);
	}
}

static void test_one_flow(void **state)
{
	struct sent one[1];
	struct load_place p;
	struct load_cfg c = websearch(1);
	struct load_entry en;

	(void)state;
	load_place_init(&p, 64);
	en = prepared(&c, &p);
	assert_int_equal(collect(&en, one, 1, TIME_NEVER - 1), 1);
	load_entry_fini(&en);
}

/* A hash over every message; pinned, so that compilers and versions that differ are noticed. */
static uint64_t digest(uint64_t seed, uint16_t index)
{
	struct load_place p;
	struct load_cfg c = websearch(2000);
	struct load_entry en;
	struct err e = {0};
	uint64_t sum = 0;

	load_place_init(&p, 16);
	p.env.seed = seed;
	if (load_entry_init(&en, &c, &p.env, index, &e))
		fail_msg("%s", e.msg);
	for (uint32_t h = 0; h < 16; h++) {
		struct load_state st;
		struct load_op op;

		en.ops->start(&en, h, 0, &st);
		while (next_flow(&en, &st, &op))
			sum = sum * UINT64_C(6364136223846793005) + (uint64_t)op.t_ps * 31 +
			      (uint64_t)op.bytes * 7 + op.peer;
	}
	load_entry_fini(&en);
	return sum;
}

static void test_seed_decides(void **state)
{
	(void)state;
	assert_true(digest(1, 0) == digest(1, 0));
	assert_true(digest(1, 0) != digest(2, 0));
	assert_true(digest(1, 0) != digest(1, 1));
	if (digest(1, 0) != UINT64_C(0xc6eb0928789b03b5))
		fail_msg("digest 0x%llx", (unsigned long long)digest(1, 0));
}

static void test_refused(void **state)
{
	struct load_place p;
	struct load_entry en;
	struct err e = {0};
	struct load_cfg c = websearch(10);

	(void)state;
	load_place_init(&p, 4);
	c.load_q32 = 1;
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), -EINVAL);
	assert_non_null(
	        strstr(e.msg, "workload[0].load: host 0 would start less than one flow in"));
	c = websearch(10);
	c.cdf_file = "webserch";
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "workload[0].cdf: "));
	p.rate_bps[2] = 0;
	c = websearch(10);
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "workload[0].load: host 2 has no link rate"));
}

/* Inline points are checked and owned by the entry, on failure too (the sanitizers judge). */
static void test_inline_points(void **state)
{
	static const struct load_cdf_point good[] = {{100, 0}, {200, Q32_ONE}};
	static const struct load_cdf_point bad[] = {{100, 0}, {50, Q32_ONE}};
	struct load_place p;
	struct load_entry en;
	struct load_state st;
	struct load_op op;
	struct err e = {0};
	struct load_cfg c = websearch(100);

	(void)state;
	load_place_init(&p, 4);
	c.cdf_file = NULL;
	c.n_cdf = 2;
	c.cdf = malloc(sizeof(good));
	assert_non_null(c.cdf);
	memcpy(c.cdf, good, sizeof(good));
	en = prepared(&c, &p);
	en.ops->start(&en, 0, 0, &st);
	while (next_flow(&en, &st, &op))
		assert_true(op.bytes >= 100 && op.bytes <= 200);
	load_entry_fini(&en);
	c.cdf = malloc(sizeof(bad));
	assert_non_null(c.cdf);
	memcpy(c.cdf, bad, sizeof(bad));
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "workload[0].cdf: point 2: 50 bytes after 100"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_rate_sizes_destinations),
	        cmocka_unit_test(test_padding_is_part_of_the_load),
	        cmocka_unit_test(test_first_n_flows_in_time),
	        cmocka_unit_test(test_one_flow),
	        cmocka_unit_test(test_seed_decides),
	        cmocka_unit_test(test_refused),
	        cmocka_unit_test(test_inline_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
