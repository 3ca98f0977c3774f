/* SPDX-License-Identifier: Apache-2.0 */
/* Two NICs with nothing between them: what one sends the test carries over, loses or changes.
 */
#ifndef TESTS_RNIC_BENCH_H
#define TESTS_RNIC_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/rnic/rnic.h"

#define BENCH_CONNS 256
#define BENCH_MTU   1024
#define BENCH_RATE  INT64_C(100000000000)

enum { SENDER, RECEIVER };

struct rnic_bench {
	struct conn conn[BENCH_CONNS];
	struct rnic_cfg cfg;
	struct np_cfg np;
	struct dcqcn_cfg dcqcn;
	struct dcqcn_rp_params rp;
	struct rnic_shared sh;
	struct rnic nic[2];
	struct fifo_pool pool;
	struct run_counters n;
	struct hist latency;
	int64_t delivered_bytes;
};

/* A coarse but valid reaction point: nothing changes by itself within a test. */
static inline struct dcqcn_cfg bench_dcqcn(void)
{
	return (struct dcqcn_cfg){
	        .rpg_time_reset_ps = PS_PER_S,
	        .rpg_threshold = 5,
	        .rpg_ai_rate_bps = 1000000,
	        .rpg_hai_rate_bps = 1000000,
	        .rpg_gd = 11,
	        .rpg_min_dec_fac_percent = 50,
	        .rpg_min_rate_bps = 1000000,
	        .g_q32 = Q32_ONE / 256,
	        .dce_tcp_rtt_ps = PS_PER_S,
	        .rate_reduce_monitor_period_ps = PS_PER_US,
	        .initial_alpha_value = 1023,
	        .first_cnp_cuts = 1,
	};
}

/* cfg, np and dcqcn are set before it, or left 0 for plain go-back-N. */
static inline void bench_open(struct rnic_bench *b)
{
	struct err e = {0};

	if (!b->cfg.ack_every)
		b->cfg.ack_every = 1;
	if (!b->cfg.ack_priority)
		b->cfg.ack_priority = NIC_PRIORITY_SAME;
	if (!b->cfg.receive_rate_bps)
		b->cfg.receive_rate_bps = NIC_RECEIVE_WIRE;
	if (!b->cfg.retry_limit)
		b->cfg.retry_limit = NIC_RETRY_UNLIMITED;
	b->dcqcn = bench_dcqcn();
	dcqcn_rp_params_init(&b->rp, &b->dcqcn, BENCH_RATE);
	b->sh = (struct rnic_shared){
	        .cfg = &b->cfg,
	        .np = &b->np,
	        .frame = {.header_bytes = 58,
	                .reth_bytes = 16,
	                .min_bytes = 60,
	                .ack_bytes = 62,
	                .cnp_bytes = 74,
	                .fcs_bytes = 4,
	                .gap_bytes = 20,
	                .mtu_bytes = BENCH_MTU,
	                .full_bytes = 58 + BENCH_MTU,
	                .time_step_ps = 1},
	        .conn = b->conn,
	        .dcqcn = b->cfg.cc == NIC_CC_DCQCN,
	};
	fifo_pool_init(&b->pool);
	hist_init(&b->latency);
	for (uint32_t i = 0; i < 2; i++) {
		struct rnic *nic = &b->nic[i];

		assert_int_equal(rnic_init(nic, &b->sh, &b->rp, i, 2, BENCH_RATE, &e), 0);
		nic->pool = &b->pool;
		nic->n = &b->n;
		nic->latency = &b->latency;
		nic->delivered_bytes = &b->delivered_bytes;
	}
}

static inline void bench_close(struct rnic_bench *b)
{
	rnic_fini(&b->nic[SENDER]);
	rnic_fini(&b->nic[RECEIVER]);
	fifo_pool_fini(&b->pool);
	free(b);
}

static inline struct rnic_bench *bench_new(void)
{
	struct rnic_bench *b = aligned_alloc(CACHE_LINE, sizeof(*b));

	assert_non_null(b);
	memset(b, 0, sizeof(*b));
	b->cfg.cc = NIC_CC_NONE;
	return b;
}

/* Connection i is the sender's i-th QP. */
static inline void bench_qp(struct rnic_bench *b, uint32_t i, uint8_t priority, int64_t window)
{
	assert_int_equal(rnic_open_qp(&b->nic[SENDER], i, RECEIVER, priority, 0, window), 0);
}

static inline void bench_post(
        struct rnic_bench *b, uint32_t conn, int64_t bytes, int64_t now_ps)
{
	struct qp_msg m = {.bytes = bytes, .post_ps = now_ps};

	assert_int_equal(rnic_post(&b->nic[SENDER], conn, &m, now_ps), 0);
}

/* The sender's next frame as soon as it can send; its time in t_ps. */
static inline struct desc bench_send(struct rnic_bench *b, int64_t now_ps)
{
	struct desc d = {0};
	int64_t at_ps = rnic_next_tx_ps(&b->nic[SENDER]);

	assert_true(at_ps != TIME_NEVER);
	at_ps = at_ps > now_ps ? at_ps : now_ps;
	assert_true(rnic_transmit(&b->nic[SENDER], at_ps, &d));
	d.t_ps = at_ps;
	return d;
}

static inline bool bench_can_send(const struct rnic_bench *b)
{
	return rnic_next_tx_ps(&b->nic[SENDER]) != TIME_NEVER;
}

/* What the receiver answers to d at its time; false: nothing. */
static inline bool bench_answer(struct rnic_bench *b, const struct desc *d, struct desc *answer)
{
	struct rnic *nic = &b->nic[RECEIVER];

	nic->busy_until_ps = d->t_ps; /* its port is free */
	if (rnic_receive(nic, d, d->t_ps, answer))
		return true;
	return nic->ctl_mask && rnic_transmit(nic, d->t_ps, answer);
}

static inline void bench_give(struct rnic_bench *b, const struct desc *d, int64_t now_ps)
{
	struct desc out;

	assert_false(rnic_receive(&b->nic[SENDER], d, now_ps, &out));
}

#endif
