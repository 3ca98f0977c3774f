/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reliable connection, go-back-N: InfiniBand Architecture Specification vol. 1, 9.7 (PSNs,
 * acknowledgement coalescing 9.7.5.1.2, sequence errors 9.7.5.2.8, timeouts 9.7.6.1.3).
 */
#include "gen/rnic/rnic.h"
#include "tests/unit/rnic_bench.h"

static void every_third_packet_and_the_last_are_acknowledged(void **state)
{
	struct rnic_bench *b = bench_new();
	uint32_t acked[8];
	int n = 0;

	(void)state;
	b->cfg.ack_every = 3;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 7 * BENCH_MTU + 1, 0);
	while (bench_can_send(b)) {
		struct desc d = bench_send(b, 0), a;

		if (bench_answer(b, &d, &a)) {
			assert_int_equal(a.kind, DESC_ACK);
			acked[n++] = a.psn;
			bench_give(b, &a, d.t_ps);
		}
	}
	assert_int_equal(n, 3);
	assert_int_equal(acked[0], 2);
	assert_int_equal(acked[1], 5);
	assert_int_equal(acked[2], 7);
	assert_int_equal(b->nic[SENDER].n_done, 1);
	assert_int_equal(b->nic[SENDER].done[0].status, MSG_COMPLETED);
	assert_int_equal(b->delivered_bytes, 7 * BENCH_MTU + 1);
	bench_close(b);
}

static void frames_have_their_bytes_and_flags(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc d;

	(void)state;
	b->cfg.ect = 1;
	bench_open(b);
	bench_qp(b, 0, 5, 0);
	bench_post(b, 0, 2 * BENCH_MTU + 1, 0);
	bench_post(b, 0, 10, 0);
	d = bench_send(b, 0);
	assert_int_equal(d.frame_bytes, 58 + 16 + BENCH_MTU);
	assert_int_equal(d.flags, DESC_FIRST | DESC_ECT);
	assert_int_equal(d.priority, 5);
	d = bench_send(b, 0);
	assert_int_equal(d.frame_bytes, 58 + BENCH_MTU);
	assert_int_equal(d.flags, DESC_ECT);
	d = bench_send(b, 0);
	assert_int_equal(d.frame_bytes, 60); /* padded */
	assert_int_equal(d.payload_bytes, 1);
	assert_int_equal(d.flags, DESC_LAST | DESC_ECT);
	d = bench_send(b, 0);
	assert_int_equal(d.frame_bytes, 58 + 16 + 10);
	assert_int_equal(d.flags, DESC_FIRST | DESC_LAST | DESC_ECT);
	assert_int_equal(d.psn, 3);
	assert_false(bench_can_send(b));
	bench_close(b);
}

/* One NAK for a gap, however many packets follow; the sender goes back to the one that is
 * missing and the message completes. */
static void gap_is_answered_once_and_repaired(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc d, a;
	int sent = 0;

	(void)state;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 8 * BENCH_MTU, 0);
	for (uint32_t psn = 0; psn < 6; psn++) {
		bool answered;

		d = bench_send(b, 0);
		if (psn == 2)
			continue; /* lost */
		answered = bench_answer(b, &d, &a);
		assert_int_equal(answered, psn < 4);
		if (psn == 3) {
			assert_int_equal(a.kind, DESC_NAK);
			assert_int_equal(a.psn, 2);
		}
	}
	a = (struct desc){.kind = DESC_NAK, .psn = 2};
	bench_give(b, &a, d.t_ps); /* acknowledges 0 and 1 as well */
	assert_int_equal(b->n.naks, 1);
	while (bench_can_send(b)) {
		d = bench_send(b, d.t_ps);
		assert_int_equal(d.psn, 2 + sent);
		assert_int_equal((d.flags & DESC_RETRANSMIT) != 0, d.psn < 6);
		sent++;
		assert_true(bench_answer(b, &d, &a));
		bench_give(b, &a, d.t_ps);
	}
	assert_int_equal(sent, 6);
	assert_int_equal(b->n.retransmitted_packets, 4);
	assert_int_equal(b->nic[SENDER].n_done, 1);
	assert_int_equal(b->nic[SENDER].done[0].msg.retransmits, 4);
	assert_int_equal(b->delivered_bytes, 8 * BENCH_MTU);
	bench_close(b);
}

static void unanswered_nak_is_repeated_after_its_interval(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc d, a;

	(void)state;
	b->cfg.nak_interval_ps = 10 * PS_PER_US;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 8 * BENCH_MTU, 0);
	(void)bench_send(b, 0); /* lost */
	d = bench_send(b, 0);
	d.t_ps = PS_PER_US;
	assert_true(bench_answer(b, &d, &a));
	d.t_ps = 11 * PS_PER_US - 1;
	assert_false(bench_answer(b, &d, &a));
	d.t_ps = 11 * PS_PER_US;
	assert_true(bench_answer(b, &d, &a));
	assert_int_equal(a.kind, DESC_NAK);
	assert_int_equal(a.psn, 0);
	bench_close(b);
}

static void duplicates_are_acknowledged_again_or_ignored(void **state)
{
	(void)state;
	for (int answer = 0; answer < 2; answer++) {
		struct rnic_bench *b = bench_new();
		struct desc d[3], a;

		b->cfg.ack_duplicates = answer;
		bench_open(b);
		bench_qp(b, 0, 3, 0);
		bench_post(b, 0, 3 * BENCH_MTU, 0);
		for (int i = 0; i < 3; i++) {
			d[i] = bench_send(b, 0);
			assert_true(bench_answer(b, &d[i], &a));
		}
		assert_int_equal(bench_answer(b, &d[0], &a), answer);
		if (answer) {
			assert_int_equal(a.kind, DESC_ACK);
			assert_int_equal(a.psn, 2); /* cumulative */
		}
		assert_int_equal(b->delivered_bytes, 3 * BENCH_MTU);
		bench_close(b);
	}
}

/* T, then 2T, 4T; with retry_limit 3 the fourth expiry gives the QP up, and what is posted on
 * it later fails at once. */
static void timeout_backs_off_and_gives_up(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	int64_t t_ps = 0, wait_ps = 100 * PS_PER_US;

	(void)state;
	b->cfg.retransmit_timeout_ps = wait_ps;
	b->cfg.retransmit_backoff = 1;
	b->cfg.retry_limit = 3;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 1, 0);
	bench_post(b, 0, 2, 0);
	for (int retry = 0; retry <= 3; retry++) {
		assert_int_equal(bench_send(b, t_ps).psn, 0);
		assert_int_equal(bench_send(b, t_ps).psn, 1);
		assert_int_equal(nic->timer_ps, t_ps + wait_ps);
		rnic_timers(nic, t_ps + wait_ps - 1);
		assert_int_equal(b->n.timeouts, retry);
		t_ps += wait_ps;
		rnic_timers(nic, t_ps);
		assert_int_equal(b->n.timeouts, retry + 1);
		wait_ps *= 2;
	}
	assert_false(bench_can_send(b));
	assert_int_equal(nic->n_done, 2);
	assert_int_equal(nic->done[0].status, MSG_FAILED);
	assert_int_equal(nic->done[1].status, MSG_FAILED);
	bench_post(b, 0, 3, t_ps);
	assert_int_equal(nic->n_done, 3);
	assert_int_equal(nic->done[2].status, MSG_FAILED);
	assert_int_equal(nic->timer_ps, TIME_NEVER);
	bench_close(b);
}

/* Progress starts the count and the time anew. */
static void progress_resets_the_timeout(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	struct desc a = {.kind = DESC_ACK, .psn = 0};
	const int64_t wait_ps = 100 * PS_PER_US;

	(void)state;
	b->cfg.retransmit_timeout_ps = wait_ps;
	b->cfg.retransmit_backoff = 1;
	b->cfg.retry_limit = 1;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 3 * BENCH_MTU, 0);
	for (int i = 0; i < 3; i++)
		(void)bench_send(b, 0);
	rnic_timers(nic, wait_ps);
	assert_int_equal(b->n.timeouts, 1);
	for (int i = 0; i < 3; i++)
		(void)bench_send(b, wait_ps);
	bench_give(b, &a, 2 * wait_ps); /* the first packet alone */
	rnic_timers(nic, 3 * wait_ps - 1);
	assert_int_equal(b->n.timeouts, 1);
	rnic_timers(nic, 3 * wait_ps);
	assert_int_equal(b->n.timeouts, 2);
	assert_int_equal(nic->n_done, 0); /* one retry is allowed each time */
	assert_int_equal(bench_send(b, 3 * wait_ps).psn, 1);
	bench_close(b);
}

/* An ACK that was on its way when the sender went back spares what it covers. */
static void late_ack_ends_going_back(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc a = {.kind = DESC_ACK, .psn = 4};

	(void)state;
	b->cfg.retransmit_timeout_ps = PS_PER_MS;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 3 * BENCH_MTU, 0);
	bench_post(b, 0, 5 * BENCH_MTU, 0);
	for (int i = 0; i < 8; i++)
		(void)bench_send(b, 0);
	rnic_timers(&b->nic[SENDER], PS_PER_MS);
	assert_int_equal(bench_send(b, PS_PER_MS).psn, 0);
	bench_give(b, &a, PS_PER_MS + 1);
	assert_int_equal(b->nic[SENDER].n_done, 1);
	assert_int_equal(bench_send(b, PS_PER_MS).psn, 5);
	a.psn = 7;
	bench_give(b, &a, PS_PER_MS + 2);
	assert_false(bench_can_send(b));
	assert_int_equal(b->nic[SENDER].n_done, 2);
	a.psn = 3; /* older than what is known: ignored */
	bench_give(b, &a, PS_PER_MS + 3);
	a.psn = 1000; /* never sent: ignored */
	bench_give(b, &a, PS_PER_MS + 4);
	assert_int_equal(b->nic[SENDER].n_done, 2);
	bench_close(b);
}

static void window_holds_back_until_an_ack(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc d, a;

	(void)state;
	b->cfg.ack_every = 64;
	bench_open(b);
	bench_qp(b, 0, 3, 2 * BENCH_MTU);
	bench_post(b, 0, 6 * BENCH_MTU, 0);
	for (uint32_t psn = 0; psn < 6; psn += 2) {
		d = bench_send(b, 0);
		assert_int_equal(d.psn, psn);
		assert_false(bench_answer(b, &d, &a));
		d = bench_send(b, 0);
		assert_false(bench_can_send(b));
		/* coalescing must not keep back what opens the window */
		assert_true(bench_answer(b, &d, &a));
		assert_int_equal(a.psn, psn + 1);
		bench_give(b, &a, d.t_ps);
	}
	assert_int_equal(b->nic[SENDER].n_done, 1);
	bench_close(b);
}

/* PSNs wrap in the middle of a message with a loss. */
static void psn_wraps(void **state)
{
	struct rnic_bench *b = bench_new();
	struct qp_req *q = &b->conn[0].req;
	struct desc a;
	int lost = 0;

	(void)state;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	q->snd_nxt = q->snd_una = q->snd_max = q->psn_end = UINT32_MAX - 5;
	b->conn[0].rsp.epsn = UINT32_MAX - 5;
	bench_post(b, 0, 20 * BENCH_MTU, 0);
	while (bench_can_send(b)) {
		struct desc d = bench_send(b, 0);

		if (d.psn == UINT32_MAX && !lost++)
			continue;
		if (bench_answer(b, &d, &a))
			bench_give(b, &a, d.t_ps);
	}
	assert_int_equal(b->nic[SENDER].n_done, 1);
	assert_int_equal(b->nic[SENDER].done[0].status, MSG_COMPLETED);
	assert_int_equal(b->n.naks, 1);
	assert_int_equal(b->delivered_bytes, 20 * BENCH_MTU);
	bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_third_packet_and_the_last_are_acknowledged),
	        cmocka_unit_test(frames_have_their_bytes_and_flags),
	        cmocka_unit_test(gap_is_answered_once_and_repaired),
	        cmocka_unit_test(unanswered_nak_is_repeated_after_its_interval),
	        cmocka_unit_test(duplicates_are_acknowledged_again_or_ignored),
	        cmocka_unit_test(timeout_backs_off_and_gives_up),
	        cmocka_unit_test(progress_resets_the_timeout),
	        cmocka_unit_test(late_ack_ends_going_back),
	        cmocka_unit_test(window_holds_back_until_an_ack),
	        cmocka_unit_test(psn_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
