/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selective repeat, the sending half (IRN: Mittal et al., SIGCOMM 2018, section 3.1). A packet
 * is lost when one more than nic.reorder_threshold PSNs ahead of it has arrived, and is sent
 * again once, before anything new; snd_nxt goes back to it and returns to snd_max afterwards.
 * Beyond IRN: it is lost once more when a packet arrives that was sent after it was sent again,
 * and after a timeout all that did not arrive is lost, since nothing is on its way any more.
 */
#include <string.h>

#include "gen/rnic/rnic.h"
#include "gen/rnic/selective.h"

static struct sr_tx *recovery_open(struct rnic *nic, struct qp_req *q)
{
	struct sr_tx *t = (struct sr_tx *)chunk_get(nic->pool);

	memset(t, 0, sizeof(*t));
	t->clean = t->high = t->next = t->lost_end = q->snd_una;
	t->mark = q->snd_max;
	q->recovery = t;
	return t;
}

void rnic_selective_end(struct rnic *nic, struct qp_req *q)
{
	if (q->recovery)
		chunk_put(nic->pool, (struct chunk *)q->recovery);
	q->recovery = NULL;
}

/* Room in the map for PSNs that are now in the window. */
static void forget_acknowledged(struct sr_tx *t, const struct qp_req *q)
{
	if (q->snd_una - t->clean >= PSN_MAP_BITS)
		memset(&t->sacked, 0, sizeof(t->sacked));
	else
		for (uint32_t psn = t->clean; psn != q->snd_una; psn++)
			psn_map_clear(&t->sacked, psn);
	t->clean = q->snd_una;
	if (psn_before(t->next, q->snd_una))
		t->next = q->snd_una;
}

/* The first packet that is lost and not sent again; snd_max if there is none. */
static uint32_t next_lost(const struct rnic *nic, struct qp_req *q)
{
	struct sr_tx *t = q->recovery;
	const int64_t threshold = nic->sh->cfg->reorder_threshold;

	for (; psn_before(t->next, q->snd_max); t->next++) {
		if (psn_map_get(&t->sacked, t->next))
			continue;
		if ((int32_t)(t->high - t->next) > threshold ||
		        psn_before(t->next, t->lost_end))
			return t->next;
		break;
	}
	return q->snd_max;
}

/* psn is what the QP sends next. */
static void go_to(struct qp_req *q, uint32_t psn)
{
	struct qp_msgs *f = &q->msgs;

	if (f->cur == f->tail || psn_before(psn, f->ring[f->cur & f->mask].psn0))
		f->cur = f->una;
	while (f->cur != f->tail && !psn_before(psn, f->ring[f->cur & f->mask].psn_end))
		f->cur++;
	q->snd_nxt = psn;
}

/* Where to go on: what is lost, else what was not sent yet. */
void rnic_selective_resume(struct rnic *nic, struct qp_req *q)
{
	forget_acknowledged(q->recovery, q);
	go_to(q, next_lost(nic, q));
}

/* The packet before snd_nxt has just been sent again. */
void rnic_selective_sent(struct rnic *nic, struct qp_req *q)
{
	struct sr_tx *t = q->recovery;

	t->next = q->snd_nxt;
	t->mark = q->snd_max;
	rnic_selective_resume(nic, q);
}

static void start(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	const bool resting = q->state == QP_IDLE || q->state == QP_WINDOW;

	rnic_selective_resume(nic, q);
	if (q->snd_nxt == q->snd_max)
		rnic_recovery_ends(q, now_ps);
	else
		rnic_recovery_begins(q, now_ps);
	if (q->snd_nxt == q->psn_end)
		rnic_requester_rest(nic, q);
	else if (resting)
		rnic_requester_wake(nic, q, now_ps);
}

/* The packet `arrived` is at the receiver, q->snd_una is not. */
void rnic_selective_sack(struct rnic *nic, struct qp_req *q, uint32_t arrived, int64_t now_ps)
{
	struct sr_tx *t = q->recovery;

	if (psn_before(arrived, q->snd_una) || !psn_before(arrived, q->snd_max))
		return;
	if (!t)
		t = recovery_open(nic, q);
	forget_acknowledged(t, q);
	psn_map_set(&t->sacked, arrived);
	if (psn_before(t->high, arrived))
		t->high = arrived;
	/* snd_una was sent again, and what left after it is here */
	if (psn_before(q->snd_una, t->next) &&
	        (int32_t)(arrived - t->mark) >= nic->sh->cfg->reorder_threshold) {
		if (!rnic_requester_retry(nic, q, now_ps))
			return;
		t->next = q->snd_una;
		t->mark = q->snd_max;
	}
	start(nic, q, now_ps);
}

void rnic_selective_timeout(struct rnic *nic, struct qp_req *q, int64_t now_ps)
{
	struct sr_tx *t = q->recovery ? q->recovery : recovery_open(nic, q);

	t->next = q->snd_una;
	t->lost_end = q->snd_max;
	t->mark = q->snd_max;
	start(nic, q, now_ps);
}
