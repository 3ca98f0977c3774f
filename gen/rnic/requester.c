/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sending half: round robin among eligible QPs, pacing, acknowledgements, go-back-N and
 * timeouts (IBTA vol. 1, 9.7). Budget of the packet path: under 20 ns for one frame.
 */
#include "gen/rnic/rnic.h"

#include "dataplane/base/heap.h"

static ALWAYS_INLINE void ready_add(struct rnic *nic, struct qp_req *q)
{
	q->state = QP_READY;
	nic->ready[q->priority][q->slot >> 6] |= UINT64_C(1) << (q->slot & 63);
	if (nic->ready_count[q->priority]++ == 0)
		nic->ready_mask |= (uint16_t)(1u << q->priority);
}

static ALWAYS_INLINE void ready_del(struct rnic *nic, struct qp_req *q)
{
	nic->ready[q->priority][q->slot >> 6] &= ~(UINT64_C(1) << (q->slot & 63));
	if (--nic->ready_count[q->priority] == 0)
		nic->ready_mask &= (uint16_t) ~(1u << q->priority);
}

/* Until its time comes, or until its rate may change where the gap follows it. */
static ALWAYS_INLINE void pace_add(struct rnic *nic, struct qp_req *q)
{
	int64_t wake_ps = q->next_ps;

	if (nic->sh->pacing_follows && q->rp.due_ps < wake_ps)
		wake_ps = q->rp.due_ps;
	q->state = QP_PACED;
	heap_push(nic->pace, &nic->n_pace, (uint64_t)wake_ps << RNIC_SLOT_BITS | q->slot);
}

static NOINLINE bool window_open_slow(const struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	int64_t window_bytes = q->window_bytes;
	int64_t in_flight_bytes;

	in_flight_bytes = (int64_t)(q->snd_nxt - q->snd_una) * nic->sh->frame.mtu_bytes;
	if (nic->sh->cfg->window_scales_with_rate && nic->sh->dcqcn) {
		if (now_ps >= q->rp.due_ps)
			dcqcn_rp_advance(&q->rp, nic->rp_params, now_ps);
		window_bytes = (int64_t)((__int128)window_bytes * dcqcn_rp_rate_bps(&q->rp) /
		                         nic->rate.bps);
		if (window_bytes < 1)
			window_bytes = 1;
	}
	return in_flight_bytes < window_bytes;
}

static ALWAYS_INLINE bool window_open(const struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	return LIKELY(q->window_bytes <= 0) || window_open_slow(nic, q, now_ps);
}

/* Puts a QP with data, not in any set, where it belongs. */
void rnic_requester_wake(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	if (!window_open(nic, q, now_ps))
		q->state = QP_WINDOW;
	else if (q->next_ps <= now_ps)
		ready_add(nic, q);
	else
		pace_add(nic, q);
}

/* From now on its data are of another class. */
void rnic_requester_move(struct rnic *nic, struct qp_req *q, uint8_t priority)
{
	const bool ready = q->state == QP_READY;

	if (ready)
		ready_del(nic, q);
	q->priority = priority;
	if (ready)
		ready_add(nic, q);
}

/* Slots of the unblocked ready QPs in word w. */
static ALWAYS_INLINE uint64_t ready_word(const struct rnic *nic, unsigned mask, uint32_t w)
{
	uint64_t bits = 0;

	for (unsigned m = mask; m; m &= m - 1)
		bits |= nic->ready[__builtin_ctz(m)][w];
	return bits;
}

/* The next ready slot after the last one served, cyclically. */
static ALWAYS_INLINE uint32_t pick_slot(const struct rnic *nic, unsigned mask)
{
	const uint32_t words = (nic->n_slots + 63) / 64;
	uint32_t start = nic->last_slot + 1 < nic->n_slots ? nic->last_slot + 1 : 0;
	uint32_t w = start >> 6;
	uint64_t bits = ready_word(nic, mask, w) & (~UINT64_C(0) << (start & 63));

	for (uint32_t i = 0; !bits && i < words; i++) {
		w = w + 1 < words ? w + 1 : 0;
		bits = ready_word(nic, mask, w);
	}
	ASSERT(bits);
	return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* The gap of q->pace_num at a rate below that of the link. */
static ALWAYS_INLINE int64_t gap_ps(const struct rnic *nic, struct qp_req *q, int64_t rate_bps)
{
	int64_t t_ps;

	q->pace_bps = rate_bps;
	if (UNLIKELY(nic->rate.step_ps > 1)) {
		t_ps = (q->pace_num - 1) / rate_bps;
		return t_ps - t_ps % nic->rate.step_ps;
	}
	t_ps = q->pace_num / rate_bps;
	q->pace_carry = q->pace_num - t_ps * rate_bps;
	return t_ps;
}

/* When the next packet may start after one that has just taken the port. */
static ALWAYS_INLINE int64_t pace(
        const struct rnic *nic, struct qp_req *q, int64_t now_ps, int64_t wire_bytes)
{
	int64_t rate_bps = nic->sh->dcqcn ? dcqcn_rp_rate_bps(&q->rp) : nic->rate.bps;
	int64_t next_ps;

	if (rate_bps >= nic->rate.bps)
		return nic->busy_until_ps;
	q->sent_ps = now_ps;
	q->pace_num = wire_bytes * INT64_C(8000000000000) + q->pace_carry;
	next_ps = now_ps + gap_ps(nic, q, rate_bps);
	q->limited_ps += next_ps - nic->busy_until_ps;
	return next_ps;
}

/* The time of a paced QP has come; true if its rate has changed and it must wait on. */
static ALWAYS_INLINE bool waits_on(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	int64_t rate_bps;

	if (!nic->sh->pacing_follows)
		return false;
	if (now_ps >= q->rp.due_ps)
		dcqcn_rp_advance(&q->rp, nic->rp_params, now_ps);
	rate_bps = dcqcn_rp_rate_bps(&q->rp);
	if (UNLIKELY(rate_bps != q->pace_bps)) {
		int64_t former_ps = q->next_ps;

		q->next_ps = q->sent_ps + gap_ps(nic, q, rate_bps);
		q->limited_ps += (q->next_ps > now_ps ? q->next_ps : now_ps) - former_ps;
	}
	return q->next_ps > now_ps;
}

static ALWAYS_INLINE void build_data(
        struct rnic *nic, struct qp_req *q, int64_t now_ps, struct desc *d)
{
	const struct rnic_frame *f = &nic->sh->frame;
	struct qp_msg *m = &q->msgs.ring[q->msgs.cur & q->msgs.mask];
	const uint32_t psn = q->snd_nxt, k = psn - m->psn0;
	const bool last = psn + 1 == m->psn_end;
	uint32_t payload = f->mtu_bytes, frame_bytes = f->full_bytes;
	uint8_t flags = nic->sh->cfg->ect ? DESC_ECT : 0;

	if (k == 0) {
		flags |= DESC_FIRST;
		frame_bytes += f->reth_bytes;
		if (m->first_ps == TIME_NEVER)
			m->first_ps = now_ps;
	}
	if (last) {
		payload = (uint32_t)(m->bytes - (int64_t)k * f->mtu_bytes);
		frame_bytes -= rnic_padded(f, f->mtu_bytes) - rnic_padded(f, payload);
		flags |= DESC_LAST;
		q->msgs.cur++;
		rnic_delay_sent(nic, q, m, now_ps);
		if (UNLIKELY(q->transport != QP_RC))
			frame_bytes += (uint32_t)rnic_unacknowledged_last(nic, q, now_ps);
	}
	q->snd_nxt = psn + 1;
	if (UNLIKELY(psn_before(psn, q->snd_max))) {
		flags |= DESC_RETRANSMIT;
		m->retransmits++;
		nic->n->retransmitted_packets++;
		if (q->recovery)
			rnic_selective_sent(nic, q);
		if (q->snd_nxt == q->snd_max)
			rnic_recovery_ends(q, now_ps);
	} else {
		q->snd_max = psn + 1;
	}
	if (UNLIKELY(frame_bytes < f->min_bytes))
		frame_bytes = f->min_bytes;
	*d = (struct desc){
	        .conn = q->conn,
	        .psn = psn,
	        .sent_unit = (uint32_t)((uint64_t)now_ps >> DESC_SENT_SHIFT),
	        .dst = q->dst,
	        .frame_bytes = (uint16_t)frame_bytes,
	        .payload_bytes = (uint16_t)payload,
	        .entropy = q->entropy,
	        .kind = DESC_DATA,
	        .priority = q->priority & 7,
	        .flags = flags,
	};
	nic->n->data_packets_sent++;
}

/* The QP whose turn it is; one whose window a rate cut has shut meanwhile steps aside. */
static ALWAYS_INLINE struct qp_req *next_qp(struct rnic *nic, unsigned open, int64_t now_ps)
{
	unsigned mask;

	while ((mask = nic->ready_mask & open) != 0) {
		uint32_t slot = pick_slot(nic, mask);
		struct qp_req *q = &nic->sh->conn[nic->slot_conn[slot]].req;

		if (LIKELY(window_open(nic, q, now_ps))) {
			nic->last_slot = slot;
			return q;
		}
		ready_del(nic, q);
		q->state = QP_WINDOW;
	}
	return NULL;
}

static ALWAYS_INLINE void transmit_data(
        struct rnic *nic, struct qp_req *q, int64_t now_ps, struct desc *d)
{
	int64_t wire_bytes;

	build_data(nic, q, now_ps, d);
	wire_bytes = rnic_occupy(nic, d->frame_bytes, now_ps);
	if (nic->sh->dcqcn)
		dcqcn_rp_sent(&q->rp, nic->rp_params, wire_bytes, now_ps);
	q->next_ps = pace(nic, q, now_ps, wire_bytes);
	if (q->deadline_ps == TIME_NEVER)
		rnic_arm_rto(nic, q, now_ps);
	/* What a QP may come to wait for it must ask for, or coalescing would keep it back for
	 * ever; a window that follows the rate may shut after any packet. */
	if (UNLIKELY(q->window_bytes > 0) && nic->sh->cfg->window_scales_with_rate)
		d->flags |= DESC_ACK_REQ;
	if (q->snd_nxt == q->psn_end) {
		ready_del(nic, q);
		q->state = QP_IDLE;
	} else if (UNLIKELY(!window_open(nic, q, now_ps))) {
		ready_del(nic, q);
		q->state = QP_WINDOW;
		d->flags |= DESC_ACK_REQ;
	} else if (q->next_ps > nic->busy_until_ps) {
		ready_del(nic, q);
		pace_add(nic, q);
	}
}

static ALWAYS_INLINE void transmit_control(
        struct rnic *nic, unsigned mask, int64_t now_ps, struct desc *d)
{
	int pr = 31 - __builtin_clz(mask);

	if (UNLIKELY(pr == RNIC_CTL_PFC)) {
		rnic_pfc_build(nic, now_ps, d);
	} else {
		struct fifo *q = &nic->ctl[pr];

		*d = *fifo_head(q);
		fifo_pop(nic->pool, q, d->frame_bytes);
		if (!q->packets)
			nic->ctl_mask &= (uint16_t) ~(1u << pr);
	}
	(void)rnic_occupy(nic, d->frame_bytes, now_ps); /* only the time matters */
}

bool rnic_transmit(struct rnic *nic, int64_t now_ps, struct desc *d)
{
	const unsigned open = ~(unsigned)nic->blocked;
	struct qp_req *q;
	unsigned mask;

	while (nic->n_pace && (int64_t)(nic->pace[0] >> RNIC_SLOT_BITS) <= now_ps) {
		uint32_t slot =
		        (uint32_t)heap_pop(nic->pace, &nic->n_pace) & (RNIC_MAX_QPS - 1);
		struct qp_req *p = &nic->sh->conn[nic->slot_conn[slot]].req;

		if (waits_on(nic, p, now_ps))
			pace_add(nic, p);
		else
			ready_add(nic, p);
	}
	mask = nic->ctl_mask & (open | nic->ctl_ignores_pause);
	if (mask) {
		transmit_control(nic, mask, now_ps, d);
		return true;
	}
	q = next_qp(nic, open, now_ps);
	if (!q)
		return false;
	transmit_data(nic, q, now_ps, d);
	return true;
}

/* Takes a QP out of whatever set it is in; the pacing heap is searched (rare: loss only). */
static void unschedule(struct rnic *nic, struct qp_req *q)
{
	if (q->state == QP_READY)
		ready_del(nic, q);
	if (q->state != QP_PACED)
		return;
	for (uint32_t i = 0; i < nic->n_pace; i++) {
		if (((uint32_t)nic->pace[i] & (RNIC_MAX_QPS - 1)) != q->slot)
			continue;
		nic->pace[i] = nic->pace[--nic->n_pace];
		for (uint32_t k = nic->n_pace / 2; k-- > 0;)
			heap_sift_down(nic->pace, nic->n_pace, k, nic->pace[k]);
		break;
	}
}

/* Nothing to send. */
void rnic_requester_rest(struct rnic *nic, struct qp_req *q)
{
	unschedule(nic, q);
	q->state = QP_IDLE;
}

static void fail(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	unschedule(nic, q);
	rnic_selective_end(nic, q);
	q->state = QP_FAILED;
	q->deadline_ps = TIME_NEVER;
	for (; q->msgs.una != q->msgs.tail; q->msgs.una++)
		rnic_finish(
		        nic, q, &q->msgs.ring[q->msgs.una & q->msgs.mask], MSG_FAILED, now_ps);
}

/* Sends again from the oldest unacknowledged packet (go-back-N). */
static void go_back(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	if (q->snd_nxt == q->snd_una)
		return;
	rnic_recovery_begins(q, now_ps);
	q->snd_nxt = q->snd_una;
	q->msgs.cur = q->msgs.una;
	if (q->state == QP_IDLE || q->state == QP_WINDOW)
		rnic_requester_wake(nic, q, now_ps);
}

bool rnic_requester_retry(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	const int64_t limit = nic->sh->cfg->retry_limit;

	if (limit >= 0 && q->retries >= limit) {
		fail(nic, q, now_ps);
		return false;
	}
	if (q->retries < UINT8_MAX)
		q->retries++;
	return true;
}

void rnic_requester_timeout(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	if (q->state == QP_RNR) {
		q->deadline_ps = TIME_NEVER;
		rnic_requester_wake(nic, q, now_ps);
		return;
	}
	if (nic->sh->cfg->retransmit == NIC_RETRANSMIT_NONE)
		return;
	nic->n->timeouts++;
	rnic_recovery_begins(q, now_ps - rnic_timeout_ps(nic, q)); /* it waited for that */
	if (!rnic_requester_retry(nic, q, now_ps))
		return;
	if (nic->sh->cfg->retransmit == NIC_SELECTIVE_REPEAT)
		rnic_selective_timeout(nic, q, now_ps);
	else
		go_back(nic, q, now_ps);
	rnic_arm_rto(nic, q, now_ps);
}

static ALWAYS_INLINE void acknowledge(
        struct rnic *nic, struct qp_req *q, uint32_t una, int64_t now_ps)
{
	q->snd_una = una;
	q->all_retries = 0;
	if (UNLIKELY(psn_before(q->snd_nxt, una))) { /* acknowledged while going back */
		q->snd_nxt = una;
		while (q->msgs.cur != q->msgs.tail &&
		        !psn_before(una, q->msgs.ring[q->msgs.cur & q->msgs.mask].psn_end))
			q->msgs.cur++;
		if (q->recovery)
			rnic_selective_resume(nic, q);
		if (q->snd_nxt == q->snd_max)
			rnic_recovery_ends(q, now_ps);
		if (q->snd_nxt == q->psn_end)
			rnic_requester_rest(nic, q);
	}
	q->deadline_ps = TIME_NEVER;
	if (una != q->snd_nxt && nic->sh->cfg->retransmit_timeout_ps) /* the first try */
		rnic_arm(nic, q, now_ps + nic->sh->cfg->retransmit_timeout_ps);
	while (q->msgs.una != q->msgs.tail) {
		struct qp_msg *m = &q->msgs.ring[q->msgs.una & q->msgs.mask];

		if (psn_before(una, m->psn_end))
			break;
		q->msgs.una++;
		rnic_finish(nic, q, m, MSG_COMPLETED, now_ps);
		if (UNLIKELY(q->recovery != NULL) && una == q->snd_max)
			rnic_selective_end(nic, q);
	}
}

static ALWAYS_INLINE void echoed(
        struct rnic *nic, struct qp_req *q, const struct desc *d, int64_t now_ps)
{
	if (LIKELY(!(d->flags & DESC_CNP_ECHO)))
		return;
	nic->n->cnp_received++;
	if (nic->sh->dcqcn && !psn_before(d->psn, q->renewed_psn))
		dcqcn_rp_cnp(&q->rp, nic->rp_params, now_ps);
}

void rnic_requester_ack(struct rnic *nic, const struct desc *d, int64_t now_ps)
{
	struct qp_req *q = &nic->sh->conn[d->conn].req;
	const uint32_t una = d->kind == DESC_ACK ? d->psn + 1 : d->psn;

	echoed(nic, q, d, now_ps);
	if (UNLIKELY(q->state >= QP_FAILED))
		return;
	if (LIKELY(psn_before(q->snd_una, una) && !psn_before(q->snd_max, una)))
		acknowledge(nic, q, una, now_ps);
	if (UNLIKELY(d->kind == DESC_NAK) && una == q->snd_una && una != q->psn_end) {
		if (nic->sh->cfg->retransmit != NIC_RETRANSMIT_NONE &&
		        rnic_requester_retry(nic, q, now_ps))
			go_back(nic, q, now_ps);
	} else if (UNLIKELY(q->state == QP_WINDOW)) {
		rnic_requester_wake(nic, q, now_ps);
	}
}

/* The responder expects d->psn and has just got d->sent_unit. */
void rnic_requester_sack(struct rnic *nic, const struct desc *d, int64_t now_ps)
{
	struct qp_req *q = &nic->sh->conn[d->conn].req;

	echoed(nic, q, d, now_ps);
	if (q->state >= QP_FAILED)
		return;
	nic->n->sacks++;
	if (psn_before(q->snd_una, d->psn) && !psn_before(q->snd_max, d->psn))
		acknowledge(nic, q, d->psn, now_ps);
	rnic_selective_sack(nic, q, d->sent_unit, now_ps);
	if (q->state == QP_WINDOW)
		rnic_requester_wake(nic, q, now_ps);
}

/* The receiver has no receive for the message that begins at d->psn (IBTA 9.7.5.2.8): all
 * before it has arrived, and it is sent again after the RNR timer. */
void rnic_requester_rnr(struct rnic *nic, const struct desc *d, int64_t now_ps)
{
	const struct rnic_cfg *cfg = nic->sh->cfg;
	struct qp_req *q = &nic->sh->conn[d->conn].req;

	echoed(nic, q, d, now_ps);
	if (q->state >= QP_FAILED)
		return;
	nic->n->rnr_naks++;
	if (psn_before(q->snd_una, d->psn) && !psn_before(q->snd_max, d->psn))
		acknowledge(nic, q, d->psn, now_ps);
	if (d->psn != q->snd_una || q->snd_una == q->snd_max ||
	        cfg->retransmit == NIC_RETRANSMIT_NONE)
		return;
	if (cfg->rnr_retry != NIC_RNR_UNLIMITED && q->rnr_retries >= cfg->rnr_retry) {
		fail(nic, q, now_ps);
		return;
	}
	if (q->rnr_retries < NIC_RNR_UNLIMITED)
		q->rnr_retries++;
	unschedule(nic, q);
	rnic_recovery_begins(q, now_ps);
	q->state = QP_RNR;
	q->snd_nxt = q->snd_una;
	q->msgs.cur = q->msgs.una;
	rnic_arm(nic, q, now_ps + cfg->rnr_timer_ps);
}
