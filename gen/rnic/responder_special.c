/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receivers whose every packet needs a second look: UC and UD, which acknowledge nothing (IBTA
 * vol. 1, 9.8), and QPs whose application posts receives too late (RNR, 9.7.5.2.8). Their
 * rsp.epsn stays aside, so all their packets come here.
 */
#include "gen/rnic/rnic.h"

/*
 * Is a receive posted? The application takes messages one after the other, receive_time_ps
 * each, and posts the receive of each again when it is done: those not done are what it still
 * has to do over the time that one takes. A message in progress has its receive; the next one
 * of the QP begins after it.
 */
static bool receive_posted(const struct rnic *nic, const struct qp_rsp *r, int64_t now_ps)
{
	const struct rnic_cfg *cfg = nic->sh->cfg;
	int64_t behind_ps = r->app_free_ps - now_ps;

	if (cfg->receive_queue == NIC_RECEIVE_NO_LIMIT || behind_ps <= 0)
		return true;
	return (behind_ps + cfg->receive_time_ps - 1) / cfg->receive_time_ps <
	       cfg->receive_queue;
}

/* A message is whole: the application gets to it after those before it. */
static void work(const struct rnic *nic, struct qp_rsp *r, int64_t now_ps)
{
	if (r->app_free_ps < now_ps)
		r->app_free_ps = now_ps;
	r->app_free_ps += nic->sh->cfg->receive_time_ps;
}

static bool reliable(struct rnic *nic, struct conn *c, const struct desc *d, int64_t now_ps,
        struct desc *out)
{
	struct qp_rsp *r = &c->rsp;
	bool answer;

	r->epsn ^= RNIC_PSN_ASIDE;
	if (d->psn != r->epsn) {
		/* what follows a message that was refused is dropped in silence */
		answer = !(r->rnr && psn_before(r->epsn, d->psn)) &&
		         rnic_out_of_order(nic, c, d, r->epsn, now_ps, out);
	} else if ((d->flags & DESC_FIRST) && !receive_posted(nic, r, now_ps)) {
		r->rnr = true;
		r->unacked = 0;
		answer = rnic_reply(nic, c, d, DESC_RNR_NAK, r->epsn, now_ps, out);
	} else {
		r->rnr = false;
		answer = rnic_accept(nic, c, d, now_ps, out);
		if (d->flags & DESC_LAST)
			work(nic, r, now_ps);
	}
	r->epsn ^= RNIC_PSN_ASIDE;
	return answer;
}

/* A packet that is not the expected one ends its message; the next first packet begins anew,
 * whatever its PSN (IBTA 9.8.2.2.1). */
static void unreliable(struct rnic *nic, struct qp_rsp *r, const struct desc *d, int64_t now_ps)
{
	const uint32_t epsn = r->epsn ^ RNIC_PSN_ASIDE;

	r->epsn = (d->psn + 1) ^ RNIC_PSN_ASIDE;
	if (d->flags & DESC_FIRST) {
		r->dropping = !receive_posted(nic, r, now_ps);
		r->whole_bytes = 0;
	} else {
		r->dropping |= d->psn != epsn;
	}
	if (r->dropping)
		return;
	r->whole_bytes += d->payload_bytes;
	nic->n->payload_delivered_bytes += d->payload_bytes;
	*nic->delivered_bytes += d->payload_bytes;
	if (!(d->flags & DESC_LAST))
		return;
	nic->n->unacknowledged_arrived++;
	nic->n->unacknowledged_arrived_bytes += r->whole_bytes;
	rnic_message_arrived(nic, d->conn);
	work(nic, r, now_ps);
}

bool rnic_responder_special(struct rnic *nic, struct conn *c, const struct desc *d,
        int64_t now_ps, struct desc *out)
{
	if (c->rsp.transport == QP_RC)
		return reliable(nic, c, d, now_ps, out);
	unreliable(nic, &c->rsp, d, now_ps);
	return false;
}
