/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/sched_cycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"

#define CYCLE_SHOWN 6

enum { STARTED = 1, COMPLETE = 2, VISITED = 4 };

/* An operation starts when what it waits for has happened; a send or calc is then complete some
 * time, a receive when its send has started as well. */
struct walk {
	const struct sched *s;
	const uint32_t *peer; /* NULL: receives are complete when they start */
	uint8_t *state;
	uint32_t *left;  /* what op i still waits for */
	uint32_t *queue; /* operations that can start */
	uint32_t n_queue;
};

static void happened(struct walk *w, uint32_t op, bool started)
{
	const struct sched *s = w->s;

	for (uint32_t k = s->first_waiter[op]; k < s->first_waiter[op + 1]; k++)
		if (sched_on_started(s->waiter[k]) == started &&
		        !--w->left[sched_on_op(s->waiter[k])])
			w->queue[w->n_queue++] = sched_on_op(s->waiter[k]);
}

static void complete(struct walk *w, uint32_t op)
{
	w->state[op] |= COMPLETE;
	happened(w, op, false);
}

static void start(struct walk *w, uint32_t op)
{
	const uint8_t kind = w->s->op[op].kind;

	w->state[op] |= STARTED;
	happened(w, op, true);
	if (!w->peer) {
		complete(w, op);
		return;
	}
	if (kind != SCHED_RECV || w->state[w->peer[op]] & STARTED)
		complete(w, op);
	if (kind == SCHED_SEND && w->state[w->peer[op]] & STARTED)
		complete(w, w->peer[op]);
}

static int run(struct walk *w, const struct sched *s, const uint32_t *peer, struct err *e)
{
	*w = (struct walk){
	        .s = s,
	        .peer = peer,
	        .state = calloc((size_t)s->n_ops + 1, 1),
	        .left = malloc(((size_t)s->n_ops + 1) * sizeof(*w->left)),
	        .queue = malloc(((size_t)s->n_ops + 1) * sizeof(*w->queue)),
	};
	if (!w->state || !w->left || !w->queue)
		return err_set(
		        e, -ENOMEM, "%s: no memory to check %u operations", s->name, s->n_ops);
	for (uint32_t i = 0; i < s->n_ops; i++) {
		w->left[i] = s->first_on[i + 1] - s->first_on[i];
		if (!w->left[i])
			w->queue[w->n_queue++] = i;
	}
	for (uint32_t at = 0; at < w->n_queue; at++)
		start(w, w->queue[at]);
	return 0;
}

static void walk_fini(struct walk *w)
{
	free(w->state);
	free(w->left);
	free(w->queue);
}

/* One thing that this operation, which is not complete, still waits for. */
static uint32_t blocker(const struct walk *w, uint32_t op)
{
	const struct sched *s = w->s;

	if (w->state[op] & STARTED)
		return w->peer[op];
	for (uint32_t k = s->first_on[op]; k < s->first_on[op + 1]; k++) {
		uint32_t on = sched_on_op(s->on[k]);
		uint8_t need = sched_on_started(s->on[k]) ? STARTED : COMPLETE;

		if (!(w->state[on] & need))
			return on;
	}
	CHECK(!"an operation that nothing holds back has not started");
	return op;
}

static void describe(struct walk *w, uint32_t op, struct err *e)
{
	char text[SCHED_TEXT_BYTES];
	uint32_t first, shown = 0;
	size_t len;

	for (; !(w->state[op] & VISITED); op = blocker(w, op))
		w->state[op] |= VISITED;
	first = op;
	(void)err_set(e, -EINVAL, "%s: operations wait for each other for ever: ", w->s->name);
	if (!e)
		return;
	do {
		len = strlen(e->msg);
		(void)snprintf(e->msg + len, sizeof(e->msg) - len, "%s%s",
		        shown ? ", which waits until " : "", sched_text(text, w->s, op));
		op = blocker(w, op);
	} while (op != first && ++shown < CYCLE_SHOWN);
	len = strlen(e->msg);
	(void)snprintf(e->msg + len, sizeof(e->msg) - len, "%s",
	        op == first ? ", which waits for the first of these" : " ...");
}

static int judge(const struct sched *s, const uint32_t *peer, struct err *e)
{
	struct walk w;
	int rc = run(&w, s, peer, e);

	for (uint32_t i = 0; i < s->n_ops && !rc; i++) {
		if (w.state[i] & COMPLETE)
			continue;
		describe(&w, i, e);
		rc = -EINVAL;
	}
	walk_fini(&w);
	return rc;
}

int sched_cycle_check(const struct sched *s, const uint32_t *peer, struct err *e)
{
	return judge(s, peer, e);
}

int sched_cycle_err(const struct sched *s, const uint32_t *peer, struct err *e)
{
	int rc = judge(s, peer, e);

	CHECK(rc);
	return rc;
}
