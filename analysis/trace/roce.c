/* SPDX-License-Identifier: Apache-2.0 */
/* One RoCE packet against the state of its flow: counts, PSNs, acknowledgements. */
#include <stddef.h>

#include "analysis/trace/trace_int.h"
#include "dataplane/wire/opcode.h"

enum { SMALLEST_MTU = 256 };
#define ECN_CE 3

/* What one packet adds goes to what its view shows and, the first time that the transmission is
 * shown, to what is counted once. */
struct tally {
	struct trace_counts *shown, *once; /* once: NULL where it is not to be counted again */
	bool first;
	uint32_t priority;
	struct trace_bin *bin, *bin_here;
};

#define COUNT(t, field, n)                                                                     \
	do {                                                                                   \
		(t)->shown->field += (n);                                                      \
		if ((t)->once)                                                                 \
			(t)->once->field += (n);                                               \
	} while (0)

static inline uint32_t operation(const struct obs *o)
{
	return o->opcode & 0x1f;
}

static void sport_seen(struct flow *f, uint16_t sport)
{
	uint32_t n = f->n_sports < 8 ? f->n_sports : 8;

	if (f->n_sports && f->sport_seen[0] == sport)
		return;
	for (uint32_t i = 1; i < n; i++)
		if (f->sport_seen[i] == sport)
			return;
	if (n < 8)
		f->sport_seen[n] = sport;
	if (f->n_sports < 255)
		f->n_sports++;
}

static void first_data(struct trace *t, struct flow *f, const struct obs *o)
{
	struct cell *c = cell_at(t, f->cell);

	f->has_data = true;
	f->sport = o->sport;
	f->dscp = o->dscp;
	f->pcp = o->pcp;
	host_at(t, c->pub.src)->pub.flows_out++;
	host_at(t, c->pub.dst)->pub.flows_in++;
}

/* PSNs that a READ request takes, and how many more it may where the path MTU is unknown. */
static int64_t read_psns(
        const struct trace *t, const struct view *v, const struct obs *o, int64_t *slack)
{
	uint32_t mtu = v->mtu_bytes;

	if (!mtu && v->peer != TRACE_NONE)
		mtu = view_at(t, v->peer)->mtu_bytes;
	*slack = 0;
	if (o->reth_bytes <= SMALLEST_MTU)
		return 1;
	if (mtu)
		return ((int64_t)o->reth_bytes + mtu - 1) / mtu;
	*slack = ((int64_t)o->reth_bytes + SMALLEST_MTU - 1) / SMALLEST_MTU - 1;
	if (*slack > PSN_RESTART / 2)
		*slack = PSN_RESTART / 2;
	return 1;
}

/*
 * Responses take the PSNs of their requests: between two READs there may be any number of other
 * requests, within one every PSN is due. Where the end of a response is missing, the request
 * says how long it was.
 */
static void response_jump(const struct trace *t, struct view *v, const struct obs *o)
{
	const struct view *g = v->peer == TRACE_NONE ? NULL : view_at(t, v->peer);
	struct psn_track *s = &v->response;
	int64_t at = psn_track_position(s, o->psn);

	if (!s->begun || !v->response_open || at <= s->next || !g || !g->reads ||
	        !(opcode_table[o->opcode].flags & OPCODE_FIRST))
		return;
	for (uint32_t i = 0; i < READS_MAX && i < g->reads->n; i++) {
		const struct read_request *r = &g->reads->r[i];
		int64_t d = psn_track_position(&g->request, (uint32_t)(s->next - 1) & PSN_MASK);

		if (d < r->from || d >= r->to)
			continue;
		psn_track_gap(s, s->next, s->next + (r->to - 1 - d), o->t_ns);
		s->slack = PSN_RESTART / 2;
		return;
	}
}

/* Where a flow's paths end at several places at once, or one after the other, only all of them
 * together can tell what is missing. */
static void track_end(struct trace *t, const struct view *v, const struct obs *o, bool response,
        int64_t n, int64_t slack)
{
	struct flow *f = flow_at(t, v->flow);

	if (t->n_ifaces > 1 && !v->n_edges)
		(void)psn_track_see(response ? &f->end_response : &f->end_request, o->psn, n,
		        slack, o->t_ns);
}

static struct psn_seen track(
        struct trace *t, struct view *v, const struct obs *o, bool response, int64_t *n)
{
	int64_t slack = 0;

	*n = 1;
	if (v->transport == TRACE_UD || v->transport == TRACE_RD)
		return (struct psn_seen){.verdict = PSN_NEW, .at = o->psn};
	if (response) {
		response_jump(t, v, o);
		v->response_open = !(opcode_table[o->opcode].flags & OPCODE_LAST);
		slack = v->response_open ? 0 : PSN_RESTART / 2;
		track_end(t, v, o, true, 1, slack);
		return psn_track_see(&v->response, o->psn, 1, slack, o->t_ns);
	}
	if (operation(o) == BTH_READ_REQUEST)
		*n = read_psns(t, v, o, &slack);
	track_end(t, v, o, false, *n, slack);
	return psn_track_see(&v->request, o->psn, *n, slack, o->t_ns);
}

static void judge(struct trace *t, struct view *v, const struct obs *o,
        const struct psn_seen *seen, struct tally *c)
{
	switch (seen->verdict) {
	case PSN_GAP:
		trace_evidence(t, TRACE_EV_MISSING, o, v->flow);
		if (v->selected)
			t->r.priority[c->priority].missing_psns += seen->gap;
		v->last_loss_ns = o->t_ns;
		break;
	case PSN_AGAIN:
		COUNT(c, retransmitted_packets, 1);
		COUNT(c, retransmitted_bytes, o->payload_bytes);
		if (o->ip_id && o->ip_id == v->last_ip_id && o->psn == v->last_psn) {
			COUNT(c, duplicated_packets, 1);
		}
		trace_evidence(t, TRACE_EV_RETRANSMIT, o, v->flow);
		c->bin_here->retransmitted++;
		if (c->first && v->selected)
			c->bin->retransmitted++;
		return;
	case PSN_NEW:
	case PSN_FILL:
	case PSN_RESTARTED:
	case PSN_BEFORE:
		break;
	}
	v->new_bytes += o->payload_bytes;
	c->bin_here->payload_bytes += o->payload_bytes;
	if (c->first && v->selected)
		c->bin->payload_bytes += o->payload_bytes;
	if (opcode_table[o->opcode].flags & OPCODE_LAST && operation(o) != BTH_READ_REQUEST)
		COUNT(c, messages, 1);
}

static void probe(struct view *v, const struct obs *o, const struct psn_seen *seen)
{
	/* One that asks for its acknowledgement takes the place of one that does not. */
	if ((v->probe_set && (v->probe_ack_req || !(o->flags & OBS_ACK_REQ))) ||
	        (seen->verdict != PSN_NEW && seen->verdict != PSN_GAP))
		return;
	v->probe_set = true;
	v->probe_at = seen->at;
	v->probe_ns = o->t_ns;
	v->probe_ack_req = o->flags & OBS_ACK_REQ;
}

static void mtu_learn(struct trace *t, struct view *v, const struct obs *o)
{
	struct view *g;

	if (o->payload_bytes <= v->mtu_bytes || opcode_table[o->opcode].flags & OPCODE_LAST ||
	        operation(o) == BTH_READ_REQUEST)
		return;
	v->mtu_bytes = o->payload_bytes;
	/* A READ whose length in packets was unknown until now. */
	g = v->peer == TRACE_NONE ? NULL : view_at(t, v->peer);
	if (g && g->request.slack && g->reads && g->reads->n) {
		struct read_request *r = &g->reads->r[(g->reads->n - 1) % READS_MAX];

		r->to = r->from + ((int64_t)r->bytes + v->mtu_bytes - 1) / v->mtu_bytes;
		if (r->to > g->request.next && r->from + 1 == g->request.next)
			g->request.next = r->to;
		g->request.slack = 0;
	}
}

static void data(struct trace *t, struct view *v, const struct obs *o, struct tally *c)
{
	bool response = opcode_table[o->opcode].flags & OPCODE_RESPONSE;
	struct flow *f = flow_at(t, v->flow);
	struct psn_seen seen;
	int64_t n;

	COUNT(c, data_packets, 1);
	COUNT(c, payload_bytes, o->payload_bytes);
	if (o->ecn)
		COUNT(c, ect_packets, 1);
	else
		COUNT(c, not_ect_packets, 1);
	if (!v->seen_data) {
		v->seen_data = true;
		v->first_data_ns = v->data_ns = o->t_ns;
		if (!f->has_data)
			first_data(t, f, o);
	}
	if (o->t_ns < v->first_data_ns)
		v->first_data_ns = o->t_ns;
	if (o->t_ns > v->last_data_ns)
		v->last_data_ns = o->t_ns;
	v->last_data_before_ns = v->data_ns;
	v->data_ns = o->t_ns;
	f->dscps |= UINT64_C(1) << (o->dscp & 63);
	sport_seen(f, o->sport);
	if (c->first && v->selected) {
		struct trace_priority *p = &t->r.priority[c->priority];

		c->bin->data_packets++;
		p->data_packets++;
		p->not_ect_packets += o->ecn == 0;
		t->r.dscp_packets[o->dscp & 63]++;
		if (!o->ecn)
			trace_evidence(t, TRACE_EV_NOT_ECT, o, v->flow);
	}
	c->bin_here->data_packets++;

	if (response && v->peer == TRACE_NONE)
		pair_evidence(t, v, o);
	mtu_learn(t, v, o);
	seen = track(t, v, o, response, &n);
	judge(t, v, o, &seen, c);
	if (seen.verdict == PSN_AGAIN || seen.verdict == PSN_FILL)
		recovery_packet(t, v, o, &seen, seen.at + n - 1);
	else if (v->recovery && v->recovery->active)
		recovery_forward(t, v, o);
	if (response) {
		message_response(t, v, o, &seen);
		if (v->peer != TRACE_NONE)
			roce_acked(t, view_at(t, v->peer), o->psn, 0, o->t_ns, o->number);
	} else {
		probe(v, o, &seen);
		if (operation(o) == BTH_READ_REQUEST)
			message_read(t, v, o, &seen, n);
		else if (v->home)
			message_packet(t, v, o, &seen);
		else if (opcode_table[o->opcode].flags & OPCODE_LAST)
			message_arrived(t, v, o);
		loop_data(t, v, o);
		if (v->model)
			model_data(t, v, o, c->bin);
	}
	v->last_psn = o->psn;
	v->last_ip_id = o->ip_id;
}

void roce_acked(struct trace *t, struct view *g, uint32_t psn, uint8_t syndrome, int64_t t_ns,
        uint64_t number)
{
	int64_t at = psn_track_position(&g->request, psn), behind;
	uint8_t kind = syndrome >> 5;

	(void)number;
	g->ack_visible = true;
	g->heard_ns = t_ns;
	if (!g->request.begun || at >= g->request.next + g->request.slack ||
	        at < g->request.first - PSN_RESTART)
		return;
	behind = kind ? at : at + 1;
	if (kind == 1 || (kind == 3 && !(syndrome & 0x1f))) {
		g->nak_kind = kind == 1 ? NAK_RNR : NAK_SEQUENCE;
		g->nak_at = at;
		g->nak_ns = t_ns;
		if (kind == 3)
			g->last_loss_ns = t_ns;
	} else if (kind == AETH_SACK && !g->nak_kind) {
		g->nak_kind = NAK_SELECTIVE;
		g->nak_at = at;
		g->nak_ns = t_ns;
	} else if (g->nak_kind == NAK_SELECTIVE && behind > g->nak_at) {
		g->nak_kind = 0; /* what was late came by itself, or was answered */
	}
	if (g->probe_set && behind > g->probe_at) {
		if (at == g->probe_at || g->probe_ack_req) {
			int64_t rtt_ns = t_ns - g->probe_ns;

			span_add(&g->rtt_ns, rtt_ns);
			if (g->selected && g->home) {
				struct trace_bin *b = timeline_bin(&t->total, t_ns);

				hist_add(t->r.rtt_ns, rtt_ns < 0 ? 0 : rtt_ns);
				b->rtt_sum_ns += rtt_ns;
				b->rtt_n++;
				if (rtt_ns > b->rtt_max_ns)
					b->rtt_max_ns = rtt_ns;
			}
		}
		g->probe_set = false;
	}
	if (!g->acked_any || behind > g->acked) {
		g->acked = behind;
		g->acked_any = true;
		if (g->home)
			message_acked(t, g, behind, t_ns);
	}
}

static enum trace_nak nak_of(uint8_t syndrome)
{
	uint8_t code = syndrome & 0x1f;

	return code < TRACE_NAK_RESERVED ? (enum trace_nak)code : TRACE_NAK_RESERVED;
}

static void acknowledge(struct trace *t, struct view *v, const struct obs *o, struct tally *c)
{
	uint8_t kind = o->syndrome >> 5;
	struct flow *f = flow_at(t, v->flow);

	if (!(o->flags & OBS_AETH))
		return;
	if (f->ack_dscp == OBS_UNTAGGED)
		f->ack_dscp = o->dscp;
	v->has_ack = true;
	if (o->flags & OBS_BECN)
		COUNT(c, becn_acks, 1);
	if (kind == 3) {
		COUNT(c, naks, 1);
		COUNT(c, nak[nak_of(o->syndrome)], 1);
		trace_evidence(t,
		        nak_of(o->syndrome) == TRACE_NAK_SEQUENCE ? TRACE_EV_NAK_SEQUENCE
		                                                  : TRACE_EV_NAK_OTHER,
		        o, v->flow);
		c->bin_here->naks++;
		if (c->first && v->selected)
			c->bin->naks++;
	} else if (kind == 1) {
		COUNT(c, rnr_naks, 1);
		trace_evidence(t, TRACE_EV_RNR, o, v->flow);
	} else {
		COUNT(c, acks, 1);
		c->bin_here->acks++;
		if (c->first && v->selected) {
			c->bin->acks++;
			t->r.priority[c->priority].acks++;
		}
	}
	if (v->peer == TRACE_NONE)
		pair_evidence(t, v, o);
	if (v->peer != TRACE_NONE)
		roce_acked(t, view_at(t, v->peer), o->psn, o->syndrome, o->t_ns, o->number);
	else
		pair_pend(t, v,
		        &(struct pending){o->t_ns, o->number, o->psn, PENDING_ACK, o->syndrome,
		                c->first});
}

static void host_gap(struct trace_host *h, int64_t gap_ns)
{
	uint32_t i = gap_ns > 1 ? 63 - (uint32_t)__builtin_clzll((uint64_t)gap_ns) : 0;

	h->cnp_gaps[i < TRACE_GAPS ? i : TRACE_GAPS - 1]++;
	if (h->cnp_gap_ns == TRACE_UNKNOWN || gap_ns < h->cnp_gap_ns)
		h->cnp_gap_ns = gap_ns;
}

/* The smallest distance of CNPs in the three scopes that NICs limit them by. */
static void cnp_gaps(struct trace *t, struct view *v, const struct obs *o)
{
	struct flow *f = flow_at(t, v->flow);
	const struct cell *c = cell_at(t, f->cell);
	struct host *from = host_at(t, c->pub.src), *to = host_at(t, c->pub.dst);
	struct {
		int64_t *last, *least;
	} scope[3] = {{&f->last_cnp_ns, &t->r.cnp_gap_qp_ns},
	        {&to->last_cnp_to_ns, &t->r.cnp_gap_ip_ns},
	        {&from->last_cnp_from_ns, &t->r.cnp_gap_port_ns}};

	for (int i = 0; i < 3; i++) {
		int64_t gap = o->t_ns - *scope[i].last;

		if (*scope[i].last != TRACE_UNKNOWN) {
			if (!i)
				span_add(&f->cnp_gap_ns, gap);
			else if (i == 2)
				host_gap(&from->pub, gap);
			if (v->selected &&
			        (*scope[i].least == TRACE_UNKNOWN || gap < *scope[i].least))
				*scope[i].least = gap;
		}
		*scope[i].last = o->t_ns;
	}
}

static void cnp(struct trace *t, struct view *v, const struct obs *o, struct tally *c)
{
	struct flow *f = flow_at(t, v->flow);
	struct pending p = {o->t_ns, o->number, o->psn, PENDING_CNP, 0, c->first};

	COUNT(c, cnps, 1);
	cell_at(t, f->cell)->cnps++;
	v->has_cnp = true;
	if (f->cnp_dscp == OBS_UNTAGGED) {
		f->cnp_dscp = o->dscp;
		f->cnp_pcp = o->pcp;
	}
	trace_evidence(t, TRACE_EV_CNP, o, v->flow);
	c->bin_here->cnps++;
	if (c->first) {
		cnp_gaps(t, v, o);
		if (v->selected) {
			c->bin->cnps++;
			t->r.priority[c->priority].cnps++;
		}
	}
	if (v->peer != TRACE_NONE)
		loop_cnp(t, view_at(t, v->peer), &p);
	else
		pair_pend(t, v, &p);
}

static void ce(
        struct trace *t, struct view *v, const struct obs *o, struct tally *c, bool ce_first)
{
	v->shown.ce_packets++;
	c->bin_here->ce_packets++;
	trace_evidence(t, TRACE_EV_CE, o, v->flow);
	if (ce_first && v->once)
		v->once->ce_packets++;
	if (ce_first && v->selected) {
		struct trace_priority *p = &t->r.priority[c->priority];

		c->bin->ce_packets++;
		p->ce_packets++;
		if (p->first_ce_ns == TRACE_UNKNOWN)
			p->first_ce_ns = o->t_ns;
	}
	loop_ce(t, v, o->t_ns, o->number);
}

static void common(struct trace *t, struct view *v, const struct obs *o, struct tally *c)
{
	COUNT(c, packets, 1);
	COUNT(c, wire_bytes, o->wire_bytes);
	if (o->icrc != ICRC_NOT_CHECKABLE) {
		COUNT(c, icrc_checked, 1);
		if (o->icrc == ICRC_BAD) {
			COUNT(c, icrc_bad, 1);
			trace_evidence(t, TRACE_EV_ICRC_BAD, o, v->flow);
		}
	}
	if (o->flags & OBS_TRUNCATED)
		COUNT(c, truncated, 1);
	if (o->flags & OBS_MALFORMED) {
		COUNT(c, malformed, 1);
		trace_evidence(t, TRACE_EV_MALFORMED, o, v->flow);
	}
	if (!v->seen_any) {
		v->seen_any = true;
		v->first_ns = o->t_ns;
	}
	/* Stamps may go back: captures of several queues, a clock that was set. */
	if (o->t_ns < v->first_ns)
		v->first_ns = o->t_ns;
	if (o->t_ns > v->last_ns)
		v->last_ns = o->t_ns;
	c->bin_here->wire_bytes += o->wire_bytes;
	if (c->first && v->selected) {
		c->bin->wire_bytes += o->wire_bytes;
		t->r.priority[c->priority].wire_bytes += o->wire_bytes;
	}
}

void roce_apply(struct trace *t, struct view *v, const struct obs *o)
{
	uint8_t flags = opcode_table[o->opcode].flags;
	bool ce_first = true;
	struct tally c = {.shown = &v->shown, .first = true};

	if (t->n_ifaces > 1)
		c.first = match_show(t, v, o, &ce_first);
	c.once = c.first ? v->once : NULL;
	c.priority = o->pcp != OBS_UNTAGGED ? o->pcp & 7 : o->dscp >> 3 & 7;
	c.bin = timeline_bin(&t->total, o->t_ns);
	c.bin_here = timeline_bin(&t->per_iface[o->interface], o->t_ns);
	common(t, v, o, &c);
	if (o->opcode == BTH_CNP) {
		cnp(t, v, o, &c);
		return;
	}
	if (o->ecn == ECN_CE)
		ce(t, v, o, &c, ce_first);
	if (o->flags & OBS_CM)
		pair_cm(t, o);
	if (flags & OPCODE_DATA) {
		data(t, v, o, &c);
		if (t->iface[o->interface]->first_pauser)
			pause_obeyed(t, o, c.priority);
	} else if (flags & OPCODE_RESPONSE) {
		acknowledge(t, v, o, &c);
	}
}
