/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "analysis/put.h"
#include "analysis/trace/trace_json_int.h"

static void place(FILE *f, uint32_t interface)
{
	if (interface == TRACE_NONE)
		put_text("null", f);
	else
		put(f, "%u", interface);
}

static void losses(FILE *f, const struct trace_result *r)
{
	put(f, " \"recoveries\": {\"all\": %" PRIu64 ", \"listed\": [", r->all_losses);
	for (uint32_t i = 0; i < r->n_losses; i++) {
		const struct trace_loss *l = &r->loss[i];

		put(f,
		        "%s{\"flow\": %u, \"interface\": %u, \"cause\": \"%s\", \"first_psn\": "
		        "%u, "
		        "\"last_psn\": %u, \"packets\": %u, \"missing\": %u, \"before_ns\": ",
		        i ? ",\n  " : "\n  ", l->flow, l->interface,
		        trace_cause_name((enum trace_cause)l->cause), l->first_psn, l->last_psn,
		        l->packets, l->missing);
		json_ns(f, l->before_ns);
		put_text(", \"nak_ns\": ", f);
		json_ns(f, l->nak_ns);
		put(f, ", \"resend_ns\": %" PRId64 ", \"lost_after_interface\": ",
		        l->resend_ns);
		place(f, l->after_interface);
		put_text(", \"lost_before_interface\": ", f);
		place(f, l->before_interface);
		put(f, ", \"frame\": %" PRIu64 "}", l->number);
	}
	put_text("]},\n", f);
}

static void paths(FILE *f, const struct trace_result *r)
{
	put_text(" \"paths\": [", f);
	for (uint32_t i = 0; i < r->n_paths; i++) {
		const struct trace_path *p = &r->path[i];

		put(f,
		        "%s{\"from\": %u, \"to\": %u, \"matched\": %" PRIu64
		        ", \"lost\": %" PRIu64 ", \"latency_ns\": {\"min\": ",
		        i ? ",\n  " : "\n  ", p->from, p->to, p->matched, p->lost);
		json_ns(f, p->latency_ns.n ? p->latency_ns.min : TRACE_UNKNOWN);
		put_text(", \"mean\": ", f);
		json_ns(f, trace_span_mean(&p->latency_ns));
		put_text(", \"max\": ", f);
		json_ns(f, p->latency_ns.n ? p->latency_ns.max : TRACE_UNKNOWN);
		put(f, "}, \"clock\": \"%s\"}", p->common_clock ? "common" : "estimated");
	}
	put_text("],\n", f);
}

static void hosts(FILE *f, const struct trace_result *r)
{
	char text[TRACE_ADDR_LEN];

	put_text(" \"hosts\": [", f);
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct trace_host *h = &r->host[i];

		put(f,
		        "%s{\"address\": \"%s\", \"flows_in\": %u, \"flows_out\": %u, "
		        "\"incast_degree\": %u, \"incast_at_ns\": ",
		        i ? ",\n  " : "\n  ", trace_addr_text(text, &h->addr), h->flows_in,
		        h->flows_out, h->incast_degree);
		json_ns(f, h->incast_at_ns);
		put(f, ", \"udp_source_ports\": %u, \"udp_source_port_entropy_bits\": %u.%03u}",
		        h->sports_out, h->sport_bits_milli / 1000, h->sport_bits_milli % 1000);
	}
	put_text("],\n", f);
}

static void messages(FILE *f, const struct trace_result *r)
{
	put(f, " \"messages\": {\"all\": %" PRIu64 ", \"listed\": [", r->all_messages);
	for (uint32_t i = 0; i < r->n_messages; i++) {
		const struct trace_message *m = &r->message[i];

		put(f,
		        "%s{\"flow\": %u, \"interface\": %u, \"verb\": \"%s\", \"bytes\": "
		        "%" PRIu64
		        ", \"first_psn\": %u, \"last_psn\": %u, \"first_ns\": %" PRId64
		        ", \"last_ns\": %" PRId64 ", \"acked_ns\": ",
		        i ? ",\n  " : "\n  ", m->flow, m->interface,
		        trace_verb_name((enum trace_verb)m->verb), m->bytes, m->first_psn,
		        m->last_psn, m->first_ns, m->last_ns);
		json_ns(f, m->acked_ns);
		put(f, ", \"complete\": %s, \"retransmitted\": %s, \"frame\": %" PRIu64 "}",
		        m->complete ? "true" : "false", m->retransmitted ? "true" : "false",
		        m->number);
	}
	put_text("]},\n", f);
}

static void timeline(FILE *f, const struct trace_timeline *l)
{
	put_text(" \"timeline\": {\"start_ns\": ", f);
	json_ns(f, l->start_ns);
	put(f, ", \"width_ns\": %" PRId64 ", \"bins\": [", l->width_ns);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct trace_bin *b = &l->bin[i];

		put(f,
		        "%s{\"payload_bytes\": %" PRIu64 ", \"wire_bytes\": %" PRIu64
		        ", \"data_packets\": %u, \"ce_packets\": %u, \"cnps\": %u, \"acks\": "
		        "%u, "
		        "\"naks\": %u, \"retransmitted\": %u, \"paused_ns_by_priority\": [",
		        i ? ",\n  " : "\n  ", b->payload_bytes, b->wire_bytes, b->data_packets,
		        b->ce_packets, b->cnps, b->acks, b->naks, b->retransmitted);
		for (int k = 0; k < TRACE_PRIORITIES; k++)
			put(f, "%s%" PRId64, k ? ", " : "", b->paused_ns[k]);
		put_text("], \"rtt_mean_ns\": ", f);
		json_ns(f, b->rtt_n ? b->rtt_sum_ns / b->rtt_n : TRACE_UNKNOWN);
		put_text(", \"rtt_max_ns\": ", f);
		json_ns(f, b->rtt_n ? b->rtt_max_ns : TRACE_UNKNOWN);
		put_text(", \"latency_mean_ns\": ", f);
		json_ns(f, b->latency_n ? b->latency_sum_ns / b->latency_n : TRACE_UNKNOWN);
		put_text(", \"latency_max_ns\": ", f);
		json_ns(f, b->latency_n ? b->latency_max_ns : TRACE_UNKNOWN);
		put_text(", \"model_rate_bps\": ", f);
		json_ns(f, b->model_bps ? b->model_bps : TRACE_UNKNOWN);
		put_char('}', f);
	}
	put_text("]},\n", f);
}

void trace_json_lists(FILE *f, const struct trace_result *r, const struct trace_json_options *o)
{
	hosts(f, r);
	paths(f, r);
	losses(f, r);
	if (o->messages)
		messages(f, r);
	if (o->timeline)
		timeline(f, &r->timeline);
}
