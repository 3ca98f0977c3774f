/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/trace_json.h"

#include <inttypes.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/trace/trace_json_int.h"
#include "dataplane/wire/frame.h"

void json_ns(FILE *f, int64_t ns)
{
	if (ns == TRACE_UNKNOWN)
		put_text("null", f);
	else
		put(f, "%" PRId64, ns);
}

static void address(FILE *f, const char *key, const struct trace_addr *a)
{
	char text[TRACE_ADDR_LEN];

	put(f, "\"%s\": ", key);
	json_text(f, trace_addr_text(text, a));
}

static void qp(FILE *f, const char *key, uint32_t qpn)
{
	if (qpn == TRACE_NONE)
		put(f, "\"%s\": null", key);
	else
		put(f, "\"%s\": %u", key, qpn);
}

static void counts(FILE *f, const struct trace_counts *c)
{
	const struct {
		const char *name;
		uint64_t value;
	} key[] = {
	        {"packets", c->packets},
	        {"data_packets", c->data_packets},
	        {"acks", c->acks},
	        {"naks", c->naks},
	        {"rnr_naks", c->rnr_naks},
	        {"cnps", c->cnps},
	        {"becn_acks", c->becn_acks},
	        {"ce_packets", c->ce_packets},
	        {"ect_packets", c->ect_packets},
	        {"not_ect_packets", c->not_ect_packets},
	        {"retransmitted_packets", c->retransmitted_packets},
	        {"retransmitted_bytes", c->retransmitted_bytes},
	        {"missing_psns", c->missing_psns},
	        {"unfilled_psns", c->unfilled_psns},
	        {"reordered_packets", c->reordered_packets},
	        {"duplicated_packets", c->duplicated_packets},
	        {"icrc_checked", c->icrc_checked},
	        {"icrc_bad", c->icrc_bad},
	        {"messages", c->messages},
	        {"payload_bytes", c->payload_bytes},
	        {"wire_bytes", c->wire_bytes},
	        {"truncated_packets", c->truncated},
	        {"malformed_packets", c->malformed},
	};

	for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++)
		put(f, "%s\"%s\": %" PRIu64, i ? ", " : "", key[i].name, key[i].value);
	put_text(", \"naks_by_reason\": {", f);
	for (int i = 0; i < TRACE_NAKS; i++)
		put(f, "%s\"%s\": %" PRIu64, i ? ", " : "", trace_nak_name((enum trace_nak)i),
		        c->nak[i]);
	put_text("}", f);
}

static void hist(FILE *f, const char *key, const struct hist *h)
{
	put(f, "\"%s\": ", key);
	if (!h->count) {
		put_text("{\"min\": null, \"p50\": null, \"p99\": null, \"max\": null, "
		         "\"samples\": 0}",
		        f);
		return;
	}
	put(f,
	        "{\"min\": %" PRId64 ", \"p50\": %" PRId64 ", \"p99\": %" PRId64
	        ", \"max\": %" PRId64 ", \"samples\": %" PRIu64 "}",
	        h->min, hist_percentile(h, 50), hist_percentile(h, 99), h->max, h->count);
}

static void span(FILE *f, const char *key, const struct trace_span *s)
{
	put(f, "\"%s\": ", key);
	if (!s->n) {
		put_text("null", f);
		return;
	}
	put(f,
	        "{\"min\": %" PRId64 ", \"mean\": %" PRId64 ", \"max\": %" PRId64
	        ", \"samples\": %" PRIu64 "}",
	        s->min, trace_span_mean(s), s->max, s->n);
}

static void priorities(FILE *f, const int64_t ns[TRACE_PRIORITIES])
{
	put_char('[', f);
	for (int i = 0; i < TRACE_PRIORITIES; i++) {
		put_text(i ? ", " : "", f);
		json_ns(f, ns[i]);
	}
	put_char(']', f);
}

static void clock_of(FILE *f, const struct trace_result *r)
{
	static const char *const timescale[] = {"unknown", "utc", "tai", "virtual"};
	const struct capture_clock *c = r->n_interfaces ? &r->interface[0].capture.clock : NULL;

	if (!c) {
		put_text("null", f);
		return;
	}
	put_text("{\"name\": ", f);
	json_text(f, c->name[0] ? c->name : NULL);
	put(f, ", \"kind\": \"%s\", \"timescale\": \"%s\", \"resolution_ps\": ",
	        clock_kind_name((enum clock_kind)c->kind),
	        timescale[c->timescale < 4 ? c->timescale : 0]);
	if (r->interface[0].capture.resolution_ps)
		put(f, "%" PRId64, r->interface[0].capture.resolution_ps);
	else
		put_text("null", f);
	put_char('}', f);
}

static void files(FILE *f, const struct trace_result *r)
{
	put_text(" \"files\": [", f);
	for (uint32_t i = 0; i < r->n_files; i++) {
		const struct trace_file *t = &r->file[i];

		put_text(i ? ",\n  {\"path\": " : "\n  {\"path\": ", f);
		json_text(f, t->path);
		put_text(", \"format\": ", f);
		json_text(f, t->format);
		put(f, ", \"frames\": %" PRIu64 ", \"cut\": %s, \"error\": ", t->frames,
		        t->cut ? "true" : "false");
		json_text(f, t->error[0] ? t->error : NULL);
		put_char('}', f);
	}
	put_text("],\n", f);
}

static void dropped(FILE *f, const char *key, uint64_t n)
{
	if (n == CAPTURE_NO_COUNT)
		put(f, ", \"%s\": null", key);
	else
		put(f, ", \"%s\": %" PRIu64, key, n);
}

static void interface(FILE *f, const struct trace_interface *i)
{
	static const char *const source[] = {"unknown", "file", "given", "inferred"};

	put_text("{\"name\": ", f);
	json_text(f, i->capture.name[0] ? i->capture.name : NULL);
	put(f, ", \"file\": %u, \"frames\": %" PRIu64 ", \"first_ns\": ", i->file, i->frames);
	json_ns(f, i->first_ns);
	put_text(", \"last_ns\": ", f);
	json_ns(f, i->last_ns);
	put_text(", \"speed_bps\": ", f);
	json_ns(f, i->speed_bps ? i->speed_bps : TRACE_UNKNOWN);
	put(f, ", \"speed_from\": \"%s\", \"clock\": \"%s\"", source[i->speed_source],
	        clock_kind_name((enum clock_kind)i->capture.clock.kind));
	dropped(f, "dropped_by_interface", i->capture.dropped_by_interface);
	dropped(f, "dropped_by_os", i->capture.dropped_by_os);
	put(f,
	        ", \"xoff_frames\": %" PRIu64 ", \"xon_frames\": %" PRIu64
	        ", \"paused_ns_by_priority\": ",
	        i->xoff_frames, i->xon_frames);
	priorities(f, i->paused_ns);
	put_text(", \"asked_ns_by_priority\": ", f);
	priorities(f, i->asked_ns);
	put(f,
	        ", \"bursts\": {\"count\": %" PRIu64 ", \"longest_ns\": %" PRId64
	        ", \"largest_bytes\": %" PRIu64 ", \"peak_bps\": %" PRId64 "}",
	        i->bursts.n, i->bursts.longest_ns, i->bursts.largest_bytes, i->bursts.peak_bps);
	put_text(", \"clock_correction\": ", f);
	if (i->residual_ns == TRACE_UNKNOWN)
		put_text("null", f);
	else
		put(f,
		        "{\"offset_ns\": %" PRId64 ", \"drift_ppb\": %" PRId64
		        ", \"residual_ns\": %" PRId64 "}",
		        i->offset_ns, i->drift_ppb, i->residual_ns);
	put_text(", ", f);
	counts(f, &i->counts);
	put_char('}', f);
}

static void flow_causes(FILE *f, const struct trace_flow *w)
{
	put_text(", \"retransmitted_by_cause\": {", f);
	for (int i = 0; i < 4; i++)
		put(f, "%s\"%s\": {\"events\": %" PRIu64 ", \"packets\": %" PRIu64 "}",
		        i ? ", " : "", trace_cause_name((enum trace_cause)i), w->loss_events[i],
		        w->retransmits[i]);
	put_char('}', f);
}

static void flow_ids(FILE *f, const struct trace_flow *w, uint32_t index)
{
	put(f, "{\"id\": %u, ", index);
	address(f, "src", &w->src);
	put_text(", ", f);
	address(f, "dst", &w->dst);
	put_text(", ", f);
	qp(f, "dqp", w->dqp);
	put_text(", ", f);
	qp(f, "peer_qp", w->src_qp);
	put_text(", ", f);
	qp(f, "peer_flow", w->peer);
	put(f, ", \"paired_by\": \"%s\", \"transport\": \"%s\", \"udp_source_port\": ",
	        trace_pairing_name((enum trace_pairing)w->pairing),
	        trace_transport_name((enum trace_transport)w->transport));
	json_ns(f, w->kind == FRAME_ROCE_V2 ? w->sport : TRACE_UNKNOWN);
	put(f, ", \"udp_source_ports\": %u, \"first_psn\": ", w->n_sports);
	json_ns(f, w->has_psns ? w->first_psn : TRACE_UNKNOWN);
	put_text(", \"last_psn\": ", f);
	json_ns(f, w->has_psns ? w->last_psn : TRACE_UNKNOWN);
	put(f, ", \"dscp\": %u, \"path_mtu\": ", w->dscp);
	if (w->mtu_bytes)
		put(f, "%u", w->mtu_bytes);
	else
		put_text("null", f);
	put_text(", \"pcp\": ", f);
	json_ns(f, w->pcp == 255 ? TRACE_UNKNOWN : w->pcp);
	put_text(", \"first_ns\": ", f);
	json_ns(f, w->first_ns);
	put_text(", \"last_ns\": ", f);
	json_ns(f, w->last_ns);
	put_text(", \"goodput_bps\": ", f);
	json_ns(f, w->goodput_bps);
	put_text(", ", f);
}

static void flow(FILE *f, const struct trace_flow *w, uint32_t index)
{
	flow_ids(f, w, index);
	counts(f, &w->counts);
	flow_causes(f, w);
	put_text(", ", f);
	span(f, "ce_to_cnp_ns", &w->loop.ce_to_cnp_ns);
	put_text(", ", f);
	span(f, "cnp_interarrival_ns", &w->loop.cnp_gap_ns);
	put_text(", ", f);
	span(f, "cnp_to_cut_ns", &w->loop.cnp_to_cut_ns);
	put_text(", ", f);
	span(f, "rate_after_cut_permille", &w->loop.cut_permille);
	put_text(", ", f);
	span(f, "rate_of_model_permille", &w->loop.of_model_permille);
	put_text(", ", f);
	span(f, "ack_rtt_ns", &w->rtt_ns);
	put_text(", ", f);
	span(f, "latency_ns", &w->latency_ns);
	put_text(", ", f);
	span(f, "net_fct_ns", &w->net_fct_ns);
	put(f,
	        ", \"cnps_from_ce\": %" PRIu64 ", \"cnps_from_loss\": %" PRIu64
	        ", \"cnps_unexplained\": %" PRIu64 ", \"max_reorder_psns\": %u}",
	        w->loop.cnps_ce, w->loop.cnps_loss, w->loop.cnps_unexplained,
	        w->max_reorder_psns);
}

static void matrix(FILE *f, const struct trace_result *r)
{
	const char *separator = "\n  ";

	put_text(" \"matrix\": [", f);
	for (uint32_t i = 0; i < r->n_cells; i++) {
		const struct trace_cell *c = &r->cell[i];
		uint64_t messages = 0;

		for (int k = 0; k < TRACE_SIZE_CLASSES; k++)
			messages += c->messages[k];
		if (!messages && !c->payload_bytes)
			continue;
		put(f, "%s{", separator);
		separator = ",\n  ";
		address(f, "src", &r->host[c->src].addr);
		put_text(", ", f);
		address(f, "dst", &r->host[c->dst].addr);
		put(f, ", \"payload_bytes\": %" PRIu64 ", \"messages\": {", c->payload_bytes);
		for (int k = 0; k < TRACE_SIZE_CLASSES; k++)
			put(f, "%s\"%s\": %" PRIu64, k ? ", " : "", trace_size_class[k],
			        c->messages[k]);
		put_text("}}", f);
	}
	put_text("],\n", f);
}

static void loop(FILE *f, const struct trace_result *r)
{
	put_text(" \"cnp\": {\"interarrival_min_ns\": ", f);
	json_ns(f, r->cnp_gap_qp_ns);
	put_text(", \"interarrival_min_per_destination_ns\": ", f);
	json_ns(f, r->cnp_gap_ip_ns);
	put_text(", \"interarrival_min_per_source_ns\": ", f);
	json_ns(f, r->cnp_gap_port_ns);
	put_text(", ", f);
	hist(f, "ce_to_cnp_ns", r->ce_to_cnp_ns);
	put(f, ", \"without_ce\": %" PRIu64 ", ", r->roce.cnps_without_ce);
	hist(f, "to_cut_ns", r->cnp_to_cut_ns);
	put_text("},\n", f);
}

static void pauses(FILE *f, const struct trace_result *r)
{
	put(f,
	        " \"pfc\": {\"xoff_frames\": %" PRIu64 ", \"xon_frames\": %" PRIu64
	        ", \"paused_ns_by_priority\": ",
	        r->xoff_frames, r->xon_frames);
	priorities(f, r->paused_ns);
	put(f,
	        ", \"episodes\": %" PRIu64 ", \"pause_frames\": %" PRIu64
	        ", \"paused_all_ns\": ",
	        r->all_pauses, r->pause_frames);
	json_ns(f, r->paused_all_ns);
	put_text("},\n", f);
}

static void times(FILE *f, const struct trace_result *r)
{
	put_text(" \"first_ns\": ", f);
	json_ns(f, r->first_ns);
	put_text(", \"last_ns\": ", f);
	json_ns(f, r->last_ns);
	put_text(", \"clock\": ", f);
	clock_of(f, r);
	put_text(",\n ", f);
	hist(f, "ack_rtt_ns", r->rtt_ns);
	put_text(",\n ", f);
	hist(f, "net_fct_ns", r->net_fct_ns);
	put_text(",\n ", f);
	hist(f, "latency_ns", r->latency_ns);
	put_text(",\n ", f);
	hist(f, "message_bytes", r->message_bytes);
	put_text(",\n", f);
}

void trace_json_write(FILE *f, const struct trace_result *r, const struct trace_json_options *o)
{
	put(f,
	        "{\"format\": \"squall.analysis/1\",\n \"frames\": %" PRIu64
	        ", \"other_frames\": %" PRIu64 ", \"unfollowed_packets\": %" PRIu64
	        ", \"stopped\": %s,\n \"roce\": {",
	        r->frames, r->other_frames, r->unfollowed_packets,
	        r->stopped ? "true" : "false");
	counts(f, &r->roce);
	put_text("},\n", f);
	pauses(f, r);
	loop(f, r);
	times(f, r);
	files(f, r);
	put_text(" \"interfaces\": [", f);
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		put_text(i ? ",\n  " : "\n  ", f);
		interface(f, &r->interface[i]);
	}
	put_text("],\n \"flows\": [", f);
	for (uint32_t i = 0; i < r->n_flows; i++) {
		put_text(i ? ",\n  " : "\n  ", f);
		flow(f, &r->flow[i], i);
	}
	put_text("],\n", f);
	matrix(f, r);
	trace_json_lists(f, r, o);
	put_text(" \"findings\": ", f);
	if (o->findings)
		o->findings(f, r, o->findings_arg);
	else
		put_text("[]", f);
	put_text("}\n", f);
}
