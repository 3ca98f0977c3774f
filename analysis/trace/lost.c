/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where losses happened, as far as several interfaces tell: a transmission of which no place
 * shows more was lost behind the one that showed it last, before the one to which packets of
 * its flow go on from there, unless none do. A recovery gets the place of the loss that it
 * repairs: of its first PSN if that is known, else of another of its PSNs, the latest before it
 * was sent again.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace/trace_int.h"

#define STEPS_MAX 4096 /* back along the losses of a flow */

void lost_add(struct trace *t, const struct match_entry *e, const struct view *shown,
        const struct view *next)
{
	struct flow *f = flow_at(t, e->flow);
	struct lost_place *more;

	if (t->n_lost == LOST_MAX)
		return;
	if (t->n_lost == t->max_lost) {
		uint32_t max = t->max_lost ? 2 * t->max_lost : 64;

		more = realloc(t->lost, max * sizeof(*more));
		if (!more) {
			t->failed = -ENOMEM;
			return;
		}
		t->lost = more;
		t->max_lost = max;
	}
	t->lost[t->n_lost++] = (struct lost_place){.t_ns = e->first_ns,
	        .psn = e->psn,
	        .after = shown->interface,
	        .before = next->interface,
	        .previous = f->last_lost};
	f->last_lost = t->n_lost;
}

static void place(const struct trace *t, struct trace_loss *l)
{
	uint32_t length = (l->last_psn - l->first_psn) & PSN_MASK, steps = STEPS_MAX;
	const struct lost_place *found = NULL;

	for (uint32_t i = flow_at(t, l->flow)->last_lost; i && steps; steps--) {
		const struct lost_place *p = &t->lost[i - 1];

		i = p->previous;
		if (((p->psn - l->first_psn) & PSN_MASK) > length || p->t_ns >= l->resend_ns)
			continue;
		if (!found || (p->psn == l->first_psn && found->psn != l->first_psn))
			found = p;
		if (found->psn == l->first_psn)
			break;
	}
	if (!found)
		return;
	l->after_interface = found->after;
	l->before_interface = found->before;
}

void lost_places(struct trace *t)
{
	for (uint32_t i = 0; i < t->r.n_losses; i++)
		place(t, &t->r.loss[i]);
}
