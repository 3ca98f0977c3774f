/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gen/sim: how a packet or a wake-up reaches a later window. Packet path. */
#ifndef SIM_EMIT_H
#define SIM_EMIT_H

#include "gen/sim/sim_int.h"

#define FAR_NODE_BITS 20

void sim_inbox_grow(struct inbox *b);
void sim_emit_elsewhere(struct sim_thread *th, uint32_t node, const struct desc *d);
void sim_mailbox_add(struct mailbox *b, uint32_t node, const struct desc *d);
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

static ALWAYS_INLINE struct desc *sim_inbox_add(struct inbox *b)
{
	if (UNLIKELY(b->n == b->cap))
		sim_inbox_grow(b);
	return &b->d[b->n++];
}

/* The run stops before d arrives. */
static ALWAYS_INLINE void sim_beyond_stop(struct sim_thread *th, const struct desc *d)
{
	th->beyond_stop = true;
	th->data_packets_late += d->kind == DESC_DATA;
}

/*
 * Delivers d to port in_port of `node` at t_ps. Only the copy is told: d has often just been
 * read or is still in registers, and to write to it first would make the copy wait for that.
 */
static ALWAYS_INLINE void sim_emit(struct sim_thread *th, uint32_t node, const struct desc *d,
        int64_t t_ps, uint16_t in_port)
{
	struct slot *slot;
	struct desc *to;

	if (UNLIKELY(t_ps < th->full_end_ps || th->sim->owner[node] != th->id)) {
		struct desc copy = *d;

		copy.t_ps = t_ps;
		copy.in_port = in_port;
		sim_emit_elsewhere(th, node, &copy);
		return;
	}
	ASSERT(sim_window_of(th, t_ps) <
	        th->window + th->sim->ring); /* partition.c saw to it */
	slot = sim_slot(th, sim_window_of(th, t_ps));
	slot->any = true;
	slot->active[node] = 1;
	to = sim_inbox_add(&slot->inbox[node]);
	*to = *d;
	to->t_ps = t_ps;
	to->in_port = in_port;
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
