/* SPDX-License-Identifier: Apache-2.0 */
/* A host in virtual time: its port, its pauses, its timers and its rank programs. */
#include "gen/sim/node.h"

static ALWAYS_INLINE void transmit(struct sim_thread *th, struct host_node *h, int64_t now_ps)
{
	struct rnic *nic = &h->host.nic;
	struct desc d;
	int64_t wire_bytes;

	if (!rnic_transmit(nic, now_ps, &d))
		return;
	d.t_ps = nic->busy_until_ps + h->delay_ps;
	if (UNLIKELY(h->head_bytes)) {
		wire_bytes = (int64_t)d.frame_bytes + th->sim->fcs_gap_bytes;
		if (wire_bytes > h->head_bytes)
			d.t_ps -= (wire_bytes - h->head_bytes) * nic->rate.ps_per_byte;
	}
	d.in_port = h->peer_port;
	th->n.packet_hops++;
	sim_emit(th, h->peer, &d);
}

static void pause_changed(struct host_node *h, int64_t now_ps)
{
	struct pause_rx *p = &h->host.nic.pause;

	(void)pause_rx_update(p, now_ps); /* both parts of its answer are asked for below */
	h->effect_event_ps = pause_rx_next_effect_ps(p);
	h->expiry_event_ps = pause_rx_next_expiry_ps(p);
}

static ALWAYS_INLINE void collect(struct sim_thread *th, struct host_node *h, int64_t now_ps)
{
	if (UNLIKELY(h->host.nic.n_done > 0)) {
		host_collect(&h->host, now_ps);
		if (now_ps > th->last_done_ps)
			th->last_done_ps = now_ps;
	}
}

void host_arrival(struct sim_thread *th, struct host_node *h, const struct desc *d)
{
	const int64_t now_ps = d->t_ps;

	h->now_ps = now_ps;
	if (UNLIKELY(d->kind == DESC_PFC)) {
		rnic_pfc(&h->host.nic, d, now_ps, h->response_ps);
		pause_changed(h, now_ps);
		return;
	}
	rnic_receive(&h->host.nic, d, now_ps);
	collect(th, h, now_ps);
}

void host_own(struct sim_thread *th, struct host_node *h, uint64_t key)
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
		pause_changed(h, now_ps);
		break;
	case SIM_TIMER:
		rnic_timers(&h->host.nic, now_ps);
		collect(th, h, now_ps);
		break;
	case SIM_START:
		host_programs(&h->host, now_ps);
		collect(th, h, now_ps);
		break;
	default:
		CHECK(!"no such event on a host");
	}
}
