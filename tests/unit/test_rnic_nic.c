/* SPDX-License-Identifier: Apache-2.0 */
/* The NIC around the queue pairs: whose turn it is, pacing, pause, and the notification point.
 */
#include <stdio.h>

#include "gen/rnic/rnic.h"
#include "tests/unit/rnic_bench.h"

static void queue_pairs_take_turns(void **state)
{
	struct rnic_bench *b = bench_new();

	(void)state;
	bench_open(b);
	for (uint32_t i = 0; i < 130; i++) { /* more than two words of the ready set */
		bench_qp(b, i, i % 2 ? 3 : 4, 0);
		bench_post(b, i, 3 * BENCH_MTU, 0);
	}
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 130; i++) {
			struct desc d = bench_send(b, 0);

			/* the first turn goes to the one after slot 0 */
			assert_int_equal(d.conn, (i + 1) % 130);
			assert_int_equal(d.psn, round);
		}
	assert_false(bench_can_send(b));
	bench_close(b);
}

/* A rate of R bit/s: packet k starts floor(8 W k / R) after the first, however long it goes on;
 * a second queue pair at another rate changes nothing. */
static void pacing_is_exact_over_any_time(void **state)
{
	static const int64_t rate_bps[] = {7000000000, 12345678901, 999999937};
	const int64_t wire_bytes = 58 + BENCH_MTU + 24, first_bytes = wire_bytes + 16;

	(void)state;
	for (size_t i = 0; i < sizeof(rate_bps) / sizeof(rate_bps[0]); i++) {
		struct rnic_bench *b = bench_new();
		int64_t now_ps = 0;

		b->cfg.cc = NIC_CC_DCQCN;
		bench_open(b);
		bench_qp(b, 0, 3, 0);
		b->conn[0].req.rp.rate_bps = rate_bps[i];
		bench_post(b, 0, 20000 * BENCH_MTU, 0);
		for (int64_t k = 0; k < 20000; k++) {
			struct desc d = bench_send(b, now_ps);
			__int128 bytes = k ? first_bytes + (k - 1) * wire_bytes : 0;

			now_ps = d.t_ps;
			assert_int_equal(now_ps, (int64_t)(bytes * 8 * PS_PER_S / rate_bps[i]));
		}
		bench_close(b);
	}
}

/* Two paced queue pairs share the port without losing rate: what one is late by because the
 * other's frame was on the wire is at most that frame. */
static void paced_queue_pairs_are_late_by_one_frame_at_most(void **state)
{
	struct rnic_bench *b = bench_new();
	const int64_t frame_ps = (58 + 16 + BENCH_MTU + 24) * 80;
	int64_t now_ps = 0, due_ps[2] = {0, 0};
	int sent[2] = {0};

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	bench_open(b);
	for (uint32_t i = 0; i < 2; i++) {
		bench_qp(b, i, 3, 0);
		b->conn[i].req.rp.rate_bps = i ? 31000000000 : 13000000000;
		bench_post(b, i, 100000 * BENCH_MTU, 0);
	}
	for (int n = 0; n < 50000; n++) {
		struct desc d = bench_send(b, now_ps);

		now_ps = d.t_ps;
		assert_in_range(now_ps, due_ps[d.conn], due_ps[d.conn] + frame_ps);
		due_ps[d.conn] = b->conn[d.conn].req.next_ps;
		sent[d.conn]++;
	}
	/* shares as the rates, less what lateness costs: a start that was late is forgiven */
	assert_in_range(sent[1] * 100 / sent[0], 215, 262); /* 31 / 13, give or take 10 % */
	bench_close(b);
}

static struct desc data_from(uint32_t conn, uint32_t psn, uint8_t flags, int64_t t_ps)
{
	return (struct desc){.t_ps = t_ps,
	        .conn = conn,
	        .psn = psn,
	        .frame_bytes = 58 + BENCH_MTU,
	        .payload_bytes = BENCH_MTU,
	        .kind = DESC_DATA,
	        .priority = 3,
	        .flags = flags};
}

/* Data, ACKs and a CNP wait at the receiver's own busy port: the CNP's priority first, then the
 * ACKs, then data. */
static void control_goes_before_data(void **state)
{
	static const uint8_t order[] = {DESC_CNP, DESC_ACK, DESC_ACK, DESC_DATA};
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[RECEIVER];
	struct qp_msg m = {.bytes = 10 * BENCH_MTU};
	struct desc d, out;

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	b->cfg.cnp_priority = 6;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	assert_int_equal(rnic_open_qp(nic, 1, SENDER, 3, 0, 0), 0);
	assert_int_equal(rnic_post(nic, 1, &m, 0), 0);
	assert_true(rnic_transmit(nic, 0, &d)); /* busy for 88 ns */
	for (uint32_t psn = 0; psn < 2; psn++) {
		d = data_from(0, psn, psn ? DESC_CE : 0, 1000 + psn);
		assert_false(rnic_receive(nic, &d, d.t_ps, &out));
	}
	for (size_t i = 0; i < sizeof(order); i++) {
		assert_int_equal(rnic_next_tx_ps(nic), nic->busy_until_ps);
		assert_true(rnic_transmit(nic, nic->busy_until_ps, &d));
		assert_int_equal(d.kind, order[i]);
	}
	bench_close(b);
}

static void pause(struct rnic *nic, uint8_t priorities, uint32_t quanta, int64_t now_ps)
{
	struct desc d = {
	        .kind = DESC_PFC, .psn = 0xff, .sent_unit = priorities, .conn = quanta};

	rnic_pfc(nic, &d, now_ps, 0);
	rnic_pause_update(nic, now_ps);
}

static void paused_priority_waits_and_others_go_on(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];

	(void)state;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_qp(b, 1, 4, 0);
	bench_post(b, 0, 4 * BENCH_MTU, 0);
	bench_post(b, 1, 2 * BENCH_MTU, 0);
	pause(nic, 1 << 3, 100, 0);
	assert_int_equal(bench_send(b, 0).conn, 1);
	assert_int_equal(bench_send(b, 0).conn, 1);
	assert_false(bench_can_send(b));
	pause(nic, 0, 0, PS_PER_US);
	assert_int_equal(bench_send(b, PS_PER_US).t_ps, PS_PER_US);
	/* 100 quanta of 512 bits at 100G: 512 ns */
	pause(nic, 1 << 3, 100, 2 * PS_PER_US);
	rnic_pause_update(nic, 2 * PS_PER_US + 511999);
	assert_false(bench_can_send(b));
	rnic_pause_update(nic, 2 * PS_PER_US + 512000);
	assert_true(bench_can_send(b));
	bench_close(b);
}

static void acks_obey_pause_or_do_not(void **state)
{
	(void)state;
	for (int obeys = 0; obeys < 2; obeys++) {
		struct rnic_bench *b = bench_new();
		struct desc d, out;

		b->cfg.ack_obeys_pause = obeys;
		bench_open(b);
		bench_qp(b, 0, 3, 0);
		pause(&b->nic[RECEIVER], 1 << 3, 1000, 0);
		d = data_from(0, 0, DESC_LAST, 1000);
		assert_int_equal(rnic_receive(&b->nic[RECEIVER], &d, 1000, &out), !obeys);
		assert_true(
		        obeys == (rnic_next_tx_ps(&b->nic[RECEIVER]) == TIME_NEVER) || !obeys);
		if (obeys) {
			pause(&b->nic[RECEIVER], 0, 0, 2000);
			assert_true(rnic_transmit(&b->nic[RECEIVER], 2000, &out));
		}
		assert_int_equal(out.kind, DESC_ACK);
		bench_close(b);
	}
}

/* CE marks of two queue pairs of one host, each every microsecond, interval 4 us: CNPs per
 * queue pair, or for both together. NVIDIA: cnp timer per QP, per destination IP or per port.
 */
static void marks_are_answered_once_per_interval_and_scope(void **state)
{
	static const int want[] = {[NP_SCOPE_QP] = 6, [NP_SCOPE_IP] = 3, [NP_SCOPE_PORT] = 3};

	(void)state;
	for (int scope = NP_SCOPE_QP; scope <= NP_SCOPE_PORT; scope++) {
		struct rnic_bench *b = bench_new();

		b->cfg.cc = NIC_CC_DCQCN;
		b->np.scope = scope;
		b->np.min_time_between_cnps_ps = 4 * PS_PER_US;
		bench_open(b);
		bench_qp(b, 0, 3, 0);
		bench_qp(b, 1, 3, 0);
		for (uint32_t us = 0; us < 10; us++)
			for (uint32_t c = 0; c < 2; c++) {
				struct desc out, d = data_from(c, us, DESC_CE, us * PS_PER_US);

				(void)rnic_receive(&b->nic[RECEIVER], &d, d.t_ps, &out);
			}
		assert_int_equal(b->n.cnp_sent, want[scope]); /* at 0, 4 and 8 us */
		bench_close(b);
	}
}

static void cnp_waits_for_the_delay(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[RECEIVER];
	struct desc d, out;

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	b->np.delay_ps = 3 * PS_PER_US;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	d = data_from(0, 0, DESC_CE, 1000);
	assert_true(rnic_receive(nic, &d, d.t_ps, &out));
	assert_int_equal(out.kind, DESC_ACK);
	assert_int_equal(nic->timer_ps, 1000 + 3 * PS_PER_US);
	rnic_timers(nic, 3 * PS_PER_US + 999);
	assert_int_equal(rnic_next_tx_ps(nic), TIME_NEVER);
	rnic_timers(nic, 3 * PS_PER_US + 1000);
	assert_true(rnic_transmit(nic, 3 * PS_PER_US + 1000, &out));
	assert_int_equal(out.kind, DESC_CNP);
	assert_int_equal(nic->timer_ps, TIME_NEVER);
	bench_close(b);
}

/* np.carrier: ack. The mark rides on the next ACK, which may come packets later. */
static void mark_rides_on_the_next_ack(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc d, out;

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	b->cfg.ack_every = 3;
	b->np.carrier = NP_CARRIER_ACK;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	for (uint32_t psn = 0; psn < 6; psn++) {
		d = data_from(0, psn, psn == 1 ? DESC_CE : 0, psn * PS_PER_US);
		assert_int_equal(bench_answer(b, &d, &out), psn % 3 == 2);
		if (psn % 3 == 2)
			assert_int_equal((out.flags & DESC_CNP_ECHO) != 0, psn == 2);
	}
	assert_int_equal(b->n.cnp_sent, 1);
	out.flags |= DESC_CNP_ECHO;
	bench_give(b, &out, 7 * PS_PER_US);
	assert_int_equal(b->n.cnp_received, 1);
	assert_int_equal(b->conn[0].req.rp.cuts, 1);
	bench_close(b);
}

/* A CNP that is still on its way when its QP begins anew says nothing about the new flow. */
static void a_stale_cnp_does_not_slow_the_next_flow(void **state)
{
	struct rnic_bench *b = bench_new();
	struct desc d, cnp, ack = {.kind = DESC_ACK, .psn = 1};

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	b->np.delay_ps = 3 * PS_PER_US;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 2 * BENCH_MTU, 0);
	(void)bench_send(b, 0);
	d = bench_send(b, 0);
	d.flags |= DESC_CE;
	cnp = (struct desc){.kind = DESC_CNP, .psn = d.psn};
	bench_give(b, &ack, d.t_ps);
	rnic_renew_qp(&b->nic[SENDER], 0, 7);
	bench_post(b, 0, 2 * BENCH_MTU, d.t_ps);
	bench_give(b, &cnp, d.t_ps + 1000);
	assert_int_equal(b->n.cnp_received, 1);
	assert_int_equal(b->conn[0].req.rp.cuts, 0);
	cnp.psn = bench_send(b, d.t_ps).psn;
	bench_give(b, &cnp, d.t_ps + 2000);
	assert_int_equal(b->conn[0].req.rp.cuts, 1);
	/* what a receiver answers names the marked packet */
	cnp = (struct desc){0};
	d.psn = 5;
	(void)rnic_receive(&b->nic[RECEIVER], &d, PS_PER_MS, &cnp);
	rnic_timers(&b->nic[RECEIVER], PS_PER_MS + 3 * PS_PER_US);
	do
		assert_true(rnic_transmit(&b->nic[RECEIVER], PS_PER_S, &cnp));
	while (cnp.kind != DESC_CNP);
	assert_int_equal(cnp.psn, 5);
	bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(queue_pairs_take_turns),
	        cmocka_unit_test(pacing_is_exact_over_any_time),
	        cmocka_unit_test(paced_queue_pairs_are_late_by_one_frame_at_most),
	        cmocka_unit_test(control_goes_before_data),
	        cmocka_unit_test(paused_priority_waits_and_others_go_on),
	        cmocka_unit_test(acks_obey_pause_or_do_not),
	        cmocka_unit_test(marks_are_answered_once_per_interval_and_scope),
	        cmocka_unit_test(cnp_waits_for_the_delay),
	        cmocka_unit_test(mark_rides_on_the_next_ack),
	        cmocka_unit_test(a_stale_cnp_does_not_slow_the_next_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
