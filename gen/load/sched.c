/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/sched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sched_init(struct sched *s, const char *name, uint32_t n_ranks, struct err *e)
{
	*s = (struct sched){.n_ranks = n_ranks, .rank = n_ranks};
	if (n_ranks < 1 || n_ranks > LOAD_MAX_HOSTS)
		return err_set(e, -EINVAL, "%s: %u ranks, expected 1 to %d", name, n_ranks,
		        LOAD_MAX_HOSTS);
	s->name = strdup(name);
	s->begin = calloc(n_ranks, sizeof(*s->begin));
	s->end = calloc(n_ranks, sizeof(*s->end));
	if (!s->name || !s->begin || !s->end) {
		sched_fini(s);
		return err_set(e, -ENOMEM, "%s: no memory for %u ranks", name, n_ranks);
	}
	for (uint32_t r = 0; r < n_ranks; r++)
		s->begin[r] = UINT32_MAX;
	return 0;
}

void sched_fini(struct sched *s)
{
	free(s->name);
	free(s->begin);
	free(s->end);
	free(s->op);
	free(s->edge);
	free(s->first_on);
	free(s->on);
	free(s->first_waiter);
	free(s->waiter);
	*s = (struct sched){0};
}

int sched_rank(struct sched *s, uint32_t rank, struct err *e)
{
	if (rank >= s->n_ranks)
		return err_set(e, -EINVAL, "rank %u is not there, the schedule has ranks 0..%u",
		        rank, s->n_ranks - 1);
	if (s->begin[rank] != UINT32_MAX)
		return err_set(e, -EINVAL, "rank %u is there twice", rank);
	s->begin[rank] = s->end[rank] = s->n_ops;
	s->rank = rank;
	return 0;
}

static int no_room(const struct sched *s, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: no memory for %u operations and %u dependencies",
	        s->name, s->n_ops, s->n_edges);
}

static int check_peer(const struct sched *s, const struct sched_op *op, struct err *e)
{
	if (op->kind == SCHED_CALC)
		return 0;
	if (op->peer >= s->n_ranks)
		return err_set(e, -EINVAL, "rank %u is not there, the schedule has ranks 0..%u",
		        op->peer, s->n_ranks - 1);
	if (op->peer == s->rank)
		return err_set(e, -EINVAL,
		        "rank %u sends to itself: what stays inside a host is no traffic, so "
		        "make it a calc",
		        op->peer);
	return 0;
}

int sched_add(struct sched *s, const struct sched_op *op, uint32_t *index, struct err *e)
{
	int rc = check_peer(s, op, e);

	if (rc)
		return rc;
	if (s->n_ops == SCHED_MAX_OPS)
		return err_set(e, -EINVAL, "more than %u operations: split the schedule",
		        SCHED_MAX_OPS);
	if (s->n_ops == s->room_ops) {
		uint32_t room = s->room_ops ? 2 * s->room_ops : 256;
		void *at = realloc(s->op, room * sizeof(*s->op));

		if (!at)
			return no_room(s, e);
		s->op = at;
		s->room_ops = room;
	}
	*index = s->n_ops;
	s->op[s->n_ops++] = *op;
	s->end[s->rank] = s->n_ops;
	return 0;
}

int sched_wait(struct sched *s, uint32_t op, uint32_t on, bool started, struct err *e)
{
	if (s->n_edges == SCHED_MAX_DEPS)
		return err_set(e, -EINVAL, "more than %u dependencies: split the schedule",
		        SCHED_MAX_DEPS);
	if (s->n_edges == s->room_edges) {
		uint32_t room = s->room_edges ? 2 * s->room_edges : 256;
		void *at = realloc(s->edge, room * sizeof(*s->edge));

		if (!at)
			return no_room(s, e);
		s->edge = at;
		s->room_edges = room;
	}
	s->edge[s->n_edges++] = (struct sched_edge){op, SCHED_ON(on, started)};
	return 0;
}

/* Counting sort by what is waited for: first_waiter and waiter. */
static int sort_waiters(struct sched *s)
{
	const uint32_t n = s->n_ops;

	s->first_waiter = calloc((size_t)n + 2, sizeof(*s->first_waiter));
	s->waiter = malloc(((size_t)s->n_edges + 1) * sizeof(*s->waiter));
	if (!s->first_waiter || !s->waiter)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_edges; i++)
		s->first_waiter[sched_on_op(s->edge[i].on) + 2]++;
	for (uint32_t i = 0; i < n; i++)
		s->first_waiter[i + 2] += s->first_waiter[i + 1];
	for (uint32_t i = 0; i < s->n_edges; i++)
		s->waiter[s->first_waiter[sched_on_op(s->edge[i].on) + 1]++] =
		        SCHED_ON(s->edge[i].op, sched_on_started(s->edge[i].on));
	return 0;
}

/* Walking the waiters in order gives each operation's own list sorted, and that one, walked
 * again, sorts the waiters. A dependency that is there twice is left out. */
static int sort_ons(struct sched *s)
{
	const uint32_t n = s->n_ops;
	uint32_t kept = 0, at = 0;

	s->first_on = calloc((size_t)n + 2, sizeof(*s->first_on));
	s->on = malloc(((size_t)s->n_edges + 1) * sizeof(*s->on));
	if (!s->first_on || !s->on)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_edges; i++)
		s->first_on[sched_on_op(s->waiter[i]) + 2]++;
	for (uint32_t i = 0; i < n; i++)
		s->first_on[i + 2] += s->first_on[i + 1];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = s->first_waiter[i]; k < s->first_waiter[i + 1]; k++)
			s->on[s->first_on[sched_on_op(s->waiter[k]) + 1]++] =
			        SCHED_ON(i, sched_on_started(s->waiter[k]));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t end = s->first_on[i + 1], mine = kept;

		for (; at < end; at++)
			if (kept == mine || s->on[kept - 1] != s->on[at])
				s->on[kept++] = s->on[at];
		s->first_on[i] = mine;
	}
	s->first_on[n] = kept;
	return 0;
}

static void sort_waiters_again(struct sched *s)
{
	const uint32_t n = s->n_ops;

	memset(s->first_waiter, 0, ((size_t)n + 2) * sizeof(*s->first_waiter));
	for (uint32_t i = 0; i < s->first_on[n]; i++)
		s->first_waiter[sched_on_op(s->on[i]) + 2]++;
	for (uint32_t i = 0; i < n; i++)
		s->first_waiter[i + 2] += s->first_waiter[i + 1];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = s->first_on[i]; k < s->first_on[i + 1]; k++)
			s->waiter[s->first_waiter[sched_on_op(s->on[k]) + 1]++] =
			        SCHED_ON(i, sched_on_started(s->on[k]));
}

int sched_finish(struct sched *s, struct err *e)
{
	for (uint32_t r = 0; r < s->n_ranks; r++)
		if (s->begin[r] == UINT32_MAX)
			s->begin[r] = s->end[r] = s->n_ops;
	s->rank = s->n_ranks;
	if (sort_waiters(s) || sort_ons(s))
		return no_room(s, e);
	sort_waiters_again(s);
	free(s->edge);
	s->edge = NULL;
	return 0;
}

int sched_check_sizes(
        const struct sched *s, int64_t max_bytes, int64_t calc_unit_ps, struct err *e)
{
	char text[SCHED_TEXT_BYTES];

	for (uint32_t i = 0; i < s->n_ops; i++) {
		const struct sched_op *o = &s->op[i];

		if (o->kind == SCHED_SEND && o->value > max_bytes)
			return err_set(e, -EINVAL,
			        "%s: a message has at most %" PRId64 " bytes",
			        sched_text(text, s, i), max_bytes);
		if (o->kind == SCHED_CALC && calc_unit_ps &&
		        o->value > LOAD_MAX_TIME_PS / calc_unit_ps)
			return err_set(e, -EINVAL,
			        "%s times calc_unit, which is more than 53 days",
			        sched_text(text, s, i));
	}
	return 0;
}

uint32_t sched_rank_of(const struct sched *s, uint32_t op)
{
	for (uint32_t r = 0; r < s->n_ranks; r++)
		if (op >= s->begin[r] && op < s->end[r])
			return r;
	return s->n_ranks;
}

const char *sched_text(char buf[SCHED_TEXT_BYTES], const struct sched *s, uint32_t op)
{
	const struct sched_op *o = &s->op[op];
	uint32_t rank = sched_rank_of(s, op);
	char where[160];

	if (o->line && o->column)
		(void)snprintf(
		        where, sizeof(where), "%.120s:%u:%u: ", s->name, o->line, o->column);
	else if (o->line)
		(void)snprintf(where, sizeof(where), "%.120s:%u: ", s->name, o->line);
	else
		(void)snprintf(where, sizeof(where), "operation %u of ",
		        rank < s->n_ranks ? op - s->begin[rank] + 1 : op);
	if (o->kind == SCHED_CALC)
		(void)snprintf(buf, SCHED_TEXT_BYTES, "%srank %u calculates %" PRId64, where,
		        rank, o->value);
	else
		(void)snprintf(buf, SCHED_TEXT_BYTES,
		        "%srank %u %s %" PRId64 " bytes %s rank %u with tag %u", where, rank,
		        o->kind == SCHED_SEND ? "sends" : "receives", o->value,
		        o->kind == SCHED_SEND ? "to" : "from", o->peer, o->tag);
	return buf;
}
