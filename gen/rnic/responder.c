/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receiving half: in-order delivery, ACK coalescing, NAK once per gap, and the notification
 * point that answers CE marks with CNPs (IBTA vol. 1, 9.7.5; RoCEv2 annex A17.9; DCQCN 3.1).
 */
#include "gen/rnic/rnic.h"

#include "gen/cc/dcqcn_np.h"

/* An answer: goes into *out at once when the port is free and nothing waits before it, else
 * into its queue. */
static ALWAYS_INLINE bool reply(struct rnic *nic, struct conn *c, const struct desc *d,
        uint8_t kind, uint32_t psn, int64_t now_ps, struct desc *out)
{
	const struct rnic_cfg *cfg = nic->sh->cfg;
	int64_t priority =
	        cfg->ack_priority == NIC_PRIORITY_SAME ? d->priority : cfg->ack_priority;
	uint8_t flags = cfg->ack_ect ? DESC_ECT : 0;

	nic->n->ecn_eligible_packets += cfg->ack_ect;
	if (UNLIKELY(c->rsp.echo)) {
		c->rsp.echo = false;
		flags |= DESC_CNP_ECHO;
		nic->n->cnp_sent++;
	}
	*out = (struct desc){
	        .conn = d->conn,
	        .psn = psn,
	        .sent_unit = (uint32_t)((uint64_t)now_ps >> DESC_SENT_SHIFT),
	        .dst = c->src,
	        .frame_bytes = (uint16_t)nic->sh->frame.ack_bytes,
	        .entropy = d->entropy,
	        .kind = kind & 15u,
	        .priority = priority & 7,
	        .flags = flags,
	};
	if (UNLIKELY(kind == DESC_SACK))
		out->sent_unit = d->psn;
	if (LIKELY(nic->busy_until_ps <= now_ps && !nic->ctl_mask &&
	            !(nic->blocked & ~(unsigned)nic->ctl_ignores_pause &
	                    (1u << out->priority)))) {
		(void)rnic_occupy(nic, out->frame_bytes, now_ps); /* only the time matters */
		return true;
	}
	rnic_send_control(nic, out);
	return false;
}

bool rnic_reply(struct rnic *nic, struct conn *c, const struct desc *d, uint8_t kind,
        uint32_t psn, int64_t now_ps, struct desc *out)
{
	return reply(nic, c, d, kind, psn, now_ps, out);
}

static int64_t *np_clock(struct rnic *nic, struct conn *c)
{
	switch (nic->sh->np->scope) {
	case NP_SCOPE_PORT:
		return &nic->np_last_port_ps;
	case NP_SCOPE_IP:
		return &nic->np_last_ip_ps[c->src];
	default:
		return &c->rsp.last_cnp_ps;
	}
}

static NOINLINE void notify(
        struct rnic *nic, struct conn *c, const struct desc *d, int64_t now_ps)
{
	const struct np_cfg *np = &nic->np;
	struct desc cnp = {
	        .t_ps = now_ps + np->delay_ps,
	        .conn = d->conn,
	        .psn = d->psn,
	        .sent_unit = (uint32_t)((uint64_t)now_ps >> DESC_SENT_SHIFT),
	        .dst = c->src,
	        .frame_bytes = (uint16_t)nic->sh->frame.cnp_bytes,
	        .entropy = d->entropy,
	        .kind = DESC_CNP,
	        .priority = nic->cnp_priority & 7,
	};

	if (!dcqcn_np_ce(np_clock(nic, c), np, now_ps))
		return;
	if (np->carrier == NP_CARRIER_ACK) {
		c->rsp.echo = true;
		return;
	}
	nic->n->cnp_sent++;
	if (!np->delay_ps) {
		rnic_send_control(nic, &cnp);
		return;
	}
	fifo_push(nic->pool, &nic->cnp_wait, &cnp, cnp.frame_bytes);
	rnic_timer_at(nic, cnp.t_ps);
}

/* A duplicate or a gap: the packet is not the one that is expected, epsn. */
bool rnic_out_of_order(struct rnic *nic, struct conn *c, const struct desc *d, uint32_t epsn,
        int64_t now_ps, struct desc *out)
{
	const struct rnic_cfg *cfg = nic->sh->cfg;
	struct qp_rsp *r = &c->rsp;

	if (psn_before(d->psn, epsn)) /* seen before */
		return cfg->ack_duplicates && reply(nic, c, d, DESC_ACK, epsn - 1, now_ps, out);
	if (r->nak_sent && r->nak_psn == epsn &&
	        (!cfg->nak_interval_ps || now_ps < r->last_nak_ps + cfg->nak_interval_ps))
		return false;
	nic->n->naks++;
	r->nak_sent = true;
	r->nak_psn = epsn;
	r->last_nak_ps = now_ps;
	r->unacked = 0;
	return reply(nic, c, d, DESC_NAK, epsn, now_ps, out);
}

static NOINLINE bool unexpected(struct rnic *nic, struct conn *c, const struct desc *d,
        int64_t now_ps, struct desc *out)
{
	if (c->rsp.special)
		return rnic_responder_special(nic, c, d, now_ps, out);
	if (nic->sh->cfg->retransmit == NIC_SELECTIVE_REPEAT)
		return rnic_selective_data(nic, c, d, now_ps, out);
	return rnic_out_of_order(nic, c, d, c->rsp.epsn, now_ps, out);
}

/* The expected packet. */
static ALWAYS_INLINE bool accept(struct rnic *nic, struct conn *c, const struct desc *d,
        int64_t now_ps, struct desc *out)
{
	struct qp_rsp *r = &c->rsp;

	r->epsn++;
	nic->n->payload_delivered_bytes += d->payload_bytes;
	*nic->delivered_bytes += d->payload_bytes;
	if (d->flags & DESC_LAST)
		rnic_message_arrived(nic, d->conn);
	if (++r->unacked < (uint32_t)nic->sh->cfg->ack_every &&
	        !(d->flags & (DESC_LAST | DESC_ACK_REQ)))
		return false;
	r->unacked = 0;
	return reply(nic, c, d, DESC_ACK, d->psn, now_ps, out);
}

bool rnic_accept(struct rnic *nic, struct conn *c, const struct desc *d, int64_t now_ps,
        struct desc *out)
{
	return accept(nic, c, d, now_ps, out);
}

static ALWAYS_INLINE bool take_data(
        struct rnic *nic, const struct desc *d, int64_t now_ps, struct desc *out)
{
	struct conn *c = &nic->sh->conn[d->conn];
	uint32_t sent_unit = (uint32_t)((uint64_t)now_ps >> DESC_SENT_SHIFT) - d->sent_unit;

	hist_add(nic->latency, (int64_t)sent_unit << DESC_SENT_SHIFT);
	nic->n->data_packets_delivered++;
	if (UNLIKELY(d->flags & DESC_CE) && nic->sh->dcqcn)
		notify(nic, c, d, now_ps);
	if (UNLIKELY(d->psn != c->rsp.epsn))
		return unexpected(nic, c, d, now_ps, out);
	return accept(nic, c, d, now_ps, out);
}

bool rnic_responder_data(
        struct rnic *nic, const struct desc *d, int64_t now_ps, struct desc *out)
{
	return take_data(nic, d, now_ps, out);
}

/* A packet that comes out of the receive buffer: the answer takes its turn, it is queued and
 * the port's next service sends it. */
void rnic_responder_late(struct rnic *nic, const struct desc *d, int64_t now_ps)
{
	struct desc out;

	nic->ctl_mask |= 1u << RNIC_CTL_HOLD;
	(void)take_data(nic, d, now_ps, &out); /* never at once */
	nic->ctl_mask &= (uint16_t) ~(1u << RNIC_CTL_HOLD);
}
