/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gen/sim: how a frame leaves a switch port and how its next service is scheduled. */
#ifndef SIM_SWITCH_PORT_H
#define SIM_SWITCH_PORT_H

#include "dataplane/base/heap.h"
#include "gen/sim/fault_int.h"
#include "gen/sim/node.h"

/* Conservation, after every event of a debug build. */
static ALWAYS_INLINE void switch_check(const struct sw_node *s)
{
#ifdef NDEBUG
	(void)s;
#else
	fsw_check(&s->sw);
#endif
}

static inline void switch_rare_changed(struct sw_node *s)
{
	s->rare_key = min_u64(s->n_rare ? s->rare[0] : SIM_KEY_NEVER,
	        s->n_watch ? s->watch[0] : SIM_KEY_NEVER);
}

static inline void switch_unusual(struct sw_node *s)
{
	s->unusual =
	        s->cut_through || s->sw.balance || s->sw.average || s->n_storms || s->n_down;
}

static inline void switch_blocked(struct sw_node *s, uint16_t port, uint8_t blocked)
{
	struct fsw_port *p = &s->sw.port[port];

	s->n_paused -= p->blocked != 0;
	p->blocked = blocked | p->cold->held;
	s->n_paused += p->blocked != 0;
}

/* Makes sure that the port is served as soon as it is free. */
static ALWAYS_INLINE void switch_kick(struct sw_node *s, uint16_t port, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];

	if (p->scheduled)
		return;
	p->scheduled = true;
	heap_push(s->service, &s->n_service,
	        sim_key(p->busy_until_ps > now_ps ? p->busy_until_ps : now_ps, SIM_SERVICE,
	                port));
}

/* node_switch.c: an event beside services; after the pause state of a port changed. */
void switch_rare_push(struct sw_node *s, uint64_t key);
void switch_pause_changed(struct sw_node *s, uint16_t port, int64_t now_ps);

static ALWAYS_INLINE void switch_transmit(
        struct sim_thread *th, struct fsw_port *p, const struct desc *d, int64_t now_ps)
{
	int64_t wire_bytes = (int64_t)d->frame_bytes + th->sim->fcs_gap_bytes;
	int64_t arrival_ps;

	p->busy_until_ps =
	        now_ps + (LIKELY(p->ps_per_byte) ? wire_bytes * p->ps_per_byte
	                                         : link_rate_tx_slow_ps(&p->rate, wire_bytes));
	arrival_ps = p->busy_until_ps + p->delay_ps;
	tx_count(&p->cold->tx[d->priority], wire_bytes);
	if (UNLIKELY(p->odd_link)) {
		if (p->odd_link & ODD_CUT_THROUGH) {
			th->rest_ps =
			        link_rate_rest_ps(&p->rate, wire_bytes - p->cold->head_bytes);
			arrival_ps -= th->rest_ps;
		}
		if (p->odd_link & ODD_FAULT) {
			fault_send(th, p->cold->fault, p->peer, d, now_ps, arrival_ps,
			        p->peer_port);
			return;
		}
	}
	sim_send(th, p->peer, d, now_ps, arrival_ps, p->peer_port);
}

#endif
