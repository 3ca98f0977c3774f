/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selective repeat, the receiving half (IRN: Mittal et al., SIGCOMM 2018, section 3.1): packets
 * ahead of a gap are kept, each is answered with the PSN that is expected and its own, and
 * messages complete in order once the gap is filled, as RC promises.
 */
#include <string.h>

#include "gen/rnic/rnic.h"
#include "gen/rnic/selective.h"

static struct sr_rx *gap_open(struct rnic *nic, struct qp_rsp *r)
{
	struct sr_rx *g;

	if (nic->n_gaps == RNIC_MAX_REORDER)
		return NULL;
	g = (struct sr_rx *)chunk_get(nic->pool);
	memset(g, 0, sizeof(*g));
	nic->n_gaps++;
	r->gap = g;
	r->epsn ^= RNIC_PSN_ASIDE;
	return g;
}

static void gap_close(struct rnic *nic, struct qp_rsp *r)
{
	chunk_put(nic->pool, (struct chunk *)r->gap);
	r->gap = NULL;
	r->epsn ^= RNIC_PSN_ASIDE;
	nic->n_gaps--;
}

static void accept(struct rnic *nic, const struct desc *d)
{
	nic->n->payload_delivered_bytes += d->payload_bytes;
	*nic->delivered_bytes += d->payload_bytes;
}

/* The expected packet came: what waited behind it is in order now. */
static uint32_t advance(struct rnic *nic, struct qp_rsp *r, const struct desc *d)
{
	struct sr_rx *g = r->gap;
	uint32_t psn = d->psn + 1;

	accept(nic, d);
	if (d->flags & DESC_LAST)
		rnic_message_arrived(nic, d->conn);
	for (; g->n && psn_map_get(&g->here, psn); psn++) {
		if (psn_map_get(&g->last, psn))
			rnic_message_arrived(nic, d->conn);
		psn_map_clear(&g->here, psn);
		psn_map_clear(&g->last, psn);
		g->n--;
	}
	r->epsn = psn ^ RNIC_PSN_ASIDE;
	if (!g->n)
		gap_close(nic, r);
	return psn;
}

bool rnic_selective_data(struct rnic *nic, struct conn *c, const struct desc *d, int64_t now_ps,
        struct desc *out)
{
	struct qp_rsp *r = &c->rsp;
	const uint32_t epsn = r->gap ? r->epsn ^ RNIC_PSN_ASIDE : r->epsn;
	const int32_t ahead = (int32_t)(d->psn - epsn);
	struct sr_rx *g = r->gap;

	r->unacked = 0;
	if (ahead < 0)
		return nic->sh->cfg->ack_duplicates &&
		       rnic_reply(nic, c, d, DESC_ACK, epsn - 1, now_ps, out);
	if (!ahead)
		return rnic_reply(nic, c, d, DESC_ACK, advance(nic, r, d) - 1, now_ps, out);
	if (ahead >= nic->sh->cfg->reorder_window)
		return false; /* as if it had been lost */
	if (!g)
		g = gap_open(nic, r);
	if (!g)
		return false;
	if (!psn_map_get(&g->here, d->psn)) {
		psn_map_set(&g->here, d->psn);
		if (d->flags & DESC_LAST)
			psn_map_set(&g->last, d->psn);
		g->n++;
		accept(nic, d);
	}
	return rnic_reply(nic, c, d, DESC_SACK, epsn, now_ps, out);
}
