/* SPDX-License-Identifier: Apache-2.0 */
/* One queue pair in full. */
#include <inttypes.h>

#include "analysis/put.h"
#include "analysis/trace/trace_table_int.h"

enum { MESSAGES_SHOWN = 10, RECOVERIES_SHOWN = 10 };

static void span(FILE *f, const char *name, const struct trace_span *s)
{
	char a[HUMAN_LEN], b[HUMAN_LEN], c[HUMAN_LEN];

	if (s->n)
		put(f, "    %-14s min %s, mean %s, max %s (%" PRIu64 " samples)\n", name,
		        table_time(a, s->min), table_time(b, trace_span_mean(s)),
		        table_time(c, s->max), s->n);
}

static void title(FILE *f, const struct trace_flow *w, uint32_t index)
{
	char src[TRACE_ADDR_LEN], dst[TRACE_ADDR_LEN], qp[16] = "?";

	if (w->src_qp != TRACE_NONE)
		(void)snprintf(qp, sizeof(qp), "0x%x", w->src_qp);
	put(f, "\n  %s QP %s to %s QP 0x%x: %s, flow %u%s%s\n", trace_addr_text(src, &w->src),
	        qp, trace_addr_text(dst, &w->dst), w->dqp,
	        trace_transport_name((enum trace_transport)w->transport), index,
	        w->peer != TRACE_NONE ? ", paired by " : ", other direction not known",
	        w->peer != TRACE_NONE ? trace_pairing_name((enum trace_pairing)w->pairing)
	                              : "");
}

static void traffic(FILE *f, const struct trace_result *r, const struct trace_flow *w)
{
	const struct trace_counts *c = &w->counts;
	char bytes[HUMAN_LEN], rate[HUMAN_LEN], from[HUMAN_LEN], to[HUMAN_LEN];

	put(f, "    %-14s UDP port %u%s, DSCP %u", "packets", w->sport,
	        w->n_sports > 1 ? " and others" : "", w->dscp);
	if (w->pcp != 255)
		put(f, ", PCP %u", w->pcp);
	if (w->mtu_bytes)
		put(f, ", path MTU %u", w->mtu_bytes);
	put(f, "; from %s to %s\n", table_time(from, w->first_ns - r->first_ns),
	        table_time(to, w->last_ns - r->first_ns));
	if (!c->data_packets) {
		put(f,
		        "    %-14s none; %" PRIu64 " ACKs, %" PRIu64 " NAKs, %" PRIu64
		        " RNR NAKs, %" PRIu64 " CNPs\n",
		        "data", c->acks, c->naks, c->rnr_naks, c->cnps);
		return;
	}
	put(f, "    %-14s %" PRIu64 " packets, %s, %" PRIu64 " messages, PSN %u to %u", "data",
	        c->data_packets, human_size(bytes, (int64_t)c->payload_bytes), c->messages,
	        w->first_psn, w->last_psn);
	if (w->goodput_bps != TRACE_UNKNOWN)
		put(f, ", goodput %s", human_rate(rate, w->goodput_bps));
	put_char('\n', f);
}

static void loop(FILE *f, const struct trace_flow *w)
{
	const struct trace_counts *c = &w->counts;
	const struct trace_loop *l = &w->loop;
	uint64_t cnps = l->cnps_ce + l->cnps_loss + l->cnps_unexplained;

	if (!c->data_packets)
		return;
	put(f,
	        "    %-14s %" PRIu64 " packets, %.2f %%; CNPs: %" PRIu64 " after CE, %" PRIu64
	        " after loss, %" PRIu64 " unexplained\n",
	        "CE marks", c->ce_packets, table_percent(c->ce_packets, c->data_packets),
	        l->cnps_ce, l->cnps_loss, l->cnps_unexplained);
	span(f, "CE to CNP", &l->ce_to_cnp_ns);
	span(f, "between CNPs", &l->cnp_gap_ns);
	span(f, "CNP to cut", &l->cnp_to_cut_ns);
	if (cnps && l->cut_permille.n)
		put(f,
		        "    %-14s to %.1f %% of the rate before, on average of %" PRIu64
		        " cuts\n",
		        "cut", (double)trace_span_mean(&l->cut_permille) / 10,
		        l->cut_permille.n);
	if (l->of_model_permille.n)
		put(f,
		        "    %-14s %.1f %% of a DCQCN reaction point's, on average (%.1f to "
		        "%.1f %%)\n",
		        "rate", (double)trace_span_mean(&l->of_model_permille) / 10,
		        (double)l->of_model_permille.min / 10,
		        (double)l->of_model_permille.max / 10);
}

static void losses(FILE *f, const struct trace_flow *w)
{
	const struct trace_counts *c = &w->counts;

	if (c->retransmitted_packets || c->missing_psns)
		put(f,
		        "    %-14s %" PRIu64 " packets sent again, %" PRIu64
		        " PSNs missing, %" PRIu64 " of them for good\n",
		        "loss", c->retransmitted_packets, c->missing_psns, c->unfilled_psns);
	for (int k = 0; k < 4; k++)
		if (w->loss_events[k])
			put(f, "    %-14s %" PRIu64 " by %s, %" PRIu64 " packets\n",
			        "recoveries", w->loss_events[k],
			        trace_cause_name((enum trace_cause)k), w->retransmits[k]);
	if (c->reordered_packets || c->duplicated_packets)
		put(f,
		        "    %-14s %" PRIu64 " reordered, up to %u PSNs late; %" PRIu64
		        " duplicated\n",
		        "order", c->reordered_packets, w->max_reorder_psns,
		        c->duplicated_packets);
	if (c->icrc_bad)
		put(f, "    %-14s %" PRIu64 " of %" PRIu64 " bad\n", "ICRC", c->icrc_bad,
		        c->icrc_checked);
}

static void views(FILE *f, const struct trace_result *r, const struct trace_flow *w)
{
	if (w->n_views < 2)
		return;
	for (uint32_t i = w->first_view; i != TRACE_NONE; i = r->view[i].next) {
		const struct trace_view *v = &r->view[i];
		char name[TABLE_NAME_LEN];

		put(f,
		        "    %-14s %s: %" PRIu64 " packets, %" PRIu64 " CE, %" PRIu64
		        " missing, %" PRIu64 " lost behind it\n",
		        "seen at", table_name(name, r->interface[v->interface].capture.name),
		        v->counts.packets, v->counts.ce_packets, v->counts.missing_psns,
		        v->lost_after);
	}
}

static void recoveries(FILE *f, const struct trace_result *r, uint32_t flow)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_losses; i++) {
		const struct trace_loss *l = &r->loss[i];
		char at[HUMAN_LEN], stalled[HUMAN_LEN];

		if (l->flow != flow || ++n > RECOVERIES_SHOWN)
			continue;
		put(f, "    %-14s at %s, frame %" PRIu64 ": PSN %u to %u by %s", "recovery",
		        table_time(at, l->resend_ns - r->first_ns), l->number, l->first_psn,
		        l->last_psn, trace_cause_name((enum trace_cause)l->cause));
		if (l->before_ns != TRACE_UNKNOWN)
			put(f, ", %s after the last packet before",
			        table_time(stalled, l->resend_ns - l->before_ns));
		put_char('\n', f);
	}
	if (n > RECOVERIES_SHOWN)
		put(f, "    %-14s and %u more (--csv)\n", "", n - RECOVERIES_SHOWN);
}

static void messages(FILE *f, const struct trace_result *r, uint32_t flow)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_messages; i++) {
		const struct trace_message *m = &r->message[i];
		char at[HUMAN_LEN], bytes[HUMAN_LEN], fct[HUMAN_LEN];

		if (m->flow != flow || ++n > MESSAGES_SHOWN)
			continue;
		put(f, "    %-14s at %s, frame %" PRIu64 ": %s of %s, %s%s%s\n", "message",
		        table_time(at, m->first_ns - r->first_ns), m->number,
		        trace_verb_name((enum trace_verb)m->verb),
		        human_size(bytes, (int64_t)m->bytes),
		        m->acked_ns != TRACE_UNKNOWN ? "net FCT " : "no ACK for it",
		        m->acked_ns != TRACE_UNKNOWN
		                ? table_time(fct, m->acked_ns - m->first_ns)
		                : "",
		        m->retransmitted ? ", packets sent again" : "");
	}
	if (n > MESSAGES_SHOWN)
		put(f, "    %-14s and %u more (--csv)\n", "", n - MESSAGES_SHOWN);
}

void table_qp(FILE *f, const struct trace_result *r, uint32_t qp)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];

		if (w->dqp != qp && w->src_qp != qp)
			continue;
		n++;
		title(f, w, i);
		traffic(f, r, w);
		loop(f, w);
		losses(f, w);
		span(f, "ACK round trip", &w->rtt_ns);
		span(f, "net FCT", &w->net_fct_ns);
		span(f, "latency", &w->latency_ns);
		views(f, r, w);
		recoveries(f, r, i);
		messages(f, r, i);
	}
	if (!n)
		put(f, "\n  no packet is to or from QP 0x%x\n", qp);
}
