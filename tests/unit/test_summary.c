/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/record_sample.h"

struct fixture {
	struct run_record *rec;
	struct run_result result;
	struct run_summary s;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	f->rec = record_sample();
	f->result = record_sample_result(f->rec);
	return summary_init(&f->s, &f->result, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	run_record_free(f->rec);
	free(f);
	return 0;
}

static void distributions(void **state)
{
	const struct run_summary *s = &((struct fixture *)*state)->s;

	/* FCTs are 10, 20 .. 1000 us; failed and unfinished messages are no samples. */
	assert_int_equal(s->fct_ps.samples, 100);
	assert_int_equal(s->fct_ps.min, 10 * PS_PER_US);
	assert_int_equal(s->fct_ps.mean, 505 * PS_PER_US);
	assert_int_equal(s->fct_ps.p50, 500 * PS_PER_US);
	assert_int_equal(s->fct_ps.p90, 900 * PS_PER_US);
	assert_int_equal(s->fct_ps.p99, 990 * PS_PER_US);
	assert_int_equal(s->fct_ps.p99_9, 1000 * PS_PER_US);
	assert_int_equal(s->fct_ps.max, 1000 * PS_PER_US);
	assert_int_equal(s->net_fct_ps.p50, 500 * PS_PER_US - PS_PER_US / 2);
	assert_int_equal(s->slowdown_micro.min, 1000000);
	assert_int_equal(s->slowdown_micro.p99, 99000000);
	assert_int_equal(s->latency_ps.samples, 1000);
	assert_int_equal(s->latency_ps.min, PS_PER_NS);
	assert_int_equal(s->latency_ps.mean, 500500);
	assert_in_range(s->latency_ps.p50, 500000, 503906); /* + 1/128 */
}

static void totals(void **state)
{
	const struct run_summary *s = &((struct fixture *)*state)->s;

	assert_int_equal(s->messages_started, 102);
	assert_int_equal(s->messages_completed, 100);
	assert_int_equal(s->messages_failed, 1);
	/* 100 MB from 1 us (first post) to 1100 us (last completion). */
	assert_int_equal(s->goodput_bps, INT64_C(800000000) * 1000000 / 1099);
	assert_int_equal(s->ecn_fraction_nano, 333333333);
	assert_int_equal(s->drops, 7);
	assert_int_equal(s->paused_ps, 4000001);
	assert_int_equal(s->max_paused_ps, 2500001);
	assert_int_equal(s->queue_p99_bytes, 99);
	assert_int_equal(s->algbw_gbps_micro, STATS_NULL);
}

/* The three pairs complete 33, 34 and 33 messages over 97*11+..., by hand below. */
static void fairness(void **state)
{
	const struct run_summary *s = &((struct fixture *)*state)->s;
	/* k = 3..99 -> host 1, 1..100 -> host 2, 2..98 -> host 3; done at 11 k us, posted at k
	 * us. */
	double x1 = 33 / (99 * 11 - 3.0), x2 = 34 / (100 * 11 - 1.0), x3 = 33 / (98 * 11 - 2.0);
	double sum = x1 + x2 + x3, squares = x1 * x1 + x2 * x2 + x3 * x3;
	double want = sum * sum / (3 * squares) * 1e9;

	assert_true((double)s->fairness_nano > want - 1 && (double)s->fairness_nano < want + 1);
}

static void empty_run_has_nulls(void **state)
{
	struct run_record *rec = calloc(1, sizeof(*rec));
	struct run_result r = {.rec = rec, .engine = "sim", .scenario = "x"};
	struct run_summary s;

	(void)state;
	assert_non_null(rec);
	hist_init(&rec->latency_ps);
	hist_init(&rec->queue_bytes);
	assert_int_equal(summary_init(&s, &r, NULL), 0);
	assert_int_equal(s.goodput_bps, STATS_NULL);
	assert_int_equal(s.fairness_nano, STATS_NULL);
	assert_int_equal(s.ecn_fraction_nano, STATS_NULL);
	assert_int_equal(s.queue_p99_bytes, STATS_NULL);
	assert_int_equal(s.fct_ps.p50, STATS_NULL);
	assert_int_equal(s.messages_started, 0);
	summary_taint(&r);
	assert_int_equal(r.n_tainted, 0);
	run_record_free(rec);
}

/* What is lost without anybody sending it again; what is on its way is not lost. */
static void losses_taint(void **state)
{
	struct msg_record m = {
	        .bytes = 1000, .post_ps = 0, .done_ps = 8000, .unacknowledged = true};
	struct run_record rec = {.msg = &m, .n_msg = 1};
	struct run_summary s;

	(void)state;
	hist_init(&rec.latency_ps);
	hist_init(&rec.queue_bytes);
	rec.n.unacknowledged_sent = 1;
	rec.n.unacknowledged_sent_bytes = 1000;
	for (int lost = 0; lost < 2; lost++) {
		struct run_result r = {.rec = &rec};

		rec.data_packets_left = !lost;
		summary_taint(&r);
		assert_int_equal(r.n_tainted, lost);
		if (lost)
			assert_string_equal(r.tainted[0], "lost messages");
		assert_int_equal(summary_init(&s, &r, NULL), 0);
		assert_int_equal(s.goodput_bps, 0);
	}
	rec.n.unacknowledged_arrived = 1;
	rec.n.unacknowledged_arrived_bytes = 1000;
	rec.n.lossless_lost = 1;
	{
		struct run_result r = {.rec = &rec};

		summary_taint(&r);
		assert_int_equal(r.n_tainted, 1);
		assert_string_equal(r.tainted[0], "lost packets of a lossless priority");
		assert_int_equal(summary_init(&s, &r, NULL), 0);
		assert_int_equal(s.goodput_bps, INT64_C(1000000000000));
	}
}

static void taints(void **state)
{
	struct fixture *f = *state;
	static const struct {
		enum run_end end;
		const char *first;
	} rows[] = {
	        {RUN_INTERRUPTED, "interrupted"},
	        {RUN_STALLED, "stalled"},
	        {RUN_TIME_UP, "unfinished messages"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_result r = f->result;

		f->rec->end = rows[i].end;
		summary_taint(&r);
		assert_int_equal(r.n_tainted, 4);
		assert_string_equal(r.tainted[0], rows[i].first);
		assert_string_equal(r.tainted[1], "failed messages");
		assert_string_equal(r.tainted[2], "headroom violations");
		assert_string_equal(r.tainted[3], "lost packets of a lossless priority");
	}
}

static void slowdown_rounds_and_knows_when_there_is_none(void **state)
{
	struct msg_record m = {.post_ps = 0, .done_ps = 2, .alone_ps = 3};

	(void)state;
	assert_int_equal(summary_slowdown_micro(&m), 666667);
	m.alone_ps = 0;
	assert_int_equal(summary_slowdown_micro(&m), STATS_NULL);
	m.alone_ps = 3;
	m.status = MSG_FAILED;
	assert_int_equal(summary_slowdown_micro(&m), STATS_NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(distributions, setup, teardown),
	        cmocka_unit_test_setup_teardown(totals, setup, teardown),
	        cmocka_unit_test_setup_teardown(fairness, setup, teardown),
	        cmocka_unit_test(empty_run_has_nulls),
	        cmocka_unit_test(losses_taint),
	        cmocka_unit_test_setup_teardown(taints, setup, teardown),
	        cmocka_unit_test(slowdown_rounds_and_knows_when_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
