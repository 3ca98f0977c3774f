/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QPs beside plain RC: no receive posted (IBTA vol. 1, 9.7.5.2.8), unreliable connection and
 * datagram (9.8).
 */
#include "gen/rnic/rnic.h"
#include "tests/unit/rnic_bench.h"

#define MTU BENCH_MTU

/* Gives d to the receiver at t_ps; its answer's kind, or -1. */
static int give(struct rnic_bench *b, const struct desc *d, int64_t t_ps, struct desc *answer)
{
	struct desc copy = *d;

	copy.t_ps = t_ps;
	return bench_answer(b, &copy, answer) ? (int)answer->kind : -1;
}

static struct rnic_bench *rnr_bench(int64_t queue, int64_t time_ps, int64_t retry)
{
	struct rnic_bench *b = bench_new();

	b->cfg.receive_queue = queue;
	b->cfg.receive_time_ps = time_ps;
	b->cfg.rnr_timer_ps = 20 * PS_PER_US;
	b->cfg.rnr_retry = retry;
	b->cfg.ack_duplicates = 1;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	return b;
}

/* Two receives, 10 us of work for each message: the third message in a row is refused, and so
 * in silence is what follows it; 10 us after the first one there is a receive again. */
static void a_message_without_receive_is_refused(void **state)
{
	struct rnic_bench *b = rnr_bench(2, 10 * PS_PER_US, 7);
	struct desc d[8], a;

	(void)state;
	for (int i = 0; i < 4; i++)
		bench_post(b, 0, 2 * MTU, 0);
	for (int i = 0; i < 8; i++)
		d[i] = bench_send(b, 0);
	for (int i = 0; i < 4; i++) { /* whole at 1 and 3 us */
		assert_int_equal(give(b, &d[i], i * PS_PER_US, &a), DESC_ACK);
		assert_int_equal(a.psn, i);
	}
	assert_int_equal(give(b, &d[4], 4 * PS_PER_US, &a), DESC_RNR_NAK);
	assert_int_equal(a.psn, 4);
	for (int i = 5; i < 8; i++)
		assert_int_equal(give(b, &d[i], 5 * PS_PER_US, &a), -1);
	assert_int_equal(give(b, &d[3], 6 * PS_PER_US, &a), DESC_ACK); /* a duplicate */
	assert_int_equal(a.psn, 3);
	assert_int_equal(give(b, &d[4], 11 * PS_PER_US - 1, &a), DESC_RNR_NAK);
	assert_int_equal(give(b, &d[4], 11 * PS_PER_US, &a), DESC_ACK);
	assert_int_equal(give(b, &d[5], 12 * PS_PER_US, &a), DESC_ACK);
	/* the second is worked on until 21 us, the third until 31 us */
	assert_int_equal(give(b, &d[6], 21 * PS_PER_US - 1, &a), DESC_RNR_NAK);
	assert_int_equal(give(b, &d[6], 21 * PS_PER_US, &a), DESC_ACK);
	/* a gap in an accepted message is a sequence error as ever */
	bench_post(b, 0, 2 * MTU, 0);
	d[0] = bench_send(b, 0);
	assert_int_equal(give(b, &d[0], 22 * PS_PER_US, &a), DESC_NAK);
	assert_int_equal(a.psn, 7);
	bench_close(b);
}

/* The sender is silent for rnr_timer to the picosecond and sends again from that packet; what
 * an RNR NAK says of earlier packets counts. */
static void the_sender_waits_for_the_rnr_timer(void **state)
{
	struct rnic_bench *b = rnr_bench(1, 0, 7);
	struct rnic *nic = &b->nic[SENDER];
	struct desc d, nak = {.kind = DESC_RNR_NAK, .psn = 2};

	(void)state;
	b->cfg.retransmit_timeout_ps = 5 * PS_PER_US;
	for (int i = 0; i < 3; i++)
		bench_post(b, 0, 2 * MTU, 0);
	for (int i = 0; i < 5; i++)
		d = bench_send(b, 0);
	bench_give(b, &nak, d.t_ps);
	assert_int_equal(b->n.rnr_naks, 1);
	assert_int_equal(nic->n_done, 1);
	assert_false(bench_can_send(b));
	bench_post(b, 0, 2 * MTU, d.t_ps);
	assert_false(bench_can_send(b));
	d.kind = DESC_ACK;
	d.psn = 1; /* late: says nothing new */
	bench_give(b, &d, d.t_ps + 1000);
	for (int64_t t_ps = 0; t_ps < d.t_ps + 20 * PS_PER_US; t_ps += PS_PER_US)
		rnic_timers(nic, t_ps);
	rnic_timers(nic, d.t_ps + 20 * PS_PER_US - 1);
	assert_false(bench_can_send(b));
	rnic_timers(nic, d.t_ps + 20 * PS_PER_US);
	assert_int_equal(rnic_next_tx_ps(nic) <= d.t_ps + 20 * PS_PER_US, true);
	d = bench_send(b, d.t_ps + 20 * PS_PER_US);
	assert_int_equal(d.psn, 2);
	assert_true(d.flags & DESC_RETRANSMIT);
	assert_int_equal(b->n.timeouts, 0);
	bench_close(b);
}

/* rnr_retry 2: the third refusal in a row ends the QP; 7 means for ever; progress starts the
 * count anew. */
static void rnr_retries_are_limited(void **state)
{
	(void)state;
	for (int limit = 2; limit <= 7; limit += 5) {
		struct rnic_bench *b = rnr_bench(1, 0, limit);
		struct rnic *nic = &b->nic[SENDER];
		struct desc nak = {.kind = DESC_RNR_NAK, .psn = 0};
		int64_t t_ps = PS_PER_US;

		bench_post(b, 0, 2 * MTU, 0);
		bench_post(b, 0, 2 * MTU, 0);
		for (int i = 0; i < 30; i++) {
			if (nic->n_done && nic->done[0].status == MSG_FAILED)
				break;
			nak.psn = i < 2 ? 0 : 2; /* progress after two */
			for (int k = 0; k < 4 && bench_can_send(b); k++)
				(void)bench_send(b, t_ps);
			bench_give(b, &nak, t_ps);
			t_ps += 20 * PS_PER_US;
			rnic_timers(nic, t_ps);
		}
		assert_int_equal(b->n.rnr_naks, limit == 2 ? 5 : 30);
		assert_int_equal(b->conn[0].req.state == QP_FAILED, limit == 2);
		bench_close(b);
	}
}

static struct rnic_bench *unreliable_bench(enum qp_transport transport)
{
	struct rnic_bench *b = bench_new();

	b->cfg.retransmit_timeout_ps = PS_PER_US;
	bench_open(b);
	bench_qp(b, 0, 3, 1000);
	rnic_set_transport(&b->nic[SENDER], 0, transport);
	return b;
}

/* No answer to anything, no window, no timer; each message is complete when its last bit has
 * left. */
static void a_message_is_complete_when_it_has_left(void **state)
{
	struct rnic_bench *b = unreliable_bench(QP_UC);
	struct rnic *nic = &b->nic[SENDER];
	struct desc d, a;
	int64_t out_ps[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		bench_post(b, 0, 4 * MTU, 0);
	for (int i = 0; i < 12; i++) {
		d = bench_send(b, 0);
		assert_int_equal(give(b, &d, d.t_ps, &a), -1);
		if (i % 4 == 3) {
			assert_int_equal(nic->timer_ps, d.t_ps);
			rnic_timers(nic, d.t_ps);
			out_ps[i / 4] = nic->busy_until_ps;
			assert_int_equal(nic->timer_ps, nic->busy_until_ps);
			assert_int_equal(nic->n_done, i / 4);
			rnic_timers(nic, nic->busy_until_ps);
			assert_int_equal(nic->n_done, i / 4 + 1);
		}
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nic->done[i].done_ps, out_ps[i]);
		assert_int_equal(nic->done[i].status, MSG_COMPLETED);
	}
	/* closed form: all bits at line rate */
	assert_int_equal(out_ps[2], (12 * (58 + MTU + 24) + 3 * 16) * 80);
	assert_int_equal(rnic_serial_ps(nic, &b->conn[0].req, 4 * MTU), out_ps[0]);
	assert_int_equal(nic->timer_ps, TIME_NEVER);
	assert_int_equal(b->n.unacknowledged_sent, 3);
	assert_int_equal(b->n.unacknowledged_arrived, 3);
	assert_int_equal(b->n.timeouts, 0);
	assert_int_equal(b->conn[0].req.state, QP_IDLE);
	bench_close(b);
}

/* A lost packet costs its message, and no other: the rest of it is dropped, the next first
 * packet begins anew. */
static void a_gap_costs_its_message(void **state)
{
	struct rnic_bench *b = unreliable_bench(QP_UC);
	struct desc d, a;

	(void)state;
	for (int i = 0; i < 5; i++)
		bench_post(b, 0, 4 * MTU, 0);
	for (int i = 0; i < 20; i++) {
		d = bench_send(b, 0);
		b->nic[RECEIVER].received = 0;
		/* a middle one, a first one, a last one; message 4 is whole */
		if (i == 1 || i == 4 || i == 11)
			continue;
		assert_int_equal(give(b, &d, d.t_ps, &a), -1);
		assert_int_equal(b->nic[RECEIVER].received, i == 15 || i == 19);
	}
	rnic_timers(&b->nic[SENDER], PS_PER_MS);
	assert_int_equal(b->n.unacknowledged_sent, 5);
	assert_int_equal(b->n.unacknowledged_arrived, 2);
	assert_int_equal(b->delivered_bytes, (1 + 3 + 8) * MTU);
	bench_close(b);
}

/* A datagram has a DETH of 8 bytes in place of the RETH of 16 (IBTA 9.3.1). */
static void a_datagram_has_its_own_header(void **state)
{
	struct rnic_bench *b = unreliable_bench(QP_UD);
	struct desc d, a;

	(void)state;
	bench_post(b, 0, 1000, 0);
	bench_post(b, 0, 1000, 0);
	d = bench_send(b, 0);
	assert_int_equal(d.frame_bytes, 58 + 8 + 1000);
	assert_int_equal(rnic_serial_ps(&b->nic[SENDER], &b->conn[0].req, 1000),
	        (58 + 8 + 1000 + 24) * 80);
	d = bench_send(b, 0); /* the first was lost */
	assert_int_equal(d.flags, DESC_FIRST | DESC_LAST);
	assert_int_equal(give(b, &d, d.t_ps, &a), -1);
	assert_int_equal(b->n.unacknowledged_arrived, 1);
	bench_close(b);
}

/* CE marks are answered whatever the transport. */
static void cnps_slow_an_unreliable_sender(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc d, a;

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	rnic_set_transport(&b->nic[SENDER], 0, QP_UC);
	bench_post(b, 0, 10 * MTU, 0);
	d = bench_send(b, 0);
	d.flags |= DESC_CE;
	assert_int_equal(give(b, &d, d.t_ps, &a), DESC_CNP);
	bench_give(b, &a, d.t_ps);
	assert_true(b->conn[0].req.rp.rate_bps < BENCH_RATE);
	bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_message_without_receive_is_refused),
	        cmocka_unit_test(the_sender_waits_for_the_rnr_timer),
	        cmocka_unit_test(rnr_retries_are_limited),
	        cmocka_unit_test(a_message_is_complete_when_it_has_left),
	        cmocka_unit_test(a_gap_costs_its_message),
	        cmocka_unit_test(a_datagram_has_its_own_header),
	        cmocka_unit_test(cnps_slow_an_unreliable_sender),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
