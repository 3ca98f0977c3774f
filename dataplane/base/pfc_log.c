/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/pfc_log.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/rng.h"

#define FIRST_EVENTS 64
#define FIRST_CAUSES 64

struct pfc_cause {
	struct pause_edge edge; /* xoffs 0: a free place */
	int64_t open_ps;        /* the XOFF that holds now; TIME_NEVER: none does */
};

static uint64_t key(const struct pause_edge *e)
{
	return hash_combine((uint64_t)e->node << 32 | (uint64_t)e->port << 16 | e->cause_port,
	        (uint64_t)e->priority << 2 | (uint64_t)e->cause_paused << 1 | e->injected);
}

static bool same(const struct pause_edge *a, const struct pause_edge *b)
{
	return a->node == b->node && a->port == b->port && a->cause_port == b->cause_port &&
	       a->priority == b->priority && a->cause_paused == b->cause_paused &&
	       a->injected == b->injected;
}

/* The place of this edge, or the free one where it belongs. */
static struct pfc_cause *find(struct pfc_cause *at, uint32_t cap, const struct pause_edge *e)
{
	uint32_t i = (uint32_t)key(e) & (cap - 1);

	while (at[i].edge.xoffs && !same(&at[i].edge, e))
		i = (i + 1) & (cap - 1);
	return &at[i];
}

static int grow(struct pfc_log *l)
{
	uint32_t cap = l->cap_cause ? l->cap_cause * 2 : FIRST_CAUSES;
	struct pfc_cause *at = calloc(cap, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->cap_cause; i++)
		if (l->cause[i].edge.xoffs)
			*find(at, cap, &l->cause[i].edge) = l->cause[i];
	free(l->cause);
	l->cause = at;
	l->cap_cause = cap;
	return 0;
}

static int add_cause(struct pfc_log *l, const struct pfc_event *ev)
{
	struct pause_edge e = {
	        .node = ev->node,
	        .port = ev->port,
	        .cause_port = ev->cause_port,
	        .priority = ev->priority,
	        .cause_paused = ev->cause_paused,
	        .injected = ev->injected,
	        .first_ps = ev->t_ps,
	};
	struct pfc_cause *c;

	if (l->n_cause * 2 >= l->cap_cause && grow(l))
		return -ENOMEM;
	c = find(l->cause, l->cap_cause, &e);
	if (ev->kind == PFC_EVENT_XOFF) {
		if (!c->edge.xoffs) {
			c->edge = e;
			l->n_cause++;
		}
		c->edge.xoffs++;
		c->open_ps = ev->t_ps;
	} else if (ev->kind == PFC_EVENT_REFRESH) {
		if (c->edge.xoffs && ev->injected) { /* a storm ends without a word */
			c->edge.held_ps += ev->t_ps - c->open_ps;
			c->open_ps = ev->t_ps;
		}
	} else if (c->edge.xoffs && c->open_ps != TIME_NEVER) {
		c->edge.held_ps += ev->t_ps - c->open_ps;
		c->open_ps = TIME_NEVER;
	}
	return 0;
}

int pfc_log_add(struct pfc_log *l, const struct pfc_event *ev, int64_t window_end_ps)
{
	if (add_cause(l, ev))
		return -ENOMEM;
	if (l->n_event >= RUN_PFC_EVENTS_KEPT && ev->t_ps >= l->events_until_ps)
		return 0;
	if (l->n_event < RUN_PFC_EVENTS_KEPT)
		l->events_until_ps = window_end_ps;
	if (l->n_event == l->cap_event) {
		uint64_t cap = l->cap_event ? l->cap_event * 2 : FIRST_EVENTS;
		void *grown = reallocarray(l->event, cap, sizeof(*l->event));

		if (!grown)
			return -ENOMEM;
		l->event = grown;
		l->cap_event = cap;
	}
	l->event[l->n_event++] = *ev;
	return 0;
}

size_t pfc_log_edges(const struct pfc_log *l, int64_t t_end_ps, struct pause_edge *to)
{
	size_t n = 0;

	for (uint32_t i = 0; i < l->cap_cause; i++) {
		const struct pfc_cause *c = &l->cause[i];

		if (!c->edge.xoffs)
			continue;
		if (to) {
			to[n] = c->edge;
			if (c->open_ps < t_end_ps && !c->edge.injected)
				to[n].held_ps += t_end_ps - c->open_ps;
		}
		n++;
	}
	return n;
}

void pfc_log_fini(struct pfc_log *l)
{
	free(l->event);
	free(l->cause);
	*l = (struct pfc_log){0};
}
