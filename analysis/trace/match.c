/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that several interfaces show. A transmission is known by flow, opcode, PSN, IP
 * identification and, of acknowledgements, syndrome and MSN. Where several fit that an
 * interface has not shown yet (sent again, without an identification), those are left out that
 * later ones have overtaken on their way here; of the rest the one that took about as long as
 * the packet before. When another copy comes in after all, both arrived, in the order they were
 * sent in.
 *
 * A switch that cuts through sends a packet before the whole of it has come in: its outbound
 * stamp, of the first bit, is older than the inbound one, of the last. Then two interfaces in a
 * row have sent the packet, and what comes in belongs between them.
 *
 * What may still be seen elsewhere lies in a ring of bounded size; what leaves it at a place
 * from which others went on was lost behind it.
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

	/* CNPs are all alike but for that: the n-th here is the n-th elsewhere. */
	if (o->opcode == BTH_CNP && !o->ip_id)
		h ^= v->shown.cnps * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ (uint64_t)o->aeth_msn << 40 ^ (uint64_t)o->syndrome << 8) *
	    UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ h >> 32 ^ o->ip_id) * UINT64_C(0xbf58476d1ce4e5b9);
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

static bool shown_at(const struct match_entry *e, const struct view *v)
{
	for (uint32_t i = 0; i < e->n_places; i++)
		if (e->place[i] == v->ordinal)
			return true;
	return false;
}

static void place_add(struct match_entry *e, const struct view *v)
{
	if (e->n_places < MATCH_PLACES)
		e->place[e->n_places++] = (uint16_t)v->ordinal;
}

static uint32_t last_view(const struct match_entry *e)
{
	return e->latest[0].view;
}

static int64_t shown_ns(const struct match_entry *e, uint32_t latest)
{
	return e->first_ns + e->latest[latest].after_ns;
}

static int32_t since(const struct match_entry *e, int64_t t_ns)
{
	int64_t ns = t_ns - e->first_ns;

	return ns < INT32_MIN ? INT32_MIN : ns > INT32_MAX ? INT32_MAX : (int32_t)ns;
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

/* The hop that was seen last: kept back, as another copy may still change it. */
static void hop_count(struct trace *t, struct match_entry *e)
{
	const struct view_edge *g;

	if (!e->hop)
		return;
	e->hop = false;
	g = view_edge(view_at(t, e->latest[1].view), last_view(e));
	if (g && g->path != TRACE_NONE)
		span_add(&t->r.path[g->path].latency_ns, shown_ns(e, 0) - shown_ns(e, 1));
}

static void leave(struct trace *t, struct match_entry *e)
{
	struct flow *f = flow_at(t, e->flow);
	struct view *shown = view_at(t, last_view(e));
	const struct view_edge *on;

	hop_count(t, e);
	if (!e->data || f->n_views < 2)
		return;
	on = view_onward(t, shown, shown_ns(e, 0));
	if (!on) {
		if (e->first_view != last_view(e))
			one_way(t, f, e);
		return;
	}
	/* Only while others went on from there. */
	if (shown_ns(e, 0) < shown->on_first_ns || shown_ns(e, 0) > shown->on_last_ns)
		return;
	shown->lost_after++;
	lost_add(t, e, shown, view_at(t, on->to));
	if (on->path != TRACE_NONE)
		t->r.path[on->path].lost++;
}

/* How likely it is that v shows e now: the rank first, then how far it is from having taken as
 * long as what came this way last. */
enum rank { RANK_NEXT, RANK_OVERTAKEN, RANK_BACK };

struct fit {
	struct match_entry *entry;
	enum rank rank;
	int64_t off_ns;
};

static struct fit fit_of(
        const struct trace *t, struct match_entry *e, const struct view *v, int64_t t_ns)
{
	const struct view *last = view_at(t, last_view(e));
	const struct view_edge *g = view_edge(last, v->index);
	struct fit f = {e, RANK_NEXT, INT64_MAX};

	if (view_behind(last, v))
		f.rank = RANK_BACK;
	else if (v->newest_set && e->first_ns < v->newest_ns)
		f.rank = RANK_OVERTAKEN;
	if (!g || f.rank != RANK_NEXT)
		return f;
	f.off_ns = t_ns - shown_ns(e, 0) - g->latency_ns;
	if (f.off_ns < 0)
		f.off_ns = -f.off_ns;
	return f;
}

/* a is older than b. */
static bool fits_better(const struct fit *a, const struct fit *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->rank != RANK_NEXT)
		return false;
	return a->off_ns < b->off_ns || (a->off_ns == INT64_MAX && b->off_ns == INT64_MAX);
}

static struct match_entry *find(
        struct trace *t, uint64_t key, const struct view *v, const struct obs *o)
{
	struct match_ring *r = &t->match;
	uint32_t i = *head_of(r->head, r->size, key, o->opcode == BTH_CNP), left = 256;
	struct fit best = {0};

	for (; inside(r, i) && left; left--) {
		struct match_entry *e = &r->entry[i & (r->size - 1)];
		uint32_t previous = e->previous;

		if (e->key == key && e->flow == v->flow && !shown_at(e, v)) {
			struct fit f = fit_of(t, e, v, o->t_ns);

			if (!best.entry || fits_better(&f, &best))
				best = f;
		}
		if (!inside(r, previous) || previous - r->begin >= i - r->begin)
			break;
		i = previous;
	}
	return best.entry;
}

/* The copy sent after e that this interface has shown already, where nothing came of it since:
 * or NULL. */
static struct match_entry *later_copy(
        const struct trace *t, const struct view *v, const struct match_entry *e)
{
	const struct match_ring *r = &t->match;
	uint32_t i = *head_of(r->head, r->size, e->key, e->cnp), left = 256;
	struct match_entry *oldest = NULL;

	for (; inside(r, i) && left; left--) {
		struct match_entry *x = &r->entry[i & (r->size - 1)];

		if (x == e)
			break;
		if (x->key == e->key && x->flow == e->flow && last_view(x) == v->index &&
		        x->hop && x->latest[1].view == last_view(e) &&
		        x->first_ns > e->first_ns)
			oldest = x;
		if (!inside(r, x->previous) || x->previous - r->begin >= i - r->begin)
			break;
		i = x->previous;
	}
	return oldest;
}

/* How many of the latest have sent on what comes in at v only now: after its first bit came. */
static uint32_t ahead(
        struct trace *t, const struct match_entry *e, const struct view *v, const struct obs *o)
{
	int64_t speed_bps = t->iface[v->interface]->pub.speed_bps, first_bit_ns;
	uint32_t shown = e->n_places, n = 0;

	if (v->direction != DIRECTION_IN || !speed_bps)
		return 0;
	first_bit_ns = o->t_ns - (int64_t)((int64_t)o->wire_bytes * 8 * 1000000000 / speed_bps);
	while (n + 1 < MATCH_LATEST && n + 1 < shown && shown_ns(e, n) > first_bit_ns &&
	        view_at(t, e->latest[n].view)->direction == DIRECTION_OUT &&
	        view_at(t, e->latest[n + 1].view)->direction == DIRECTION_OUT)
		n++;
	return n;
}

/* v has shown it behind latest[n], before latest[n - 1]. */
static void insert(struct match_entry *e, struct view *v, uint32_t n, int64_t t_ns)
{
	memmove(&e->latest[n + 1], &e->latest[n],
	        (MATCH_LATEST - 1 - n) * sizeof(e->latest[0]));
	e->latest[n].view = v->index;
	e->latest[n].after_ns = since(e, t_ns);
	place_add(e, v);
}

/* What went from latest[n] to latest[n - 1] has been at v in between. */
static void again_between(
        struct trace *t, struct view *v, const struct obs *o, struct match_entry *e, uint32_t n)
{
	struct view *before = view_at(t, e->latest[n].view),
	            *after = view_at(t, e->latest[n - 1].view);
	int64_t from_ns = shown_ns(e, n), to_ns = shown_ns(e, n - 1);
	bool counted = n > 1 || !e->hop;

	e->hop = e->hop && n > 1;
	edge_take(t, before, after, counted ? to_ns - from_ns : TRACE_UNKNOWN);
	edge_add(t, before, v, from_ns, o->t_ns - from_ns);
	edge_add(t, v, after, o->t_ns, to_ns - o->t_ns);
	edge_time(t, before, v, o->t_ns - from_ns);
	edge_time(t, v, after, to_ns - o->t_ns);
	for (uint32_t i = 0; i < n; i++)
		view_at(t, e->latest[i].view)->position_sum++;
	insert(e, v, n, o->t_ns);
}

static void again_last(
        struct trace *t, struct view *v, const struct obs *o, struct match_entry *e)
{
	struct match_entry *later = NULL;

	if (v->newest_set && e->first_ns < v->newest_ns)
		later = later_copy(t, v, e);
	edge_add(t, view_at(t, last_view(e)), v, shown_ns(e, 0),
	        o->t_ns - shown_ns(later ? later : e, later ? 1 : 0));
	hop_count(t, e);
	/* Two copies arrived, and the later one was taken for the first: they change places. */
	insert(e, v, 0, later ? shown_ns(later, 0) : o->t_ns);
	e->hop = true;
	if (later)
		later->latest[0].after_ns = since(later, o->t_ns);
}

static void again(struct trace *t, struct view *v, const struct obs *o, struct match_entry *e,
        bool *ce_first)
{
	uint32_t n = ahead(t, e, v, o);

	v->position_sum += e->n_places - n;
	v->position_n++;
	if (n)
		again_between(t, v, o, e, n);
	else
		again_last(t, v, o, e);
	/* CNPs have a class of their own, in which they overtake the rest. */
	if (!e->cnp && (!v->newest_set || e->first_ns > v->newest_ns)) {
		v->newest_ns = e->first_ns;
		v->newest_set = true;
	}
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
	        .place = {(uint16_t)v->ordinal},
	        .n_places = 1,
	        .psn = o->psn,
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
