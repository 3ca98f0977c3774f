/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gen/sim: how a packet or a wake-up reaches a later window. Packet path. */
#ifndef SIM_EMIT_H
#define SIM_EMIT_H

#include "gen/sim/sim_int.h"

#define FAR_NODE_BITS 20

void sim_inbox_grow(struct inbox *b);
void sim_mail(struct sim_thread *th, uint32_t node, uint32_t slot, const struct desc *d);
void sim_wake_far(struct sim_thread *th, uint32_t node, int64_t t_ps);

/* Windows from the current one to the one that holds t_ps (at or after its end). */
static ALWAYS_INLINE uint64_t sim_window_offset(const struct sim_thread *th, int64_t t_ps)
{
	const struct sim *s = th->sim;
	uint64_t d = (uint64_t)(t_ps - th->start_ps);
	uint64_t q = (uint64_t)(((unsigned __int128)d * s->window_reciprocal) >> 64);

	/* the reciprocal is rounded down: the quotient may be one short */
	return d - q * (uint64_t)s->window_ps >= (uint64_t)s->window_ps ? q + 1 : q;
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
	struct sim *s = th->sim;
	uint64_t off;
	uint32_t slot, wake_slot;
	struct inbox *b;

	if (UNLIKELY(d->t_ps < th->full_end_ps)) { /* only within a group */
		sim_heap_core_push(th, node, d);
		return;
	}
	off = sim_window_offset(th, d->t_ps);
	ASSERT(off >= 1 && off < s->ring);
	slot = (uint32_t)(th->window + off) & s->ring_mask;
	wake_slot = (uint32_t)(th->window + off) & s->wake_mask;
	th->any[wake_slot] = 1;
	if (UNLIKELY(s->owner[node] != th->id)) {
		sim_mail(th, node, slot, d);
		return;
	}
	b = &s->inbox[(size_t)node * s->ring + slot];
	if (UNLIKELY(b->n == b->cap))
		sim_inbox_grow(b);
	b->d[b->n++] = *d;
	th->active[(size_t)wake_slot * s->active_stride + node] = 1;
}

/* The node's own next event is at t_ps (after this window); TIME_NEVER is fine. */
static ALWAYS_INLINE void sim_wake(struct sim_thread *th, uint32_t node, int64_t t_ps)
{
	struct sim *s = th->sim;
	uint64_t off;

	if (UNLIKELY(t_ps >= s->stop_ps)) {
		th->beyond_stop = true;
		return;
	}
	off = sim_window_offset(th, t_ps);
	if (LIKELY(off < s->wake_ring)) {
		uint32_t slot = (uint32_t)(th->window + off) & s->wake_mask;

		th->any[slot] = 1;
		th->active[(size_t)slot * s->active_stride + node] = 1;
		return;
	}
	sim_wake_far(th, node, t_ps);
}

#endif
