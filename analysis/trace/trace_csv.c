/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/trace_csv.h"

#include <inttypes.h>

#include "analysis/put.h"

static void ns(FILE *f, int64_t v)
{
	if (v == TRACE_UNKNOWN)
		put_char(',', f);
	else
		put(f, ",%" PRId64, v);
}

static void span(FILE *f, const struct trace_span *s)
{
	put(f, ",%" PRIu64, s->n);
	ns(f, s->n ? s->min : TRACE_UNKNOWN);
	ns(f, trace_span_mean(s));
	ns(f, s->n ? s->max : TRACE_UNKNOWN);
}

static void flows(FILE *f, const struct trace_result *r)
{
	char src[TRACE_ADDR_LEN], dst[TRACE_ADDR_LEN];

	put_text("flow,src,dst,dqp,peer_qp,transport,udp_source_port,dscp,path_mtu,packets,"
	         "data_packets,payload_bytes,messages,acks,naks,rnr_naks,cnps,ce_packets,"
	         "retransmitted_packets,missing_psns,icrc_bad,first_ns,last_ns,goodput_bps,"
	         "rtt_samples,rtt_min_ns,rtt_mean_ns,rtt_max_ns,ce_to_cnp_samples,"
	         "ce_to_cnp_min_ns,ce_to_cnp_mean_ns,ce_to_cnp_max_ns,net_fct_samples,"
	         "net_fct_min_ns,net_fct_mean_ns,net_fct_max_ns\n",
	        f);
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];
		const struct trace_counts *c = &w->counts;

		put(f, "%u,%s,%s,%u,", i, trace_addr_text(src, &w->src),
		        trace_addr_text(dst, &w->dst), w->dqp);
		if (w->src_qp != TRACE_NONE)
			put(f, "%u", w->src_qp);
		put(f,
		        ",%s,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		        ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		        ",%" PRIu64,
		        trace_transport_name((enum trace_transport)w->transport), w->sport,
		        w->dscp, w->mtu_bytes, c->packets, c->data_packets, c->payload_bytes,
		        c->messages, c->acks, c->naks, c->rnr_naks, c->cnps, c->ce_packets,
		        c->retransmitted_packets, c->missing_psns, c->icrc_bad);
		ns(f, w->first_ns);
		ns(f, w->last_ns);
		ns(f, w->goodput_bps);
		span(f, &w->rtt_ns);
		span(f, &w->loop.ce_to_cnp_ns);
		span(f, &w->net_fct_ns);
		put_char('\n', f);
	}
}

static void messages(FILE *f, const struct trace_result *r)
{
	put_text("flow,interface,verb,bytes,first_psn,last_psn,first_ns,last_ns,acked_ns,"
	         "complete,retransmitted,frame\n",
	        f);
	for (uint32_t i = 0; i < r->n_messages; i++) {
		const struct trace_message *m = &r->message[i];

		put(f, "%u,%u,%s,%" PRIu64 ",%u,%u,%" PRId64 ",%" PRId64, m->flow, m->interface,
		        trace_verb_name((enum trace_verb)m->verb), m->bytes, m->first_psn,
		        m->last_psn, m->first_ns, m->last_ns);
		ns(f, m->acked_ns);
		put(f, ",%s,%s,%" PRIu64 "\n", m->complete ? "yes" : "no",
		        m->retransmitted ? "yes" : "no", m->number);
	}
}

static void pauses(FILE *f, const struct trace_result *r)
{
	put_text("interface,mac,priority,begin_ns,end_ns,ended_by,xoff_frames,frame\n", f);
	for (uint32_t i = 0; i < r->n_pauses; i++) {
		const struct trace_pause *p = &r->pause[i];
		const char priority[] = {(char)('0' + p->priority), 0}; /* 8: 802.3x */
		const uint8_t *m = p->mac;

		put(f,
		        "%u,%02x:%02x:%02x:%02x:%02x:%02x,%s,%" PRId64 ",%" PRId64
		        ",%s,%u,%" PRIu64 "\n",
		        p->interface, m[0], m[1], m[2], m[3], m[4], m[5], priority, p->begin_ns,
		        p->end_ns,
		        p->open      ? "capture"
		        : p->expired ? "quanta"
		                     : "xon",
		        p->xoffs, p->number);
	}
}

static void recoveries(FILE *f, const struct trace_result *r)
{
	put_text("flow,interface,cause,first_psn,last_psn,packets,missing,before_ns,nak_ns,"
	         "resend_ns,end_ns,lost_after_interface,lost_before_interface,frame\n",
	        f);
	for (uint32_t i = 0; i < r->n_losses; i++) {
		const struct trace_loss *l = &r->loss[i];

		put(f, "%u,%u,%s,%u,%u,%u,%u", l->flow, l->interface,
		        trace_cause_name((enum trace_cause)l->cause), l->first_psn, l->last_psn,
		        l->packets, l->missing);
		ns(f, l->before_ns);
		ns(f, l->nak_ns);
		ns(f, l->resend_ns);
		ns(f, l->end_ns);
		ns(f, l->after_interface == TRACE_NONE ? TRACE_UNKNOWN : l->after_interface);
		ns(f, l->before_interface == TRACE_NONE ? TRACE_UNKNOWN : l->before_interface);
		put(f, ",%" PRIu64 "\n", l->number);
	}
}

static void timeline(FILE *f, const struct trace_result *r)
{
	const struct trace_timeline *l = &r->timeline;

	put_text(
	        "t_ns,width_ns,payload_bytes,wire_bytes,data_packets,ce_packets,cnps,acks,naks,"
	        "retransmitted",
	        f);
	for (int k = 0; k < TRACE_PRIORITIES; k++)
		put(f, ",paused%d_ns", k);
	put_text(",rtt_mean_ns,rtt_max_ns,latency_mean_ns,latency_max_ns,model_rate_bps\n", f);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct trace_bin *b = &l->bin[i];

		put(f, "%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%u,%u,%u",
		        l->start_ns + (int64_t)i * l->width_ns, l->width_ns, b->payload_bytes,
		        b->wire_bytes, b->data_packets, b->ce_packets, b->cnps, b->acks,
		        b->naks, b->retransmitted);
		for (int k = 0; k < TRACE_PRIORITIES; k++)
			put(f, ",%" PRId64, b->paused_ns[k]);
		ns(f, b->rtt_n ? b->rtt_sum_ns / b->rtt_n : TRACE_UNKNOWN);
		ns(f, b->rtt_n ? b->rtt_max_ns : TRACE_UNKNOWN);
		ns(f, b->latency_n ? b->latency_sum_ns / b->latency_n : TRACE_UNKNOWN);
		ns(f, b->latency_n ? b->latency_max_ns : TRACE_UNKNOWN);
		ns(f, b->model_bps ? b->model_bps : TRACE_UNKNOWN);
		put_char('\n', f);
	}
}

int trace_csv_write(
        struct out_set *set, const char *folder, const struct trace_result *r, struct err *e)
{
	static const struct {
		const char *name;
		void (*write)(FILE *f, const struct trace_result *r);
	} file[] = {{"flows.csv", flows}, {"messages.csv", messages}, {"pauses.csv", pauses},
	        {"recoveries.csv", recoveries}, {"timeline.csv", timeline}};
	int rc = out_folder(folder, e);

	for (size_t i = 0; !rc && i < sizeof(file) / sizeof(*file); i++) {
		FILE *f;

		rc = out_set_add_in(set, &f, folder, file[i].name, e);
		if (!rc)
			file[i].write(f, r);
	}
	return rc;
}
