/* SPDX-License-Identifier: Apache-2.0 */
/* What may go wrong with one NIC, switched on and off while it runs. */
#include "gen/rnic/rnic.h"
#include "tests/unit/rnic_bench.h"

static void behave(struct rnic *nic, const struct rnic_behaviour *b, int64_t now_ps)
{
	assert_int_equal(rnic_behave(nic, b, now_ps), 0);
	rnic_pause_update(nic, now_ps);
}

static void heal(struct rnic *nic, int64_t now_ps)
{
	const struct rnic_behaviour healthy = rnic_behaviour_healthy();

	behave(nic, &healthy, now_ps);
}

static struct desc pfc(uint8_t classes, uint32_t quanta)
{
	return (struct desc){
	        .kind = DESC_PFC, .psn = 0xff, .sent_unit = classes, .conn = quanta};
}

static void pause_at(struct rnic *nic, uint8_t classes, uint32_t quanta, int64_t now_ps)
{
	struct desc d = pfc(classes, quanta);

	rnic_pfc(nic, &d, now_ps, PS_PER_US);
	rnic_pause_update(nic, now_ps);
}

static struct desc data(uint32_t conn, uint32_t psn, uint8_t flags, int64_t t_ps)
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

/* Every kind of frame is dropped; a damaged packet leaves a gap as a lost one does. */
static void damaged_frames_are_dropped(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[RECEIVER];
	struct desc d, out;

	(void)state;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 4 * BENCH_MTU, 0);
	d = bench_send(b, 0);
	d.flags |= DESC_CORRUPT;
	assert_false(rnic_receive(nic, &d, 1000, &out));
	assert_int_equal(b->n.drops_corrupt, 1);
	assert_int_equal(b->n.data_packets_dropped, 1);
	assert_int_equal(b->n.data_packets_delivered, 0);
	d = bench_send(b, 0);
	assert_true(bench_answer(b, &d, &out));
	assert_int_equal(out.kind, DESC_NAK);
	assert_int_equal(out.psn, 0);
	for (unsigned kind = DESC_ACK; kind <= DESC_CNP; kind++) {
		d = (struct desc){.kind = kind & 15, .flags = DESC_CORRUPT};
		bench_give(b, &d, 2000);
	}
	d = pfc(1 << 3, 100);
	d.flags = DESC_CORRUPT;
	rnic_pfc(&b->nic[SENDER], &d, 3000, 0);
	rnic_pause_update(&b->nic[SENDER], 3000);
	assert_int_equal(b->n.drops_corrupt, 5);
	assert_int_equal(b->n.data_packets_dropped, 1);
	assert_int_equal(b->n.naks, 1); /* the one that answered the gap */
	assert_int_equal(b->conn[0].req.snd_nxt, 2);
	assert_int_equal(b->n.cnp_received, 0);
	assert_int_equal(b->conn[0].req.snd_una, 0);
	assert_true(bench_can_send(b));
	bench_close(b);
}

/* A pause that runs ends when the NIC begins to ignore them; those of the time are not made up
 * for afterwards. */
static void pauses_may_be_ignored(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	struct rnic_behaviour bad = rnic_behaviour_healthy();

	(void)state;
	bad.pfc_ignored = true;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 100 * BENCH_MTU, 0);
	pause_at(nic, 1 << 3, 65535, 0);
	rnic_pause_update(nic, PS_PER_US);
	assert_false(bench_can_send(b));
	behave(nic, &bad, 2 * PS_PER_US);
	assert_true(bench_can_send(b));
	assert_int_equal(nic->pause.paused_ps[3], 2 * PS_PER_US);
	pause_at(nic, 1 << 3, 65535, 3 * PS_PER_US);
	rnic_pause_update(nic, 10 * PS_PER_US);
	assert_true(bench_can_send(b));
	heal(nic, 11 * PS_PER_US);
	assert_true(bench_can_send(b));
	pause_at(nic, 1 << 3, 65535, 12 * PS_PER_US);
	rnic_pause_update(nic, 13 * PS_PER_US);
	assert_false(bench_can_send(b));
	bench_close(b);
}

static void pauses_may_take_effect_late(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	struct rnic_behaviour bad = rnic_behaviour_healthy();

	(void)state;
	bad.pfc_delay_ps = 7 * PS_PER_US;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 100 * BENCH_MTU, 0);
	behave(nic, &bad, 0);
	pause_at(nic, 1 << 3, 65535, 1000);
	rnic_pause_update(nic, 8 * PS_PER_US + 999);
	assert_true(bench_can_send(b));
	rnic_pause_update(nic, 8 * PS_PER_US + 1000); /* 1 us is the response time itself */
	assert_false(bench_can_send(b));
	bench_close(b);
}

/* Data of all QPs go out in the wrong class: their own class's pause no longer holds them. */
static void data_may_ride_in_a_wrong_class(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	struct rnic_behaviour bad = rnic_behaviour_healthy();
	struct desc d;

	(void)state;
	bad.data_priority = 0;
	bench_open(b);
	for (uint32_t i = 0; i < 3; i++) {
		bench_qp(b, i, i == 2 ? 4 : 3, 0);
		bench_post(b, i, 10 * BENCH_MTU, 0);
	}
	pause_at(nic, 1 << 3 | 1 << 4, 65535, 0);
	rnic_pause_update(nic, PS_PER_US);
	assert_false(bench_can_send(b));
	behave(nic, &bad, 2 * PS_PER_US);
	bench_qp(b, 3, 3, 0);
	bench_post(b, 3, 10 * BENCH_MTU, 2 * PS_PER_US);
	for (uint32_t i = 0; i < 8; i++) {
		d = bench_send(b, 2 * PS_PER_US);
		assert_int_equal(d.conn, (i + 1) % 4);
		assert_int_equal(d.priority, 0);
	}
	heal(nic, 3 * PS_PER_US);
	assert_false(bench_can_send(b));
	pause_at(nic, 1 << 3, 0, 4 * PS_PER_US); /* 4 may go, 3 not */
	pause_at(nic, 1 << 3, 65535, 4 * PS_PER_US);
	rnic_pause_update(nic, 5 * PS_PER_US);
	d = bench_send(b, 5 * PS_PER_US);
	assert_int_equal(d.conn, 2);
	assert_int_equal(d.priority, 4);
	bench_close(b);
}

static void cnps_may_be_throttled_and_in_a_wrong_class(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[RECEIVER];
	struct rnic_behaviour bad = rnic_behaviour_healthy();
	struct desc d, out;

	(void)state;
	b->cfg.cc = NIC_CC_DCQCN;
	b->cfg.cnp_priority = 6;
	b->np.min_time_between_cnps_ps = 4 * PS_PER_US;
	bad.cnp_interval_ps = 50 * PS_PER_US;
	bad.cnp_priority = 1;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	for (uint32_t us = 0; us < 200; us++) {
		if (us == 100)
			behave(nic, &bad, us * PS_PER_US);
		d = data(0, us, DESC_CE, us * PS_PER_US);
		(void)rnic_receive(nic, &d, d.t_ps, &out);
		while (rnic_next_tx_ps(nic) != TIME_NEVER) {
			assert_true(rnic_transmit(nic, nic->busy_until_ps, &out));
			if (out.kind == DESC_CNP)
				assert_int_equal(out.priority, us < 100 ? 6 : 1);
		}
		nic->busy_until_ps = d.t_ps;
	}
	assert_int_equal(b->n.cnp_sent, 25 + 1 + 1); /* 0..96; 146, 196 */
	bench_close(b);
}

static void all_queue_pairs_may_share_one_source_port(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	struct rnic_behaviour bad = rnic_behaviour_healthy();

	(void)state;
	bad.source_port = 49152;
	bench_open(b);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(
		        rnic_open_qp(nic, i, i < 3 ? 7 : 8, 3, (uint16_t)(100 + i), 0), 0);
	behave(nic, &bad, 0);
	assert_int_equal(rnic_open_qp(nic, 4, 7, 3, 104, 0), 0);
	rnic_renew_qp(nic, 2, 202);
	assert_int_equal(b->conn[0].req.entropy, b->conn[1].req.entropy);
	assert_int_equal(b->conn[0].req.entropy, b->conn[2].req.entropy);
	assert_int_equal(b->conn[0].req.entropy, b->conn[4].req.entropy);
	assert_true(b->conn[0].req.entropy != b->conn[3].req.entropy); /* another address */
	heal(nic, 1000);
	assert_int_equal(b->conn[0].req.entropy, 100);
	assert_int_equal(b->conn[2].req.entropy, 202);
	assert_int_equal(b->conn[4].req.entropy, 104);
	bench_close(b);
}

/* XOFF for the classes at once and each interval, ahead of everything; at its end nothing. */
static void a_storm_pauses_the_peer(void **state)
{
	struct rnic_bench *b = bench_new();
	struct rnic *nic = &b->nic[SENDER];
	struct rnic_behaviour bad = rnic_behaviour_healthy();
	struct desc d;

	(void)state;
	bad.storm_classes = 1 << 3 | 1 << 5;
	bad.storm_quanta = 1000;
	bad.storm_interval_ps = 5 * PS_PER_US;
	bench_open(b);
	nic->port.pfc_bytes = 60;
	bench_qp(b, 0, 3, 0);
	bench_post(b, 0, 1000 * BENCH_MTU, 0);
	behave(nic, &bad, PS_PER_US);
	for (int64_t i = 0; i < 10; i++) {
		int64_t t_ps = PS_PER_US + i * 5 * PS_PER_US;

		assert_int_equal(nic->timer_ps, t_ps);
		rnic_timers(nic, t_ps);
		d = bench_send(b, t_ps);
		assert_int_equal(d.kind, DESC_PFC);
		assert_int_equal(d.psn, 1 << 3 | 1 << 5);
		assert_int_equal(d.sent_unit, 1 << 3 | 1 << 5);
		assert_int_equal(d.conn, 1000);
		assert_int_equal(nic->busy_until_ps, t_ps + 84 * 80);
		assert_int_equal(bench_send(b, t_ps).kind, DESC_DATA);
	}
	assert_int_equal(b->n.pause_frames, 10);
	heal(nic, 47 * PS_PER_US);
	assert_int_equal(nic->pfc.storm_due_ps, TIME_NEVER);
	rnic_timers(nic, 60 * PS_PER_US);
	assert_int_equal(bench_send(b, 60 * PS_PER_US).kind, DESC_DATA);
	assert_int_equal(b->n.pause_frames, 10);
	assert_int_equal(b->n.resume_frames, 0);
	bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(damaged_frames_are_dropped),
	        cmocka_unit_test(pauses_may_be_ignored),
	        cmocka_unit_test(pauses_may_take_effect_late),
	        cmocka_unit_test(data_may_ride_in_a_wrong_class),
	        cmocka_unit_test(cnps_may_be_throttled_and_in_a_wrong_class),
	        cmocka_unit_test(all_queue_pairs_may_share_one_source_port),
	        cmocka_unit_test(a_storm_pauses_the_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
