/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the queue pairs of a host have in common. Where a link is kept full few messages find
 * their queue pair idle, and one queue pair alone shows too little. But a program does the same
 * with all of them:
 *
 * - one without a rule has the rule of its siblings, of which another arrival is the cause;
 * - one whose messages wait for those of one host may wait for those of another as well, with
 *   the same shift: a node of a tree sums what comes from both of its children.
 *
 * Both need that no message ever came before the arrival, and that most came before the next
 * one, or that it was the last to arrive at least once: what only runs ahead explains nothing.
 */
#include <errno.h>
#include <stdlib.h>

#include "scenarios/imports/capture_work.h"

#define CLOSE_NS 1000
#define LEAST    4 /* messages of a queue pair */

struct rules {
	struct capture_work *w;
	uint32_t *by_dst;   /* pairs */
	uint32_t *first_of; /* [n_hosts + 1]: in by_dst[] */
};

struct support {
	uint32_t known, tight, close, later;
	int64_t sum_ns; /* from the arrival to the message, of the tight ones */
};

/* False: contradicted. tight: the next one had not yet arrived; close: idle, and right behind.
 */
/* When the last of what the rules of q name had happened; TRACE_UNKNOWN: nothing. */
static int64_t ready_ns(const struct capture_work *w, const struct capture_pair *q, uint32_t i)
{
	int64_t ready = TRACE_UNKNOWN;

	for (uint32_t k = 0; k < q->n_rules; k++) {
		const uint32_t on = capture_rule_before(w, &q->rule[k], i);
		const int64_t t =
		        on == UINT32_MAX ? TRACE_UNKNOWN : capture_rule_done_ns(w, on, i);

		ready = t > ready ? t : ready;
	}
	return ready;
}

static bool support(struct support *s, const struct capture_work *w,
        const struct capture_pair *q, const struct capture_rule *c)
{
	const struct capture_pair *other = &w->pair[c->pair];

	*s = (struct support){0};
	for (uint32_t i = q->first; i < q->first + q->n; i++) {
		const uint32_t on = capture_rule_before(w, c, i);
		const bool last = on == other->first + other->n - 1;
		int64_t t, next;

		if (on == UINT32_MAX)
			continue;
		t = w->message[on].arrived_ns;
		next = last ? INT64_MAX : w->message[on + 1].arrived_ns;
		if (t == TRACE_UNKNOWN || t > w->message[i].first_ns)
			return false;
		s->known++;
		s->later += q->n_rules && capture_found_idle(w, i) && t > ready_ns(w, q, i) &&
		            w->message[i].first_ns - t <= CLOSE_NS;
		if (next <= w->message[i].first_ns)
			continue;
		s->tight++;
		s->sum_ns += w->message[i].first_ns - t;
		s->close += capture_found_idle(w, i) && w->message[i].first_ns - t <= CLOSE_NS;
	}
	return s->known >= LEAST && s->known + 1 >= q->n;
}

/* What only runs ahead explains nothing. */
static bool explains(const struct support *s)
{
	return s->tight * 2 >= s->known || s->later;
}

static bool better(const struct support *x, const struct support *y)
{
	if (x->later != y->later)
		return x->later > y->later;
	if (x->close != y->close)
		return x->close > y->close;
	if (x->tight != y->tight)
		return x->tight > y->tight;
	return x->sum_ns < y->sum_ns;
}

/* Does a rule of q wait for a message of that host? */
static bool waits_for(const struct capture_work *w, const struct capture_pair *q, uint32_t host)
{
	for (uint32_t k = 0; k < q->n_rules; k++)
		if (w->pair[q->rule[k].pair].src == host)
			return true;
	return false;
}

/* Is it the cause of another queue pair that goes to the same host? */
static bool is_taken(const struct capture_work *w, const struct capture_pair *q, uint32_t by)
{
	const struct capture_pair *s = q;

	while (s > w->pair && s[-1].src == q->src)
		s--;
	for (; s < w->pair + w->n_pairs && s->src == q->src; s++)
		for (uint32_t k = 0; s != q && s->dst == q->dst && k < s->n_rules; k++)
			if (s->rule[k].pair == by)
				return true;
	return false;
}

/* What a queue pair is looked for that q followed. */
struct wanted {
	uint32_t host; /* from which it comes; UINT32_MAX: one that q does not wait for */
	int64_t shift;
	uint32_t least_close;
	bool known; /* that there is one: it need not explain anything */
};

static bool find(const struct rules *r, const struct capture_pair *q, const struct wanted *want,
        struct capture_rule *found)
{
	const struct capture_work *w = r->w;
	struct support best = {0};

	for (uint32_t k = r->first_of[q->src]; k < r->first_of[q->src + 1]; k++) {
		const struct capture_rule c = {r->by_dst[k], want->shift};
		const struct capture_pair *o = &w->pair[c.pair];
		struct support s;

		if (want->host == UINT32_MAX ? waits_for(w, q, o->src) : o->src != want->host)
			continue;
		if (w->message[o->first].transport != w->message[q->first].transport ||
		        is_taken(w, q, c.pair) || !support(&s, w, q, &c) ||
		        (!want->known && !explains(&s)) || s.close < want->least_close ||
		        !better(&s, &best))
			continue;
		best = s;
		*found = c;
	}
	return best.known > 0;
}

/* Rules about arrivals; those about the own queue pair are another matter. */
static bool has_cause(const struct capture_work *w, const struct capture_pair *q)
{
	return q->n_rules && w->pair[q->rule[0].pair].dst == q->src;
}

static struct capture_pair *first_of_host(
        const struct capture_work *w, const struct capture_pair *q)
{
	uint32_t k = (uint32_t)(q - w->pair);

	while (k && w->pair[k - 1].src == q->src)
		k--;
	return &w->pair[k];
}

static bool is_sibling(const struct capture_work *w, const struct capture_pair *s,
        const struct capture_pair *q)
{
	return s != q && s->dst == q->dst && has_cause(w, s);
}

static void as_siblings(const struct rules *r, struct capture_pair *q)
{
	const struct capture_work *w = r->w;
	const struct capture_pair *s = first_of_host(w, q);

	for (; s < w->pair + w->n_pairs && s->src == q->src && !q->n_rules; s++) {
		struct wanted want = {.least_close = 1};

		if (!is_sibling(w, s, q))
			continue;
		want.host = w->pair[s->rule[0].pair].src;
		want.shift = s->rule[0].shift;
		q->n_rules += find(r, q, &want, &q->rule[0]);
	}
}

static void partners(const struct rules *r, struct capture_pair *q)
{
	const struct wanted want = {.host = UINT32_MAX, .shift = q->rule[0].shift};

	while (has_cause(r->w, q) && q->n_rules < REPLAY_MAX_AFTER &&
	        find(r, q, &want, &q->rule[q->n_rules]))
		q->n_rules++;
}

/* Those of the siblings: of these it is known that there are such. */
static void as_siblings_partners(const struct rules *r, struct capture_pair *q)
{
	const struct capture_work *w = r->w;
	const struct capture_pair *s = first_of_host(w, q);

	for (; s < w->pair + w->n_pairs && s->src == q->src; s++) {
		if (!is_sibling(w, s, q) || !has_cause(w, q))
			continue;
		for (uint32_t k = 0; k < s->n_rules && q->n_rules < REPLAY_MAX_AFTER; k++) {
			const struct wanted want = {.host = w->pair[s->rule[k].pair].src,
			        .shift = s->rule[k].shift,
			        .known = true};

			if (want.host != q->src && !waits_for(w, q, want.host))
				q->n_rules += find(r, q, &want, &q->rule[q->n_rules]);
		}
	}
}

/* A host that answers at once on one queue pair does so on all: what comes later has waited for
 * the port. */
static void at_once(struct capture_work *w, struct capture_pair *q)
{
	struct capture_pair *first = first_of_host(w, q);

	if (!q->at_once || !has_cause(w, q))
		return;
	for (; first < w->pair + w->n_pairs && first->src == q->src; first++)
		first->at_once |= has_cause(w, first);
}

static int index_by_dst(struct rules *r, struct err *e)
{
	const struct capture_work *w = r->w;

	r->by_dst = malloc(((size_t)w->n_pairs + 1) * sizeof(*r->by_dst));
	r->first_of = calloc((size_t)w->n_hosts + 2, sizeof(*r->first_of));
	if (!r->by_dst || !r->first_of)
		return err_set(e, -ENOMEM, "no memory for %u queue pairs", w->n_pairs);
	for (uint32_t k = 0; k < w->n_pairs; k++)
		r->first_of[w->pair[k].dst + 1]++;
	for (uint32_t h = 0; h < w->n_hosts; h++)
		r->first_of[h + 1] += r->first_of[h];
	for (uint32_t k = w->n_pairs; k-- > 0;)
		r->by_dst[--r->first_of[w->pair[k].dst + 1]] = k;
	for (uint32_t h = 0; h < w->n_hosts; h++)
		r->first_of[h] = r->first_of[h + 1];
	r->first_of[w->n_hosts] = w->n_pairs;
	return 0;
}

int capture_rules_complete(struct capture_work *w, struct err *e)
{
	struct rules r = {.w = w};
	int rc = index_by_dst(&r, e);

	for (uint32_t k = 0; k < w->n_pairs && !rc; k++)
		if (!w->pair[k].n_rules && w->pair[k].n >= LEAST)
			as_siblings(&r, &w->pair[k]);
	for (uint32_t k = 0; k < w->n_pairs && !rc; k++)
		partners(&r, &w->pair[k]);
	for (uint32_t k = 0; k < w->n_pairs && !rc; k++)
		as_siblings_partners(&r, &w->pair[k]);
	for (uint32_t k = 0; k < w->n_pairs && !rc; k++)
		at_once(w, &w->pair[k]);
	free(r.by_dst);
	free(r.first_of);
	return rc;
}
