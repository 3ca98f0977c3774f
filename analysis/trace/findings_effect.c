/* SPDX-License-Identifier: Apache-2.0 */
/* What faults do to traffic. Losses and timeouts are said wherever they are seen; pauses that
 * spread, victims, incasts and bursts only below a fault, for they are no faults themselves. */
#include <inttypes.h>

#include "analysis/human.h"
#include "analysis/trace/diagnose_int.h"
#include "dataplane/base/units.h"

/* A flow is a victim where it stands still for a fifth of its time. */
#define VICTIM_PERCENT 20
#define INCAST_DEGREE  4
#define BURST_NS       INT64_C(50000)

static void hidden_loss(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	const struct trace_counts *c = &r->roce;
	uint64_t events[4] = {0, 0, 0, 0}, all = 0;
	char name[NAME_LEN];
	struct finding *f;

	for (uint32_t i = 0; i < r->n_flows; i++)
		for (int k = 0; k < 4; k++) {
			events[k] += r->flow[i].loss_events[k];
			all += k == TRACE_CAUSE_RNR ? 0 : r->flow[i].loss_events[k];
		}
	if (!all && !c->nak[TRACE_NAK_SEQUENCE] && !d->lost)
		return;
	f = finding_add(d, FINDING_LOSS_HIDDEN,
	        "%" PRIu64 " of %" PRIu64 " data packets are sent again, in %" PRIu64
	        " recoveries: %" PRIu64 " after a NAK, %" PRIu64 " after a timeout, %" PRIu64
	        " for an unknown reason",
	        c->retransmitted_packets, c->data_packets, all, events[TRACE_CAUSE_NAK],
	        events[TRACE_CAUSE_TIMEOUT], events[TRACE_CAUSE_UNKNOWN]);
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];

		if (!w->loss_events[TRACE_CAUSE_NAK] && !w->loss_events[TRACE_CAUSE_TIMEOUT] &&
		        !w->loss_events[TRACE_CAUSE_UNKNOWN])
			continue;
		if (!f->n_flows)
			finding_more(f, "; the first is %s", name_flow(name, r, i));
		finding_flow(f, i);
	}
	finding_figure(f, "retransmitted_packets", (int64_t)c->retransmitted_packets);
	finding_figure(f, "retransmitted_bytes", (int64_t)c->retransmitted_bytes);
	finding_figure(f, "after_nak", (int64_t)events[TRACE_CAUSE_NAK]);
	finding_figure(f, "after_timeout", (int64_t)events[TRACE_CAUSE_TIMEOUT]);
	finding_figure(f, "lost_packets_seen", (int64_t)d->lost);
	finding_packets(
	        f, r, c->retransmitted_packets ? TRACE_EV_RETRANSMIT : TRACE_EV_MISSING);
}

static void timeouts(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	int64_t longest_ns = 0, n = 0;
	char name[NAME_LEN], t[HUMAN_LEN];
	struct finding *f;

	for (uint32_t i = 0; i < r->n_flows; i++)
		n += (int64_t)r->flow[i].loss_events[TRACE_CAUSE_TIMEOUT];
	if (!n)
		return;
	f = finding_add(d, FINDING_TIMEOUT_RECOVERY,
	        "%" PRId64 " times a sender waits for its timer before it sends again", n);
	for (uint32_t i = 0; i < r->n_losses; i++) {
		const struct trace_loss *l = &r->loss[i];

		if (l->cause != TRACE_CAUSE_TIMEOUT)
			continue;
		finding_flow(f, l->flow);
		if (l->resend_ns - l->before_ns > longest_ns)
			longest_ns = l->resend_ns - l->before_ns;
	}
	if (longest_ns)
		finding_more(f, ", up to %s", human_time(t, ps_from_ns(longest_ns)));
	if (f->n_flows)
		finding_more(f, "; the first is %s", name_flow(name, r, f->flow[0]));
	finding_figure(f, "timeouts", n);
	finding_figure(f, "longest_wait_ns", longest_ns);
	finding_packets(f, r, TRACE_EV_TIMEOUT);
}

/* Devices that ask because they are asked. */
static void head_of_line(struct diagnose *d)
{
	char who[NAME_LEN], at[NAME_LEN], t[HUMAN_LEN];

	for (uint32_t i = 0; i < d->r->n_pausers; i++) {
		const struct seen_pauser *q = &d->s.pauser[i];
		struct finding *f = d->found[FINDING_HEAD_OF_LINE];

		if (!q->counts || !q->derived)
			continue;
		if (!f || f->n_interfaces < 4)
			f = finding_add(d, FINDING_HEAD_OF_LINE,
			        "%s, whose own ports are paused, pauses %s for %s",
			        name_pauser(who, d, i),
			        name_interface(at, d->r, d->r->pauser[i].interface),
			        human_time(t, ps_from_ns(q->paused_ns)));
		finding_interface(f, d->r->pauser[i].interface);
		if (f->n_figures < 2)
			finding_figure(f, "paused_ns", q->paused_ns);
	}
}

/* The time that any port on the flow's way was paused while the flow was there. */
static int64_t paused_on_way(
        const struct diagnose *d, const struct trace_flow *w, uint32_t *where)
{
	const struct trace_result *r = d->r;
	uint32_t priority = flow_priority(w);
	int64_t most_ns = 0;

	for (uint32_t k = w->first_view; k != TRACE_NONE; k = r->view[k].next) {
		const struct trace_view *v = &r->view[k];
		int64_t ns = 0;

		if (v->direction != DIRECTION_OUT || !v->counts.data_packets)
			continue;
		for (uint32_t i = 0; i < r->n_pauses; i++) {
			const struct trace_pause *p = &r->pause[i];
			int64_t from =
			        p->begin_ns > w->first_data_ns ? p->begin_ns : w->first_data_ns;
			int64_t to = p->end_ns < w->last_data_ns ? p->end_ns : w->last_data_ns;

			if (p->interface != v->interface ||
			        (p->priority != priority && p->priority != TRACE_PRIORITIES))
				continue;
			if (to > from)
				ns += to - from;
		}
		if (ns > most_ns) {
			most_ns = ns;
			*where = v->interface;
		}
	}
	return most_ns;
}

/* Whether the flow goes where the congestion is: a port that marks, is paused at the end of the
 * way, or loses. */
static bool is_to_blame(const struct diagnose *d, const struct trace_flow *w)
{
	const struct trace_result *r = d->r;
	const struct trace_view *last = NULL;

	for (uint32_t i = 0; i < r->n_pausers; i++)
		if (d->s.pauser[i].host == w->dst_host)
			return true;
	for (uint32_t k = w->first_view; k != TRACE_NONE; k = r->view[k].next)
		if (r->view[k].direction == DIRECTION_OUT)
			last = &r->view[k];
	return !last || d->s.interface[last->interface].marks ||
	       d->s.interface[last->interface].lost_towards ||
	       r->host[w->dst_host].incast_degree > 1;
}

static void victims(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char name[NAME_LEN], at[NAME_LEN], t[HUMAN_LEN];

	if (r->n_pauses > 10000 || !d->s.whole)
		return;
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];
		uint32_t where = TRACE_NONE;
		struct finding *f = d->found[FINDING_VICTIM_FLOW];
		int64_t ns;

		if (!flow_has_data(w) || w->last_data_ns <= w->first_data_ns ||
		        is_to_blame(d, w))
			continue;
		ns = paused_on_way(d, w, &where);
		if (ns * 100 < (w->last_data_ns - w->first_data_ns) * VICTIM_PERCENT)
			continue;
		if (!f || f->n_flows < 4)
			f = finding_add(d, FINDING_VICTIM_FLOW,
			        "%s stands still at %s for %s of its %" PRId64
			        " us, although nothing is congested where it goes",
			        name_flow(name, r, i), name_interface(at, r, where),
			        human_time(t, ps_from_ns(ns)),
			        (w->last_data_ns - w->first_data_ns) / 1000);
		finding_flow(f, i);
		finding_interface(f, where);
		finding_figure(f, "paused_ns", ns);
	}
}

static void incast(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	uint32_t most = TRACE_NONE;
	char name[NAME_LEN];
	struct finding *f;

	for (uint32_t i = 0; i < r->n_hosts; i++)
		if (r->host[i].incast_degree >= INCAST_DEGREE &&
		        (most == TRACE_NONE ||
		                r->host[i].incast_degree > r->host[most].incast_degree))
			most = i;
	if (most == TRACE_NONE)
		return;
	f = finding_add(d, FINDING_INCAST, "up to %u hosts send to %s at once",
	        r->host[most].incast_degree, name_host(name, r, most));
	finding_figure(f, "degree", r->host[most].incast_degree);
	finding_figure(f, "at_ns", r->host[most].incast_at_ns);
}

static void microbursts(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	uint32_t longest = TRACE_NONE;
	char at[NAME_LEN], t[HUMAN_LEN];
	struct finding *f;

	for (uint32_t i = 0; i < r->n_interfaces; i++)
		if (r->interface[i].bursts.longest_ns >= BURST_NS &&
		        (longest == TRACE_NONE ||
		                r->interface[i].bursts.longest_ns >
		                        r->interface[longest].bursts.longest_ns))
			longest = i;
	if (longest == TRACE_NONE)
		return;
	f = finding_add(d, FINDING_MICROBURST,
	        "%s is full for up to %s without a break, %" PRIu64 " times in all",
	        name_interface(at, r, longest),
	        human_time(t, ps_from_ns(r->interface[longest].bursts.longest_ns)),
	        r->interface[longest].bursts.n);
	finding_interface(f, longest);
	finding_figure(f, "longest_ns", r->interface[longest].bursts.longest_ns);
	finding_figure(f, "bursts", (int64_t)r->interface[longest].bursts.n);
}

void findings_effect(struct diagnose *d)
{
	hidden_loss(d);
	timeouts(d);
	head_of_line(d);
	victims(d);
	incast(d);
	microbursts(d);
}
