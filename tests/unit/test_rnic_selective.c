/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selective repeat between two NICs: exactly the packets that were lost are sent again, when
 * and only when they are known to be lost (IRN: Mittal et al., SIGCOMM 2018, section 3.1).
 */
#include "dataplane/base/rng.h"
#include "gen/rnic/rnic.h"
#include "gen/rnic/selective.h"
#include "tests/unit/rnic_bench.h"

#define MAX_PACKETS 20000
#define PIPE        64 /* packets under way in one direction */

/* A network of a fixed delay in packets; the test says what is lost and what is late. */
struct net {
	struct rnic_bench *b;
	struct rng rng;
	int loss_percent, late_percent, late_most;
	bool (*lose)(struct net *n, const struct desc *d);
	struct desc on_way[PIPE * 4];
	int64_t due[PIPE * 4];
	int n_way;
	int64_t step;
	int copies[MAX_PACKETS]; /* sent, by PSN */
	int lost[MAX_PACKETS];
	int sent;
};

static bool never(struct net *n, const struct desc *d)
{
	(void)n;
	(void)d;
	return false;
}

static bool at_random(struct net *n, const struct desc *d)
{
	(void)d;
	return (int)rng_below(&n->rng, 100) < n->loss_percent;
}

static struct net *net_new(int64_t window, int64_t threshold)
{
	struct net *n = test_calloc(1, sizeof(*n));
	struct rnic_bench *b = bench_new();

	b->cfg.retransmit = NIC_SELECTIVE_REPEAT;
	b->cfg.reorder_window = window;
	b->cfg.reorder_threshold = threshold;
	b->cfg.ack_duplicates = 1;
	bench_open(b);
	bench_qp(b, 0, 3, 0);
	n->b = b;
	n->lose = never;
	n->rng = rng_make(1, 2, RNG_FAULT);
	return n;
}

static void net_free(struct net *n)
{
	bench_close(n->b);
	test_free(n);
}

static void give(struct net *n, const struct desc *d)
{
	struct rnic *nic = &n->b->nic[d->kind == DESC_DATA ? RECEIVER : SENDER];
	struct desc out;

	nic->busy_until_ps = nic->busy_until_ps < n->step ? nic->busy_until_ps : n->step;
	if (rnic_receive(nic, d, n->step, &out))
		give(n, &out); /* answers are there at once */
}

/* One packet time: a frame leaves if one may, and what is due arrives. */
static void net_step(struct net *n, int delay)
{
	struct rnic *nic = &n->b->nic[SENDER];
	struct desc d;

	n->step += 1000;
	nic->busy_until_ps = n->step;
	if (rnic_next_tx_ps(nic) <= n->step && rnic_transmit(nic, n->step, &d)) {
		assert_true(d.psn < MAX_PACKETS);
		assert_int_equal((d.flags & DESC_RETRANSMIT) != 0, n->copies[d.psn] > 0);
		n->copies[d.psn]++;
		n->sent++;
		if (n->lose(n, &d)) {
			n->lost[d.psn]++;
		} else {
			int late = n->late_percent && (int)rng_below(&n->rng, 100) <
			                                      n->late_percent
			                   ? (int)rng_below(&n->rng, (uint64_t)n->late_most)
			                   : 0;

			assert_true(n->n_way < PIPE * 4);
			n->due[n->n_way] = n->step + 1000 * (delay + late);
			n->on_way[n->n_way++] = d;
		}
	}
	for (int i = 0; i < n->n_way; i++) {
		if (n->due[i] > n->step)
			continue;
		d = n->on_way[i];
		n->n_way--;
		memmove(&n->on_way[i], &n->on_way[i + 1], (n->n_way - i) * sizeof(d));
		memmove(&n->due[i], &n->due[i + 1], (n->n_way - i) * sizeof(n->due[0]));
		i--;
		give(n, &d);
	}
	if (nic->timer_ps <= n->step)
		rnic_timers(nic, n->step);
}

static void net_run(struct net *n, int delay, uint32_t messages)
{
	for (int i = 0; i < 4000000 && n->b->nic[SENDER].n_done < messages; i++)
		net_step(n, delay);
	assert_int_equal(n->b->nic[SENDER].n_done, messages);
}

/* Nothing lost, nothing late: as plain as go-back-N, and no memory is taken. */
static void in_order_traffic_needs_nothing(void **state)
{
	struct net *n = net_new(256, 0);

	(void)state;
	bench_post(n->b, 0, 500 * BENCH_MTU, 0);
	net_run(n, 20, 1);
	assert_int_equal(n->sent, 500);
	assert_int_equal(n->b->n.sacks, 0);
	assert_null(n->b->conn[0].req.recovery);
	assert_null(n->b->conn[0].rsp.gap);
	net_free(n);
}

static bool chosen(struct net *n, const struct desc *d)
{
	return n->copies[d->psn] == 1 &&
	       (d->psn == 7 || d->psn == 8 || d->psn == 30 || d->psn == 31);
}

/* Four packets lost once: those four are sent again, right after the packet that tells. */
static void exactly_what_was_lost_is_sent_again(void **state)
{
	struct net *n = net_new(256, 0);

	(void)state;
	n->lose = chosen;
	bench_post(n->b, 0, 100 * BENCH_MTU, 0);
	net_run(n, 20, 1);
	for (int psn = 0; psn < 100; psn++)
		assert_int_equal(n->copies[psn], 1 + n->lost[psn]);
	assert_int_equal(n->sent, 104);
	assert_int_equal(n->b->n.retransmitted_packets, 4);
	assert_int_equal(n->b->n.timeouts, 0);
	assert_int_equal(n->b->delivered_bytes, 100 * BENCH_MTU);
	assert_int_equal(n->b->nic[SENDER].done[0].msg.retransmits, 4);
	assert_null(n->b->conn[0].req.recovery);
	assert_null(n->b->conn[0].rsp.gap);
	assert_int_equal(n->b->nic[RECEIVER].n_gaps, 0);
	net_free(n);
}

static bool twice(struct net *n, const struct desc *d)
{
	return d->psn == 10 && n->copies[10] <= 3;
}

/* A packet that is lost again and again is sent again once a round trip, without the timer, as
 * long as newer packets arrive. */
static void a_lost_retransmission_is_noticed(void **state)
{
	struct net *n = net_new(256, 0);

	(void)state;
	n->lose = twice;
	bench_post(n->b, 0, 200 * BENCH_MTU, 0);
	net_run(n, 20, 1);
	assert_int_equal(n->copies[10], 4);
	assert_int_equal(n->sent, 203);
	assert_int_equal(n->b->n.timeouts, 0);
	net_free(n);
}

static bool tail(struct net *n, const struct desc *d)
{
	return d->psn >= 95 && n->copies[d->psn] == 1;
}

/* The last five are lost: nothing tells but the timer, and then only those are sent again. */
static void the_timer_finds_a_lost_tail(void **state)
{
	struct net *n = net_new(256, 0);

	(void)state;
	n->lose = tail;
	n->b->cfg.retransmit_timeout_ps = 200000;
	bench_post(n->b, 0, 100 * BENCH_MTU, 0);
	net_run(n, 20, 1);
	assert_int_equal(n->b->n.timeouts, 1);
	assert_int_equal(n->sent, 105);
	net_free(n);
}

/* Packets that overtake each other by at most the threshold are not mistaken for losses; with
 * threshold 0 they are. All arrive once, in any case. */
static void reordering_within_the_threshold_is_no_loss(void **state)
{
	(void)state;
	for (int64_t threshold = 0; threshold <= 32; threshold += 32) {
		struct net *n = net_new(256, threshold);

		n->late_percent = 30;
		n->late_most = 30;
		bench_post(n->b, 0, 5000 * BENCH_MTU, 0);
		net_run(n, 20, 1);
		assert_true(n->b->n.sacks > 100);
		assert_int_equal(n->sent > 5000, threshold == 0);
		assert_int_equal(n->b->delivered_bytes, 5000 * BENCH_MTU);
		net_free(n);
	}
}

/* Random loss and lateness below the threshold: no packet is sent more often than it was lost,
 * but for what a timeout sends again, and messages complete in order, each once. */
static void random_loss_is_repaired_exactly(void **state)
{
	static const int threshold[] = {0, 40};

	(void)state;
	for (int i = 0; i < 40; i++) {
		struct net *n = net_new(i % 2 ? 64 : 256, threshold[i & 1]);
		const int loss = i % 8;
		uint32_t seq = 0;

		n->rng = rng_make((uint64_t)i, 3, RNG_FAULT);
		n->lose = at_random;
		n->loss_percent = loss * 3;
		n->late_percent = i & 1 ? 20 : 0;
		n->late_most = 39;
		n->b->cfg.retransmit_timeout_ps = 400000;
		for (uint32_t k = 0; k < 300; k++)
			bench_post(n->b, 0, (1 + k % 17) * BENCH_MTU, 0);
		net_run(n, 1 + i % 20, 300);
		for (uint32_t k = 0; k < 300; k++) {
			const struct rnic_done *d = &n->b->nic[SENDER].done[k];

			assert_int_equal(d->status, MSG_COMPLETED);
			assert_int_equal(d->msg.psn0, seq);
			seq = d->msg.psn_end;
		}
		for (uint32_t psn = 0; psn < seq && !n->b->n.timeouts; psn++)
			assert_int_equal(n->copies[psn], 1 + n->lost[psn]);
		assert_int_equal(n->b->delivered_bytes, (int64_t)seq * BENCH_MTU);
		assert_int_equal(n->b->nic[RECEIVER].n_more + 1, 300);
		assert_null(n->b->conn[0].req.recovery);
		assert_null(n->b->conn[0].rsp.gap);
		net_free(n);
	}
}

static bool all_but_first(struct net *n, const struct desc *d)
{
	(void)n;
	return d->psn > 0;
}

/* retry_limit timeouts in a row and the QP fails, its memory given back. */
static void a_dead_path_fails_the_queue_pair(void **state)
{
	struct net *n = net_new(256, 0);

	(void)state;
	n->lose = all_but_first;
	n->b->cfg.retry_limit = 3;
	n->b->cfg.retransmit_timeout_ps = 200000;
	bench_post(n->b, 0, 100 * BENCH_MTU, 0);
	net_run(n, 5, 1);
	assert_int_equal(n->b->nic[SENDER].done[0].status, MSG_FAILED);
	assert_int_equal(n->b->n.timeouts, 4);
	assert_null(n->b->conn[0].req.recovery);
	net_free(n);
}

/* Beyond the window nothing is kept; the sender never goes there by itself. */
static void the_window_is_never_exceeded(void **state)
{
	struct net *n = net_new(16, 0);
	struct desc out, d = {.psn = 16, .kind = DESC_DATA, .priority = 3, .payload_bytes = 1};

	(void)state;
	n->lose = all_but_first;
	bench_post(n->b, 0, 100 * BENCH_MTU, 0);
	for (int i = 0; i < 100; i++)
		net_step(n, 1);
	assert_int_equal(n->sent, 17); /* one was acknowledged */
	d.psn = 17;
	assert_false(rnic_receive(&n->b->nic[RECEIVER], &d, n->step, &out));
	assert_null(n->b->conn[0].rsp.gap);
	d.psn = 16;
	assert_true(rnic_receive(&n->b->nic[RECEIVER], &d, n->step, &out));
	assert_int_equal(out.kind, DESC_SACK);
	assert_int_equal(out.psn, 1);
	assert_int_equal(out.sent_unit, 16);
	net_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(in_order_traffic_needs_nothing),
	        cmocka_unit_test(exactly_what_was_lost_is_sent_again),
	        cmocka_unit_test(a_lost_retransmission_is_noticed),
	        cmocka_unit_test(the_timer_finds_a_lost_tail),
	        cmocka_unit_test(reordering_within_the_threshold_is_no_loss),
	        cmocka_unit_test(random_loss_is_repaired_exactly),
	        cmocka_unit_test(a_dead_path_fails_the_queue_pair),
	        cmocka_unit_test(the_window_is_never_exceeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
