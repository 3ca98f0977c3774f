/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receive side of a slow host. Data packets wait in the receive buffer, one after the other
 * as they came, and their QP sees them when the host has taken them: sequence check, ACK and
 * CNP come then. ACKs, NAKs and CNPs are the NIC's own business and never wait. The buffer is
 * each priority's own, as prio2buffer gives it on ConnectX; the PCIe bus behind it is one.
 */
#include "gen/rnic/rnic.h"

void rnic_rx_init(struct rnic *nic)
{
	nic->rx.due_ps = TIME_NEVER;
	nic->port.buffer_bytes = INT64_MAX;
	nic->port.xoff_bytes = nic->port.xon_bytes = INT64_MAX;
	rnic_rx_set_rate(nic, nic->sh->cfg->receive_rate_bps, 0);
}

static int64_t buffer_bytes(const struct rnic *nic, const struct desc *d)
{
	return (int64_t)d->frame_bytes + nic->sh->frame.fcs_bytes;
}

/* The head begins to leave now. */
static void begin(struct rnic *nic, int64_t now_ps)
{
	struct rnic_rx *rx = &nic->rx;
	const struct rnic_frame *f = &nic->sh->frame;

	if (rx->keeps_up)
		rx->due_ps = now_ps;
	else if (!rx->rate.bps)
		rx->due_ps = TIME_NEVER;
	else
		rx->due_ps = now_ps + link_rate_tx_ps(&rx->rate,
		                              (int64_t)fifo_head(&rx->q)->frame_bytes +
		                                      f->fcs_bytes + f->gap_bytes);
}

/* The packet that is on its way to the host still arrives as planned, unless the host hung or
 * nothing holds it back any more. */
void rnic_rx_set_rate(struct rnic *nic, int64_t rate_bps, int64_t now_ps)
{
	struct rnic_rx *rx = &nic->rx;

	rx->keeps_up = rate_bps == NIC_RECEIVE_WIRE;
	rx->rate = (struct link_rate){0};
	if (!rx->keeps_up && rate_bps)
		link_rate_init(&rx->rate, rate_bps, nic->sh->frame.time_step_ps);
	/* until the buffer is empty the packets that come go through it, to stay in order */
	nic->rx_slow = !rx->keeps_up || rx->q.packets ? RNIC_SLOW : 0;
	if (rx->q.packets && (rx->keeps_up || rx->due_ps == TIME_NEVER))
		begin(nic, now_ps);
	rnic_timer_at(nic, rx->due_ps);
}

void rnic_rx_arrival(struct rnic *nic, const struct desc *d, int64_t now_ps)
{
	struct rnic_rx *rx = &nic->rx;
	const uint8_t bit = (uint8_t)(1u << d->priority);
	int64_t *used = &rx->used_bytes[d->priority];

	if (*used + buffer_bytes(nic, d) > nic->port.buffer_bytes) {
		rnic_drop(nic, d, &nic->n->drops_host);
		return;
	}
	*used += buffer_bytes(nic, d);
	fifo_push(nic->pool, &rx->q, d, d->frame_bytes);
	if (rx->q.packets == 1) {
		begin(nic, now_ps);
		rnic_timer_at(nic, rx->due_ps);
	}
	if ((nic->port.lossless & bit) && *used > nic->port.xoff_bytes &&
	        !(nic->pfc.full & bit)) {
		nic->pfc.full |= bit;
		rnic_pfc_xoff(nic, bit);
	}
}

static void take(struct rnic *nic, int64_t now_ps)
{
	struct rnic_rx *rx = &nic->rx;
	struct desc d = *fifo_head(&rx->q);
	const uint8_t bit = (uint8_t)(1u << d.priority);

	fifo_pop(nic->pool, &rx->q, d.frame_bytes);
	rx->used_bytes[d.priority] -= buffer_bytes(nic, &d);
	if ((nic->pfc.full & bit) && rx->used_bytes[d.priority] <= nic->port.xon_bytes) {
		nic->pfc.full &= (uint8_t)~bit;
		rnic_pfc_xon(nic, bit);
	}
	rnic_responder_late(nic, &d, now_ps);
}

void rnic_rx_drain(struct rnic *nic, int64_t now_ps)
{
	struct rnic_rx *rx = &nic->rx;

	while (rx->due_ps <= now_ps) {
		int64_t out_ps = rx->due_ps;

		take(nic, now_ps);
		if (!rx->q.packets) {
			rx->due_ps = TIME_NEVER;
			nic->rx_slow = rx->keeps_up ? 0 : RNIC_SLOW;
			break;
		}
		begin(nic, out_ps);
	}
}
