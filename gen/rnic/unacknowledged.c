/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sending half of UC and UD: a message is complete for its sender when the last bit of its
 * last packet has left. Nothing is ever sent again, no timer runs and no window closes.
 */
#include "gen/rnic/rnic.h"

#define DETH_BYTES 8 /* IBTA 9.3.1: of a datagram, which has no RETH */

/* Later than any timer, and not TIME_NEVER, at which the packet path would arm one. */
#define NO_TIMER (TIME_NEVER - 1)

void rnic_set_transport(struct rnic *nic, uint32_t conn, enum qp_transport transport)
{
	struct conn *c = &nic->sh->conn[conn];

	if (transport == QP_RC)
		return;
	c->req.transport = c->rsp.transport = (uint8_t)transport;
	c->req.deadline_ps = NO_TIMER;
	c->req.window_bytes = 0;
	if (!c->rsp.special)
		c->rsp.epsn ^= RNIC_PSN_ASIDE;
	c->rsp.special = true;
}

static int64_t wire_bytes(
        const struct rnic_frame *f, int64_t payload_bytes, int64_t extra_bytes)
{
	int64_t frame_bytes =
	        f->header_bytes + rnic_padded(f, (uint32_t)payload_bytes) + extra_bytes;

	return (frame_bytes > f->min_bytes ? frame_bytes : f->min_bytes) + f->fcs_bytes +
	       f->gap_bytes;
}

/* With a time step each frame is rounded down by itself. */
int64_t rnic_serial_ps(const struct rnic *nic, const struct qp_req *q, int64_t bytes)
{
	const struct rnic_frame *f = &nic->sh->frame;
	const int64_t packets = bytes ? (bytes + f->mtu_bytes - 1) / f->mtu_bytes : 1;
	const int64_t last_bytes = bytes - (packets - 1) * f->mtu_bytes;
	const int64_t extra_bytes =
	        q->transport == QP_UD && f->reth_bytes ? DETH_BYTES : f->reth_bytes;
	const int64_t first =
	        wire_bytes(f, packets > 1 ? f->mtu_bytes : last_bytes, extra_bytes);
	const int64_t full = packets > 2 ? wire_bytes(f, f->mtu_bytes, 0) : 0;
	const int64_t last = packets > 1 ? wire_bytes(f, last_bytes, 0) : 0;
	struct link_rate rate = nic->rate;

	if (rate.step_ps == 1)
		return tx_ps_floor(first + (packets - 2) * full + last, rate.bps);
	return link_rate_tx_ps(&rate, first) +
	       (full ? (packets - 2) * link_rate_tx_ps(&rate, full) : 0) +
	       (last ? link_rate_tx_ps(&rate, last) : 0);
}

/* The last packet of a message starts now. Returns what its frame has beyond that of RC. */
int32_t rnic_unacknowledged_last(struct rnic *nic, const struct qp_req *q, int64_t now_ps)
{
	struct desc d = {.t_ps = TIME_NEVER, .conn = q->conn};

	fifo_push(nic->pool, &nic->gone, &d, 0);
	rnic_timer_at(nic, now_ps); /* to learn when the port is free again */
	if (q->transport != QP_UD || !nic->sh->frame.reth_bytes)
		return 0;
	return DETH_BYTES - (int32_t)nic->sh->frame.reth_bytes;
}

/* Messages whose last packet is out; the one whose packet is on the wire learns its end. */
void rnic_unacknowledged_done(struct rnic *nic, int64_t now_ps)
{
	while (nic->gone.packets) {
		struct desc *d = fifo_head(&nic->gone);
		struct qp_req *q = &nic->sh->conn[d->conn].req;
		struct qp_msg *m;

		if (d->t_ps == TIME_NEVER)
			d->t_ps = nic->busy_until_ps;
		if (d->t_ps > now_ps)
			return;
		fifo_pop(nic->pool, &nic->gone, 0);
		m = &q->msgs.ring[q->msgs.una++ & q->msgs.mask];
		q->snd_una = m->psn_end;
		nic->n->unacknowledged_sent++;
		nic->n->unacknowledged_sent_bytes += m->bytes;
		rnic_finish(nic, q, m, MSG_COMPLETED, now_ps);
	}
}
