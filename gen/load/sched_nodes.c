/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/sched_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"

#define NONE UINT32_MAX

/* Leaders by what they wait for and what waits for them; one rank at a time. */
struct node_table {
	uint32_t *leader; /* NONE: free */
	uint32_t *last;   /* [n_ops]: of a leader, its last member */
	uint32_t room;
};

static uint64_t hash_row(uint64_t h, const uint32_t *row, uint32_t from, uint32_t to)
{
	h = hash_combine(h, to - from);
	for (uint32_t i = from; i < to; i++)
		h = hash_combine(h, row[i]);
	return h;
}

static bool same_row(const uint32_t *row, const uint32_t *first, uint32_t a, uint32_t b)
{
	const uint32_t n = first[a + 1] - first[a];

	return n == first[b + 1] - first[b] &&
	       !memcmp(row + first[a], row + first[b], n * sizeof(*row));
}

/* Something that waits only for the start must see it, and a calculation takes time. */
static bool can_join(const struct sched *s, uint32_t op)
{
	if (s->op[op].kind == SCHED_CALC)
		return false;
	for (uint32_t k = s->first_waiter[op]; k < s->first_waiter[op + 1]; k++)
		if (sched_on_started(s->waiter[k]))
			return false;
	return true;
}

static uint32_t *slot(const struct node_table *t, const struct sched *s, uint32_t op)
{
	uint64_t h = hash_row(0, s->on, s->first_on[op], s->first_on[op + 1]);
	uint32_t i;

	h = hash_row(h, s->waiter, s->first_waiter[op], s->first_waiter[op + 1]);
	i = (uint32_t)h & (t->room - 1);
	while (t->leader[i] != NONE &&
	        (!same_row(s->on, s->first_on, t->leader[i], op) ||
	                !same_row(s->waiter, s->first_waiter, t->leader[i], op)))
		i = (i + 1) & (t->room - 1);
	return &t->leader[i];
}

static int clear(struct node_table *t, uint32_t n_ops)
{
	uint32_t room = 16;

	while (room < 2 * n_ops)
		room *= 2;
	if (room > t->room) {
		free(t->leader);
		t->leader = malloc(room * sizeof(*t->leader));
		if (!t->leader)
			return -ENOMEM;
	}
	t->room = room;
	memset(t->leader, 0xff, room * sizeof(*t->leader));
	return 0;
}

static void add_op(
        struct sched_lanes *l, const struct sched *s, struct node_table *t, uint32_t op)
{
	uint32_t *at = can_join(s, op) ? slot(t, s, op) : NULL;
	uint32_t leader = at && *at != NONE ? *at : op;

	l->node[op] = leader;
	l->member[op] = NONE;
	if (leader != op)
		l->member[t->last[leader]] = op;
	else
		l->flags[op] = SCHED_LEADS;
	if (at)
		*at = leader;
	t->last[leader] = op;
	if (s->op[op].kind != SCHED_SEND)
		return;
	for (uint32_t k = s->first_waiter[op]; k < s->first_waiter[op + 1]; k++)
		if (!sched_on_started(s->waiter[k]))
			l->flags[leader] |= SCHED_ACKED;
}

int sched_nodes(struct sched_lanes *l, const struct sched *s, const struct sched_match *m,
        struct err *e)
{
	struct node_table t = {
	        .last = malloc(((size_t)s->n_ops + 1) * sizeof(*t.last)),
	};
	int rc = t.last ? 0 : -ENOMEM;

	for (uint32_t r = 0; r < s->n_ranks && !rc; r++) {
		if (s->begin[r] == s->end[r])
			continue;
		rc = clear(&t, s->end[r] - s->begin[r]);
		for (uint32_t k = s->begin[r]; k < s->end[r] && !rc; k++)
			add_op(l, s, &t, m->order[k]);
	}
	free(t.leader);
	free(t.last);
	if (rc)
		return err_set(e, rc, "%s: no memory for %u operations", s->name, s->n_ops);
	return 0;
}
