/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which two flows are the two directions of one pair of QPs. A packet names its destination QP
 * alone, so the other end has to be found: from connection management messages, from datagrams,
 * else from PSNs: an acknowledgement or READ response has the PSN of a request that the other
 * direction has sent. Flows that fit every acknowledgement so far are candidates; one alone is
 * the peer. Where several QPs count in step, that with the same UDP source port is taken after
 * a few acknowledgements, if there is exactly one. Ports alone never pair anything: NICs use
 * odd ones.
 *
 * What needs the peer and came before it was known (CE, CNPs, acknowledgements) waits, and is
 * replayed in the order of time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_int.h"

enum { ACKS_BEFORE_PORT = 4, ACKS_TRIED = 4096 };

static struct unpaired *unpaired_of(struct trace *t, struct view *v)
{
	if (!v->unpaired)
		v->unpaired = calloc(1, sizeof(*v->unpaired));
	if (!v->unpaired)
		t->failed = -ENOMEM;
	return v->unpaired;
}

static void pair_late(struct trace *t, struct view *v, const struct pending *p);

/* Only the first CE since a CNP matters, whichever of the CNPs there will turn out to be ours.
 */
static bool known_ce(const struct trace *t, struct view *v)
{
	uint32_t r = cell_at(t, flow_at(t, v->flow)->cell)->reverse;
	uint64_t n = r == TRACE_NONE ? 1 : cell_at(t, r)->cnps + 1;

	if (v->unpaired->cnps_at_ce == n)
		return true;
	v->unpaired->cnps_at_ce = n;
	return false;
}

static void replay_one(struct trace *t, struct view *v, const struct pending *p);

void pair_pend(struct trace *t, struct view *v, const struct pending *p)
{
	struct unpaired *u = unpaired_of(t, v);

	if (!u || (p->kind == PENDING_CE && known_ce(t, v)))
		return;
	if (u->n_events == PENDING_MAX) {
		pair_late(t, v, p);
		return;
	}
	if (u->n_events == u->max_events) {
		uint32_t max = u->max_events ? 4 * u->max_events : 4;
		struct pending *more = realloc(u->event, max * sizeof(*more));

		if (!more) {
			t->failed = -ENOMEM;
			return;
		}
		u->event = more;
		u->max_events = max;
	}
	u->event[u->n_events++] = *p;
}

static void replay_one(struct trace *t, struct view *v, const struct pending *p)
{
	struct view *other = view_at(t, v->peer);

	switch (p->kind) {
	case PENDING_CE:
		loop_ce(t, v, p->t_ns, p->number);
		break;
	case PENDING_CNP:
		loop_cnp(t, other, p);
		break;
	default:
		roce_acked(t, other, p->psn, p->syndrome, p->t_ns, p->number);
	}
}

/* An answer may have the stamp of what it answers. */
static bool is_before(const struct pending *a, const struct pending *b)
{
	return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->number < b->number;
}

static void replay(struct trace *t, struct view *a, struct view *b)
{
	struct unpaired *ua = a->unpaired, *ub = b->unpaired;
	uint32_t i = 0, k = 0, na = ua ? ua->n_events : 0, nb = ub ? ub->n_events : 0;

	a->unpaired = b->unpaired = NULL;
	while (i < na || k < nb) {
		bool from_a = k == nb || (i < na && is_before(&ua->event[i], &ub->event[k]));

		if (from_a)
			replay_one(t, a, &ua->event[i++]);
		else
			replay_one(t, b, &ub->event[k++]);
	}
	if (ua)
		free(ua->event);
	free(ua);
	if (ub)
		free(ub->event);
	free(ub);
}

static void link_views(struct trace *t, struct view *a, struct view *b)
{
	a->peer = b->index;
	b->peer = a->index;
	a->selected = b->selected = a->selected || b->selected;
	replay(t, a, b);
}

void pair_flows(struct trace *t, struct flow *f, struct flow *g, enum trace_pairing how)
{
	f->peer = g->index;
	g->peer = f->index;
	f->pairing = g->pairing = (uint8_t)how;
	if (f->src_qp == TRACE_NONE)
		f->src_qp = g->dqp;
	if (g->src_qp == TRACE_NONE)
		g->src_qp = f->dqp;
	for (uint32_t i = f->first_view; i != TRACE_NONE; i = view_at(t, i)->next) {
		struct view *v = view_at(t, i), *w = flow_view_at(t, g->index, v->interface);

		if (w)
			link_views(t, v, w);
	}
}

void pair_new_view(struct trace *t, struct view *v)
{
	struct view *w = flow_view_at(t, flow_at(t, v->flow)->peer, v->interface);

	if (w)
		link_views(t, v, w);
}

static struct cell *reverse_of(const struct trace *t, const struct flow *f)
{
	uint32_t r = cell_at(t, f->cell)->reverse;

	return r == TRACE_NONE ? NULL : cell_at(t, r);
}

static bool can_pair(const struct flow *f, const struct flow *g)
{
	return g != f && g->peer == TRACE_NONE && !g->deth_src_qp && !f->deth_src_qp &&
	       f->kind == g->kind &&
	       (f->transport == g->transport || f->transport == TRACE_OTHER ||
	               g->transport == TRACE_OTHER);
}

static bool fits(const struct view *g, uint32_t psn)
{
	int64_t at = psn_track_position(&g->request, psn);

	return g->request.begun && at >= g->request.first &&
	       at < g->request.next + g->request.slack;
}

/* Candidates among the flows of the other direction; none if there are too many. */
static void collect(
        struct trace *t, struct view *v, uint32_t psn, struct unpaired *u, bool by_port)
{
	struct flow *f = flow_at(t, v->flow);
	struct cell *r = reverse_of(t, f);

	u->n_candidates = 0;
	u->by_port = by_port;
	for (uint32_t i = r ? r->first_flow : TRACE_NONE; i != TRACE_NONE;) {
		struct flow *g = flow_at(t, i);
		struct view *w = can_pair(f, g) ? flow_view_at(t, i, v->interface) : NULL;

		i = g->next_in_cell;
		if (!w || !fits(w, psn) || (by_port && flow_at(t, w->flow)->sport != f->sport))
			continue;
		if (u->n_candidates == CANDIDATES_MAX) {
			u->n_candidates = 0;
			if (!by_port && u->acks >= ACKS_BEFORE_PORT)
				collect(t, v, psn, u, true);
			return;
		}
		u->candidate[u->n_candidates++] = g->index;
	}
	u->candidates_set = u->n_candidates > 0;
}

static void narrow(struct trace *t, struct view *v, uint32_t psn, struct unpaired *u)
{
	struct flow *f = flow_at(t, v->flow);
	uint32_t n = 0;

	for (uint32_t i = 0; i < u->n_candidates; i++) {
		struct view *w = flow_view_at(t, u->candidate[i], v->interface);

		if (w && can_pair(f, flow_at(t, u->candidate[i])) && fits(w, psn))
			u->candidate[n++] = u->candidate[i];
	}
	u->n_candidates = n;
	u->candidates_set = n > 0;
}

static struct flow *same_port(struct trace *t, const struct flow *f, const struct unpaired *u)
{
	struct flow *found = NULL;

	for (uint32_t i = 0; i < u->n_candidates; i++) {
		struct flow *g = flow_at(t, u->candidate[i]);

		if (g->sport != f->sport)
			continue;
		if (found)
			return NULL;
		found = g;
	}
	return found;
}

void pair_evidence(struct trace *t, struct view *v, const struct obs *o)
{
	struct flow *f = flow_at(t, v->flow), *g;
	struct unpaired *u;

	if (f->peer != TRACE_NONE || f->deth_src_qp)
		return;
	u = unpaired_of(t, v);
	if (!u || u->acks++ >= ACKS_TRIED)
		return;
	if (u->candidates_set)
		narrow(t, v, o->psn, u);
	else
		collect(t, v, o->psn, u, false);
	if (u->n_candidates == 1) {
		pair_flows(t, f, flow_at(t, u->candidate[0]),
		        u->by_port ? TRACE_PAIR_PORT : TRACE_PAIR_PSN);
	} else if (u->candidates_set && u->acks >= ACKS_BEFORE_PORT) {
		g = same_port(t, f, u);
		if (g)
			pair_flows(t, f, g, TRACE_PAIR_PORT);
	}
}

static bool same_addr(const struct trace_addr *a, const struct trace_addr *b)
{
	return a->kind == b->kind && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

static struct flow *flow_to(struct trace *t, const struct cell *c, uint32_t dqp)
{
	for (uint32_t i = c ? c->first_flow : TRACE_NONE; i != TRACE_NONE;) {
		struct flow *g = flow_at(t, i);

		if (g->dqp == dqp && !g->deth_src_qp && g->peer == TRACE_NONE)
			return g;
		i = g->next_in_cell;
	}
	return NULL;
}

/* A connection that was set up in the capture pairs its flows as they appear. */
void pair_new_flow(struct trace *t, struct flow *f)
{
	uint32_t n = t->n_cm_pairs < CM_MAX ? t->n_cm_pairs : CM_MAX;

	for (uint32_t i = 0; i < n; i++) {
		const struct cm_pair *p = &t->cm_pair[i];
		uint32_t other;
		struct flow *g;

		if (same_addr(&f->dst, &p->a) && same_addr(&f->src, &p->b) &&
		        f->dqp == p->a_qpn)
			other = p->b_qpn;
		else if (same_addr(&f->dst, &p->b) && same_addr(&f->src, &p->a) &&
		         f->dqp == p->b_qpn)
			other = p->a_qpn;
		else
			continue;
		g = flow_to(t, reverse_of(t, f), other);
		if (g && g != f && can_pair(f, g))
			pair_flows(t, f, g, TRACE_PAIR_CM);
		return;
	}
}

void pair_cm(struct trace *t, const struct obs *o)
{
	struct trace_addr src = {.kind = o->addr_kind}, dst = {.kind = o->addr_kind};
	uint32_t n = t->n_cm_requests < CM_MAX ? t->n_cm_requests : CM_MAX;

	memcpy(src.ip, o->u.ip.src, 16);
	memcpy(dst.ip, o->u.ip.dst, 16);
	if (o->cm == OBS_CM_REQUEST) {
		t->cm_request[t->n_cm_requests++ % CM_MAX] =
		        (struct cm_request){o->cm_id, o->cm_qpn, src};
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct cm_request *q = &t->cm_request[i];

		if (q->id != o->cm_id || !same_addr(&q->addr, &dst))
			continue;
		t->cm_pair[t->n_cm_pairs++ % CM_MAX] =
		        (struct cm_pair){dst, src, q->qpn, o->cm_qpn};
		return;
	}
}

/* CNPs for a datagram QP, and what is left at the end. */
static struct flow *datagrams_from(struct trace *t, const struct cell *c, uint32_t src_qp)
{
	for (uint32_t i = c ? c->first_flow : TRACE_NONE; i != TRACE_NONE;) {
		struct flow *g = flow_at(t, i);

		if (g->deth_src_qp == src_qp && g->peer == TRACE_NONE)
			return g;
		i = g->next_in_cell;
	}
	return NULL;
}

static uint32_t loose(struct trace *t, const struct flow *f, const struct cell *c,
        uint16_t sport, bool by_port, struct flow **last)
{
	uint32_t n = 0;

	for (uint32_t i = c ? c->first_flow : TRACE_NONE; i != TRACE_NONE;) {
		struct flow *g = flow_at(t, i);

		i = g->next_in_cell;
		if (!can_pair(f, g) || (by_port && g->sport != sport))
			continue;
		n++;
		*last = g;
	}
	return n;
}

/* Without a single acknowledgement that says otherwise. */
static bool contradicted(const struct trace *t, const struct flow *f, const struct flow *g)
{
	for (uint32_t i = f->first_view; i != TRACE_NONE; i = view_at(t, i)->next) {
		const struct view *v = view_at(t, i);
		const struct view *w = flow_view_at(t, g->index, v->interface);
		const struct unpaired *u = v->unpaired;

		for (uint32_t k = 0; w && u && k < u->n_events; k++)
			if (u->event[k].kind == PENDING_ACK && u->event[k].psn != PSN_MASK &&
			        !fits(w, u->event[k].psn) && k > u->n_events / 2)
				return true;
	}
	return false;
}

static void pair_by(struct trace *t, struct flow *f, bool by_port)
{
	struct cell *back = reverse_of(t, f), *own = cell_at(t, f->cell);
	struct flow *g = NULL, *again = NULL;

	if (loose(t, f, back, f->sport, by_port, &g) != 1 ||
	        loose(t, g, own, f->sport, by_port, &again) != 1 || again != f)
		return;
	if (!contradicted(t, f, g) && !contradicted(t, g, f))
		pair_flows(t, f, g, by_port ? TRACE_PAIR_PORT : TRACE_PAIR_ONLY);
}

/* No more can wait: what the end of the capture would say is said now, once. */
static void pair_late(struct trace *t, struct view *v, const struct pending *p)
{
	struct flow *f = flow_at(t, v->flow);

	if (v->unpaired->late)
		return;
	v->unpaired->late = true;
	if (f->deth_src_qp)
		return;
	pair_by(t, f, false);
	if (f->peer == TRACE_NONE)
		pair_by(t, f, true);
	if (v->peer != TRACE_NONE)
		replay_one(t, v, p);
}

/* Quadratic in the flows between two hosts, so only where there are few of them. */
void pair_rest(struct trace *t)
{
	enum { FLOWS_TRIED = 4096 };
	uint32_t tried = 0;

	for (uint32_t i = 0; i < t->flows.n; i++) {
		struct flow *f = flow_at(t, i), *g;

		if (f->peer != TRACE_NONE)
			continue;
		if (!f->deth_src_qp && view_at(t, f->first_view)->has_cnp) {
			g = datagrams_from(t, reverse_of(t, f), f->dqp);
			if (g) {
				pair_flows(t, f, g, TRACE_PAIR_DETH);
				continue;
			}
		}
		if (f->deth_src_qp || f->transport == TRACE_UD || tried++ > FLOWS_TRIED)
			continue;
		pair_by(t, f, false);
		if (f->peer == TRACE_NONE)
			pair_by(t, f, true);
	}
}
