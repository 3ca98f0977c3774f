/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was sent again and why. A recovery begins with a packet whose PSN is not new and ends
 * with the next that is, or with one that goes back behind the recovery's own latest. Its cause
 * is the NAK, selective acknowledgement or RNR NAK that named this place and that no recovery
 * has answered yet; without one the retransmission timer, if the sender was silent or
 * unanswered for longer than its packets take to be answered; else it is not known.
 *
 * A packet that fills a gap by itself, without a NAK and soon after the gap, did not come from
 * the sender again: the network reordered it.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace/trace_int.h"

/* The shortest timeout that NICs take is 4.096 us * 2^n, with n from 6 on in practice; what
 * fills a gap sooner than this was on its way already. */
#define REORDER_MAX_NS      INT64_C(1000000)
#define TIMEOUT_SILENCE_NS  INT64_C(250000)
#define TIMEOUT_ROUND_TRIPS 4
#define TIMEOUT_LEAST_NS    INT64_C(32768) /* 4.096 us * 2^3 */

/* A timer waits for several round trips; where none was timed for the shortest of NICs. */
static int64_t silence_ns(const struct view *v)
{
	int64_t ns = v->rtt_ns.n ? v->rtt_ns.min * TIMEOUT_ROUND_TRIPS : TIMEOUT_SILENCE_NS;

	if (ns < TIMEOUT_LEAST_NS)
		return TIMEOUT_LEAST_NS;
	return ns < TIMEOUT_SILENCE_NS ? ns : TIMEOUT_SILENCE_NS;
}

static enum trace_cause cause_of(struct view *v, int64_t at, int64_t t_ns, int64_t before_ns)
{
	if (v->nak_kind && at <= v->nak_at && v->nak_at - at < PSN_RESTART / 2)
		return v->nak_kind == NAK_RNR ? TRACE_CAUSE_RNR : TRACE_CAUSE_NAK;
	/* Selective repeat: sent again from the place on that the NAK named. */
	if ((v->nak_kind == NAK_SEQUENCE || v->nak_kind == NAK_SELECTIVE) && at > v->nak_at)
		return TRACE_CAUSE_NAK;
	/* Named more than once, and answered more than once. */
	if (at == v->nak_at && t_ns - v->nak_ns < silence_ns(v))
		return TRACE_CAUSE_NAK;
	/* A sender whose acknowledgements do not come any more may go on until its timer runs
	 * out. */
	if (t_ns - before_ns >= silence_ns(v) ||
	        (v->ack_visible && t_ns - v->heard_ns >= silence_ns(v)))
		return TRACE_CAUSE_TIMEOUT;
	return TRACE_CAUSE_UNKNOWN;
}

static void begin(
        struct trace *t, struct view *v, const struct obs *o, const struct psn_seen *seen)
{
	struct recovery *r = v->recovery;
	int64_t before_ns = r->last_ns == TRACE_UNKNOWN ? o->t_ns : r->last_ns;
	enum trace_cause cause = cause_of(v, seen->at, o->t_ns, before_ns);
	bool by_nak = cause == TRACE_CAUSE_NAK || cause == TRACE_CAUSE_RNR;

	r->active = true;
	r->fills_only = true;
	r->by_sack = cause == TRACE_CAUSE_NAK && v->nak_kind == NAK_SELECTIVE;
	r->gap_ns = seen->hole_ns;
	r->begin = seen->at;
	r->obs = *o;
	r->loss = (struct trace_loss){.flow = v->flow,
	        .interface = v->interface,
	        .cause = (uint8_t)cause,
	        .first_psn = o->psn,
	        .before_ns = before_ns,
	        .nak_ns = by_nak ? v->nak_ns : TRACE_UNKNOWN,
	        .resend_ns = o->t_ns,
	        .number = o->number,
	        .after_interface = TRACE_NONE,
	        .before_interface = TRACE_NONE};
	(void)t;
}

static struct recovery *recovery_of(struct trace *t, struct view *v)
{
	if (v->recovery)
		return v->recovery;
	v->recovery = calloc(1, sizeof(*v->recovery));
	if (!v->recovery) {
		t->failed = -ENOMEM;
		return NULL;
	}
	v->recovery->last_ns = v->last_data_before_ns;
	return v->recovery;
}

void recovery_packet(struct trace *t, struct view *v, const struct obs *o,
        const struct psn_seen *seen, int64_t last_position)
{
	struct recovery *r = recovery_of(t, v);

	if (!r)
		return;
	r->last_ns = v->last_data_before_ns;
	/* A copy of the packet before is no recovery. */
	if (seen->verdict == PSN_AGAIN && o->ip_id && o->ip_id == v->last_ip_id &&
	        o->psn == v->last_psn)
		return;
	if (r->active && seen->at <= r->last)
		recovery_end(t, v);
	if (!r->active)
		begin(t, v, o, seen);
	r->loss.packets++;
	if (seen->verdict == PSN_FILL)
		r->loss.missing++;
	else
		r->fills_only = false;
	if (seen->at == v->nak_at)
		v->nak_kind = 0;
	r->last = last_position;
	r->loss.last_psn = (uint32_t)last_position & PSN_MASK;
	r->loss.end_ns = o->t_ns;
	if (v->request.next - seen->at > v->max_reorder_now)
		v->max_reorder_now = (uint32_t)(v->request.next - seen->at);
}

void recovery_forward(struct trace *t, struct view *v, const struct obs *o)
{
	(void)o;
	recovery_end(t, v);
}

static bool was_reordered(const struct view *v, const struct recovery *r)
{
	uint8_t cause = r->loss.cause;

	if (!r->fills_only)
		return false;
	if (v->transport == TRACE_UC)
		return true;
	/* A selective acknowledgement says that something is late, not that it is lost. */
	return (r->by_sack || (cause != TRACE_CAUSE_NAK && cause != TRACE_CAUSE_RNR)) &&
	       r->loss.resend_ns - r->gap_ns < REORDER_MAX_NS;
}

static void keep(struct trace *t, struct view *v, const struct trace_loss *l)
{
	struct trace_loss *more;
	uint32_t limit = t->opt.max_losses;

	if (!v->selected || !v->home)
		return;
	t->r.all_losses++;
	if (t->r.n_losses >= limit)
		return;
	if (t->r.n_losses == t->max_loss) {
		uint32_t max = t->max_loss ? 2 * t->max_loss : 64;

		more = realloc(t->r.loss, max * sizeof(*more));
		if (!more) {
			t->failed = -ENOMEM;
			return;
		}
		t->r.loss = more;
		t->max_loss = max;
	}
	t->r.loss[t->r.n_losses++] = *l;
}

void recovery_end(struct trace *t, struct view *v)
{
	struct recovery *r = v->recovery;

	if (!r || !r->active)
		return;
	r->active = false;
	if (was_reordered(v, r)) {
		v->shown.reordered_packets += r->loss.packets;
		if (v->once)
			v->once->reordered_packets += r->loss.packets;
		trace_evidence(t, TRACE_EV_REORDERED, &r->obs, v->flow);
		if (v->max_reorder_now > v->max_reorder)
			v->max_reorder = v->max_reorder_now;
	} else {
		v->loss_packets[r->loss.cause] += r->loss.packets;
		v->loss_events[r->loss.cause]++;
		if (r->loss.cause == TRACE_CAUSE_TIMEOUT)
			trace_evidence(t, TRACE_EV_TIMEOUT, &r->obs, v->flow);
		keep(t, v, &r->loss);
	}
	v->max_reorder_now = 0;
}
