/* SPDX-License-Identifier: Apache-2.0 */
/* The switch as a state machine: what it admits, marks, serves next, and whom it pauses. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "tests/support/switch_bench.h"

static enum fsw_verdict put(
        struct switch_bench *b, uint16_t in, uint16_t out, uint8_t priority, uint32_t psn)
{
	struct desc d = {.psn = psn,
	        .frame_bytes = SWITCH_BENCH_FRAME,
	        .in_port = in,
	        .kind = DESC_DATA,
	        .priority = priority & 7,
	        .flags = DESC_ECT};

	return fsw_arrival(&b->sw, out, &d, false);
}

static struct desc take(struct switch_bench *b, uint16_t out)
{
	struct desc d;

	assert_true(fsw_ready(&b->sw.port[out]));
	fsw_departure(&b->sw, out, &d);
	return d;
}

static void reservations_above_the_buffer_are_refused_with_the_sum(void **state)
{
	struct switch_bench b = {0};
	struct err e = {0};

	(void)state;
	simkit_init(&b.k);
	b.k.sw.buffer_bytes = 400000;
	b.k.sw.pfc_headroom_bytes = 90000;
	b.k.sw.pfc_reserve_bytes = 10000; /* 4 x 100000: nothing is left */
	assert_int_equal(switch_bench_star(&b, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "400KB of 400KB"));
	b.k.sw.buffer_bytes = 400001;
	assert_int_equal(switch_bench_star(&b, &e), 0);
	assert_int_equal(b.sw.mmu.pool_bytes, 1);
	fsw_fini(&b.sw);
	b.k.sw.ecn_enabled = 1;
	b.k.sw.ecn_kmin_bytes = 2;
	b.k.sw.ecn_kmax_bytes = 1;
	assert_int_equal(switch_bench_star(&b, &e), -EINVAL);
	simkit_fini(&b.k);
}

static void two_shares(struct switch_cfg *s)
{
	s->strict_priorities = 0;
	s->pfc_priorities = 0;
	s->weights[1] = s->weights[2] = 1;
	s->weights[4] = 3;
}

static void two_shares_of_packets(struct switch_cfg *s)
{
	two_shares(s);
	s->scheduler_unit = SCHEDULE_PACKETS;
}

/* Both always backlogged; priority 1 sends large frames, 4 small ones. Returns bytes of 4 over
 * bytes of 1, and *packets of 4 over packets of 1. */
static double share_of_four(struct switch_bench *b, double *packets)
{
	double bytes[2] = {0}, n[2] = {0};

	for (int i = 0; i < 20000; i++) {
		struct desc d = {.frame_bytes = i % 2 ? 1082 : 300,
		        .kind = DESC_DATA,
		        .priority = i % 2 ? 1 : 4};

		assert_int_equal(fsw_arrival(&b->sw, 3, &d, false), FSW_QUEUED);
	}
	while (b->sw.port[3].cls[1].q.packets && b->sw.port[3].cls[4].q.packets) {
		struct desc d = take(b, 3);

		bytes[d.priority == 4] += d.frame_bytes + 4;
		n[d.priority == 4]++;
	}
	*packets = n[1] / n[0];
	while (fsw_ready(&b->sw.port[3]))
		(void)take(b, 3);
	return bytes[1] / bytes[0];
}

/* Shreedhar and Varghese, "Efficient Fair Queuing using Deficit Round Robin", SIGCOMM 1995: the
 * shares of backlogged queues are as their quanta, whatever their packet sizes. */
static void weights_share_bytes_or_packets(void **state)
{
	struct switch_bench *b = switch_bench_open(two_shares);
	double packets, bytes = share_of_four(b, &packets);

	(void)state;
	assert_true(bytes > 2.95 && bytes < 3.05);
	switch_bench_close(b);
	b = switch_bench_open(two_shares_of_packets);
	(void)share_of_four(b, &packets);
	assert_true(packets > 2.99 && packets < 3.01);
	switch_bench_close(b);
}

/* In the same paper a queue that runs empty loses what it has left: one that always has a
 * packet when its turn comes, but no more, must not pile up credit for a burst later. */
static void light_queue_saves_nothing_up(void **state)
{
	struct switch_bench *b = switch_bench_open(two_shares);
	int of_four = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		(void)put(b, 0, 3, 1, 0);
		(void)put(b, 0, 3, 2, 0);
	}
	for (int turn = 0; turn < 3000; turn++) { /* a frame of 4 now and then */
		if (turn % 10 == 0 && !b->sw.port[3].cls[4].q.packets)
			(void)put(b, 1, 3, 4, 0);
		if (take(b, 3).priority == 4)
			continue;
		(void)put(b, 0, 3, b->sw.port[3].cls[1].q.packets < 20 ? 1 : 2, 0);
	}
	for (int i = 0; i < 3000; i++) /* now all are backlogged */
		for (uint8_t pr = 1; pr <= 4; pr = (uint8_t)(pr << 1))
			(void)put(b, 0, 3, pr, 0);
	for (int i = 0; i < 500; i++)
		of_four += take(b, 3).priority == 4;
	/* 3 of 1 + 1 + 3, give or take a turn of 26 frames */
	assert_in_range(of_four, 300 - 27, 300 + 27);
	while (fsw_ready(&b->sw.port[3]))
		(void)take(b, 3);
	switch_bench_close(b);
}

static void strict_6_and_2(struct switch_cfg *s)
{
	s->strict_priorities = 1 << 6 | 1 << 2;
}

static void strict_priorities_go_first_by_number(void **state)
{
	static const uint8_t order[] = {6, 6, 2, 2};
	struct switch_bench *b = switch_bench_open(strict_6_and_2);

	(void)state;
	for (uint8_t pr = 0; pr < 8; pr++)
		for (uint32_t i = 0; i < 2; i++)
			assert_int_equal(put(b, 0, 1, pr, i), FSW_QUEUED);
	for (size_t i = 0; i < 4; i++) {
		struct desc d = take(b, 1);

		assert_int_equal(d.priority, order[i]);
		assert_int_equal(d.psn, i % 2);
	}
	/* a paused one is passed over, strict or not */
	(void)put(b, 0, 1, 6, 0);
	b->sw.port[1].blocked = 1 << 6 | 1 << 3;
	for (int i = 0; i < 10; i++) {
		struct desc d = take(b, 1);

		assert_true(d.priority != 6 && d.priority != 3);
	}
	assert_false(fsw_ready(&b->sw.port[1]));
	b->sw.port[1].blocked = 0;
	assert_int_equal(take(b, 1).priority, 6);
	switch_bench_close(b);
}

static void mark_all(struct switch_cfg *s)
{
	s->ecn_enabled = 1;
	s->ecn_kmin_bytes = s->ecn_kmax_bytes = 2 * (SWITCH_BENCH_FRAME + 4);
}

static void mark_all_on_enqueue(struct switch_cfg *s)
{
	mark_all(s);
	s->ecn_point = ECN_ENQUEUE;
}

/* Five packets wait. On enqueue each looks at what was there before it, on dequeue at what it
 * leaves behind; more than two of 1086 bytes mark. */
static void queue_is_looked_at_as_a_packet_comes_or_goes(void **state)
{
	static const bool on_dequeue[] = {true, true, false, false, false};
	static const bool on_enqueue[] = {false, false, false, true, true};

	(void)state;
	for (int enqueue = 0; enqueue < 2; enqueue++) {
		struct switch_bench *b =
		        switch_bench_open(enqueue ? mark_all_on_enqueue : mark_all);

		for (uint32_t i = 0; i < 5; i++)
			(void)put(b, 0, 1, 3, i);
		for (int i = 0; i < 5; i++) {
			struct desc d = take(b, 1);

			assert_int_equal((d.flags & DESC_CE) != 0,
			        (enqueue ? on_enqueue : on_dequeue)[i]);
		}
		assert_int_equal(b->n.ecn_marked_packets, 2);
		switch_bench_close(b);
	}
}

/* A pool too small for any packet: the second one of an ingress goes to headroom and asks for
 * XOFF. */
static void no_pool(struct switch_cfg *s)
{
	s->pfc_headroom_bytes = 10 * (SWITCH_BENCH_FRAME + 4);
	s->pfc_reserve_bytes = SWITCH_BENCH_FRAME + 4;
	s->pfc_priorities = 1 << 3 | 1 << 4;
	s->buffer_bytes = SWITCH_BENCH_PORTS * 2 * 11 * (SWITCH_BENCH_FRAME + 4) + 100;
}

static void xoff_is_asked_for_once_and_taken_back_if_it_was_not_sent(void **state)
{
	struct switch_bench *b = switch_bench_open(no_pool);
	struct fsw_port *in = &b->sw.port[0];

	(void)state;
	(void)put(b, 0, 1, 3, 0);
	assert_int_equal(in->pfc_xoff, 0);
	(void)put(b, 0, 1, 3, 1);
	assert_int_equal(in->pfc_xoff, 1 << 3);
	(void)put(b, 0, 1, 4, 0);
	(void)put(b, 0, 1, 4, 1);
	assert_int_equal(in->pfc_xoff, 1 << 3 | 1 << 4);
	assert_int_equal(b->sw.port[1].pfc_xoff | b->sw.port[2].pfc_xoff, 0);
	for (int i = 0; i < 4; i++)
		(void)take(b, 1);
	assert_int_equal(in->pfc_xoff | in->pfc_xon, 0); /* the peer never heard of it */
	switch_bench_close(b);
}

static void xon_follows_what_the_peer_was_told(void **state)
{
	struct switch_bench *b = switch_bench_open(no_pool);
	struct fsw_port *in = &b->sw.port[0];

	(void)state;
	(void)put(b, 0, 1, 3, 0);
	(void)put(b, 0, 1, 3, 1);
	in->pfc_xoff = 0; /* the caller sends it */
	in->xoff_sent = 1 << 3;
	(void)take(b, 1);
	(void)take(b, 1);
	assert_int_equal(in->pfc_xon, 1 << 3);
	/* before it is sent the buffer fills again: the peer is still stopped */
	(void)put(b, 0, 1, 3, 2);
	(void)put(b, 0, 1, 3, 3);
	assert_int_equal(in->pfc_xoff | in->pfc_xon, 0);
	/* a repeated XOFF waits for its turn when the buffer empties: XON must go out */
	in->pfc_xoff = 1 << 3;
	(void)take(b, 1);
	(void)take(b, 1);
	assert_int_equal(in->pfc_xoff, 0);
	assert_int_equal(in->pfc_xon, 1 << 3);
	switch_bench_close(b);
}

static void overflow_of_headroom_is_counted_with_what_was_missing(void **state)
{
	struct switch_bench *b = switch_bench_open(no_pool);
	int queued = 0;

	(void)state;
	while (put(b, 0, 1, 3, 0) == FSW_QUEUED)
		queued++;
	assert_int_equal(queued, 11);
	assert_int_equal(b->n.drops_lossless, 1);
	assert_int_equal(b->n.headroom_violations, 1);
	assert_int_equal(b->n.headroom_missing_bytes, SWITCH_BENCH_FRAME + 4);
	assert_int_equal(put(b, 0, 1, 4, 0), FSW_QUEUED); /* each priority has its own */
	assert_int_equal(put(b, 2, 1, 3, 0), FSW_QUEUED); /* and each port */
	assert_int_equal(b->sw.mmu.max_headroom_bytes, 10 * (SWITCH_BENCH_FRAME + 4));
	while (fsw_ready(&b->sw.port[1]))
		(void)take(b, 1);
	switch_bench_close(b);
}

static void cells_208(struct switch_cfg *s)
{
	s->cell_bytes = 208;
}

static void frames_take_whole_cells(void **state)
{
	struct switch_bench *b = switch_bench_open(cells_208);

	(void)state;
	assert_int_equal(fsw_buffer_bytes(&b->sw, 204), 208);
	assert_int_equal(fsw_buffer_bytes(&b->sw, 205), 416);
	(void)put(b, 0, 1, 3, 0); /* 1086 bytes: six cells */
	assert_int_equal(b->sw.port[1].cls[3].q.bytes, 1248);
	assert_int_equal(b->sw.port[0].cls[3].in.used_bytes, 1248);
	(void)take(b, 1);
	assert_int_equal(b->sw.port[1].cls[3].q.bytes, 0);
	switch_bench_close(b);
}

static void small_and_mixed(struct switch_cfg *s)
{
	s->buffer_bytes = 60000;
	s->pfc_headroom_bytes = 2000;
	s->pfc_reserve_bytes = 1000;
	s->pfc_priorities = 1 << 3 | 1 << 5;
}

/* Random traffic; what is in the queues and the pool is checked after every step, and an empty
 * switch holds nothing. */
static void counters_agree_with_the_queues(void **state)
{
	struct switch_bench *b = switch_bench_open(small_and_mixed);
	struct rng r = rng_make(3, 0, RNG_LOAD);

	(void)state;
	for (int i = 0; i < 60000; i++) {
		uint16_t out = (uint16_t)rng_below(&r, SWITCH_BENCH_PORTS);
		bool in = rng_below(&r, 100) < (i / 5000 % 2 ? 60 : 45);

		if (in)
			(void)put(b,
			        (uint16_t)((out + 1 + rng_below(&r, 3)) % SWITCH_BENCH_PORTS),
			        out, (uint8_t)rng_below(&r, 8), 0);
		else if (fsw_ready(&b->sw.port[out]))
			(void)take(b, out);
		fsw_check(&b->sw);
		assert_in_range(b->sw.mmu.shared_bytes, 0, b->sw.mmu.pool_bytes);
	}
	assert_true(b->n.drops_lossy > 100 && b->n.drops_lossless > 100);
	for (uint16_t i = 0; i < SWITCH_BENCH_PORTS; i++)
		while (fsw_ready(&b->sw.port[i]))
			(void)take(b, i);
	assert_int_equal(b->sw.mmu.shared_bytes, 0);
	assert_int_equal(b->sw.count.admitted, b->sw.count.sent);
	switch_bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reservations_above_the_buffer_are_refused_with_the_sum),
	        cmocka_unit_test(weights_share_bytes_or_packets),
	        cmocka_unit_test(light_queue_saves_nothing_up),
	        cmocka_unit_test(strict_priorities_go_first_by_number),
	        cmocka_unit_test(queue_is_looked_at_as_a_packet_comes_or_goes),
	        cmocka_unit_test(xoff_is_asked_for_once_and_taken_back_if_it_was_not_sent),
	        cmocka_unit_test(xon_follows_what_the_peer_was_told),
	        cmocka_unit_test(overflow_of_headroom_is_counted_with_what_was_missing),
	        cmocka_unit_test(frames_take_whole_cells),
	        cmocka_unit_test(counters_agree_with_the_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
