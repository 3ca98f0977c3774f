/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/entry_figures.h"
#include "dataplane/base/units.h"

static const char *const patterns[] = {"incast", "ring", "flows"};

static struct msg_record message(
        uint16_t entry, int64_t post_us, int64_t done_us, int64_t bytes)
{
	return (struct msg_record){
	        .entry = entry,
	        .post_ps = post_us * PS_PER_US,
	        .first_ps = post_us * PS_PER_US,
	        .done_ps = done_us < 0 ? TIME_NEVER : done_us * PS_PER_US,
	        .alone_ps = 5 * PS_PER_US,
	        .bytes = bytes,
	        .status = done_us < 0 ? MSG_UNFINISHED : MSG_COMPLETED,
	        .retransmits = 2,
	};
}

static void by_entry(void **state)
{
	struct msg_record m[] = {
	        message(1, 10, 20, 1000),
	        message(0, 0, 30, 500),
	        message(0, 5, 10, 300),
	        message(0, 7, -1, 900),
	        message(1, 30, 70, 4000),
	};
	struct run_record rec = {.msg = m, .n_msg = 5};
	struct entry_figures *x;
	struct err e = {0};

	(void)state;
	assert_int_equal(entry_figures_make(&x, &rec, patterns, 3, NULL, 0, &e), 0);
	assert_string_equal(x[0].pattern, "incast");
	assert_int_equal(x[0].messages, 3);
	assert_int_equal(x[0].completed, 2);
	assert_int_equal(x[0].bytes, 800);
	assert_int_equal(x[0].retransmits, 6);
	assert_int_equal(x[0].fct_ps.min, 5 * PS_PER_US);
	assert_int_equal(x[0].fct_ps.p50, 5 * PS_PER_US);
	assert_int_equal(x[0].fct_ps.max, 30 * PS_PER_US);
	assert_int_equal(x[0].slowdown_micro.max, 6000000);
	assert_int_equal(entry_goodput_bps(&x[0]), 800 * 8 * INT64_C(1000000) / 30);
	assert_int_equal(x[1].completed, 2);
	assert_int_equal(x[1].fct_ps.p99, 40 * PS_PER_US);
	assert_int_equal(x[1].first_post_ps, 10 * PS_PER_US);
	assert_int_equal(x[1].last_done_ps, 70 * PS_PER_US);
	assert_int_equal(x[2].messages, 0);
	assert_int_equal(x[2].fct_ps.samples, 0);
	assert_int_equal(x[2].fct_ps.max, STATS_NULL);
	assert_int_equal(entry_goodput_bps(&x[2]), STATS_NULL);
	free(x);
}

static void as_csv(void **state)
{
	struct msg_record m = message(0, 1, 3, 1000);
	struct run_record rec = {.msg = &m, .n_msg = 1};
	struct entry_figures *x;
	struct err e = {0};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(entry_figures_make(&x, &rec, patterns, 2, NULL, 0, &e), 0);
	entries_csv_write(f, x, 2, 4);
	assert_int_equal(fclose(f), 0);
	assert_non_null(
	        strstr(text, "\n0,incast,1,1,0,1000,2,1,3,4000000000,2,2,2,2,0.4,0.4,0.4,4\n"
	                     "1,ring,0,0,0,0,0,,,,,,,,,,,4\n"));
	free(text);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(by_entry), cmocka_unit_test(as_csv)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
