/* SPDX-License-Identifier: Apache-2.0 */
/* Which flow, view, pair of hosts and host a packet belongs to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_int.h"
#include "dataplane/wire/opcode.h"

void *pool_add(struct pool *p, uint32_t *index)
{
	if (p->n == p->n_chunks * POOL_CHUNK) {
		uint8_t **more = p->chunk;
		void *chunk;

		if ((p->n_chunks & (p->n_chunks - 1)) == 0) { /* doubles */
			size_t n = p->n_chunks ? 2 * (size_t)p->n_chunks : 1;

			more = realloc(p->chunk, n * sizeof(*more));
			if (!more)
				return NULL;
			p->chunk = more;
		}
		chunk = calloc(POOL_CHUNK, p->item_bytes);
		if (!chunk)
			return NULL;
		p->chunk[p->n_chunks++] = chunk;
	}
	*index = p->n++;
	return pool_at(p, *index);
}

void pool_fini(struct pool *p)
{
	for (uint32_t i = 0; i < p->n_chunks; i++)
		free(p->chunk[i]);
	free(p->chunk);
	p->chunk = NULL;
	p->n = p->n_chunks = 0;
}

int index_init(struct index_table *t)
{
	t->mask = 255;
	t->n = 0;
	t->slot = calloc(t->mask + 1, sizeof(*t->slot));
	return t->slot ? 0 : -ENOMEM;
}

void index_fini(struct index_table *t)
{
	free(t->slot);
	t->slot = NULL;
}

/* The slot is chosen by the low half of the hash, which has to come back out of the table when
 * it grows: so the tag is that half, and equal tags are told apart by the caller's keys. */
static void index_place(struct index_slot *slot, uint32_t mask, uint32_t tag, uint32_t index)
{
	uint32_t i = tag & mask;

	while (slot[i].index)
		i = (i + 1) & mask;
	slot[i] = (struct index_slot){tag, index};
}

int index_put(struct index_table *t, uint64_t hash, uint32_t index)
{
	if (2 * (t->n + 1) > t->mask) {
		uint32_t mask = 2 * t->mask + 1;
		struct index_slot *slot = calloc((size_t)mask + 1, sizeof(*slot));

		if (!slot)
			return -ENOMEM;
		for (uint32_t i = 0; i <= t->mask; i++)
			if (t->slot[i].index)
				index_place(slot, mask, t->slot[i].tag, t->slot[i].index);
		free(t->slot);
		t->slot = slot;
		t->mask = mask;
	}
	index_place(t->slot, t->mask, (uint32_t)hash, index + 1);
	t->n++;
	return 0;
}

/* Walks what has this tag: i is where to go on. */
static uint32_t index_next(const struct index_table *t, uint32_t tag, uint32_t *i)
{
	while (t->slot[*i & t->mask].index) {
		const struct index_slot *s = &t->slot[*i & t->mask];

		++*i;
		if (s->tag == tag)
			return s->index - 1;
	}
	return TRACE_NONE;
}

static inline uint64_t mix64(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b) * UINT64_C(0xbf58476d1ce4e5b9);

	h = (h ^ (h >> 29)) * UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 32);
}

static inline bool addr_is(const struct trace_addr *a, uint8_t kind, const uint8_t ip[16])
{
	return a->kind == kind && !memcmp(a->ip, ip, 16);
}

static uint32_t host_of(struct trace *t, uint8_t kind, const uint8_t ip[16])
{
	uint64_t w[2], hash;
	struct host *h;
	uint32_t i, at;

	memcpy(w, ip, 16);
	hash = mix64(mix64(kind, w[0]), w[1]);
	at = (uint32_t)hash;
	while ((i = index_next(&t->host_index, (uint32_t)hash, &at)) != TRACE_NONE)
		if (addr_is(&host_at(t, i)->pub.addr, kind, ip))
			return i;
	h = pool_add(&t->hosts, &i);
	if (!h || index_put(&t->host_index, hash, i)) {
		t->failed = -ENOMEM;
		return TRACE_NONE;
	}
	h->pub.addr.kind = kind;
	memcpy(h->pub.addr.ip, ip, 16);
	h->pub.incast_at_ns = h->pub.cnp_gap_ns = TRACE_UNKNOWN;
	h->last_cnp_to_ns = h->last_cnp_from_ns = TRACE_UNKNOWN;
	return i;
}

static uint32_t cell_find(const struct trace *t, uint32_t src, uint32_t dst, uint64_t hash)
{
	uint32_t i, at = (uint32_t)hash;

	while ((i = index_next(&t->cell_index, (uint32_t)hash, &at)) != TRACE_NONE) {
		const struct trace_cell *c = &cell_at(t, i)->pub;

		if (c->src == src && c->dst == dst)
			return i;
	}
	return TRACE_NONE;
}

static uint32_t cell_of(struct trace *t, uint32_t src, uint32_t dst)
{
	uint64_t hash = mix64(src + 1, dst), back = mix64(dst + 1, src);
	uint32_t i = cell_find(t, src, dst, hash);
	struct cell *c;

	if (i != TRACE_NONE)
		return i;
	c = pool_add(&t->cells, &i);
	if (!c || index_put(&t->cell_index, hash, i)) {
		t->failed = -ENOMEM;
		return TRACE_NONE;
	}
	c->pub.src = src;
	c->pub.dst = dst;
	c->first_flow = c->last_flow = TRACE_NONE;
	c->reverse = src == dst ? i : cell_find(t, dst, src, back);
	if (c->reverse != TRACE_NONE)
		cell_at(t, c->reverse)->reverse = i;
	return i;
}

static bool flow_is(const struct flow *f, const struct obs *o)
{
	return f->dqp == o->dqp && f->deth_src_qp == o->src_qp &&
	       addr_is(&f->src, o->addr_kind, o->u.ip.src) &&
	       addr_is(&f->dst, o->addr_kind, o->u.ip.dst);
}

static uint8_t transport_of(uint8_t opcode)
{
	switch (opcode & 0xe0) {
	case BTH_RC:
		return TRACE_RC;
	case BTH_UC:
		return TRACE_UC;
	case BTH_RD:
		return TRACE_RD;
	case BTH_UD:
		return TRACE_UD;
	case BTH_XRC:
		return TRACE_XRC;
	default:
		return TRACE_OTHER;
	}
}

static struct flow *flow_new(struct trace *t, const struct obs *o)
{
	uint32_t src = host_of(t, o->addr_kind, o->u.ip.src), i;
	uint32_t dst = host_of(t, o->addr_kind, o->u.ip.dst);
	uint32_t cell =
	        src == TRACE_NONE || dst == TRACE_NONE ? TRACE_NONE : cell_of(t, src, dst);
	struct flow *f;
	struct cell *c;

	f = cell == TRACE_NONE ? NULL : pool_add(&t->flows, &i);
	if (!f || index_put(&t->flow_index, o->hash, i)) {
		t->failed = -ENOMEM;
		return NULL;
	}
	f->index = i;
	f->first_view = f->last_view = f->peer = f->next_in_cell = TRACE_NONE;
	f->cell = cell;
	f->kind = o->kind;
	f->transport = transport_of(o->opcode);
	f->src = host_at(t, src)->pub.addr;
	f->dst = host_at(t, dst)->pub.addr;
	f->dqp = o->dqp;
	f->deth_src_qp = o->src_qp;
	f->src_qp = o->src_qp ? o->src_qp : TRACE_NONE;
	f->sport = o->sport;
	f->dscp = o->dscp;
	f->pcp = o->pcp;
	f->ack_dscp = f->cnp_dscp = f->cnp_pcp = OBS_UNTAGGED;
	f->last_cnp_ns = TRACE_UNKNOWN;
	c = cell_at(t, cell);
	if (c->last_flow == TRACE_NONE)
		c->first_flow = i;
	else
		flow_at(t, c->last_flow)->next_in_cell = i;
	c->last_flow = i;
	pair_new_flow(t, f);
	return f;
}

static struct flow *flow_of(struct trace *t, const struct obs *o)
{
	uint32_t i, at = (uint32_t)o->hash;

	while ((i = index_next(&t->flow_index, (uint32_t)o->hash, &at)) != TRACE_NONE)
		if (flow_is(flow_at(t, i), o))
			return flow_at(t, i);
	return flow_new(t, o);
}

/* The counts of transmissions begin to differ from those of a view with the second view. */
static bool count_once(struct trace *t, struct flow *f)
{
	for (uint32_t i = f->first_view; i != TRACE_NONE; i = view_at(t, i)->next) {
		struct view *v = view_at(t, i);

		if (v->once)
			continue;
		v->once = malloc(sizeof(*v->once));
		if (!v->once) {
			t->failed = -ENOMEM;
			return false;
		}
		*v->once = v->shown;
	}
	return true;
}

static struct view *view_new(struct trace *t, const struct obs *o, uint64_t hash)
{
	struct flow *f = flow_of(t, o);
	struct view *v;
	uint32_t i;

	v = f ? pool_add(&t->views, &i) : NULL;
	if (!v || index_put(&t->view_index, hash, i)) {
		t->failed = -ENOMEM;
		return NULL;
	}
	v->index = i;
	v->hash = hash;
	v->interface = o->interface;
	v->direction = o->direction;
	v->dqp = o->dqp;
	v->src_qp = o->src_qp;
	v->flow = f->index;
	v->src = f->src;
	v->dst = f->dst;
	v->next = v->peer = TRACE_NONE;
	v->home = f->n_views == 0;
	v->ordinal = f->n_views;
	v->selected = !t->opt.only_qp || f->dqp == t->opt.qp || f->src_qp == t->opt.qp;
	v->transport = f->transport;
	v->first_ce_ns = v->last_cnp_ns = v->last_loss_ns = v->cut.cnp_ns = TRACE_UNKNOWN;
	v->first_ns = v->last_ns = v->first_data_ns = v->last_data_ns = TRACE_UNKNOWN;
	if (f->n_views++ == 0)
		f->first_view = i;
	else
		view_at(t, f->last_view)->next = i;
	f->last_view = i;
	if (f->n_views > 1 && !count_once(t, f))
		return NULL;
	pair_new_view(t, v);
	return v;
}

struct view *flow_table_view(struct trace *t, const struct obs *o)
{
	uint64_t hash = mix64(o->hash, o->interface);
	uint32_t i, at = (uint32_t)hash;

	while ((i = index_next(&t->view_index, (uint32_t)hash, &at)) != TRACE_NONE) {
		struct view *v = view_at(t, i);

		if (v->hash == hash && v->interface == o->interface && v->dqp == o->dqp &&
		        v->src_qp == o->src_qp && addr_is(&v->src, o->addr_kind, o->u.ip.src) &&
		        addr_is(&v->dst, o->addr_kind, o->u.ip.dst))
			return v;
	}
	if (t->views.n >= VIEWS_MAX)
		return NULL;
	return view_new(t, o, hash);
}

struct view *flow_view_at(const struct trace *t, uint32_t flow, uint32_t interface)
{
	uint32_t i = flow == TRACE_NONE ? TRACE_NONE : flow_at(t, flow)->first_view;

	for (; i != TRACE_NONE; i = view_at(t, i)->next)
		if (view_at(t, i)->interface == interface)
			return view_at(t, i);
	return NULL;
}
