/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a message was posted. A capture shows its first packet, which is that time only if the
 * queue pair was idle. Three things are concluded, and nothing else:
 *
 * - A message follows others if it came within 20 us behind them again and again: the k-th of a
 *   queue pair behind the (k - shift)-th that arrived on another one, or that was acknowledged
 *   on its own, with the same shift throughout, and never before.
 * - A message whose first packet is right behind the last one of the former was waiting. It was
 *   posted as soon as the sender had no more messages under way than the capture shows, and
 * one.
 * - First packets of several queue pairs of a host that follow each other packet by packet were
 *   posted at once: a NIC serves queue pairs in turn.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/capture_work.h"

#define NEAR_NS    20000 /* a program answers within this time */
#define LOOSE_NS   1000  /* by which its answers may differ */
#define LEAST      3     /* times that something must have happened */
#define CANDIDATES 24
#define LOOKED_AT  8 /* arrivals before a message */
#define LANES      (LOAD_MAX_LANES - 96)

struct candidate {
	struct capture_rule rule;
	uint32_t votes;
};

struct posts {
	struct capture_work *w;
	uint32_t *arrival;  /* messages by (dst, arrived_ns); those that have such a time */
	uint32_t *first_of; /* [n_hosts + 1]: in arrival[] */
	struct candidate c[CANDIDATES];
	uint32_t n_c;
};

static int by_arrival(const void *a, const void *b, void *work)
{
	const struct capture_work *w = work;
	const struct capture_message *x = &w->message[*(const uint32_t *)a],
	                             *y = &w->message[*(const uint32_t *)b];

	if (x->dst != y->dst)
		return x->dst < y->dst ? -1 : 1;
	if (x->arrived_ns != y->arrived_ns)
		return x->arrived_ns < y->arrived_ns ? -1 : 1;
	return (x > y) - (x < y);
}

static int find_arrivals(struct posts *p, struct err *e)
{
	struct capture_work *w = p->w;
	uint32_t n = 0;

	p->arrival = malloc(((size_t)w->n_messages + 1) * sizeof(*p->arrival));
	p->first_of = calloc((size_t)w->n_hosts + 2, sizeof(*p->first_of));
	if (!p->arrival || !p->first_of)
		return err_set(e, -ENOMEM, "no memory for %u messages", w->n_messages);
	for (uint32_t i = 0; i < w->n_messages; i++) {
		if (w->message[i].arrived_ns == TRACE_UNKNOWN)
			continue;
		p->arrival[n++] = i;
		p->first_of[w->message[i].dst + 1]++;
	}
	qsort_r(p->arrival, n, sizeof(*p->arrival), by_arrival, w);
	for (uint32_t h = 0; h < w->n_hosts; h++)
		p->first_of[h + 1] += p->first_of[h];
	return 0;
}

/* How long a full packet takes on the port of the host. */
static int64_t packet_ns(const struct capture_work *w, uint32_t host)
{
	const int64_t rate = w->rate_bps[host];

	return rate ? w->packet_wire * 8 * INT64_C(1000000000) / rate : 0;
}

/* The spacing of a message's packets; of a single one, that of full packets on the link. */
static int64_t spacing_ns(const struct capture_work *w, const struct capture_message *m)
{
	if (m->packets > 1)
		return (m->last_ns - m->first_ns) / (m->packets - 1);
	return packet_ns(w, m->src);
}

/* Had the queue pair nothing to send when the message came? */
bool capture_found_idle(const struct capture_work *w, uint32_t i)
{
	const struct capture_message *m = &w->message[i], *before = m - 1;
	int64_t spacing;

	if (i == w->pair[m->pair].first)
		return true;
	if (before->acked_ns != TRACE_UNKNOWN && before->acked_ns <= m->first_ns)
		return true;
	spacing = spacing_ns(w, before);
	/* A rate may be cut between them: then its own packets are so far apart. */
	if (spacing_ns(w, m) > spacing)
		spacing = spacing_ns(w, m);
	return m->first_ns - before->last_ns > 2 * spacing + 2;
}

static void vote(struct posts *p, uint32_t pair, int64_t shift)
{
	struct candidate *least = &p->c[0];

	for (uint32_t i = 0; i < p->n_c; i++) {
		if (p->c[i].rule.pair == pair && p->c[i].rule.shift == shift) {
			p->c[i].votes++;
			return;
		}
		if (p->c[i].votes < least->votes)
			least = &p->c[i];
	}
	if (p->n_c < CANDIDATES)
		p->c[p->n_c++] = (struct candidate){{pair, shift}, 1};
	else if (--least->votes == 0)
		*least = (struct candidate){{pair, shift}, 1};
}

/* The last arrival at the host of m no later than it; the index behind it in arrival[]. */
static uint32_t arrivals_until(const struct posts *p, const struct capture_message *m)
{
	uint32_t lo = p->first_of[m->src], hi = p->first_of[m->src + 1];

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (p->w->message[p->arrival[mid]].arrived_ns <= m->first_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void vote_for_arrivals(struct posts *p, uint32_t i)
{
	const struct capture_work *w = p->w;
	const struct capture_message *m = &w->message[i];
	const int64_t place = (int64_t)i - w->pair[m->pair].first;
	const uint32_t from = p->first_of[m->src];
	uint32_t at = arrivals_until(p, m);

	for (uint32_t k = 0; k < LOOKED_AT && at > from; k++) {
		const uint32_t on = p->arrival[--at];
		const struct capture_message *a = &w->message[on];

		if (m->first_ns - a->arrived_ns > NEAR_NS)
			return;
		if (a->transport == m->transport)
			vote(p, a->pair, place - ((int64_t)on - w->pair[a->pair].first));
	}
}

static void vote_for_own(struct posts *p, uint32_t i)
{
	const struct capture_work *w = p->w;
	const struct capture_message *m = &w->message[i];
	const struct capture_pair *own = &w->pair[m->pair];

	for (uint32_t k = 1; k <= LOOKED_AT && i >= own->first + k; k++) {
		const int64_t acked = w->message[i - k].acked_ns;

		if (acked == TRACE_UNKNOWN || acked > m->first_ns)
			continue;
		if (m->first_ns - acked <= NEAR_NS)
			vote(p, m->pair, k);
		return;
	}
}

uint32_t capture_rule_before(
        const struct capture_work *w, const struct capture_rule *c, uint32_t i)
{
	const struct capture_pair *own = &w->pair[w->message[i].pair],
	                          *other = &w->pair[c->pair];
	const int64_t at = (int64_t)i - own->first - c->shift;

	return at < 0 || at >= other->n ? UINT32_MAX : other->first + (uint32_t)at;
}

int64_t capture_rule_done_ns(const struct capture_work *w, uint32_t on, uint32_t by)
{
	const struct capture_message *m = &w->message[on];

	return m->pair == w->message[by].pair ? m->acked_ns : m->arrived_ns;
}

/* When the last of what was chosen so far, and c, had happened; TRACE_UNKNOWN: nothing. */
static int64_t ready_ns(const struct posts *p, const struct capture_rule *c, uint32_t i)
{
	const struct capture_pair *q = &p->w->pair[p->w->message[i].pair];
	int64_t ready = TRACE_UNKNOWN;

	for (uint32_t k = 0; k <= q->n_rules; k++) {
		const struct capture_rule *one = k < q->n_rules ? &q->rule[k] : c;
		const uint32_t on = one ? capture_rule_before(p->w, one, i) : UINT32_MAX;
		const int64_t t =
		        on == UINT32_MAX ? TRACE_UNKNOWN : capture_rule_done_ns(p->w, on, i);

		ready = t > ready ? t : ready;
	}
	return ready;
}

/* Never behind the message, and always known. */
static bool can_be(const struct posts *p, const struct capture_rule *c, uint32_t pair)
{
	const struct capture_work *w = p->w;
	const struct capture_pair *q = &w->pair[pair];

	if (w->pair[c->pair].src != q->src && w->pair[c->pair].dst != q->src)
		return false;
	for (uint32_t i = q->first; i < q->first + q->n; i++) {
		const uint32_t on = capture_rule_before(w, c, i);
		const int64_t t = on == UINT32_MAX ? 0 : capture_rule_done_ns(w, on, i);

		if (t == TRACE_UNKNOWN || (on != UINT32_MAX && t > w->message[i].first_ns))
			return false;
	}
	return true;
}

struct fit {
	uint32_t close, idle;
	int64_t least_ns, sum_ns; /* of the close ones */
};

/* How many of the messages that found the queue pair idle came right behind. */
static struct fit fit(const struct posts *p, const struct capture_rule *c, uint32_t pair)
{
	const struct capture_pair *q = &p->w->pair[pair];
	struct fit f = {.least_ns = INT64_MAX};

	for (uint32_t i = q->first; i < q->first + q->n; i++) {
		const int64_t ready =
		        capture_found_idle(p->w, i) ? ready_ns(p, c, i) : TRACE_UNKNOWN;

		if (ready != TRACE_UNKNOWN && p->w->message[i].first_ns - ready < f.least_ns)
			f.least_ns = p->w->message[i].first_ns - ready;
	}
	for (uint32_t i = q->first; i < q->first + q->n; i++) {
		const int64_t ready =
		        capture_found_idle(p->w, i) ? ready_ns(p, c, i) : TRACE_UNKNOWN;

		if (ready == TRACE_UNKNOWN)
			continue;
		f.idle++;
		if (p->w->message[i].first_ns - ready > f.least_ns + LOOSE_NS ||
		        f.least_ns > NEAR_NS)
			continue;
		f.close++;
		f.sum_ns += p->w->message[i].first_ns - ready;
	}
	return f;
}

/* Does x fit better than y? Several that go together are all close: the nearest is the cause.
 */
static bool fits_better(const struct fit *x, const struct fit *y)
{
	if (!y->close || x->close < y->close - y->close / 8 - 1)
		return !y->close;
	if (y->close < x->close - x->close / 8 - 1)
		return true;
	return (__int128)x->sum_ns * y->close < (__int128)y->sum_ns * x->close;
}

/* Up to three that together explain four of five. */
static void choose(struct posts *p, uint32_t pair)
{
	struct capture_pair *q = &p->w->pair[pair];
	struct fit best = {.least_ns = INT64_MAX};

	q->n_rules = 0;
	while (q->n_rules < REPLAY_MAX_AFTER && (!best.idle || best.close < best.idle)) {
		const struct capture_rule *take = NULL;
		struct fit better = {0};

		for (uint32_t i = 0; i < p->n_c; i++) {
			struct fit f;

			if (p->c[i].votes < LEAST || !can_be(p, &p->c[i].rule, pair))
				continue;
			f = fit(p, &p->c[i].rule, pair);
			if (f.close < best.close + LEAST || !fits_better(&f, &better))
				continue;
			better = f;
			take = &p->c[i].rule;
		}
		if (!take)
			break;
		best = better;
		q->rule[q->n_rules++] = *take;
	}
	if (best.close < LEAST || best.close * 5 < best.idle * 4)
		q->n_rules = 0;
	q->at_once = best.least_ns <= packet_ns(p->w, p->w->pair[pair].src) + 2;
}

static void put_after(const struct posts *p, uint32_t i)
{
	struct capture_message *m = &p->w->message[i];
	const struct capture_pair *q = &p->w->pair[m->pair];
	const int64_t ready = ready_ns(p, NULL, i);

	if (ready == TRACE_UNKNOWN)
		return;
	m->how = POST_AFTER;
	for (uint32_t k = 0; k < q->n_rules; k++) {
		const uint32_t on = capture_rule_before(p->w, &q->rule[k], i);

		if (on != UINT32_MAX)
			m->after[m->n_after++] = on;
	}
	/* A program that answers at once sometimes has to wait for the NIC, which sends what is
	 * on the wire, ACKs and others first. */
	if (capture_found_idle(p->w, i) && !(q->at_once && m->first_ns - ready <= LOOSE_NS))
		m->start_ps = (m->first_ns - ready) * 1000;
	else
		m->start_ps = 0;
}

/* Messages of the queue pair before i that are under way at its first packet. */
static uint32_t under_way(const struct capture_work *w, uint32_t i)
{
	const uint32_t first = w->pair[w->message[i].pair].first;
	uint32_t n = 0;

	while (i - n > first && n < 1024) {
		const int64_t acked = w->message[i - n - 1].acked_ns;

		if (acked != TRACE_UNKNOWN && acked <= w->message[i].first_ns)
			break;
		n++;
	}
	return n;
}

/* Messages [first, end) that stand one right behind the other, the first of which has a time or
 * something that it followed. */
static void put_behind(struct capture_work *w, uint32_t first, uint32_t end)
{
	const struct capture_message *head = &w->message[first];
	uint32_t depth = 1;

	for (uint32_t i = first + 1; i < end; i++) {
		const uint32_t n = under_way(w, i) + 1;

		depth = n > depth ? n : depth;
	}
	for (uint32_t i = first + 1; i < end; i++) {
		struct capture_message *m = &w->message[i];

		if (i - first >= depth) {
			m->how = POST_BEHIND;
			m->n_after = 1;
			m->after[0] = i - depth;
			m->start_ps = 0;
			continue;
		}
		m->how = POST_TOGETHER;
		m->n_after = head->n_after;
		memcpy(m->after, head->after, sizeof(m->after));
		m->start_ps = head->n_after ? 0 : head->start_ps;
	}
}

static void find_of_pair(struct posts *p, uint32_t pair)
{
	struct capture_work *w = p->w;
	const struct capture_pair *q = &w->pair[pair];
	const uint32_t end = q->first + q->n;

	p->n_c = 0;
	for (uint32_t i = q->first; i < end && q->n >= LEAST; i++) {
		if (!capture_found_idle(w, i))
			continue;
		vote_for_arrivals(p, i);
		vote_for_own(p, i);
	}
	choose(p, pair);
}

static void put_pair(struct posts *p, uint32_t pair)
{
	struct capture_work *w = p->w;
	const struct capture_pair *q = &w->pair[pair];
	const uint32_t end = q->first + q->n;

	for (uint32_t i = q->first; i < end; i++) {
		w->message[i].start_ps = w->message[i].first_ns * 1000;
		put_after(p, i);
	}
	for (uint32_t i = q->first; i < end;) {
		uint32_t next = i + 1;

		while (next < end && !w->message[next].n_after && !capture_found_idle(w, next))
			next++;
		put_behind(w, i, next);
		i = next;
	}
}

static int by_post(const void *a, const void *b, void *work)
{
	const struct capture_work *w = work;
	const struct capture_message *x = &w->message[*(const uint32_t *)a],
	                             *y = &w->message[*(const uint32_t *)b];

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Do the messages of the host that were on their way before order[at] fill half of its port? */
static bool is_busy(const struct capture_work *w, const uint32_t *order, uint32_t at)
{
	const struct capture_message *m = &w->message[order[at]];
	int64_t permille = 0;

	for (uint32_t k = 1; k <= 64 && k <= at && permille < 500; k++) {
		const struct capture_message *o = &w->message[order[at - k]];
		const int64_t spacing = spacing_ns(w, o);

		if (o->src != m->src)
			break;
		if (o->last_ns >= m->first_ns && spacing)
			permille += packet_ns(w, o->src) * 1000 / spacing;
	}
	return permille >= 500;
}

/* First packets that follow each other on the port of a host, each of another queue pair. One
 * that comes while others fill the port has waited for the packet on the wire: half of one, on
 * average. */
static void join(struct capture_work *w, const uint32_t *order, uint32_t n, uint32_t *burst_of)
{
	const struct capture_message *head = NULL; /* of the burst */
	uint32_t burst = 1;

	for (uint32_t i = 0; i < n; i++) {
		struct capture_message *m = &w->message[order[i]];
		const struct capture_message *former = i ? &w->message[order[i - 1]] : NULL;
		const int64_t packet = packet_ns(w, m->src);

		if (!former || former->src != m->src)
			head = NULL;
		if (head && m->how == POST_AT && packet && burst_of[m->pair] != burst &&
		        m->first_ns - former->first_ns <= packet + 2) {
			m->start_ps = head->start_ps;
		} else {
			burst++;
			head = m->how == POST_AT ? m : NULL;
			if (head && m->first_ns > packet && is_busy(w, order, i))
				m->start_ps -= packet * 1000 / 2;
		}
		burst_of[m->pair] = burst;
	}
}

static int join_bursts(struct capture_work *w, struct err *e)
{
	uint32_t *order = malloc(((size_t)w->n_messages + 1) * sizeof(*order)), n = 0;
	uint32_t *burst_of = calloc((size_t)w->n_pairs + 1, sizeof(*burst_of));

	if (!order || !burst_of) {
		free(order);
		free(burst_of);
		return err_set(e, -ENOMEM, "no memory for %u messages", w->n_messages);
	}
	for (uint32_t i = 0; i < w->n_messages; i++)
		order[n++] = i;
	qsort_r(order, n, sizeof(*order), by_post, w);
	join(w, order, n, burst_of);
	for (uint32_t i = 1; i < w->n_messages; i++) {
		struct capture_message *m = &w->message[i];

		if (m->n_after || m[-1].n_after || m[-1].pair != m->pair)
			continue;
		/* What was posted with it; and none before a former one. */
		if (m->how == POST_TOGETHER || m->start_ps < m[-1].start_ps)
			m->start_ps = m[-1].start_ps;
	}
	free(order);
	free(burst_of);
	return 0;
}

/* A host takes part in so many chains; the further ones go by the clock. */
static void limit_lanes(struct capture_work *w)
{
	uint32_t lanes = 0;

	for (uint32_t k = 0; k < w->n_pairs; k++) {
		const struct capture_pair *q = &w->pair[k];
		bool waits = false;

		lanes = k && q->src == w->pair[k - 1].src ? lanes : 0;
		for (uint32_t i = q->first; i < q->first + q->n; i++)
			waits |= w->message[i].n_after > 0;
		if (!waits || ++lanes <= LANES)
			continue;
		for (uint32_t i = q->first; i < q->first + q->n; i++) {
			struct capture_message *m = &w->message[i];

			w->dropped_after += m->n_after > 0;
			m->n_after = 0;
			m->how = POST_AT;
			m->start_ps = m->first_ns * 1000;
		}
	}
}

int capture_posts_find(struct capture_work *w, struct err *e)
{
	struct posts p = {.w = w};
	int rc = find_arrivals(&p, e);

	for (uint32_t k = 0; k < w->n_pairs && !rc; k++)
		find_of_pair(&p, k);
	if (!rc)
		rc = capture_rules_complete(w, e);
	for (uint32_t k = 0; k < w->n_pairs && !rc; k++)
		put_pair(&p, k);
	if (!rc)
		rc = join_bursts(w, e);
	if (!rc)
		limit_lanes(w);
	for (uint32_t i = 0; i < w->n_messages && !rc; i++)
		w->posts[w->message[i].how]++;
	free(p.arrival);
	free(p.first_of);
	return rc;
}
