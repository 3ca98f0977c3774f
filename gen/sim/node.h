/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: what a node does with one event, for the event heap, and with all events of a
 * window, for the windows. Both work through the same steps, so that the two event cores differ
 * in nothing but the order in which they find events.
 */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include "gen/sim/emit.h"

void switch_own(struct sim_thread *th, struct sw_node *s, uint64_t key);
void switch_arrival(struct sim_thread *th, struct sw_node *s, struct desc *d);
/* The arrivals of this window, for a switch sorted by th->key, merged with the node's own
 * events. Returns the key of the first own event after the window. */
uint64_t switch_window(struct sim_thread *th, struct sw_node *s, struct desc *d, uint32_t n);
uint64_t host_window(
        struct sim_thread *th, struct host_node *h, const struct desc *d, uint32_t n);
void host_own(struct sim_thread *th, struct host_node *h, uint64_t key);
/* After the pauses of the host's port changed. */
void host_pause_changed(struct host_node *h, int64_t now_ps);
void host_arrival(struct sim_thread *th, struct host_node *h, const struct desc *d);

/* The NIC of a host behaves like this from now on; -ENOMEM. */
NODISCARD int host_behave(struct host_node *h, const struct rnic_behaviour *b, int64_t now_ps);

/* node.c: a frame starts as d and arrives as *seen, or never where that is NULL or damaged. */
void sim_tapped(struct sim_thread *th, uint32_t to, const struct desc *d,
        const struct desc *seen, int64_t start_ps, int64_t arrival_ps, uint16_t in_port);

/* A frame starts on a link and will arrive at port in_port of node `to`. */
static ALWAYS_INLINE void sim_send(struct sim_thread *th, uint32_t to, const struct desc *d,
        int64_t start_ps, int64_t arrival_ps, uint16_t in_port)
{
	th->n.packet_hops++;
	if (UNLIKELY(th->sim->tapped))
		sim_tapped(th, to, d, d, start_ps, arrival_ps, in_port);
	sim_emit(th, to, d, arrival_ps, in_port);
}

static ALWAYS_INLINE uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static ALWAYS_INLINE uint64_t switch_next_key(const struct sw_node *s)
{
	return min_u64(s->n_service ? s->service[0] : SIM_KEY_NEVER, s->rare_key);
}

/* After anything but a plain packet: what the host will do by itself, transmissions aside. */
static ALWAYS_INLINE void host_refresh(struct host_node *h)
{
	uint64_t key = sim_key_or_never(h->host.nic.timer_ps, SIM_TIMER, 0);

	key = min_u64(key, sim_key_or_never(h->host.wake_ps, SIM_START, 0));
	key = min_u64(key, sim_key_or_never(h->fault_ps, SIM_FAULT, 0));
	key = min_u64(key, sim_key_or_never(h->effect_event_ps, SIM_PAUSE_EFFECT, 0));
	h->other_key = min_u64(key, sim_key_or_never(h->expiry_event_ps, SIM_PAUSE_EXPIRY, 0));
}

static ALWAYS_INLINE uint64_t host_next_key(const struct host_node *h)
{
	int64_t tx_ps = rnic_next_tx_ps(&h->host.nic);

	if (tx_ps < h->now_ps)
		tx_ps = h->now_ps;
	return min_u64(sim_key_or_never(tx_ps, SIM_SERVICE, 0), h->other_key);
}

#endif
