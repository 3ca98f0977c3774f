/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/rnic/rnic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/heap.h"
#include "gen/cc/dcqcn_np.h"

int rnic_init(struct rnic *nic, const struct rnic_shared *sh, const struct dcqcn_rp_params *rp,
        uint32_t host, uint32_t n_hosts, int64_t rate_bps, struct err *e)
{
	*nic = (struct rnic){
	        .sh = sh,
	        .rp_params = rp,
	        .host = host,
	        .timer_ps = TIME_NEVER,
	        .np_last_port_ps = DCQCN_NP_NEVER,
	        .np = *sh->np,
	        .cnp_priority = (uint8_t)sh->cfg->cnp_priority,
	        .ctl_ignores_pause = sh->cfg->ack_obeys_pause ? 0 : 0xff,
	};
	link_rate_init(&nic->rate, rate_bps, sh->frame.time_step_ps);
	nic->behave = rnic_behaviour_healthy();
	nic->pfc.refresh_due_ps = nic->pfc.storm_due_ps = TIME_NEVER;
	rnic_rx_init(nic);
	if (sh->np->scope != NP_SCOPE_IP)
		return 0;
	nic->np_last_ip_ps = malloc(n_hosts * sizeof(*nic->np_last_ip_ps));
	if (!nic->np_last_ip_ps)
		return err_set(e, -ENOMEM, "no memory for the CNP timers of host %u", host);
	for (uint32_t i = 0; i < n_hosts; i++)
		nic->np_last_ip_ps[i] = DCQCN_NP_NEVER;
	return 0;
}

void rnic_fini(struct rnic *nic)
{
	for (uint32_t i = 0; i < nic->n_slots; i++) {
		struct qp_msgs *m = &nic->sh->conn[nic->slot_conn[i]].req.msgs;

		if (m->ring != &m->one)
			free(m->ring);
	}
	for (int i = 0; i < PRIORITIES; i++)
		free(nic->ready[i]);
	free(nic->pace);
	free(nic->slot_conn);
	free(nic->rto);
	free(nic->np_last_ip_ps);
	free(nic->done);
	free(nic->more);
}

/* Makes room for one more QP in every per-slot array. */
static int reserve_slot(struct rnic *nic)
{
	uint32_t cap = nic->cap_slots ? nic->cap_slots * 2 : 4;
	void *p;

	if (nic->n_slots < nic->cap_slots)
		return 0;
	if (nic->n_slots >= RNIC_MAX_QPS)
		return -ENOSPC;
	p = reallocarray(nic->slot_conn, cap, sizeof(*nic->slot_conn));
	if (!p)
		return -ENOMEM;
	nic->slot_conn = p;
	p = reallocarray(nic->pace, cap, sizeof(*nic->pace));
	if (!p)
		return -ENOMEM;
	nic->pace = p;
	for (int i = 0; i < PRIORITIES; i++) {
		uint32_t old_words = (nic->cap_slots + 63) / 64, words = (cap + 63) / 64;

		if (!nic->ready[i] || words == old_words)
			continue;
		p = reallocarray(nic->ready[i], words, sizeof(uint64_t));
		if (!p)
			return -ENOMEM;
		nic->ready[i] = p;
		memset(nic->ready[i] + old_words, 0, (words - old_words) * sizeof(uint64_t));
	}
	nic->cap_slots = cap;
	return 0;
}

/* Selective repeat: no more in flight than the receiver keeps. */
static int64_t window_of(const struct rnic *nic, int64_t window_bytes)
{
	const struct rnic_cfg *cfg = nic->sh->cfg;
	const int64_t most_bytes = cfg->reorder_window * nic->sh->frame.mtu_bytes;

	if (cfg->retransmit != NIC_SELECTIVE_REPEAT)
		return window_bytes;
	return window_bytes > 0 && window_bytes < most_bytes ? window_bytes : most_bytes;
}

int rnic_open_qp(struct rnic *nic, uint32_t conn, uint32_t dst, uint8_t own_priority,
        uint16_t entropy, int64_t window_bytes)
{
	const uint8_t priority = nic->behave.data_priority >= 0
	                                 ? (uint8_t)nic->behave.data_priority
	                                 : own_priority;
	struct conn *c = &nic->sh->conn[conn];
	int rc = reserve_slot(nic);

	if (rc)
		return rc;
	if (!nic->ready[priority]) {
		nic->ready[priority] = calloc((nic->cap_slots + 63) / 64, sizeof(uint64_t));
		if (!nic->ready[priority])
			return -ENOMEM;
	}
	c->src = (uint16_t)nic->host;
	c->req.conn = conn;
	c->req.slot = nic->n_slots;
	c->req.dst = (uint16_t)dst;
	c->req.own_entropy = entropy;
	c->req.own_priority = own_priority;
	c->req.entropy = rnic_entropy(nic, &c->req);
	c->req.priority = priority;
	c->req.window_bytes = window_of(nic, window_bytes);
	c->req.deadline_ps = TIME_NEVER;
	c->req.armed_ps = TIME_NEVER;
	c->req.recovering_ps = TIME_NEVER;
	c->req.msgs.ring = &c->req.msgs.one;
	dcqcn_rp_init(&c->req.rp, nic->rp_params);
	c->rsp.last_cnp_ps = DCQCN_NP_NEVER;
	if (nic->sh->cfg->receive_queue != NIC_RECEIVE_NO_LIMIT) {
		c->rsp.special = true;
		c->rsp.epsn ^= RNIC_PSN_ASIDE;
	}
	nic->slot_conn[nic->n_slots++] = conn;
	return 0;
}

void rnic_renew_qp(struct rnic *nic, uint32_t conn, uint16_t entropy)
{
	struct qp_req *q = &nic->sh->conn[conn].req;

	nic->n->rate_cuts += q->rp.cuts;
	nic->n->rate_increases += q->rp.increases;
	q->own_entropy = entropy;
	q->entropy = rnic_entropy(nic, q);
	q->next_ps = 0;
	q->pace_carry = 0;
	q->renewed_psn = q->psn_end;
	dcqcn_rp_init(&q->rp, nic->rp_params);
}

static int msgs_push(struct qp_msgs *f, const struct qp_msg *m)
{
	uint32_t n = f->tail - f->una;

	if (n == f->mask + 1) {
		uint32_t cap = (f->mask + 1) * 2;
		struct qp_msg *ring = malloc(cap * sizeof(*ring));

		if (!ring)
			return -ENOMEM;
		for (uint32_t i = f->una; i != f->tail; i++)
			ring[i & (cap - 1)] = f->ring[i & f->mask];
		if (f->ring != &f->one)
			free(f->ring);
		f->ring = ring;
		f->mask = cap - 1;
	}
	f->ring[f->tail++ & f->mask] = *m;
	return 0;
}

int rnic_post(struct rnic *nic, uint32_t conn, const struct qp_msg *in, int64_t now_ps)
{
	struct qp_req *q = &nic->sh->conn[conn].req;
	const uint32_t mtu = nic->sh->frame.mtu_bytes;
	struct qp_msg m = *in;
	int64_t packets = (m.bytes + mtu - 1) / mtu;
	int rc;

	m.psn0 = q->psn_end;
	m.psn_end = m.psn0 + (uint32_t)(packets ? packets : 1);
	m.first_ps = TIME_NEVER;
	m.retransmits = 0;
	rnic_delay_begin(nic, q, &m, now_ps);
	if (q->state == QP_FAILED) {
		rnic_finish(nic, q, &m, MSG_FAILED, now_ps);
		return 0;
	}
	rc = msgs_push(&q->msgs, &m);
	if (rc)
		return rc;
	q->psn_end = m.psn_end;
	if (q->state == QP_IDLE)
		rnic_requester_wake(nic, q, now_ps);
	return 0;
}

void rnic_finish(struct rnic *nic, struct qp_req *q, const struct qp_msg *m, uint8_t status,
        int64_t now_ps)
{
	if (nic->n_done == nic->cap_done) {
		uint32_t cap = nic->cap_done ? nic->cap_done * 2 : 4;

		nic->done = reallocarray(nic->done, cap, sizeof(*nic->done));
		CHECK(nic->done);
		nic->cap_done = cap;
	}
	nic->done[nic->n_done] = (struct rnic_done){
	        .conn = q->conn, .status = status, .done_ps = now_ps, .msg = *m};
	nic->done[nic->n_done++].msg.recovery_ps = rnic_delay_recovery_ps(q, m, now_ps);
}

static ALWAYS_INLINE void receive_cnp(struct rnic *nic, const struct desc *d, int64_t now_ps)
{
	struct qp_req *q = &nic->sh->conn[d->conn].req;

	nic->n->cnp_received++;
	if (nic->sh->dcqcn && LIKELY(!psn_before(d->psn, q->renewed_psn)))
		dcqcn_rp_cnp(&q->rp, nic->rp_params, now_ps);
}

/* What may not go straight to its QP. */
static NOINLINE bool receive_aside(
        struct rnic *nic, const struct desc *d, int64_t now_ps, struct desc *out)
{
	if (d->flags & DESC_CORRUPT) { /* the ICRC or the FCS tells (IBTA 9.4.1) */
		rnic_drop(nic, d, &nic->n->drops_corrupt);
	} else if (d->kind == DESC_DATA) {
		rnic_rx_arrival(nic, d, now_ps);
	} else { /* only data wait for the host */
		nic->rx_slow = 0;
		(void)rnic_receive(nic, d, now_ps, out); /* has no answer */
		nic->rx_slow = RNIC_SLOW;
	}
	return false;
}

static NOINLINE void receive_seldom(struct rnic *nic, const struct desc *d, int64_t now_ps)
{
	switch (d->kind) {
	case DESC_CNP:
		receive_cnp(nic, d, now_ps);
		break;
	case DESC_SACK:
		rnic_requester_sack(nic, d, now_ps);
		break;
	case DESC_RNR_NAK:
		rnic_requester_rnr(nic, d, now_ps);
		break;
	default:
		CHECK(!"a PFC frame goes to rnic_pfc");
	}
}

bool rnic_receive(struct rnic *nic, const struct desc *d, int64_t now_ps, struct desc *out)
{
	if (UNLIKELY((d->flags | nic->rx_slow) & DESC_CORRUPT))
		return receive_aside(nic, d, now_ps, out);
	if (LIKELY(d->kind == DESC_DATA))
		return rnic_responder_data(nic, d, now_ps, out);
	if (LIKELY(d->kind == DESC_ACK || d->kind == DESC_NAK))
		rnic_requester_ack(nic, d, now_ps);
	else
		receive_seldom(nic, d, now_ps);
	return false;
}

void rnic_pfc(struct rnic *nic, const struct desc *d, int64_t now_ps, int64_t response_ps)
{
	if (d->flags & DESC_CORRUPT) {
		rnic_drop(nic, d, &nic->n->drops_corrupt);
		return;
	}
	if (!nic->behave.pfc_ignored &&
	        (d->entropy == PFC_VALID || d->entropy == PFC_ZERO_SOURCE))
		pause_rx_frame(&nic->pause, d, nic->rate.bps, now_ps,
		        response_ps + nic->behave.pfc_delay_ps);
}

void rnic_pause_update(struct rnic *nic, int64_t now_ps)
{
	(void)pause_rx_update(
	        &nic->pause, now_ps); /* the caller asks for both parts of the answer */
	nic->blocked = nic->pause.blocked;
}

static void timer_refresh(struct rnic *nic)
{
	nic->timer_ps = nic->n_rto ? (int64_t)(nic->rto[0] >> RNIC_SLOT_BITS) : TIME_NEVER;
	if (nic->cnp_wait.packets && fifo_head(&nic->cnp_wait)->t_ps < nic->timer_ps)
		nic->timer_ps = fifo_head(&nic->cnp_wait)->t_ps;
	if (nic->gone.packets)
		rnic_timer_at(nic, fifo_head(&nic->gone)->t_ps);
	rnic_timer_at(nic, nic->rx.due_ps);
	rnic_timer_at(nic, nic->pfc.refresh_due_ps);
	rnic_timer_at(nic, nic->pfc.storm_due_ps);
}

void rnic_arrived_more(struct rnic *nic, uint32_t conn)
{
	if (nic->n_more == nic->cap_more) {
		nic->cap_more = nic->cap_more ? nic->cap_more * 2 : 4;
		nic->more = reallocarray(nic->more, nic->cap_more, sizeof(*nic->more));
		CHECK(nic->more);
	}
	nic->more[nic->n_more++] = conn + 1;
}

int64_t rnic_timeout_ps(const struct rnic *nic, const struct qp_req *q)
{
	int shift = nic->sh->cfg->retransmit_backoff ? q->retries : 0;

	return nic->sh->cfg->retransmit_timeout_ps << (shift > 10 ? 10 : shift);
}

void rnic_arm_rto(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	if (nic->sh->cfg->retransmit_timeout_ps)
		rnic_arm(nic, q, now_ps + rnic_timeout_ps(nic, q));
}

/* The deadline comes before the heap entry that counts. */
void rnic_arm_sooner(struct rnic *nic, struct qp_req *q)
{
	if (nic->n_rto == nic->cap_rto) {
		uint32_t cap = nic->cap_rto ? nic->cap_rto * 2 : 4;

		nic->rto = reallocarray(nic->rto, cap, sizeof(*nic->rto));
		CHECK(nic->rto);
		nic->cap_rto = cap;
	}
	q->armed_ps = q->deadline_ps;
	heap_push(nic->rto, &nic->n_rto, (uint64_t)q->armed_ps << RNIC_SLOT_BITS | q->slot);
	rnic_timer_at(nic, q->armed_ps);
}

void rnic_timers(struct rnic *nic, int64_t now_ps)
{
	while (nic->cnp_wait.packets && fifo_head(&nic->cnp_wait)->t_ps <= now_ps) {
		struct desc d = *fifo_head(&nic->cnp_wait);

		fifo_pop(nic->pool, &nic->cnp_wait, d.frame_bytes);
		rnic_send_control(nic, &d);
	}
	if (nic->gone.packets)
		rnic_unacknowledged_done(nic, now_ps);
	if (nic->rx.due_ps <= now_ps)
		rnic_rx_drain(nic, now_ps);
	while (nic->n_rto && (int64_t)(nic->rto[0] >> RNIC_SLOT_BITS) <= now_ps) {
		uint64_t key = heap_pop(nic->rto, &nic->n_rto);
		uint32_t slot = (uint32_t)key & (RNIC_MAX_QPS - 1);
		struct qp_req *q = &nic->sh->conn[nic->slot_conn[slot]].req;

		if ((int64_t)(key >> RNIC_SLOT_BITS) != q->armed_ps)
			continue; /* an earlier entry took its place */
		q->armed_ps = TIME_NEVER;
		if (q->deadline_ps == TIME_NEVER)
			continue;
		if (q->deadline_ps <= now_ps) {
			rnic_requester_timeout(nic, q, now_ps);
		} else {
			q->armed_ps = q->deadline_ps;
			heap_push(nic->rto, &nic->n_rto,
			        (uint64_t)q->armed_ps << RNIC_SLOT_BITS | slot);
		}
	}
	rnic_pfc_timers(nic, now_ps);
	timer_refresh(nic);
}
