/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where losses happened, as far as several interfaces tell: a transmission that one has shown
 * and the last of the path has not was lost behind the one that showed it last, before the one
 * that shows the flow next. A recovery gets the place of the loss that it repairs: of its first
 * PSN if that is known, else of another of its PSNs, the latest before it was sent again.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace/trace_int.h"

#define STEPS_MAX 4096 /* back along the losses of a flow */

/* How far along the path: seen behind so many others on average. */
static double position(const struct view *v)
{
	return (double)v->position_sum / (double)v->position_n;
}

static uint32_t next_interface(const struct trace *t, const struct view *shown)
{
	const struct view *next = NULL;

	for (uint32_t i = flow_at(t, shown->flow)->first_view; i != TRACE_NONE;
	        i = view_at(t, i)->next) {
		const struct view *v = view_at(t, i);

		if (v == shown || !v->position_n || position(v) <= position(shown))
			continue;
		if (!next || position(v) < position(next))
			next = v;
	}
	return next ? next->interface : TRACE_NONE;
}

void lost_add(struct trace *t, const struct match_entry *e, const struct view *shown)
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
	        .before = next_interface(t, shown),
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
