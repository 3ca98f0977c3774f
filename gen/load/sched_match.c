/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/sched_match.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/heap.h"
#include "dataplane/base/rng.h"
#include "gen/load/sched_cycle.h"

#define NONE UINT32_MAX

static int no_memory(const struct sched *s, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: no memory to check %u operations", s->name, s->n_ops);
}

static bool in_order(const struct sched *s, uint32_t rank)
{
	for (uint32_t i = s->begin[rank]; i < s->end[rank]; i++)
		if (s->first_on[i] < s->first_on[i + 1] &&
		        sched_on_op(s->on[s->first_on[i + 1] - 1]) >= i)
			return false;
	return true;
}

/* Kahn's algorithm; of what can go next, what stands first in the file. False: a cycle. */
static bool sort_rank(
        const struct sched *s, uint32_t rank, uint32_t *order, uint32_t *left, uint64_t *heap)
{
	const uint32_t first = s->begin[rank], end = s->end[rank];
	uint32_t n_heap = 0, n = 0;

	for (uint32_t i = first; i < end; i++) {
		left[i] = s->first_on[i + 1] - s->first_on[i];
		if (!left[i])
			heap_push(heap, &n_heap, i);
	}
	while (n_heap) {
		uint32_t i = (uint32_t)heap_pop(heap, &n_heap);

		order[first + n++] = i;
		for (uint32_t k = s->first_waiter[i]; k < s->first_waiter[i + 1]; k++)
			if (!--left[sched_on_op(s->waiter[k])])
				heap_push(heap, &n_heap, sched_on_op(s->waiter[k]));
	}
	return n == end - first;
}

/* Operations in cycles are put at the end, so that the search for the cycle sees all. */
static int sort_ranks(struct sched_match *m, const struct sched *s, struct err *e)
{
	uint32_t *left = calloc(s->n_ops, sizeof(*left));
	uint64_t *heap = calloc(s->n_ops, sizeof(*heap));
	int rc = left && heap ? 0 : no_memory(s, e);

	for (uint32_t r = 0; r < s->n_ranks && !rc; r++) {
		if (in_order(s, r)) {
			for (uint32_t i = s->begin[r]; i < s->end[r]; i++)
				m->order[i] = i;
		} else if (!sort_rank(s, r, m->order, left, heap)) {
			rc = sched_cycle_err(s, NULL, e);
		}
	}
	free(left);
	free(heap);
	return rc;
}

/* Messages from one rank to another with one tag. */
struct channel {
	uint32_t src, dst, tag;
	uint32_t head, tail;    /* sends not matched yet, linked by peer[] */
	uint32_t unmatched;     /* the first receive for which there was no send */
	int64_t sent, received; /* bytes */
};

struct channels {
	struct channel *at;
	uint32_t room, n;
};

static struct channel *find(const struct channels *c, uint32_t src, uint32_t dst, uint32_t tag)
{
	uint64_t h = hash_combine((uint64_t)src << 32 | dst, tag);
	uint32_t i = (uint32_t)h & (c->room - 1);

	while (c->at[i].src != NONE &&
	        (c->at[i].src != src || c->at[i].dst != dst || c->at[i].tag != tag))
		i = (i + 1) & (c->room - 1);
	return &c->at[i];
}

static int grow(struct channels *c)
{
	struct channels more = {.room = c->room ? 2 * c->room : 64};

	if (2 * (c->n + 1) <= c->room)
		return 0;
	more.at = malloc(more.room * sizeof(*more.at));
	if (!more.at)
		return -ENOMEM;
	for (uint32_t i = 0; i < more.room; i++)
		more.at[i].src = NONE;
	for (uint32_t i = 0; i < c->room; i++)
		if (c->at[i].src != NONE)
			*find(&more, c->at[i].src, c->at[i].dst, c->at[i].tag) = c->at[i];
	more.n = c->n;
	free(c->at);
	*c = more;
	return 0;
}

static struct channel *channel(struct channels *c, uint32_t src, uint32_t dst, uint32_t tag)
{
	struct channel *ch;

	if (grow(c))
		return NULL;
	ch = find(c, src, dst, tag);
	if (ch->src == NONE) {
		*ch = (struct channel){src, dst, tag, NONE, NONE, NONE, 0, 0};
		c->n++;
	}
	return ch;
}

static int put_sends(
        struct sched_match *m, const struct sched *s, struct channels *c, struct err *e)
{
	for (uint32_t r = 0; r < s->n_ranks; r++)
		for (uint32_t k = s->begin[r]; k < s->end[r]; k++) {
			uint32_t i = m->order[k];
			const struct sched_op *o = &s->op[i];
			struct channel *ch;

			if (o->kind != SCHED_SEND)
				continue;
			ch = channel(c, r, o->peer, o->tag);
			if (!ch)
				return no_memory(s, e);
			if (ch->head == NONE)
				ch->head = i;
			else
				m->peer[ch->tail] = i;
			ch->tail = i;
			ch->sent += o->value;
		}
	return 0;
}

static int take_receives(
        struct sched_match *m, const struct sched *s, struct channels *c, struct err *e)
{
	char text[SCHED_TEXT_BYTES];

	for (uint32_t r = 0; r < s->n_ranks; r++)
		for (uint32_t k = s->begin[r]; k < s->end[r]; k++) {
			uint32_t i = m->order[k], send;
			const struct sched_op *o = &s->op[i];
			struct channel *ch;

			if (o->kind != SCHED_RECV)
				continue;
			ch = channel(c, o->peer, r, o->tag);
			if (!ch)
				return no_memory(s, e);
			if (ch->head == NONE)
				return err_set(e, -EINVAL,
				        "%s, which does not send it: every receive needs a "
				        "send of that tag to its rank",
				        sched_text(text, s, i));
			send = ch->head;
			ch->head = send == ch->tail ? NONE : m->peer[send];
			ch->received += o->value;
			m->peer[send] = i;
			m->peer[i] = send;
		}
	return 0;
}

/* The first of a channel's sends whose receive is of another size: there is one. */
static int sizes_differ(const struct sched_match *m, const struct sched *s,
        const struct channel *ch, struct err *e)
{
	char sent[SCHED_TEXT_BYTES], received[SCHED_TEXT_BYTES];
	uint32_t i = 0, k;

	for (k = s->begin[ch->src]; k < s->end[ch->src]; k++) {
		const struct sched_op *o = &s->op[i = m->order[k]];

		if (o->kind == SCHED_SEND && o->peer == ch->dst && o->tag == ch->tag &&
		        o->value != s->op[m->peer[i]].value)
			break;
	}
	CHECK(k < s->end[ch->src]);
	return err_set(e, -EINVAL, "%s, but %s: sizes must agree", sched_text(sent, s, i),
	        sched_text(received, s, m->peer[i]));
}

/* Sums, because which of two messages of one tag is which is known only when they run. */
static int check_channels(const struct sched_match *m, const struct sched *s,
        const struct channels *c, struct err *e)
{
	char text[SCHED_TEXT_BYTES];

	for (uint32_t i = 0; i < c->room; i++) {
		const struct channel *ch = &c->at[i];

		if (ch->src == NONE)
			continue;
		if (ch->head != NONE)
			return err_set(e, -EINVAL,
			        "%s, which does not receive it: every send needs a receive of "
			        "that tag in its rank",
			        sched_text(text, s, ch->head));
		if (ch->sent != ch->received)
			return sizes_differ(m, s, ch, e);
	}
	return 0;
}

static int match(struct sched_match *m, const struct sched *s, struct err *e)
{
	struct channels c = {0};
	int rc = put_sends(m, s, &c, e);

	if (!rc)
		rc = take_receives(m, s, &c, e);
	if (!rc)
		rc = check_channels(m, s, &c, e);
	free(c.at);
	return rc;
}

int sched_match_init(struct sched_match *m, const struct sched *s, struct err *e)
{
	int rc;

	*m = (struct sched_match){
	        .order = malloc(((size_t)s->n_ops + 1) * sizeof(*m->order)),
	        .peer = malloc(((size_t)s->n_ops + 1) * sizeof(*m->peer)),
	};
	if (!m->order || !m->peer)
		return no_memory(s, e);
	rc = sort_ranks(m, s, e);
	if (!rc)
		rc = match(m, s, e);
	return rc ? rc : sched_cycle_check(s, m->peer, e);
}

void sched_match_fini(struct sched_match *m)
{
	free(m->order);
	free(m->peer);
	*m = (struct sched_match){0};
}
