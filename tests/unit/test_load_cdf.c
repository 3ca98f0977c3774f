/* SPDX-License-Identifier: Apache-2.0 */
/* Flow-size distributions: what text means, exact draws and means, the shipped table, hostile
 * bytes. */
#include <math.h>
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
#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "gen/load/cdf.h"

static struct load_cdf_point *must_parse(const char *text, int64_t *n)
{
	struct load_cdf_point *p = NULL;
	struct err e = {0};

	if (cdf_parse(&p, n, "t.cdf", text, strlen(text), &e))
		fail_msg("%s", e.msg);
	return p;
}

static void test_forms_of_the_same_table(void **state)
{
	static const char *const text[] = {
	        "0 0\n1000 0.5\n30000 1\n",
	        "0 0\n1000 50\n30000 100\n",
	        "0 0%\n1KB 50%\n30KB 100%\n",
	        "# sizes\r\n0,0\r\n 1KB , 1/2 # half\r\n\r\n30KB\t1",
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		int64_t n;
		struct load_cdf_point *p = must_parse(text[i], &n);

		assert_int_equal(n, 3);
		assert_int_equal(p[0].bytes, 0);
		assert_int_equal(p[0].probability_q32, 0);
		assert_int_equal(p[1].bytes, 1000);
		assert_int_equal(p[1].probability_q32, Q32_ONE / 2);
		assert_int_equal(p[2].bytes, 30000);
		assert_int_equal(p[2].probability_q32, Q32_ONE);
		free(p);
	}
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *what;
	} bad[] = {
	        {"", "t.cdf: 0 points, expected 1 to"},
	        {"5\n", "t.cdf:1:1: 1 fields, expected 2"},
	        {"5 0 1\n", "t.cdf:1:1: 3 fields, expected 2"},
	        {"5 0\n9 x\n", "t.cdf:2:1: probability: "},
	        {"5us 0\n", "t.cdf:1:1: bytes: \"5us\" is a time"},
	        {"5 0\n9 0.9\n", "point 2: the last probability must be 1 (or 100 %)"},
	        {"5 0.5\n9 0.4\n10 1\n", "point 2: the probability is below the former one"},
	        {"5 0\n4 1\n", "point 2: 4 bytes after 5"},
	        {"5 0\n6 1.5\n7 1\n", "point 2: the probability is above"},
	        {"5 -1\n", "negative"},
	        {"9TB 1\n", "unknown unit"},
	        {"8796093022209 1\n", "point 1: 8796093022209 bytes, expected 0 to"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct load_cdf_point *p;
		struct err e = {0};
		int64_t n;

		assert_int_equal(
		        cdf_parse(&p, &n, "t.cdf", bad[i].text, strlen(bad[i].text), &e),
		        -EINVAL);
		if (!strstr(e.msg, bad[i].what))
			fail_msg("%s: \"%s\"", bad[i].text, e.msg);
		assert_int_equal(cdf_parse(&p, &n, "t", bad[i].text, strlen(bad[i].text), NULL),
		        -EINVAL);
	}
}

static void test_any_bytes(void **state)
{
	static const char alphabet[] = "0123456789    \n\n\n.,#%KB/-\xff";
	struct rng r = rng_make(9, 0, RNG_LOAD);
	int accepted = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[96] = "0 0\n10 0.5\n20 1\n";
		size_t len = strlen(text);
		struct load_cdf_point *p;
		struct err e = {0};
		int64_t n;

		if (i % 2) {
			text[rng_below(&r, len)] = alphabet[rng_below(&r, sizeof(alphabet))];
		} else {
			len = rng_below(&r, sizeof(text));
			for (size_t k = 0; k < len; k++)
				text[k] = alphabet[rng_below(&r, sizeof(alphabet))];
		}
		if (cdf_parse(&p, &n, "t", text, len, &e)) {
			assert_true(e.msg[0]);
			continue;
		}
		accepted++;
		for (int k = 0; k < 20; k++) {
			int64_t size = cdf_size(p, n, rng_next(&r));

			assert_true(size >= 1 && size <= (p[n - 1].bytes ? p[n - 1].bytes : 1));
		}
		free(p);
	}
	assert_true(accepted > 100);
}

/* Linear between points: u = 1/4 lies half way up the first segment. */
static void test_draws(void **state)
{
	static const struct load_cdf_point line[] = {
	        {1000, 0}, {2000, Q32_ONE / 2}, {10000, Q32_ONE}};
	static const struct load_cdf_point steps[] = {
	        {5, Q32_ONE / 4}, {7, Q32_ONE / 4}, {7, Q32_ONE}};
	const uint64_t half = UINT64_C(1) << 63;

	(void)state;
	assert_int_equal(cdf_size(line, 3, 0), 1000);
	assert_int_equal(cdf_size(line, 3, half / 2), 1500);
	assert_int_equal(cdf_size(line, 3, half), 2000);
	assert_int_equal(cdf_size(line, 3, half + half / 2), 6000);
	assert_int_equal(cdf_size(line, 3, UINT64_MAX), 10000);
	/* A quarter is the first size itself, the rest is one size. */
	assert_int_equal(cdf_size(steps, 3, 0), 5);
	assert_int_equal(cdf_size(steps, 3, half / 2 - 1), 5);
	assert_int_equal(cdf_size(steps, 3, half / 2), 7);
	assert_int_equal(cdf_size(steps, 3, UINT64_MAX), 7);
	assert_int_equal(cdf_size(&(struct load_cdf_point){0, Q32_ONE}, 1, half), 1);
}

static double mean_bytes(const struct load_cdf_point *p, int64_t n)
{
	return (double)cdf_mean_bytes_q32(p, n) / 0x1p32;
}

static double mean_packets(const struct load_cdf_point *p, int64_t n, int64_t mtu)
{
	return (double)cdf_mean_packets_q32(p, n, mtu) / 0x1p32;
}

static double mean_padding(const struct load_cdf_point *p, int64_t n, int64_t mtu)
{
	return (double)cdf_mean_padding_q32(p, n, mtu) / 0x1p32;
}

/* Against an even grid of u: the mean of the very function that draws. */
static void test_means(void **state)
{
	static const char *const text[] = {
	        "1000 0\n2000 0.5\n10000 1\n",
	        "0 0\n3 1\n",
	        "0 0.25\n0 0.5\n1 0.75\n5000 1\n",
	        "700 1\n",
	        "5 25\n7 25\n7 90\n1500 100\n",
	};
	enum { GRID = 1 << 18 };

	(void)state;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		int64_t n;
		struct load_cdf_point *p = must_parse(text[i], &n);
		double padding = 0, odd_padding = 0, bytes = 0, packets = 0,
		       biggest = (double)p[n - 1].bytes;

		for (uint64_t k = 0; k < GRID; k++) {
			int64_t s = cdf_size(p, n, (2 * k + 1) << (63 - 18));

			bytes += (double)s / GRID;
			packets += (double)((s + 99) / 100) / GRID;
			padding += (double)(-s & 3) / GRID;
			/* 3 for each packet of 101 that others follow */
			odd_padding +=
			        (double)((s - 1) / 101 * 3 + (-((s - 1) % 101 + 1) & 3)) / GRID;
		}
		assert_true(fabs(mean_bytes(p, n) - bytes) <= 4 * biggest / GRID);
		assert_true(fabs(mean_packets(p, n, 100) - packets) <= 4 * biggest / GRID);
		assert_true(fabs(mean_padding(p, n, 100) - padding) <= 4 * biggest / GRID);
		assert_true(fabs(mean_padding(p, n, 101) - odd_padding) <= 4 * biggest / GRID);
		free(p);
	}
}

static void test_uniform_means_by_hand(void **state)
{
	static const struct load_cdf_point u[] = {{1000, 0}, {3000, Q32_ONE}};
	static const struct load_cdf_point two[] = {
	        {100, Q32_ONE / 2}, {100, Q32_ONE / 2}, {300, Q32_ONE}};

	(void)state;
	assert_true(mean_bytes(u, 2) == 2000.0);
	assert_true(mean_packets(u, 2, 3000) == 1.0);
	assert_true(mean_packets(u, 2, 1) == 2000.0);
	/* 1000 (weight 1/2), 1001..2000, 2001..2999, 3000 (1/2): 1, 2 and 3 packets of 1000. */
	assert_true(fabs(mean_packets(u, 2, 1000) - (0.5 * 1 + 1000 * 2 + 999.5 * 3) / 2000) <
	            1e-8);
	assert_true(mean_bytes(two, 3) == 150.0);
}

static void test_shipped_table(void **state)
{
	struct load_cdf_point *p, *q;
	struct err e = {0};
	char path[512], *text;
	int64_t n;
	size_t len;

	(void)state;
	for (const struct cdf_shipped *s = cdf_shipped; s->name; s++) {
		(void)snprintf(path, sizeof(path), "%s/scenarios/cdf/%s.cdf", SQUALL_SOURCE_DIR,
		        s->name);
		if (text_file_read(&text, &len, path, CDF_MAX_FILE_BYTES, &e))
			fail_msg("%s", e.msg);
		assert_string_equal(text, s->text);
		free(text);
	}
	if (cdf_load(&p, &n, "websearch", "/nonexistent", &e))
		fail_msg("%s", e.msg);
	/* What its header says. */
	assert_true(fabs(mean_bytes(p, n) - 1602085) < 1);
	assert_true(cdf_size(p, n, (UINT64_C(1) << 63) - 1) == 50000);
	q = p;
	while (q->bytes != 1000000)
		q++;
	assert_true(mean_bytes(p, n) - mean_bytes(p, q - p + 1) > 0.94 * mean_bytes(p, n));
	free(p);
}

static double share_up_to(const char *name, int64_t bytes)
{
	struct load_cdf_point *p;
	struct err e = {0};
	int64_t n, below = 0;
	const int64_t draws = 10000;

	if (cdf_load(&p, &n, name, "/nonexistent", &e))
		fail_msg("%s", e.msg);
	for (int64_t i = 0; i < draws; i++)
		below += cdf_size(p, n, UINT64_MAX / draws * (uint64_t)i) <= bytes;
	free(p);
	return (double)below / (double)draws;
}

/* What the papers say that their headers name. */
static void test_shipped_shapes(void **state)
{
	double up_to;

	(void)state;
	assert_true(share_up_to("fbhadoop", 1000) > 0.5);
	up_to = share_up_to("fbhadoop", 10000);
	assert_true(up_to > 0.69 && up_to < 0.72);
	assert_true(share_up_to("fbhadoop", 1000000) > 0.95);
	up_to = share_up_to("storage", 16384);
	assert_true(up_to > 0.68 && up_to < 0.76);
	assert_true(share_up_to("storage", 32768) > 0.75);
	/* sizes are what blocks are made of */
	assert_true(share_up_to("storage", 4096) - share_up_to("storage", 4095) > 0.4);
}

/* A person's own file goes before a shipped name; otherwise the name is a file. */
static void test_search_order(void **state)
{
	char dir[] = "/tmp/test_load_cdf.XXXXXX", path[64];
	struct load_cdf_point *p;
	struct err e = {0};
	int64_t n;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/websearch", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs("77 1\n", f) >= 0);
	assert_int_equal(fclose(f), 0);
	if (cdf_load(&p, &n, "websearch", dir, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(n, 1);
	assert_int_equal(p[0].bytes, 77);
	free(p);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(cdf_load(&p, &n, "websearch.cdf", dir, &e), -ENOENT);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_forms_of_the_same_table),
	        cmocka_unit_test(test_errors),
	        cmocka_unit_test(test_any_bytes),
	        cmocka_unit_test(test_draws),
	        cmocka_unit_test(test_means),
	        cmocka_unit_test(test_uniform_means_by_hand),
	        cmocka_unit_test(test_shipped_table),
	        cmocka_unit_test(test_shipped_shapes),
	        cmocka_unit_test(test_search_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
