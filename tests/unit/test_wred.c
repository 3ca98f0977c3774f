/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The WRED profile of a queue: which priorities have it, who is dropped instead of marked and
 * how often, the average against RED's formula in double precision, and that a simulation marks
 * by it.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/fabric/ecn_average.h"
#include "tests/support/switch_bench.h"

static struct switch_bench *bench_open(
        int64_t kmin_frames, int64_t kmax_frames, void (*set)(struct switch_cfg *))
{
	struct switch_bench *b = switch_bench_new();
	struct err e = {0};

	b->k.sw.ecn_enabled = 1;
	b->k.sw.ecn_kmin_bytes = kmin_frames * (SWITCH_BENCH_FRAME + 4);
	b->k.sw.ecn_kmax_bytes = kmax_frames * (SWITCH_BENCH_FRAME + 4);
	if (set)
		set(&b->k.sw);
	if (switch_bench_star(b, &e))
		fail_msg("%s", e.msg);
	return b;
}

static struct desc frame_of(uint8_t priority, uint8_t flags)
{
	return (struct desc){.kind = DESC_DATA,
	        .priority = priority & 7,
	        .flags = flags,
	        .in_port = 0,
	        .frame_bytes = SWITCH_BENCH_FRAME};
}

static enum fsw_verdict put(struct switch_bench *b, uint8_t priority, uint8_t flags)
{
	struct desc d = frame_of(priority, flags);

	return fsw_arrival(&b->sw, 1, &d, false);
}

static uint8_t take(struct switch_bench *b)
{
	struct desc d;

	fsw_departure(&b->sw, 1, &d);
	return d.flags;
}

/* A queue of up to Kmin takes everything, above Kmax nothing that is not ECN-capable: on a
 * lossless priority as on a lossy one. */
static void test_ends_are_certain(void **state)
{
	(void)state;
	for (uint8_t pr = 0; pr <= 3; pr += 3) {
		struct switch_bench *b = bench_open(4, 4, NULL);

		for (int i = 0; i < 5; i++)
			assert_int_equal(put(b, pr, 0), FSW_QUEUED);
		assert_int_equal(put(b, pr, 0), FSW_DROPPED_WRED);
		assert_int_equal(put(b, pr, DESC_ECT), FSW_QUEUED);
		assert_int_equal(b->n.drops_wred, 1);
		assert_int_equal(b->n.data_packets_dropped, 1);
		assert_int_equal(b->n.drops_lossless + b->n.drops_lossy, 0);
		assert_int_equal(b->n.headroom_violations, 0);
		/* at dequeue without itself: 5 and 4 others behind it */
		assert_false(take(b) & DESC_CE); /* not capable */
		while (b->sw.port[1].backlog)
			(void)take(b);
		switch_bench_close(b);
	}
}

/* Half-way between Kmin and Kmax with Pmax 40 %: one in five. */
static void pmax_40(struct switch_cfg *s)
{
	s->ecn_pmax_q32 = Q32_ONE * 2 / 5;
}

static void test_probability_is_that_of_marking(void **state)
{
	struct switch_bench *b = bench_open(4, 12, pmax_40);
	int dropped = 0;

	(void)state;
	while (b->sw.port[1].cls[3].q.packets < 8)
		assert_int_equal(put(b, 3, DESC_ECT), FSW_QUEUED);
	for (int i = 0; i < 10000; i++) {
		if (put(b, 3, 0) == FSW_DROPPED_WRED)
			dropped++;
		else
			(void)take(b);
	}
	assert_in_range(dropped, 1880, 2120); /* 2000, standard deviation 40 */
	switch_bench_close(b);
}

static void passes(struct switch_cfg *s)
{
	s->ecn_non_ect = NON_ECT_PASS;
}

static void off(struct switch_cfg *s)
{
	s->ecn_enabled = 0;
}

static void test_pass_and_off_drop_nothing(void **state)
{
	void (*const sets[])(struct switch_cfg *) = {passes, off};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct switch_bench *b = bench_open(1, 1, sets[i]);

		for (int n = 0; n < 20; n++)
			assert_int_equal(put(b, 3, 0), FSW_QUEUED);
		switch_bench_close(b);
	}
}

static void only_3(struct switch_cfg *s)
{
	s->ecn_priorities = 1 << 3;
}

/* By default all but the strict ones, of which 6 is one: CNPs are not ECN-capable. */
static void test_priorities(void **state)
{
	void (*const sets[])(struct switch_cfg *) = {NULL, only_3};

	(void)state;
	for (int i = 0; i < 2; i++)
		for (uint8_t pr = 0; pr < PRIORITIES; pr++) {
			struct switch_bench *b = bench_open(2, 2, sets[i]);
			bool has = i ? pr == 3 : pr != 6;
			int marked = 0;

			for (int n = 0; n < 3; n++)
				assert_int_equal(put(b, pr, DESC_ECT), FSW_QUEUED);
			assert_int_equal(put(b, pr, 0), has ? FSW_DROPPED_WRED : FSW_QUEUED);
			for (int n = 0; n < 3; n++)
				marked += (put(b, pr, DESC_ECT) == FSW_QUEUED);
			assert_int_equal(marked, 3);
			for (marked = 0; b->sw.port[1].backlog;)
				marked += (take(b) & DESC_CE) != 0;
			/* 6 with it: the first three have more than two behind them */
			assert_int_equal(marked, has ? 3 : 0);
			switch_bench_close(b);
		}
}

/* Against the formula in double precision, over queues and idle times at random. */
static void test_average_is_that_of_red(void **state)
{
	static const double weights[] = {1.0, 0.5, 0.0625, 0.002, 1e-6};
	struct rng r = rng_make(1, 1, RNG_ECN);

	(void)state;
	for (size_t w = 0; w < sizeof(weights) / sizeof(weights[0]); w++) {
		const int64_t q32 = (int64_t)(weights[w] * (double)Q32_ONE);
		const double weight = (double)q32 / (double)Q32_ONE;
		double avg = 0;
		int64_t avg_q16 = 0;

		for (int i = 0; i < 20000; i++) {
			int64_t queue = rng_below(&r, 4) ? (int64_t)rng_below(&r, 3000000) : 0;
			int64_t idle =
			        queue || rng_below(&r, 2) ? -1 : (int64_t)rng_below(&r, 2000);

			avg_q16 = ecn_average_next(avg_q16, queue, q32, idle);
			avg = idle < 0 ? (1 - weight) * avg + weight * (double)queue
			               : pow(1 - weight, (double)idle) * avg;
			if (fabs((double)avg_q16 / 65536 - avg) > 1 + avg * 1e-6)
				fail_msg("weight %g, step %d: %g, expected %g", weight, i,
				        (double)avg_q16 / 65536, avg);
			avg = (double)avg_q16 / 65536;
		}
	}
	assert_int_equal(ecn_average_next(INT64_C(1) << 40, 0, 1, INT64_MAX), 0);
}

static void averaged(struct switch_cfg *s)
{
	s->ecn_average_q32 = Q32_ONE / 8;
	s->ecn_point = ECN_ENQUEUE;
}

/*
 * The average lags behind: w = 1/8 and a queue that stands at 8 frames pass Kmin = Kmax = 4
 * frames when 8 (1 - (7/8)^n) > 4, with the sixth frame; and a queue that has just emptied
 * goes on being marked until idle time has passed.
 */
static void test_marks_by_the_average(void **state)
{
	struct switch_bench *b = bench_open(4, 4, averaged);
	struct fsw_port *p = &b->sw.port[1];

	(void)state;
	p->busy_until_ps = PS_PER_S; /* sending: nothing is idle */
	while (p->cls[3].q.packets < 8)
		assert_int_equal(put(b, 3, DESC_ECT), FSW_QUEUED);
	assert_int_equal(b->n.ecn_marked_packets, 0);
	for (int n = 1; n <= 8; n++) {
		fsw_average_arrival(&b->sw, 1, 3, 0);
		assert_int_equal(put(b, 3, DESC_ECT), FSW_QUEUED);
		assert_int_equal(b->n.ecn_marked_packets, n < 6 ? 0 : n - 5);
		(void)take(b);
	}
	while (p->backlog)
		(void)take(b);
	fsw_average_arrival(&b->sw, 1, 3, 0); /* (1 - 1/8) of 5.25 */
	assert_int_equal(put(b, 3, DESC_ECT), FSW_QUEUED);
	assert_int_equal(b->n.ecn_marked_packets, 4);
	assert_int_equal(put(b, 3, 0), FSW_DROPPED_WRED); /* though the queue has one frame */
	(void)take(b);
	/* 84 bytes on the wire at 100G: 6720 ps; two of them leave 3.5 frames */
	fsw_average_arrival(&b->sw, 1, 3, PS_PER_S + 2 * 6720);
	assert_int_equal(put(b, 3, DESC_ECT), FSW_QUEUED);
	assert_int_equal(b->n.ecn_marked_packets, 4);
	assert_in_range(fsw_wred_bytes(&b->sw, p, 3, 0), 3 * 1086, 4 * 1086);
	(void)take(b);
	switch_bench_close(b);
}

/* A burst that ends before a slow average has noticed is not marked; a fast one sees it. */
static int64_t marks_of_burst(int64_t weight_q32)
{
	struct simkit k;
	struct run_record *r;
	int64_t marked;

	simkit_init(&k);
	k.sw.ecn_enabled = 1;
	k.sw.ecn_kmin_bytes = 20000;
	k.sw.ecn_kmax_bytes = 40000;
	k.sw.ecn_average_q32 = weight_q32;
	k.sw.ecn_point = ECN_ENQUEUE;
	simkit_star(&k, 5, 100 * SIMKIT_GBPS, PS_PER_US);
	for (uint32_t src = 1; src < 5; src++)
		simkit_flow(&k, src, 0, 100 * 1024, 0);
	r = simkit_run(&k);
	assert_int_equal(r->end, RUN_WORKLOAD_DONE);
	marked = r->n.ecn_marked_packets;
	run_record_free(r);
	simkit_fini(&k);
	return marked;
}

static void test_burst(void **state)
{
	int64_t now = marks_of_burst(0), fast = marks_of_burst(Q32_ONE);

	(void)state;
	assert_true(now > 250);
	assert_int_equal(fast, now); /* w = 1 is the queue itself */
	assert_true(marks_of_burst(Q32_ONE / 64) < now);
	assert_int_equal(marks_of_burst(Q32_ONE / 100000), 0);
}

/* Senders without ECT lose packets in a lossless class: the trap of raw generators. */
static void test_sender_without_ect(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	simkit_init(&k);
	k.sw.ecn_enabled = 1;
	k.sw.ecn_kmin_bytes = 20000;
	k.sw.ecn_kmax_bytes = 40000;
	k.nic.ect = 0;
	simkit_star(&k, 5, 100 * SIMKIT_GBPS, PS_PER_US);
	for (uint32_t src = 1; src < 5; src++)
		simkit_flow(&k, src, 0, 100 * 1024, 0);
	r = simkit_run(&k);
	assert_true(r->n.drops_wred > 10);
	assert_int_equal(r->n.drops_lossless + r->n.headroom_violations, 0);
	assert_true(r->n.naks > 0 && r->n.retransmitted_packets > 0);
	assert_true(r->max_queue_bytes <= 40000 + 1106);
	run_record_free(r);
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_ends_are_certain),
	        cmocka_unit_test(test_probability_is_that_of_marking),
	        cmocka_unit_test(test_pass_and_off_drop_nothing),
	        cmocka_unit_test(test_priorities),
	        cmocka_unit_test(test_average_is_that_of_red),
	        cmocka_unit_test(test_marks_by_the_average),
	        cmocka_unit_test(test_burst),
	        cmocka_unit_test(test_sender_without_ect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
