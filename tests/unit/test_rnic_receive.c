/* SPDX-License-Identifier: Apache-2.0 */
/* The receive buffer of a slow host, by hand: when packets leave it, when the peer is paused.
 */
#include "gen/rnic/rnic.h"
#include "tests/unit/rnic_bench.h"

#define FRAME   (58 + BENCH_MTU)
#define BUFFER  (FRAME + 4)                     /* in the buffer */
#define WIRE    (FRAME + 24)                    /* on the wire */
#define TAKE_PS (WIRE * INT64_C(8) * 1000 / 40) /* at 40 Gb/s */

static struct desc data(uint32_t psn, uint8_t flags, int64_t t_ps)
{
	return (struct desc){.t_ps = t_ps,
	        .psn = psn,
	        .frame_bytes = FRAME,
	        .payload_bytes = BENCH_MTU,
	        .kind = DESC_DATA,
	        .priority = 3,
	        .flags = flags};
}

/* A buffer of 8 frames: XOFF above 4, XON at 3. */
static struct rnic_bench *slow_bench(int64_t rate_bps)
{
	struct rnic_bench *b = bench_new();

	b->cfg.receive_rate_bps = rate_bps;
	bench_open(b);
	b->nic[RECEIVER].port = (struct rnic_port){.buffer_bytes = 8 * BUFFER,
	        .xoff_bytes = 4 * BUFFER,
	        .xon_bytes = 3 * BUFFER,
	        .quanta = 1000,
	        .refresh_ps = 2 * PS_PER_US,
	        .pfc_bytes = 60,
	        .lossless = 1 << 3};
	bench_qp(b, 0, 3, 0);
	return b;
}

static void arrive(struct rnic_bench *b, uint32_t psn, int64_t t_ps)
{
	struct desc out, d = data(psn, DESC_LAST, t_ps);

	b->nic[RECEIVER].received = b->nic[RECEIVER].n_more = 0;
	assert_false(rnic_receive(&b->nic[RECEIVER], &d, t_ps, &out));
}

/* Runs timers and port up to t_ps; returns the frames sent, the last one in *out. */
static int run_to(struct rnic_bench *b, int64_t t_ps, struct desc *out)
{
	struct rnic *nic = &b->nic[RECEIVER];
	int sent = 0;

	while (nic->timer_ps <= t_ps) {
		int64_t now_ps = nic->timer_ps;

		rnic_timers(nic, now_ps);
		nic->busy_until_ps = now_ps;
		while (rnic_next_tx_ps(nic) != TIME_NEVER) {
			assert_true(rnic_transmit(nic, nic->busy_until_ps, out));
			sent++;
		}
	}
	return sent;
}

/* Each packet takes its wire bytes over the rate, one after the other, and is acknowledged
 * then. */
static void packets_leave_at_the_hosts_rate(void **state)
{
	struct rnic_bench *b = slow_bench(40 * INT64_C(1000000000));
	struct rnic *nic = &b->nic[RECEIVER];
	struct desc out;

	(void)state;
	for (uint32_t psn = 0; psn < 3; psn++)
		arrive(b, psn, 1000 + psn * 10000);
	assert_int_equal(b->n.data_packets_delivered, 0);
	for (uint32_t psn = 0; psn < 3; psn++) {
		int64_t t_ps = 1000 + (psn + 1) * TAKE_PS;

		assert_int_equal(nic->timer_ps, t_ps);
		assert_int_equal(run_to(b, t_ps - 1, &out), 0);
		assert_int_equal(run_to(b, t_ps, &out), 1);
		assert_int_equal(out.kind, DESC_ACK);
		assert_int_equal(out.psn, psn);
		assert_int_equal(b->n.data_packets_delivered, psn + 1);
	}
	assert_int_equal(nic->received, 1);
	assert_int_equal(nic->n_more, 2); /* nobody took them away */
	assert_int_equal(nic->timer_ps, TIME_NEVER);
	/* after a pause of the sender the next one takes its time from its arrival */
	arrive(b, 3, PS_PER_MS);
	assert_int_equal(nic->timer_ps, PS_PER_MS + TAKE_PS);
	bench_close(b);
}

/* XOFF with the fifth frame in the buffer, not before; a refresh while it holds; XON when three
 * are left; the ninth frame finds no room. */
static void peer_is_paused_and_resumed(void **state)
{
	struct rnic_bench *b = slow_bench(1000000); /* all but nothing */
	struct rnic *nic = &b->nic[RECEIVER];
	struct rnic_behaviour good = rnic_behaviour_healthy();
	struct desc out = {0};

	(void)state;
	for (uint32_t psn = 0; psn < 4; psn++)
		arrive(b, psn, psn * 1000);
	assert_int_equal(rnic_next_tx_ps(nic), TIME_NEVER);
	arrive(b, 4, 5000);
	assert_true(rnic_transmit(nic, 5000, &out));
	assert_int_equal(out.kind, DESC_PFC);
	assert_int_equal(out.psn, 1 << 3);
	assert_int_equal(out.sent_unit, 1 << 3);
	assert_int_equal(out.conn, 1000);
	assert_int_equal(out.frame_bytes, 60);
	arrive(b, 5, 6000);
	assert_int_equal(rnic_next_tx_ps(nic), TIME_NEVER); /* told once */
	assert_int_equal(nic->timer_ps, 5000 + 2 * PS_PER_US);
	assert_int_equal(run_to(b, 5000 + 2 * PS_PER_US, &out), 1);
	assert_int_equal(out.sent_unit, 1 << 3);
	assert_int_equal(b->n.pause_frames, 2);
	arrive(b, 6, 3 * PS_PER_US);
	arrive(b, 7, 3 * PS_PER_US);
	assert_int_equal(b->n.drops_host, 0);
	arrive(b, 8, 3 * PS_PER_US);
	assert_int_equal(b->n.drops_host, 1);
	assert_int_equal(b->n.data_packets_dropped, 1);
	good.receive_rate_bps = 40 * INT64_C(1000000000);
	assert_int_equal(rnic_behave(nic, &good, 3 * PS_PER_US), 0);
	nic->rx.due_ps = nic->timer_ps = 3 * PS_PER_US; /* else the first takes 9 ms */
	assert_int_equal(run_to(b, 3 * PS_PER_US + 3 * TAKE_PS, &out) >= 4, true);
	assert_int_equal(b->n.resume_frames, 0);
	assert_int_equal(nic->pfc.told, 1 << 3);
	(void)run_to(b, 3 * PS_PER_US + 4 * TAKE_PS, &out);
	assert_int_equal(b->n.resume_frames, 1); /* five have left: three are in */
	assert_int_equal(nic->pfc.told, 0);
	bench_close(b);
}

/* rate 0: the host hangs; later it goes on, then it keeps up and the buffer empties at once, in
 * order, and packets again go straight to their QP. */
static void a_host_hangs_and_recovers(void **state)
{
	struct rnic_bench *b = slow_bench(NIC_RECEIVE_WIRE);
	struct rnic *nic = &b->nic[RECEIVER];
	struct rnic_behaviour bad = rnic_behaviour_healthy();
	struct desc out, d;

	(void)state;
	d = data(0, 0, 1000);
	assert_true(rnic_receive(nic, &d, d.t_ps, &out));
	bad.receive_rate_bps = 0;
	assert_int_equal(rnic_behave(nic, &bad, 2000), 0);
	for (uint32_t psn = 1; psn < 4; psn++)
		arrive(b, psn, 2000 + psn);
	assert_int_equal(nic->timer_ps, TIME_NEVER);
	bad.receive_rate_bps = 40 * INT64_C(1000000000);
	assert_int_equal(rnic_behave(nic, &bad, PS_PER_US), 0);
	assert_int_equal(nic->timer_ps, PS_PER_US + TAKE_PS);
	assert_int_equal(run_to(b, PS_PER_US + TAKE_PS, &out), 1);
	bad = rnic_behaviour_healthy();
	assert_int_equal(rnic_behave(nic, &bad, PS_PER_US + TAKE_PS + 5), 0);
	assert_int_equal(nic->timer_ps, PS_PER_US + TAKE_PS + 5);
	d = data(
	        4, 0, PS_PER_US + TAKE_PS + 5); /* arrives at that instant: behind the others */
	assert_false(rnic_receive(nic, &d, d.t_ps, &out));
	assert_int_equal(run_to(b, d.t_ps, &out), 3);
	assert_int_equal(out.psn, 4);
	assert_int_equal(b->n.data_packets_delivered, 5);
	assert_false(nic->rx_slow);
	nic->busy_until_ps = 0;
	d = data(5, 0, 2 * PS_PER_US);
	assert_true(rnic_receive(nic, &d, d.t_ps, &out));
	bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(packets_leave_at_the_hosts_rate),
	        cmocka_unit_test(peer_is_paused_and_resumed),
	        cmocka_unit_test(a_host_hangs_and_recovers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
