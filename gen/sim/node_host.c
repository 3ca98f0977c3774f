/* SPDX-License-Identifier: Apache-2.0 */
/* A host in virtual time: its port, its pauses, its timers and its rank programs. */
#include "gen/sim/fault_int.h"
#include "gen/sim/node.h"

static ALWAYS_INLINE void put_on_link(
        struct sim_thread *th, struct host_node *h, const struct desc *d)
{
	const struct rnic *nic = &h->host.nic;
	int64_t arrival_ps = nic->busy_until_ps + h->delay_ps;

	tx_count(&h->tx[d->priority], d->frame_bytes);
	if (UNLIKELY(h->odd_link)) {
		if (h->odd_link & ODD_CUT_THROUGH) {
			th->rest_ps = link_rate_rest_ps(
			        &nic->rate, (int64_t)d->frame_bytes + th->sim->fcs_gap_bytes -
			                            h->head_bytes);
			arrival_ps -= th->rest_ps;
		}
		if (h->odd_link & ODD_FAULT) {
			fault_send(
			        th, h->fault, h->peer, d, h->now_ps, arrival_ps, h->peer_port);
			return;
		}
	}
	sim_send(th, h->peer, d, h->now_ps, arrival_ps, h->peer_port);
}

static NOINLINE void send_pfc(
        struct sim_thread *th, struct host_node *h, const struct desc *d, int64_t now_ps)
{
	const struct rnic *nic = &h->host.nic;

	for (unsigned m = d->psn; m; m &= m - 1) {
		const unsigned bit = m & -m;
		const struct pfc_event ev = {
		        .t_ps = now_ps,
		        .node = nic->host,
		        .priority = (uint8_t)__builtin_ctz(m),
		        .kind = !(d->sent_unit & bit) ? PFC_EVENT_XON
		                : nic->pfc.held & bit ? PFC_EVENT_REFRESH
		                                      : PFC_EVENT_XOFF,
		        .injected = nic->behave.storm_classes & bit,
		};

		h->xoff_frames[ev.priority] += ev.kind != PFC_EVENT_XON;
		CHECK(!pfc_log_add(&th->pfc, &ev, th->full_end_ps));
	}
	if (h->odd_link & ODD_FAULT)
		fault_send(th, h->fault, h->peer, d, now_ps,
		        nic->busy_until_ps + h->propagation_ps, h->peer_port);
	else
		sim_send(th, h->peer, d, now_ps, nic->busy_until_ps + h->propagation_ps,
		        h->peer_port);
}

static ALWAYS_INLINE void transmit(struct sim_thread *th, struct host_node *h, int64_t now_ps)
{
	struct rnic *nic = &h->host.nic;
	const int64_t timer_ps = nic->timer_ps;
	struct desc d;

	if (!rnic_transmit(nic, now_ps, &d))
		return;
	if (UNLIKELY(nic->timer_ps != timer_ps))
		host_refresh(h);
	if (UNLIKELY(d.kind == DESC_PFC))
		send_pfc(th, h, &d, now_ps);
	else
		put_on_link(th, h, &d);
}

void host_pause_changed(struct host_node *h, int64_t now_ps)
{
	struct pause_rx *p = &h->host.nic.pause;

	rnic_pause_update(&h->host.nic, now_ps);
	h->host.nic.blocked |= h->held;
	h->effect_event_ps = pause_rx_next_effect_ps(p);
	h->expiry_event_ps = pause_rx_next_expiry_ps(p);
	host_refresh(h);
}

int host_behave(struct host_node *h, const struct rnic_behaviour *b, int64_t now_ps)
{
	int rc = rnic_behave(&h->host.nic, b, now_ps);

	if (now_ps > h->now_ps)
		h->now_ps = now_ps;
	host_pause_changed(h, now_ps);
	return rc;
}

static NOINLINE void received(struct host_node *h, int64_t now_ps)
{
	struct rnic *nic = &h->host.nic;

	host_received(&h->host, nic->received - 1, now_ps);
	for (uint32_t i = 0; i < nic->n_more; i++)
		host_received(&h->host, nic->more[i] - 1, now_ps);
	nic->received = nic->n_more = 0;
	host_refresh(h);
}

static ALWAYS_INLINE void collect(struct sim_thread *th, struct host_node *h, int64_t now_ps)
{
	if (UNLIKELY(h->host.nic.n_done > 0)) {
		host_collect(&h->host, now_ps);
		host_refresh(h);
		if (now_ps > th->last_done_ps)
			th->last_done_ps = now_ps;
	}
}

static ALWAYS_INLINE void arrival(
        struct sim_thread *th, struct host_node *h, const struct desc *d)
{
	const int64_t now_ps = d->t_ps;
	struct desc answer;
	int64_t timer_ps;

	h->now_ps = now_ps;
	if (UNLIKELY(d->kind == DESC_PFC)) {
		if (h->fault)
			fault_host_pfc(h, now_ps);
		rnic_pfc(&h->host.nic, d, now_ps, h->response_ps);
		host_pause_changed(h, now_ps);
		return;
	}
	timer_ps = h->host.nic.timer_ps;
	if (rnic_receive(&h->host.nic, d, now_ps, &answer))
		put_on_link(th, h, &answer);
	if (UNLIKELY(h->host.nic.timer_ps != timer_ps))
		host_refresh(h);
	if (UNLIKELY(h->host.nic.received != 0))
		received(h, now_ps);
	collect(th, h, now_ps);
}

static ALWAYS_INLINE void own_event(struct sim_thread *th, struct host_node *h, uint64_t key)
{
	const int64_t now_ps = sim_key_ps(key);

	h->now_ps = now_ps;
	th->n.events++;
	switch (sim_key_kind(key)) {
	case SIM_SERVICE:
		transmit(th, h, now_ps);
		break;
	case SIM_PAUSE_EFFECT:
	case SIM_PAUSE_EXPIRY:
		host_pause_changed(h, now_ps);
		break;
	case SIM_TIMER:
		rnic_timers(&h->host.nic, now_ps);
		if (h->host.nic.received)
			received(h, now_ps);
		host_refresh(h);
		collect(th, h, now_ps);
		break;
	case SIM_FAULT:
		fault_host_event(th, h, now_ps);
		break;
	case SIM_START:
		host_programs(&h->host, now_ps);
		host_refresh(h);
		collect(th, h, now_ps);
		break;
	default:
		CHECK(!"no such event on a host");
	}
}

void host_arrival(struct sim_thread *th, struct host_node *h, const struct desc *d)
{
	arrival(th, h, d);
}

void host_own(struct sim_thread *th, struct host_node *h, uint64_t key)
{
	own_event(th, h, key);
}

uint64_t host_window(
        struct sim_thread *th, struct host_node *h, const struct desc *d, uint32_t n)
{
	const uint64_t end_key = sim_key(th->end_ps, SIM_FAULT, 0);
	uint32_t i = 0;

	for (;;) {
		const uint64_t own = host_next_key(h);

		if (i < n && sim_key(d[i].t_ps, SIM_ARRIVAL, 0) < own)
			arrival(th, h, &d[i++]);
		else if (own < end_key)
			own_event(th, h, own);
		else
			return own;
	}
}
