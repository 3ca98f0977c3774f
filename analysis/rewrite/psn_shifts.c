/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PSNs of a flow move by a number of their own; acknowledgements and READ responses have the
 * PSNs of the other direction and move by its number. Which flow that is was found by the
 * analysis in a reading before. Datagrams count over all receivers of a source QP, reliable
 * datagrams over the QPs between two hosts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rewrite/rewrite_int.h"
#include "analysis/trace/trace.h"
#include "dataplane/wire/opcode.h"

#define PSN_BITS 0xffffffu

enum { USE_FLOW = 8, USE_SENDER, USE_LONE, USE_PAIR };

struct flow_key {
	struct trace_addr src, dst;
	uint32_t dqp, src_qp; /* of a sender of datagrams: dst of zeros, dqp 0 */
};

struct entry {
	bool set;
	struct flow_key key;
	uint32_t own, answers; /* shifts of requests; of what answers the other direction */
};

struct psn_shifts {
	struct entry *entry;
	uint32_t mask, n;
};

static uint64_t key_hash(const struct pseudonyms *p, uint8_t use, const struct flow_key *k)
{
	uint8_t in[42];

	in[0] = k->src.kind;
	memcpy(in + 1, k->src.ip, 16);
	in[17] = k->dst.kind;
	memcpy(in + 18, k->dst.ip, 16);
	memcpy(in + 34, &k->dqp, 4);
	memcpy(in + 38, &k->src_qp, 4);
	return pseudonym_hash(p, use, in, sizeof(in));
}

static uint64_t place_hash(const struct flow_key *k)
{
	static const struct sip_key key = {1, 2}; /* crafted names only make it slower */
	uint8_t in[42];

	in[0] = k->src.kind;
	memcpy(in + 1, k->src.ip, 16);
	in[17] = k->dst.kind;
	memcpy(in + 18, k->dst.ip, 16);
	memcpy(in + 34, &k->dqp, 4);
	memcpy(in + 38, &k->src_qp, 4);
	return siphash(&key, in, sizeof(in));
}

static bool same_addr(const struct trace_addr *a, const struct trace_addr *b)
{
	return a->kind == b->kind && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

static struct entry *find(const struct psn_shifts *s, const struct flow_key *k)
{
	uint32_t i = (uint32_t)place_hash(k) & s->mask;

	while (s->entry[i].set &&
	        !(same_addr(&s->entry[i].key.src, &k->src) &&
	                same_addr(&s->entry[i].key.dst, &k->dst) &&
	                s->entry[i].key.dqp == k->dqp && s->entry[i].key.src_qp == k->src_qp))
		i = (i + 1) & s->mask;
	return &s->entry[i];
}

static struct flow_key sender_key(const struct trace_addr *src, uint32_t src_qp)
{
	return (struct flow_key){.src = *src, .src_qp = src_qp};
}

static bool is_datagram(const struct trace_flow *f)
{
	return f->transport == TRACE_UD;
}

static uint32_t shift_by_key(const struct rewriter *w, uint8_t use, const struct flow_key *k)
{
	return w->names ? (uint32_t)key_hash(w->names, use, k) & PSN_BITS : 0;
}

static struct flow_key key_of(const struct trace_flow *f)
{
	return (struct flow_key){f->src, f->dst, f->dqp, is_datagram(f) ? f->src_qp : 0};
}

/* What the flow's own PSNs move by; of datagrams to a base: known at the first of them. */
static uint32_t own_shift(const struct rewriter *w, const struct trace_flow *f)
{
	struct flow_key k = is_datagram(f) ? sender_key(&f->src, f->src_qp) : key_of(f);

	if (!w->o->has_psn_base)
		return shift_by_key(w, is_datagram(f) ? USE_SENDER : USE_FLOW, &k);
	return (w->o->psn_base - f->first_psn) & PSN_BITS;
}

static void add(struct psn_shifts *s, const struct rewriter *w, const struct trace_result *r,
        const struct trace_flow *f)
{
	struct flow_key k = key_of(f);
	uint32_t own = own_shift(w, f);
	uint32_t answers = f->peer == TRACE_NONE ? shift_by_key(w, USE_LONE, &k)
	                                         : own_shift(w, &r->flow[f->peer]);

	*find(s, &k) = (struct entry){true, k, own, answers};
	s->n++;
	w->result->flows++;
	if (f->peer == TRACE_NONE && !is_datagram(f) && f->counts.acks + f->counts.naks)
		w->result->unpaired++;
}

static int build(struct psn_shifts *s, const struct rewriter *w, const struct trace_result *r,
        struct err *e)
{
	uint32_t size = 16;

	while (size / 4 < r->n_flows && size < 1u << 30)
		size *= 2;
	s->entry = calloc(size, sizeof(*s->entry));
	if (!s->entry)
		return err_set(e, -ENOMEM, "out of memory");
	s->mask = size - 1;
	for (uint32_t i = 0; i < r->n_flows; i++)
		add(s, w, r, &r->flow[i]);
	return 0;
}

int psn_shifts_open(
        struct psn_shifts **out, const struct rewriter *w, const char *in, struct err *e)
{
	const struct trace_options o = {.no_icrc = true,
	        .max_messages = 1,
	        .max_losses = 1,
	        .max_pauses = 1,
	        .stop = w->o->stop};
	const char **path = calloc(1 + (size_t)w->o->n_with, sizeof(*path));
	struct psn_shifts *s = calloc(1, sizeof(*s));
	struct trace *t = NULL;
	int r;

	if (!path || !s) {
		free(path);
		free(s);
		return err_set(e, -ENOMEM, "out of memory");
	}
	path[0] = in;
	for (uint32_t i = 0; i < w->o->n_with; i++)
		path[i + 1] = w->o->with[i];
	r = trace_open(&t, &o, e);
	if (!r)
		r = trace_files(t, path, 1 + w->o->n_with, e);
	if (!r)
		r = rewrite_stopped(w, e);
	if (!r)
		r = build(s, w, trace_finish(t), e);
	trace_close(t);
	free(path);
	if (r)
		psn_shifts_close(s);
	else
		*out = s;
	return r;
}

void psn_shifts_close(struct psn_shifts *s)
{
	if (s)
		free(s->entry);
	free(s);
}

uint32_t psn_shift(const struct rewriter *w, const struct trace_addr *src,
        const struct trace_addr *dst, uint32_t dqp)
{
	struct flow_key k = {*src, *dst, dqp, 0};
	const struct entry *found;

	if (!w->shifts)
		return 0;
	if (!w->o->has_psn_base)
		return shift_by_key(w, USE_FLOW, &k);
	found = find(w->shifts, &k);
	return found->set ? found->own : 0;
}

static uint32_t answer_shift(const struct rewriter *w, const struct flow_key *k)
{
	const struct entry *found = find(w->shifts, k);

	return found->set ? found->answers : shift_by_key(w, USE_LONE, k);
}

/* Each sender's first datagram gets the base. */
static uint32_t datagram_shift(
        const struct rewriter *w, const struct trace_addr *src, const struct frame *f)
{
	struct flow_key k = sender_key(src, f->deth_src_qp);
	struct entry *sender;

	if (!w->o->has_psn_base)
		return shift_by_key(w, USE_SENDER, &k);
	sender = find(w->shifts, &k);
	if (!sender->set) {
		if (w->shifts->n > w->shifts->mask / 4 * 3)
			return 0; /* as flows that the analysis does not follow */
		*sender = (struct entry){true, k, (w->o->psn_base - f->psn) & PSN_BITS, 0};
		w->shifts->n++;
	}
	return sender->own;
}

/* The same in both directions. */
static uint32_t pair_shift(
        const struct rewriter *w, const struct trace_addr *a, const struct trace_addr *b)
{
	bool turned = memcmp(a->ip, b->ip, sizeof(a->ip)) > 0;
	const struct flow_key k = {turned ? *b : *a, turned ? *a : *b, 0, 0};

	return shift_by_key(w, USE_PAIR, &k);
}

void frame_ends(const struct frame *f, struct trace_addr *src, struct trace_addr *dst)
{
	memset(src, 0, sizeof(*src));
	memset(dst, 0, sizeof(*dst));
	if (f->has & (FRAME_HAS_IPV4 | FRAME_HAS_IPV6)) {
		src->kind = dst->kind = f->ip_version == 4 ? TRACE_ADDR_IPV4 : TRACE_ADDR_IPV6;
		memcpy(src->ip, f->src, 16);
		memcpy(dst->ip, f->dst, 16);
		return;
	}
	src->kind = dst->kind = TRACE_ADDR_LID;
	src->ip[0] = (uint8_t)(f->slid >> 8);
	src->ip[1] = (uint8_t)f->slid;
	dst->ip[0] = (uint8_t)(f->dlid >> 8);
	dst->ip[1] = (uint8_t)f->dlid;
}

uint32_t psn_shift_of(const struct rewriter *w, const struct frame *f)
{
	struct flow_key k = {.dqp = f->dqp};

	if (!w->shifts)
		return 0;
	frame_ends(f, &k.src, &k.dst);
	switch (f->opcode & 0xe0) {
	case BTH_RD:
		return pair_shift(w, &k.src, &k.dst);
	case BTH_UD:
		return f->has & FRAME_HAS_DETH ? datagram_shift(w, &k.src, f) : 0;
	case BTH_CNP_CLASS: /* its PSN says nothing, and is 0 but for a few NICs */
		return f->psn ? answer_shift(w, &k) : 0;
	default:
		return opcode_table[f->opcode].flags & OPCODE_RESPONSE
		               ? answer_shift(w, &k)
		               : psn_shift(w, &k.src, &k.dst, k.dqp);
	}
}
