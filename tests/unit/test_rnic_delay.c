/* SPDX-License-Identifier: Apache-2.0 */
/* What held a message up: pause, rate, recovery, each to the picosecond. */
#include "gen/rnic/rnic.h"
#include "tests/unit/rnic_bench.h"

#define WIRE (58 + BENCH_MTU + 24)

static void ack(struct rnic_bench *b, uint32_t psn, int64_t t_ps)
{
	struct desc d = {.kind = DESC_ACK, .psn = psn};

	bench_give(b, &d, t_ps);
}

static void pause(struct rnic *nic, bool on, int64_t t_ps)
{
	struct desc d = {.kind = DESC_PFC,
	        .psn = 1 << 3,
	        .sent_unit = on ? 1 << 3 : 0,
	        .conn = on ? 65535 : 0};

	rnic_pfc(nic, &d, t_ps, 0);
	rnic_pause_update(nic, t_ps);
}

/* Ten packets at a tenth of the line rate: nine gaps, each nine tenths of which are waiting. A
 * second message on the same QP waits for the rest of the gap that runs as well. */
static void waiting_for_the_rate(void **state)
{
	struct rnic_bench *b = bench_new();
	const struct rnic_done *done = NULL;
	int64_t t_ps = 0;

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	b->conn[0].req.rp.rate_bps = BENCH_RATE / 10;
	bench_post(b, 0, 10 * BENCH_MTU, 0);
	for (int i = 0; i < 10; i++)
		t_ps = bench_send(b, t_ps).t_ps;
	ack(b, 9, t_ps + 1000);
	done = &b->nic[SENDER].done[0];
	/* the first packet is 16 bytes longer */
	assert_int_equal(done->msg.limited_ps, (9 * WIRE + 16) * 80 * 9);
	assert_int_equal(done->msg.paused_ps, 0);
	assert_int_equal(done->msg.recovery_ps, 0);
	/* posted when the port is free and 500 WIRE * 80 / 100 of the gap are left */
	bench_post(b, 0, BENCH_MTU, t_ps + 5 * WIRE * 80);
	t_ps = bench_send(b, t_ps).t_ps;
	ack(b, 10, t_ps + 1000);
	assert_int_equal(b->nic[SENDER].done[1].msg.limited_ps, 5 * WIRE * 80);
	bench_close(b);
}

/* Paused before the first packet and between two; a pause after the last one does not count. */
static void waiting_for_the_class(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];

	(void)state;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	pause(nic, true, 0);
	bench_post(b, 0, 2 * BENCH_MTU, PS_PER_US);
	pause(nic, false, 3 * PS_PER_US);
	assert_int_equal(bench_send(b, 3 * PS_PER_US).psn, 0);
	pause(nic, true, 4 * PS_PER_US);
	pause(nic, false, 9 * PS_PER_US);
	assert_int_equal(bench_send(b, 9 * PS_PER_US).psn, 1);
	pause(nic, true, 10 * PS_PER_US);
	ack(b, 1, 20 * PS_PER_US);
	assert_int_equal(nic->done[0].msg.paused_ps, (2 + 5) * PS_PER_US);
	assert_int_equal(nic->done[0].msg.limited_ps, 0);
	bench_close(b);
}

/* Go-back-N from the NAK on until all is sent that had been; after a timeout the wait counts.
 */
static void making_up_for_a_loss(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	struct desc nak = {.kind = DESC_NAK, .psn = 1};
	int64_t t_ps = 0;

	(void)state;
	b->cfg.retransmit_timeout_ps = 50 * PS_PER_US;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 4 * BENCH_MTU, 0);
	for (int i = 0; i < 3; i++)
		t_ps = bench_send(b, t_ps).t_ps;
	bench_give(b, &nak, 2 * PS_PER_US);
	t_ps = 2 * PS_PER_US;
	for (uint32_t psn = 1; psn < 4; psn++) {
		struct desc d = bench_send(b, t_ps);

		assert_int_equal(d.psn, psn);
		t_ps = d.t_ps;
	}
	/* 1 and 2 were sent again; 3 was new */
	assert_int_equal(b->conn[0].req.recovered_ps, WIRE * 80);
	ack(b, 2, 10 * PS_PER_US);
	rnic_timers(nic, 60 * PS_PER_US); /* 3 was lost */
	assert_int_equal(bench_send(b, 61 * PS_PER_US).psn, 3);
	ack(b, 3, 70 * PS_PER_US);
	assert_int_equal(nic->done[0].msg.recovery_ps, WIRE * 80 + 51 * PS_PER_US);
	bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(waiting_for_the_rate),
	        cmocka_unit_test(waiting_for_the_class),
	        cmocka_unit_test(making_up_for_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
