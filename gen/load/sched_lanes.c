/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/sched_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "gen/load/sched_nodes.h"

#define NONE UINT32_MAX
#define MANY (UINT32_MAX - 1)

/* A lane while its rank is cut. Lanes whose last node somebody in this lane waits for can be
 * used again behind that one: a queue, ordered by the place in this lane. */
struct lane {
	uint32_t tail; /* last node */
	uint32_t n;    /* nodes */
	uint32_t open; /* peer of sends that nobody waits for; NONE; MANY peers */
	uint32_t free_head, free_tail; /* lanes */
	uint32_t free_next;            /* in the queue of the lane that owns this one */
	uint32_t free_place;           /* place in that lane */
	bool is_free;                  /* in such a queue */
};

struct cut {
	const struct sched *s;
	struct sched_lanes *l;
	struct lane *lane; /* [LOAD_MAX_LANES] */
	uint32_t n;
};

/* The peer of a node's sends: NONE, one, or MANY. */
static uint32_t peer_of_sends(const struct cut *c, uint32_t node)
{
	uint32_t peer = NONE;

	for (uint32_t i = node; i != NONE; i = c->l->member[i]) {
		if (c->s->op[i].kind != SCHED_SEND)
			continue;
		if (peer != NONE && peer != c->s->op[i].peer)
			return MANY;
		peer = c->s->op[i].peer;
	}
	return peer;
}

static bool has_receive(const struct cut *c, uint32_t node)
{
	for (uint32_t i = node; i != NONE; i = c->l->member[i])
		if (c->s->op[i].kind == SCHED_RECV)
			return true;
	return c->s->op[node].kind == SCHED_CALC;
}

/* Waiting for a node's sends waits for all of the lane's, so there must be no others that could
 * take longer: those to the same peer are on the same QP and done before. */
static bool sends_fit(const struct cut *c, uint32_t lane, uint32_t node)
{
	const uint32_t open = c->lane[lane].open;

	if (!(c->l->flags[node] & SCHED_ACKED) || open == NONE)
		return true;
	return open != MANY && peer_of_sends(c, node) == open;
}

/* Once `on` has happened as far as it must, is its lane done with it? */
static bool is_passed(const struct cut *c, uint32_t on_node, bool started)
{
	if (!started)
		return true;
	return !has_receive(c, on_node) && !(c->l->flags[on_node] & SCHED_ACKED);
}

static bool is_tail(const struct cut *c, uint32_t node)
{
	const struct lane *lane = &c->lane[c->l->lane[node]];

	return lane->tail == node && !lane->is_free;
}

static bool is_awaited(const struct cut *c, uint32_t node)
{
	return c->s->first_waiter[node] < c->s->first_waiter[node + 1];
}

#define WAITERS_LOOKED_AT 16

/* Nobody waits for the node, but the lane can go on with others that somebody does wait for: a
 * node that ends a lane there would cost a new one in every iteration. */
static bool leaves_place(const struct cut *c, uint32_t node, uint32_t on)
{
	const struct sched *s = c->s;
	const uint32_t first = s->first_waiter[on];

	if (is_awaited(c, node))
		return false;
	for (uint32_t k = first; k < s->first_waiter[on + 1] && k < first + WAITERS_LOOKED_AT;
	        k++) {
		const uint32_t w = sched_on_op(s->waiter[k]);

		if (c->l->node[w] != node && is_awaited(c, w))
			return true;
	}
	return false;
}

static uint32_t behind_what_it_waits_for(const struct cut *c, uint32_t node)
{
	const struct sched *s = c->s;

	for (uint32_t k = s->first_on[node]; k < s->first_on[node + 1]; k++) {
		uint32_t on = c->l->node[sched_on_op(s->on[k])];

		if (is_tail(c, on) && is_passed(c, on, sched_on_started(s->on[k])) &&
		        sends_fit(c, c->l->lane[on], node) && !leaves_place(c, node, on))
			return c->l->lane[on];
	}
	return NONE;
}

static uint32_t lane_used_again(struct cut *c, uint32_t node)
{
	const struct sched *s = c->s;

	for (uint32_t k = s->first_on[node]; k < s->first_on[node + 1]; k++) {
		uint32_t on = c->l->node[sched_on_op(s->on[k])];
		struct lane *owner = &c->lane[c->l->lane[on]];
		uint32_t f = owner->free_head;

		if (f == NONE || c->lane[f].free_place > c->l->place[on] ||
		        !sends_fit(c, f, node))
			continue;
		owner->free_head = c->lane[f].free_next;
		c->lane[f].is_free = false;
		return f;
	}
	return NONE;
}

static void append_free(struct cut *c, uint32_t owner, uint32_t f, uint32_t place)
{
	struct lane *o = &c->lane[owner];

	c->lane[f].is_free = true;
	c->lane[f].free_next = NONE;
	c->lane[f].free_place = place;
	if (o->free_head == NONE)
		o->free_head = f;
	else
		c->lane[o->free_tail].free_next = f;
	o->free_tail = f;
}

/* The lane ends before this node: it and what it could have used again go to the node's lane.
 */
static void hand_over(struct cut *c, uint32_t lane, uint32_t node)
{
	const uint32_t owner = c->l->lane[node], place = c->l->place[node];

	for (uint32_t f = c->lane[lane].free_head, next; f != NONE; f = next) {
		next = c->lane[f].free_next;
		append_free(c, owner, f, place);
	}
	c->lane[lane].free_head = NONE;
	append_free(c, owner, lane, place);
}

static void put(struct cut *c, uint32_t lane, uint32_t node)
{
	struct lane *p = &c->lane[lane];
	uint32_t peer = peer_of_sends(c, node);

	c->l->lane[node] = (uint16_t)lane;
	c->l->place[node] = p->n++;
	p->tail = node;
	if (c->l->flags[node] & SCHED_ACKED)
		p->open = NONE;
	else if (peer != NONE)
		p->open = p->open == NONE || p->open == peer ? peer : MANY;
}

static void wait_for_others(struct cut *c, uint32_t node)
{
	const struct sched *s = c->s;

	for (uint32_t k = s->first_on[node]; k < s->first_on[node + 1]; k++) {
		uint32_t on = c->l->node[sched_on_op(s->on[k])];
		bool started = sched_on_started(s->on[k]);

		if (c->l->lane[on] == c->l->lane[node])
			continue;
		c->l->flags[on] |= started ? SCHED_START_AWAITED : SCHED_END_AWAITED;
		/* what nobody waits for has nobody to hand it on to */
		if (is_awaited(c, node) && is_tail(c, on) && is_passed(c, on, started))
			hand_over(c, c->l->lane[on], node);
	}
}

/* Sends that nobody waits for are done with their lane at once: whoever comes behind what they
 * waited for can use it again. That an operation has started says not that it is complete,
 * which is known only of those behind it. */
static void free_at_once(struct cut *c, uint32_t node)
{
	const struct sched *s = c->s;
	uint32_t owner = NONE, place = 0;

	if (is_awaited(c, node) || has_receive(c, node))
		return;
	for (uint32_t k = s->first_on[node]; k < s->first_on[node + 1]; k++) {
		const uint32_t on = c->l->node[sched_on_op(s->on[k])];

		const uint32_t after = c->l->place[on] + !sched_on_started(s->on[k]);

		if (owner != NONE && owner != c->l->lane[on])
			return;
		owner = c->l->lane[on];
		place = after > place ? after : place;
	}
	if (owner != NONE && owner != c->l->lane[node] && !c->lane[c->l->lane[node]].is_free)
		append_free(c, owner, c->l->lane[node], place);
}

static int cut_rank(struct cut *c, const struct sched_match *m, uint32_t rank, struct err *e)
{
	const struct sched *s = c->s;
	char text[SCHED_TEXT_BYTES];

	c->n = 0;
	for (uint32_t k = s->begin[rank]; k < s->end[rank]; k++) {
		uint32_t node = m->order[k], lane;

		if (c->l->node[node] != node)
			continue;
		lane = behind_what_it_waits_for(c, node);
		if (lane == NONE)
			lane = lane_used_again(c, node);
		if (lane == NONE && c->n == LOAD_MAX_LANES)
			return err_set(e, -EINVAL,
			        "%s: more than %d operations of this rank can run at once; "
			        "say which wait for which",
			        sched_text(text, s, node), LOAD_MAX_LANES);
		if (lane == NONE) {
			lane = c->n++;
			c->lane[lane] = (struct lane){
			        .open = NONE, .free_head = NONE, .free_next = NONE};
		}
		put(c, lane, node);
		wait_for_others(c, node);
		free_at_once(c, node);
	}
	c->l->n_lanes[rank] = c->n;
	return 0;
}

static int take_memory(struct sched_lanes *l, const struct sched *s, struct err *e)
{
	const size_t n = (size_t)s->n_ops + 1;

	*l = (struct sched_lanes){
	        .node = malloc(n * sizeof(*l->node)),
	        .member = malloc(n * sizeof(*l->member)),
	        .place = calloc(n, sizeof(*l->place)),
	        .lane = calloc(n, sizeof(*l->lane)),
	        .flags = calloc(n, sizeof(*l->flags)),
	        .n_lanes = calloc(s->n_ranks, sizeof(*l->n_lanes)),
	};
	if (!l->node || !l->member || !l->place || !l->lane || !l->flags || !l->n_lanes)
		return err_set(e, -ENOMEM, "%s: no memory to cut %u operations into lanes",
		        s->name, s->n_ops);
	return 0;
}

int sched_lanes_init(struct sched_lanes *l, const struct sched *s, const struct sched_match *m,
        struct err *e)
{
	struct cut c = {.s = s, .l = l};
	int rc = take_memory(l, s, e);

	if (!rc)
		rc = sched_nodes(l, s, m, e);
	if (rc)
		return rc;
	c.lane = malloc(LOAD_MAX_LANES * sizeof(*c.lane));
	if (!c.lane)
		return err_set(e, -ENOMEM, "%s: no memory for lanes", s->name);
	for (uint32_t r = 0; r < s->n_ranks && !rc; r++)
		rc = cut_rank(&c, m, r, e);
	free(c.lane);
	return rc;
}

void sched_lanes_fini(struct sched_lanes *l)
{
	free(l->node);
	free(l->member);
	free(l->place);
	free(l->lane);
	free(l->flags);
	free(l->n_lanes);
	*l = (struct sched_lanes){0};
}
