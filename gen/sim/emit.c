/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/emit.h"

#include <stdlib.h>

#include "dataplane/base/heap.h"
#include "gen/sim/ranks.h"

NOINLINE void sim_inbox_grow(struct inbox *b)
{
	b->cap = b->cap ? b->cap * 2 : 8;
	b->d = reallocarray(b->d, b->cap, sizeof(*b->d));
	CHECK(b->d);
}

void sim_mailbox_add(struct mailbox *b, uint32_t node, const struct desc *d)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? b->cap * 2 : 64;
		b->m = reallocarray(b->m, b->cap, sizeof(*b->m));
		CHECK(b->m);
	}
	b->m[b->n++] = (struct mail){.d = *d, .node = node};
}

static void mail(struct sim_thread *th, uint32_t node, uint64_t window, const struct desc *d)
{
	struct sim *s = th->sim;

	if (s->owner[node] == SIM_ELSEWHERE)
		ranks_mail(th, node, d);
	else
		sim_mailbox_add(
		        &th->out[(size_t)s->owner[node] * s->ring + (window & s->ring_mask)],
		        node, d);
	sim_slot(th, window)->any = true;
}

/* Within the window, which is only possible in a group, or to another thread. */
NOINLINE void sim_emit_elsewhere(struct sim_thread *th, uint32_t node, const struct desc *d)
{
	if (d->t_ps < th->full_end_ps)
		sim_heap_core_push(th, node, d);
	else
		mail(th, node, sim_window_of(th, d->t_ps), d);
}

/* One entry per node at a time, unless an earlier wake-up comes up. */
NOINLINE void sim_wake_far(struct sim_thread *th, uint32_t node, uint64_t window)
{
	struct sim *s = th->sim;

	if (s->far_window[node] <= window)
		return;
	s->far_window[node] = window;
	if (th->n_far == th->cap_far) {
		th->cap_far = th->cap_far ? th->cap_far * 2 : 64;
		th->far = reallocarray(th->far, th->cap_far, sizeof(*th->far));
		CHECK(th->far);
	}
	heap_push(th->far, &th->n_far, window << FAR_NODE_BITS | node);
}
