/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages, delimited by FIRST, LAST and ONLY packets, from the first packet to the
 * acknowledgement that covers the last. Each is followed at one interface alone, that which is
 * nearest to the sender. Where packets are missing a message may begin or end unseen; what is
 * sent again then puts it right: a LAST that fills a gap ends the message around it, what
 * followed is the next one.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace/trace_int.h"
#include "dataplane/wire/opcode.h"

#define UNENDED INT64_MAX

static struct open_message *open_at(const struct open_list *l, uint32_t i)
{
	return &l->m[(l->head + i) & (l->max - 1)];
}

static uint32_t size_class(uint64_t bytes)
{
	static const uint64_t top[TRACE_SIZE_CLASSES - 1] = {
	        4 << 10, 64 << 10, 1 << 20, 16 << 20};
	uint32_t c = 0;

	while (c < TRACE_SIZE_CLASSES - 1 && bytes > top[c])
		c++;
	return c;
}

static void keep(struct trace *t, const struct trace_message *m)
{
	struct trace_message *more;

	t->r.all_messages++;
	if (t->opt.message)
		t->opt.message(t->opt.message_arg, m);
	if (t->r.n_messages >= t->opt.max_messages)
		return;
	if (t->r.n_messages == t->max_message) {
		uint32_t max = t->max_message ? 2 * t->max_message : 256;

		more = realloc(t->r.message, max * sizeof(*more));
		if (!more) {
			t->failed = -ENOMEM;
			return;
		}
		t->r.message = more;
		t->max_message = max;
	}
	t->r.message[t->r.n_messages++] = *m;
}

static void incast_change(struct trace *t, const struct flow *f, int step, int64_t t_ns)
{
	struct cell *c = cell_at(t, f->cell);
	struct host *h = host_at(t, c->pub.dst);

	if (step > 0) {
		if (c->open_messages++ == 0 && ++h->degree > h->pub.incast_degree) {
			h->pub.incast_degree = h->degree;
			h->pub.incast_at_ns = t_ns;
		}
	} else if (--c->open_messages == 0) {
		h->degree--;
	}
}

/* From the PSNs, where the size was not said; a last packet before the first one is another
 * message's, and then only what was seen is known. */
static uint64_t bytes_of(const struct view *v, const struct open_message *m)
{
	if (m->has_reth || m->last == UNENDED || m->last <= m->first)
		return m->bytes;
	return (uint64_t)(m->last - m->first) * v->mtu_bytes + m->last_payload;
}

/* acked_ns TRACE_UNKNOWN: it is over, but no acknowledgement was seen. */
static void emit(struct trace *t, struct view *v, const struct open_message *m,
        int64_t acked_ns, bool complete)
{
	struct flow *f = flow_at(t, v->flow);
	struct trace_message out = {.flow = v->flow,
	        .interface = v->interface,
	        .verb = m->verb,
	        .sport = m->sport,
	        .has_imm = m->has_imm,
	        .retransmitted = m->retransmitted,
	        .complete = complete,
	        .first_psn = (uint32_t)m->first & PSN_MASK,
	        .last_psn = (uint32_t)(m->last == UNENDED ? v->request.next - 1 : m->last) &
	                    PSN_MASK,
	        .bytes = bytes_of(v, m),
	        .first_ns = m->first_ns,
	        .last_ns = m->last_ns,
	        .arrived_ns = m->arrived_ns,
	        .acked_ns = acked_ns,
	        .number = m->number};
	int64_t net_fct_ns = acked_ns - m->first_ns;

	if (!v->selected)
		return;
	if (m->last != UNENDED) {
		cell_at(t, f->cell)->pub.messages[size_class(out.bytes)]++;
		hist_add(t->r.message_bytes, (int64_t)out.bytes);
	}
	if (complete && acked_ns != TRACE_UNKNOWN && m->has_first && net_fct_ns >= 0) {
		span_add(&f->net_fct_ns, net_fct_ns);
		hist_add(t->r.net_fct_ns, net_fct_ns);
	}
	keep(t, &out);
}

static void pop(
        struct trace *t, struct view *v, int64_t acked_ns, int64_t now_ns, bool complete)
{
	struct open_message m = *open_at(&v->open, 0);

	v->open.head++;
	v->open.n--;
	incast_change(t, flow_at(t, v->flow), -1, now_ns);
	emit(t, v, &m, acked_ns, complete);
}

static bool reserve(struct trace *t, struct view *v)
{
	struct open_list *l = &v->open;
	uint32_t max = l->max ? 2 * l->max : 4;
	struct open_message *m;

	if (l->n < l->max)
		return true;
	if (max > OPEN_MESSAGES_MAX || (max > OPEN_MESSAGES_UNSEEN && !v->ack_visible)) {
		pop(t, v, TRACE_UNKNOWN, open_at(l, 0)->last_ns, false);
		return true;
	}
	m = malloc(max * sizeof(*m));
	if (!m) {
		t->failed = -ENOMEM;
		return false;
	}
	for (uint32_t i = 0; i < l->n; i++)
		m[i] = *open_at(l, i);
	free(l->m);
	*l = (struct open_list){.m = m, .n = l->n, .max = max};
	return true;
}

/* Puts m before the i-th. */
static struct open_message *insert(
        struct trace *t, struct view *v, uint32_t i, const struct open_message *m)
{
	struct open_list *l = &v->open;
	uint32_t before = l->n;

	if (!reserve(t, v))
		return NULL;
	if (l->n < before && i)
		i--;
	for (uint32_t k = l->n; k > i; k--)
		*open_at(l, k) = *open_at(l, k - 1);
	l->n++;
	*open_at(l, i) = *m;
	incast_change(t, flow_at(t, v->flow), 1, m->first_ns);
	return open_at(l, i);
}

static uint8_t verb_of(const struct obs *o)
{
	uint8_t op = o->opcode & 0x1f;

	if (op >= BTH_WRITE_FIRST && op <= BTH_WRITE_ONLY_IMM)
		return TRACE_WRITE;
	if (op == BTH_COMPARE_SWAP || op == BTH_FETCH_ADD)
		return TRACE_ATOMIC;
	if (op == BTH_ATOMIC_WRITE)
		return TRACE_WRITE;
	if (op == BTH_FLUSH)
		return TRACE_FLUSH;
	return op >= BTH_READ_RESPONSE_FIRST && op <= BTH_READ_RESPONSE_ONLY ? TRACE_READ
	                                                                     : TRACE_SEND;
}

static bool has_imm(const struct obs *o)
{
	switch (o->opcode & 0x1f) {
	case BTH_SEND_LAST_IMM:
	case BTH_SEND_ONLY_IMM:
	case BTH_WRITE_LAST_IMM:
	case BTH_WRITE_ONLY_IMM:
		return true;
	default:
		return false;
	}
}

/* What a packet of message m adds to it. */
static void take(struct open_message *m, const struct obs *o, int64_t at)
{
	uint8_t flags = opcode_table[o->opcode].flags;

	m->has_imm = m->has_imm || has_imm(o);
	if (flags & OPCODE_FIRST) {
		m->has_first = true;
		if (o->flags & OBS_RETH && m->verb != TRACE_ATOMIC) {
			m->has_reth = true;
			m->bytes = o->reth_bytes;
		}
	}
	if (!m->has_reth)
		m->bytes += o->payload_bytes;
	if (flags & OPCODE_LAST) {
		m->last = at;
		m->last_payload = o->payload_bytes;
	}
	if (o->t_ns > m->last_ns)
		m->last_ns = o->t_ns;
}

static struct open_message begun(const struct obs *o, int64_t at)
{
	return (struct open_message){.first = at,
	        .last = UNENDED,
	        .first_ns = o->t_ns,
	        .last_ns = o->t_ns,
	        .arrived_ns = TRACE_UNKNOWN,
	        .number = o->number,
	        .sport = o->sport,
	        .verb = verb_of(o)};
}

/* The index of the message that holds position at; n where none does. */
static uint32_t holder(const struct open_list *l, int64_t at)
{
	uint32_t i = l->n;

	while (i && open_at(l, i - 1)->first > at)
		i--;
	if (!i || open_at(l, i - 1)->last < at)
		return l->n;
	return i - 1;
}

/* By its length a message must have ended: its last packet is missing. */
static void end_by_length(const struct view *v, struct open_message *m, int64_t at)
{
	int64_t n = m->has_reth && v->mtu_bytes
	                    ? (int64_t)((m->bytes + v->mtu_bytes - 1) / v->mtu_bytes)
	                    : 0;

	if (m->last == UNENDED && n && at >= m->first + n)
		m->last = m->first + n - 1;
}

static void forward(struct trace *t, struct view *v, const struct obs *o, int64_t at)
{
	struct open_list *l = &v->open;
	struct open_message *m = l->n ? open_at(l, l->n - 1) : NULL, fresh;
	bool first = opcode_table[o->opcode].flags & OPCODE_FIRST;

	if (m)
		end_by_length(v, m, at);
	if (m && m->last == UNENDED && (first || m->verb != verb_of(o)))
		m->last = at - 1; /* its end is missing */
	if (!m || m->last != UNENDED) {
		fresh = begun(o, at);
		m = insert(t, v, l->n, &fresh);
	}
	if (m)
		take(m, o, at);
}

/* A packet that was missing. */
static void fill(struct trace *t, struct view *v, const struct obs *o, int64_t at)
{
	struct open_list *l = &v->open;
	uint8_t flags = opcode_table[o->opcode].flags;
	uint32_t i = holder(l, at);
	struct open_message m, rest;

	if (i == l->n) {
		uint32_t k = l->n;

		while (k && open_at(l, k - 1)->first > at)
			k--;
		/* The head of a message of which more was seen. */
		if (k < l->n && !open_at(l, k)->has_first && !(flags & OPCODE_LAST) &&
		        open_at(l, k)->verb == verb_of(o)) {
			open_at(l, k)->first = at;
			open_at(l, k)->first_ns = o->t_ns < open_at(l, k)->first_ns
			                                  ? o->t_ns
			                                  : open_at(l, k)->first_ns;
			take(open_at(l, k), o, at);
			return;
		}
		m = begun(o, at);
		if (insert(t, v, k, &m))
			take(open_at(l, k < l->n ? k : l->n - 1), o, at);
		return;
	}
	m = *open_at(l, i);
	if (flags & OPCODE_FIRST && at > m.first) {
		rest = m;
		rest.first = at;
		rest.has_first = rest.has_reth = false;
		rest.bytes = 0;
		open_at(l, i)->last = at - 1;
		if (insert(t, v, i + 1, &rest))
			take(open_at(l, i + 1 < l->n ? i + 1 : l->n - 1), o, at);
		return;
	}
	if (flags & OPCODE_LAST && at < m.last &&
	        (m.last != UNENDED || at + 1 < v->request.next)) {
		rest = m;
		rest.first = at + 1;
		rest.has_first = rest.has_reth = false;
		rest.bytes = 0;
		if (!insert(t, v, i + 1, &rest))
			return;
		i = i < l->n ? i : l->n - 1;
	}
	open_at(l, i)->retransmitted = true;
	take(open_at(l, i), o, at);
}

void message_packet(
        struct trace *t, struct view *v, const struct obs *o, const struct psn_seen *seen)
{
	struct open_message m;
	uint32_t i;

	if (v->transport == TRACE_UD || v->transport == TRACE_RD) {
		m = begun(o, seen->at);
		take(&m, o, seen->at);
		m.last = m.first;
		emit(t, v, &m, TRACE_UNKNOWN, true);
		return;
	}
	switch (seen->verdict) {
	case PSN_AGAIN:
		i = holder(&v->open, seen->at);
		if (i < v->open.n)
			open_at(&v->open, i)->retransmitted = true;
		break;
	case PSN_FILL:
	case PSN_BEFORE:
		fill(t, v, o, seen->at);
		break;
	case PSN_RESTARTED:
		message_end_all(t, v);
		v->acked_any = false;
		forward(t, v, o, seen->at);
		break;
	case PSN_NEW:
	case PSN_GAP:
		forward(t, v, o, seen->at);
		break;
	}
	/* Without acknowledgements a message is over with its last packet. */
	if (v->transport == TRACE_UC)
		while (v->open.n && open_at(&v->open, 0)->last < v->request.next)
			pop(t, v, open_at(&v->open, 0)->last_ns, o->t_ns, true);
}

void message_arrived(struct trace *t, const struct view *v, const struct obs *o)
{
	struct view *home = view_at(t, flow_at(t, v->flow)->first_view);
	uint32_t i;

	if (!home->open.n)
		return;
	i = holder(&home->open, psn_track_position(&home->request, o->psn));
	if (i < home->open.n && o->t_ns > open_at(&home->open, i)->arrived_ns)
		open_at(&home->open, i)->arrived_ns = o->t_ns;
}

void message_acked(struct trace *t, struct view *v, int64_t behind, int64_t t_ns)
{
	while (v->open.n && open_at(&v->open, 0)->last < behind)
		pop(t, v, t_ns, t_ns, true);
}

static struct read_ring *reads_of(struct trace *t, struct view *v)
{
	if (!v->reads)
		v->reads = calloc(1, sizeof(*v->reads));
	if (!v->reads)
		t->failed = -ENOMEM;
	return v->reads;
}

void message_read(struct trace *t, struct view *v, const struct obs *o,
        const struct psn_seen *seen, int64_t n)
{
	struct read_ring *r = reads_of(t, v);

	if (!r || seen->verdict == PSN_AGAIN)
		return;
	r->r[r->n++ % READS_MAX] = (struct read_request){.t_ns = o->t_ns,
	        .number = o->number,
	        .from = seen->at,
	        .to = seen->at + n,
	        .bytes = o->reth_bytes};
}

static const struct read_request *request_of(const struct view *g, uint32_t psn)
{
	int64_t at = psn_track_position(&g->request, psn);

	for (uint32_t i = 0; g->reads && i < READS_MAX && i < g->reads->n; i++)
		if (at >= g->reads->r[i].from && at < g->reads->r[i].to)
			return &g->reads->r[i];
	return NULL;
}

/* READ responses, at the interface where the requester's packets are followed. */
void message_response(
        struct trace *t, struct view *v, const struct obs *o, const struct psn_seen *seen)
{
	const struct view *g = v->peer == TRACE_NONE ? NULL : view_at(t, v->peer);
	uint8_t flags = opcode_table[o->opcode].flags;
	const struct read_request *q;
	struct read_ring *r;

	if (!(g ? g->home : v->home))
		return;
	r = reads_of(t, v);
	if (!r)
		return;
	if (seen->verdict == PSN_AGAIN) {
		r->answer.retransmitted = true;
		return;
	}
	if (!r->answering || flags & OPCODE_FIRST) {
		if (r->answering && seen->verdict == PSN_FILL)
			return;
		r->answering = true;
		r->answer = begun(o, seen->at);
		q = g ? request_of(g, o->psn) : NULL;
		if (q) {
			r->answer.first_ns = q->t_ns;
			r->answer.number = q->number;
			r->answer.has_reth = r->answer.has_first = true;
			r->answer.bytes = q->bytes;
			r->answer.first = v->response.next - 1 -
			                  (psn_track_position(&g->request, o->psn) - q->from);
		}
	}
	take(&r->answer, o, seen->at);
	if (!(flags & OPCODE_LAST) && r->answer.last == UNENDED)
		return;
	r->answering = false;
	emit(t, v, &r->answer, o->t_ns, true);
}

void message_end_all(struct trace *t, struct view *v)
{
	while (v->open.n) {
		const struct open_message *m = open_at(&v->open, 0);

		pop(t, v, TRACE_UNKNOWN, m->last_ns, false);
	}
	if (v->reads && v->reads->answering) {
		v->reads->answering = false;
		emit(t, v, &v->reads->answer, TRACE_UNKNOWN, false);
	}
}
