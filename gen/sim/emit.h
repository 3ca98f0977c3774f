/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gen/sim: how a packet or a wake-up reaches a later window. Packet path. */
#ifndef SIM_EMIT_H
#define SIM_EMIT_H

#include "gen/sim/sim_int.h"

#define FAR_NODE_BITS 20

void sim_inbox_grow(struct inbox *b);
void sim_mail(struct sim_thread *th, uint32_t node, uint64_t window, const struct desc *d);
void sim_wake_far(struct sim_thread *th, uint32_t node, uint64_t window);

/* The window that holds t_ps, at or after the start of the current one. */
static ALWAYS_INLINE uint64_t sim_window_of(const struct sim_thread *th, int64_t t_ps)
{
	const struct sim *s = th->sim;
	uint64_t d = (uint64_t)(t_ps - th->start_ps);

	return th->window +
	       ((uint64_t)(((unsigned __int128)(d * 2) * s->window_reciprocal) >> 64) >>
	               s->window_shift);
}

static ALWAYS_INLINE struct slot *sim_slot(const struct sim_thread *th, uint64_t window)
{
	return &th->slot[window & th->sim->wake_mask];
}

static ALWAYS_INLINE void sim_inbox_add(struct inbox *b, const struct desc *d)
{
	if (UNLIKELY(b->n == b->cap))
		sim_inbox_grow(b);
	b->d[b->n++] = *d;
}

/* The run stops before d arrives. */
static ALWAYS_INLINE void sim_beyond_stop(struct sim_thread *th, const struct desc *d)
{
	th->beyond_stop = true;
	th->data_packets_late += d->kind == DESC_DATA;
}

/* d->t_ps and d->in_port are set: delivers to `node`. */
static ALWAYS_INLINE void sim_emit(struct sim_thread *th, uint32_t node, const struct desc *d)
{
	uint64_t window;
	struct slot *slot;

	if (UNLIKELY(d->t_ps < th->full_end_ps)) { /* only within a group */
		sim_heap_core_push(th, node, d);
		return;
	}
	window = sim_window_of(th, d->t_ps);
	ASSERT(window > th->window && window < th->window + th->sim->ring);
	slot = sim_slot(th, window);
	slot->any = true;
	if (UNLIKELY(th->sim->owner[node] != th->id)) {
		sim_mail(th, node, window, d);
		return;
	}
	sim_inbox_add(&slot->inbox[node], d);
	slot->active[node] = 1;
}

/* The node's own next event is at t_ps (after this window); TIME_NEVER is fine. */
static ALWAYS_INLINE void sim_wake(struct sim_thread *th, uint32_t node, int64_t t_ps)
{
	uint64_t window;

	if (UNLIKELY(t_ps >= th->sim->stop_ps)) {
		th->beyond_stop = true;
		return;
	}
	window = sim_window_of(th, t_ps);
	if (LIKELY(window < th->window + th->sim->wake_ring)) {
		struct slot *slot = sim_slot(th, window);

		slot->any = true;
		slot->active[node] = 1;
		return;
	}
	sim_wake_far(th, node, window);
}

#endif
