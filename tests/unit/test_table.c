/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/human.h"
#include "analysis/number.h"
#include "tests/support/record_sample.h"

static char *render(struct run_record *rec, struct run_expect *expect, uint32_t n_expect)
{
	struct run_result r = record_sample_result(rec);
	struct run_summary s;
	char *text = NULL;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	assert_non_null(m);
	r.expect = expect;
	r.n_expect = n_expect;
	summary_taint(&r);
	assert_int_equal(summary_init(&s, &r, NULL), 0);
	table_write(m, &s, &r);
	fclose(m);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void says_what_matters(void **state)
{
	struct run_expect expect[] = {
	        {"fct_us.p99 < 1000", true, true, 990},
	        {"drops.total == 0", false, true, 7},
	        {"collective.busbw_gbps > 1", false, false, 0},
	};
	struct run_record *rec = record_sample();
	char *text = render(rec, expect, 3);

	(void)state;
	assert_has(text, "100 of 102 completed, 1 failed");
	assert_has(text, "stopped by stop.after at 1.100 ms, 1 234 567 packet-hops");
	assert_has(text, "512.0 KB   sw0 port 0 to host0 priority 3");
	assert_null(strstr(text, "900 B")); /* below a hundredth of the deepest */
	assert_has(text, "paused 4.000 us in all, 2.500 us at host2 port 0 to sw0 priority 3");
	assert_has(text,
	        "the first at 7.000 us, 1.086 KB missing: sw0 port 2 to host2 priority 3");
	assert_has(text, "holds  fct_us.p99 < 1000");
	assert_has(text, "FAILS  drops.total == 0");
	assert_has(text, "null in this run");
	assert_has(text, "tainted: unfinished messages, failed messages, headroom violations");
	assert_has(text, "7: 1 lossless, 2 lossy, 4 by hosts");
	free(text);
	run_record_free(rec);
}

/* 100 FCTs carry a p50 but no p99; 1000 latencies carry both. */
static void weak_percentiles_are_marked(void **state)
{
	struct run_record *rec = record_sample();
	char *text = render(rec, NULL, 0);
	const char *fct = strstr(text, "\nFCT us"), *latency = strstr(text, "\nlatency us");

	(void)state;
	assert_non_null(fct);
	assert_non_null(latency);
	assert_has(text, "500.0 ");
	assert_has(text, "990.0*");
	assert_has(text, "* weak: fewer than 10/(1-p) samples");
	assert_null(memchr(latency, '*', (size_t)(strchr(latency + 1, '\n') - latency)));
	free(text);
	run_record_free(rec);
}

/* Who was stormed, since when and for how long, each storm with its own end. */
static void watchdogs_are_told(void **state)
{
	static const char *const name[] = {"leaf0", "leaf1"};
	struct watchdog_event event[] = {
	        {.t_ps = 1000000, .node = 0, .port = 2, .priority = 3, .kind = WATCHDOG_STORM},
	        {.t_ps = 1500000, .node = 1, .port = 2, .priority = 3, .kind = WATCHDOG_STORM},
	        {.t_ps = 4000000,
	                .node = 0,
	                .port = 2,
	                .priority = 3,
	                .kind = WATCHDOG_RESTORED},
	};
	struct run_record *rec = calloc(1, sizeof(*rec));
	struct fault_record fault = {.fault = 0, .packets = 12};
	const char *fault_name[] = {"link_down leaf0-host3"};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct run_summary s;
	struct err e = {0};

	(void)state;
	assert_non_null(rec);
	assert_non_null(f);
	hist_init(&rec->latency_ps);
	hist_init(&rec->queue_bytes);
	rec->watchdog = event;
	rec->n_watchdog = 3;
	rec->n.watchdog_storms = 2;
	rec->n.watchdog_restores = 1;
	rec->fault = &fault;
	rec->n_fault = 1;
	{
		const struct run_result r = {
		        .rec = rec, .node_name = name, .fault_name = fault_name};

		assert_int_equal(summary_init(&s, &r, &e), 0);
		table_write(f, &s, &r);
	}
	assert_int_equal(fclose(f), 0);
	assert_has(text, "watchdog       2 storms, 1 of them over\n");
	assert_has(text, "leaf0 port 2 priority 3 from 1.000 us, restored after 3.000 us\n");
	assert_has(text, "leaf1 port 2 priority 3 from 1.500 us, not over\n");
	assert_has(text, "\nfaults[0] link_down leaf0-host3: 12 frames");
	free(text);
	free(rec);
}

static void empty_run(void **state)
{
	struct run_record *rec = calloc(1, sizeof(*rec));
	char *text;

	(void)state;
	assert_non_null(rec);
	hist_init(&rec->latency_ps);
	hist_init(&rec->queue_bytes);
	text = render(rec, NULL, 0);
	assert_has(text, "0 of 0 completed");
	assert_has(text, "drops          none");
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "-9223372036854"));
	free(text);
	run_record_free(rec);
}

static void numbers(void **state)
{
	static const struct {
		int64_t value;
		int decimals;
		const char *text;
	} rows[] = {
	        {0, 6, "0"},
	        {1, 6, "0.000001"},
	        {-1, 6, "-0.000001"},
	        {1000000, 6, "1"},
	        {1234500, 6, "1.2345"},
	        {10, 0, "10"},
	        {INT64_MAX, 6, "9223372036854.775807"},
	        {INT64_MIN + 1, 9, "-9223372036.854775807"},
	        {100, 9, "0.0000001"},
	};
	char buf[NUMBER_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
		        number_fixed(buf, rows[i].value, rows[i].decimals), rows[i].text);
	assert_string_equal(number_double(buf, 4.16), "4.16");
	assert_string_equal(number_double(buf, 0.1 + 0.2), "0.30000000000000004");
	assert_string_equal(number_double(buf, 1e300), "1e+300");
	assert_string_equal(number_grouped(buf, 1234567), "1 234 567");
	assert_string_equal(number_grouped(buf, -123), "-123");
	assert_string_equal(number_grouped(buf, 1000), "1 000");
}

static void quantities(void **state)
{
	char buf[HUMAN_LEN];

	(void)state;
	assert_string_equal(human_time(buf, 0), "0 ps");
	assert_string_equal(human_time(buf, 999), "999 ps");
	assert_string_equal(human_time(buf, 3412000000), "3.412 ms");
	assert_string_equal(human_time(buf, 1500000000000), "1.500 s");
	assert_string_equal(human_rate(buf, 97310000000), "97.31 Gbps");
	assert_string_equal(human_size(buf, 512), "512 B");
	assert_string_equal(human_size(buf, 1600000), "1.600 MB");
	assert_string_equal(human_count(buf, 24130000), "24.13 M");
	assert_string_equal(human_micro(buf, 668091000), "668.1");
	assert_string_equal(human_micro(buf, 1310133000), "1310");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(says_what_matters),
	        cmocka_unit_test(weak_percentiles_are_marked),
	        cmocka_unit_test(watchdogs_are_told),
	        cmocka_unit_test(empty_run),
	        cmocka_unit_test(numbers),
	        cmocka_unit_test(quantities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
