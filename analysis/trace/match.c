/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that several interfaces show. A transmission is known by flow, opcode, PSN and, of
 * acknowledgements, syndrome and MSN; its occurrence follows from who has shown it: an
 * interface that has shown all transmissions of that key so far shows a new one. Of those that
 * it has not shown the one with the same IP identification is meant, else the latest: an
 * earlier one was lost, or it would have come before.
 *
 * A switch that cuts through sends a packet before the whole of it has come in: its outbound
 * stamp, of the first bit, is older than the inbound one, of the last. Then two interfaces in a
 * row have sent the packet, and what comes in belongs between them.
 *
 * What may still be seen elsewhere lies in a ring of bounded size; what leaves it unseen by the
 * last interface of its path was lost behind the one that showed it last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_int.h"
#include "dataplane/wire/opcode.h"

#define RING_FIRST (1u << 12)
#define RING_MAX   (1u << 20)
/* The ring grows while what would leave it is younger than this. */
#define RING_AGE_NS INT64_C(100000000)

static uint64_t key_of(const struct view *v, const struct obs *o)
{
	uint64_t h = (uint64_t)v->flow << 32 | (uint64_t)o->opcode << 24 | (o->psn & PSN_MASK);

	/* CNPs are all alike: the n-th here is the n-th elsewhere. */
	if (o->opcode == BTH_CNP)
		h ^= v->shown.cnps * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ (uint64_t)o->aeth_msn << 40 ^ (uint64_t)o->syndrome << 8) *
	    UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* All CNPs of a flow have one key: they have heads of their own, behind the others, so that
 * nobody else walks past thousands of them. */
static uint32_t *head_of(uint32_t *head, uint32_t size, uint64_t key, bool cnp)
{
	return &head[(cnp ? size : 0) + (key & (size - 1))];
}

static int ring_resize(struct match_ring *r, uint32_t size)
{
	struct match_entry *entry = malloc(size * sizeof(*entry));
	uint32_t *head = malloc(2 * (size_t)size * sizeof(*head));

	if (!entry || !head) {
		free(entry);
		free(head);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < 2 * size; i++)
		head[i] = TRACE_NONE;
	for (uint32_t i = r->begin; i != r->end; i++) {
		struct match_entry *e = &entry[i & (size - 1)];
		uint32_t *h;

		*e = r->entry[i & (r->size - 1)];
		h = head_of(head, size, e->key, e->cnp);
		e->previous = *h;
		*h = i;
	}
	free(r->entry);
	free(r->head);
	r->entry = entry;
	r->head = head;
	r->size = size;
	return 0;
}

/* Whether index i is still in the ring. */
static bool inside(const struct match_ring *r, uint32_t i)
{
	return i != TRACE_NONE && i - r->begin < r->end - r->begin;
}

static uint32_t bit_of(const struct view *v)
{
	return 1u << (v->ordinal & 31);
}

static struct trace_path *path_of(
        struct trace *t, const struct view *before, const struct view *after)
{
	uint32_t from = before->interface, to = after->interface;
	struct trace_path *more;

	for (uint32_t i = 0; i < t->r.n_paths; i++)
		if (t->r.path[i].from == from && t->r.path[i].to == to)
			return &t->r.path[i];
	if (t->r.n_paths >= 4096)
		return NULL;
	if ((t->r.n_paths & (t->r.n_paths - 1)) == 0) {
		more = realloc(
		        t->r.path, (t->r.n_paths ? 2 * t->r.n_paths : 1) * sizeof(*more));
		if (!more) {
			t->failed = -ENOMEM;
			return NULL;
		}
		t->r.path = more;
	}
	t->r.path[t->r.n_paths] = (struct trace_path){.from = from,
	        .to = to,
	        .from_direction = before->direction,
	        .to_direction = after->direction};
	return &t->r.path[t->r.n_paths++];
}

/* The view of the flow that packets reach last: seen behind the most others, on average. */
static bool behind(const struct view *a, const struct view *b)
{
	return (double)a->position_sum * (double)b->position_n >
	       (double)b->position_sum * (double)a->position_n;
}

static uint32_t last_view(const struct match_entry *e)
{
	return e->latest[0].view;
}

static int64_t shown_ns(const struct match_entry *e, uint32_t latest)
{
	return e->first_ns + e->latest[latest].after_ns;
}

static void one_way(struct trace *t, struct flow *f, const struct match_entry *e)
{
	int64_t latency_ns = shown_ns(e, 0) - e->first_ns;

	span_add(&f->latency_ns, latency_ns);
	if (view_at(t, e->first_view)->selected && latency_ns >= 0) {
		struct trace_bin *b = timeline_bin(&t->total, e->first_ns);

		hist_add(t->r.latency_ns, latency_ns);
		b->latency_sum_ns += latency_ns;
		b->latency_n++;
		if (latency_ns > b->latency_max_ns)
			b->latency_max_ns = latency_ns;
	}
}

static void leave(struct trace *t, const struct match_entry *e)
{
	struct flow *f = flow_at(t, e->flow);
	struct view *last = NULL, *shown = view_at(t, last_view(e));
	struct trace_path *p;

	if (!e->data || f->n_views < 2)
		return;
	for (uint32_t i = f->first_view; i != TRACE_NONE; i = view_at(t, i)->next) {
		struct view *v = view_at(t, i);

		if (v->position_n && (!last || behind(v, last)))
			last = v;
	}
	if (last && e->mask & bit_of(last) && e->first_view != last_view(e))
		one_way(t, f, e);
	/* Only where the last interface was there before and after. */
	if (!last || !last->position_sum || e->mask & bit_of(last) ||
	        e->first_ns < last->first_matched_ns || e->first_ns > last->last_matched_ns)
		return;
	shown->lost_after++;
	lost_add(t, e, shown);
	p = path_of(t, shown, last);
	if (p)
		p->lost++;
}

static struct match_entry *find(
        struct trace *t, uint64_t key, const struct view *v, const struct obs *o)
{
	struct match_ring *r = &t->match;
	struct match_entry *latest = NULL;
	uint32_t i = *head_of(r->head, r->size, key, o->opcode == BTH_CNP), left = 256;

	for (; inside(r, i) && left; left--) {
		struct match_entry *e = &r->entry[i & (r->size - 1)];
		uint32_t previous = e->previous;

		if (e->key == key && e->flow == v->flow && !(e->mask & bit_of(v))) {
			if (e->ip_id == o->ip_id && o->ip_id)
				return e;
			if (!latest)
				latest = e;
			if (!o->ip_id)
				return latest;
		}
		if (!inside(r, previous) || previous - r->begin >= i - r->begin)
			break;
		i = previous;
	}
	return latest;
}

/* How many of the latest have sent on what comes in at v only now: after its first bit came. */
static uint32_t ahead(
        struct trace *t, const struct match_entry *e, const struct view *v, const struct obs *o)
{
	int64_t speed_bps = t->iface[v->interface]->pub.speed_bps, first_bit_ns;
	uint32_t shown = (uint32_t)__builtin_popcount(e->mask), n = 0;

	if (v->direction != DIRECTION_IN || !speed_bps)
		return 0;
	first_bit_ns = o->t_ns - (int64_t)((int64_t)o->wire_bytes * 8 * 1000000000 / speed_bps);
	while (n + 1 < MATCH_LATEST && n + 1 < shown && shown_ns(e, n) > first_bit_ns &&
	        view_at(t, e->latest[n].view)->direction == DIRECTION_OUT &&
	        view_at(t, e->latest[n + 1].view)->direction == DIRECTION_OUT)
		n++;
	return n;
}

static void between(struct trace *t, const struct view *before, const struct view *after,
        int64_t latency_ns)
{
	struct trace_path *p = path_of(t, before, after);

	if (!p)
		return;
	p->matched++;
	span_add(&p->latency_ns, latency_ns);
}

static void not_between(struct trace *t, const struct view *before, const struct view *after,
        int64_t latency_ns)
{
	struct trace_path *p = path_of(t, before, after);

	if (!p || !p->matched)
		return;
	p->matched--;
	p->latency_ns.n--;
	p->latency_ns.sum -= latency_ns;
}

static int32_t since(const struct match_entry *e, int64_t t_ns)
{
	int64_t ns = t_ns - e->first_ns;

	return ns < INT32_MIN ? INT32_MIN : ns > INT32_MAX ? INT32_MAX : (int32_t)ns;
}

static void again(struct trace *t, struct view *v, const struct obs *o, struct match_entry *e,
        bool *ce_first)
{
	uint32_t n = ahead(t, e, v, o);
	struct view *before = view_at(t, e->latest[n].view);

	v->position_sum += (uint64_t)__builtin_popcount(e->mask) - n;
	v->position_n++;
	e->mask |= bit_of(v);
	if (v->first_matched_ns == TRACE_UNKNOWN)
		v->first_matched_ns = e->first_ns;
	v->last_matched_ns = e->first_ns;
	between(t, before, v, o->t_ns - shown_ns(e, n));
	if (n) {
		struct view *after = view_at(t, e->latest[n - 1].view);

		not_between(t, before, after, shown_ns(e, n - 1) - shown_ns(e, n));
		between(t, v, after, shown_ns(e, n - 1) - o->t_ns);
	}
	for (uint32_t i = 0; i < n; i++)
		view_at(t, e->latest[i].view)->position_sum++;
	memmove(&e->latest[n + 1], &e->latest[n],
	        (MATCH_LATEST - 1 - n) * sizeof(e->latest[0]));
	e->latest[n].view = v->index;
	e->latest[n].after_ns = since(e, o->t_ns);
	*ce_first = !e->ce;
	e->ce = e->ce || o->ecn == 3;
}

bool match_show(struct trace *t, struct view *v, const struct obs *o, bool *ce_first)
{
	struct match_ring *r = &t->match;
	uint64_t key = key_of(v, o);
	struct match_entry *e;
	uint32_t *head;

	*ce_first = true;
	if (!r->size && ring_resize(r, RING_FIRST)) {
		t->failed = -ENOMEM;
		return true;
	}
	e = find(t, key, v, o);
	if (e) {
		again(t, v, o, e, ce_first);
		return false;
	}
	if (r->end - r->begin == r->size) {
		struct match_entry *oldest = &r->entry[r->begin & (r->size - 1)];

		if (r->size == RING_MAX || o->t_ns - oldest->first_ns > RING_AGE_NS ||
		        ring_resize(r, 2 * r->size)) {
			leave(t, oldest);
			r->begin++;
		}
	}
	e = &r->entry[r->end & (r->size - 1)];
	head = head_of(r->head, r->size, key, o->opcode == BTH_CNP);
	*e = (struct match_entry){.key = key,
	        .first_ns = o->t_ns,
	        .previous = *head,
	        .flow = v->flow,
	        .first_view = v->index,
	        .latest = {{.view = v->index}},
	        .mask = bit_of(v),
	        .psn = o->psn,
	        .ip_id = o->ip_id,
	        .ce = o->ecn == 3,
	        .cnp = o->opcode == BTH_CNP,
	        .data = opcode_table[o->opcode].flags & OPCODE_DATA};
	*head = r->end++;
	if (r->end == TRACE_NONE) /* names nothing; far from reached in practice */
		r->end = r->begin = 0;
	v->position_n++;
	return true;
}

void match_finish(struct trace *t)
{
	struct match_ring *r = &t->match;

	for (; r->begin != r->end; r->begin++)
		leave(t, &r->entry[r->begin & (r->size - 1)]);
}

void match_fini(struct trace *t)
{
	free(t->match.entry);
	free(t->match.head);
}
