/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, recoveries, pauses, interfaces and paths of a capture: the longest of each. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/trace/trace_report_int.h"
#include "capture/clock.h"

static uint64_t length(int64_t from_ns, int64_t to_ns)
{
	return from_ns == TRACE_UNKNOWN || to_ns <= from_ns ? 0 : (uint64_t)(to_ns - from_ns);
}

static void write_route(FILE *f, const struct trace_result *r, uint32_t flow)
{
	const struct trace_flow *w = &r->flow[flow];
	char src[TRACE_ADDR_LEN], dst[TRACE_ADDR_LEN];

	put(f, "%u,\"%s\",\"%s\",", flow, trace_addr_text(src, &w->src),
	        trace_addr_text(dst, &w->dst));
	report_value(f, w->dqp, 0);
}

/* Those that ended: of the others nobody knows how long they took. */
static uint64_t message_length(const struct trace_result *r, uint32_t i)
{
	const struct trace_message *m = &r->message[i];

	return m->acked_ns == TRACE_UNKNOWN ? 0 : length(m->first_ns, m->acked_ns);
}

int report_slowest(FILE *f, const struct trace_result *r)
{
	uint32_t n = REPORT_MESSAGES;
	uint32_t *shown = report_largest(&n, r->n_messages, message_length, r);

	if (!shown)
		return -ENOMEM;
	put(f, "\"messages\":{\"all\":%" PRIu64 ",\"kept\":%u,\"rows\":[", r->all_messages,
	        r->n_messages);
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_message *m = &r->message[shown[i]];

		put_text(i ? ",\n[" : "\n[", f);
		write_route(f, r, m->flow);
		put(f, ",\"%s\",%" PRIu64 ",", trace_verb_name((enum trace_verb)m->verb),
		        m->bytes);
		report_since(f, r, m->first_ns);
		report_next(f, m->acked_ns - m->first_ns, 3);
		report_next(f, m->last_ns - m->first_ns, 3);
		put(f, ",%d,%u,%" PRIu64 "]", m->retransmitted, m->first_psn, m->number);
	}
	put_text("]},\n", f);
	free(shown);
	return 0;
}

static uint64_t loss_length(const struct trace_result *r, uint32_t i)
{
	return length(r->loss[i].before_ns, r->loss[i].resend_ns) + 1;
}

static void write_place(FILE *f, const struct trace_result *r, uint32_t interface)
{
	json_text(f, interface < r->n_interfaces ? r->interface[interface].capture.name : NULL);
}

int report_recoveries(FILE *f, const struct trace_result *r)
{
	uint32_t n = REPORT_RECOVERIES;
	uint32_t *shown = report_largest(&n, r->n_losses, loss_length, r);

	if (!shown)
		return -ENOMEM;
	put(f, "\"recoveries\":{\"all\":%" PRIu64 ",\"rows\":[", r->all_losses);
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_loss *l = &r->loss[shown[i]];

		put_text(i ? ",\n[" : "\n[", f);
		write_route(f, r, l->flow);
		put(f, ",\"%s\",%u,%u,%u,%u,", trace_cause_name((enum trace_cause)l->cause),
		        l->first_psn, l->last_psn, l->packets, l->missing);
		report_since(f, r, l->before_ns);
		put_char(',', f);
		report_since(f, r, l->resend_ns);
		put(f, ",%" PRIu64 ",", l->number);
		write_place(f, r, l->after_interface);
		put_char(',', f);
		write_place(f, r, l->before_interface);
		put_char(']', f);
	}
	put_text("]},\n", f);
	free(shown);
	return 0;
}

static uint64_t pause_length(const struct trace_result *r, uint32_t i)
{
	return length(r->pause[i].begin_ns, r->pause[i].end_ns) + 1;
}

static uint64_t pauser_length(const struct trace_result *r, uint32_t i)
{
	const struct trace_pauser *p = &r->pauser[i];
	uint64_t ns = 1;

	for (int k = 0; k <= TRACE_PRIORITIES; k++)
		ns += p->paused_ns[k] > 0 ? (uint64_t)p->paused_ns[k] : 0;
	return ns;
}

static void write_mac(FILE *f, const uint8_t m[6])
{
	put(f, "\"%02x:%02x:%02x:%02x:%02x:%02x\"", m[0], m[1], m[2], m[3], m[4], m[5]);
}

static void write_pausers(
        FILE *f, const struct trace_result *r, const uint32_t *shown, uint32_t n)
{
	static const char *const direction[] = {"unknown", "in", "out"};

	put(f, ",\"pausers\":%u,\"who\":[", r->n_pausers);
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_pauser *p = &r->pauser[shown[i]];

		put(f, "%s[%u,", i ? ",\n" : "", p->interface);
		write_mac(f, p->mac);
		put(f, ",\"%s\",%d,%" PRIu64 ",%" PRIu64 ",[",
		        direction[p->direction < 3 ? p->direction : 0], p->repeated,
		        p->xoff_frames + p->pause_frames, p->xon_frames);
		for (int k = 0; k <= TRACE_PRIORITIES; k++) {
			put_text(k ? ",[" : "[", f);
			report_value(f, p->paused_ns[k], 3);
			put(f, ",%" PRIu64 ",%" PRIu64 ",", p->episodes[k], p->expired[k]);
			report_value(f, p->longest_ns[k], 3);
			put_char(']', f);
		}
		put_text("]]", f);
	}
	put_text("]", f);
}

int report_pause_list(FILE *f, const struct trace_result *r)
{
	uint32_t n = REPORT_PAUSES, n_who = REPORT_PAUSERS;
	uint32_t *shown = report_largest(&n, r->n_pauses, pause_length, r);
	uint32_t *who = report_largest(&n_who, r->n_pausers, pauser_length, r);

	if (!shown || !who) {
		free(shown);
		free(who);
		return -ENOMEM;
	}
	put(f, "\"pauses\":{\"all\":%" PRIu64 ",\"rows\":[", r->all_pauses);
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_pause *p = &r->pause[shown[i]];

		put(f, "%s[%u,", i ? ",\n" : "\n", p->interface);
		write_mac(f, p->mac);
		put(f, ",%u,", p->priority);
		report_since(f, r, p->begin_ns);
		report_next(f, p->end_ns - p->begin_ns, 3);
		put(f, ",%d,%u,%" PRIu64 "]", p->open ? 2 : p->expired, p->xoffs, p->number);
	}
	put_char(']', f);
	write_pausers(f, r, who, n_who);
	put_text("},\n", f);
	free(shown);
	free(who);
	return 0;
}

static int64_t known(uint64_t n)
{
	return n == CAPTURE_NO_COUNT ? TRACE_UNKNOWN : (int64_t)n;
}

static void write_interface(
        FILE *f, const struct trace_result *r, const struct trace_interface *i)
{
	const struct capture_interface *c = &i->capture;

	put_char('[', f);
	json_text(f, c->name);
	put_char(',', f);
	json_text(f, c->description);
	put(f, ",%u,%" PRIu64 ",", i->file, i->frames);
	report_since(f, r, i->first_ns);
	put_char(',', f);
	report_since(f, r, i->last_ns);
	report_next(f, i->speed_bps ? i->speed_bps : TRACE_UNKNOWN, 0);
	put(f, ",%u,\"%s\",", i->speed_source, clock_kind_name((enum clock_kind)c->clock.kind));
	json_text(f, c->clock.name);
	report_next(f, c->resolution_ps ? c->resolution_ps : TRACE_UNKNOWN, 3);
	report_next(f, known(c->dropped_by_interface), 0);
	report_next(f, known(c->dropped_by_os), 0);
	report_next(f, known(c->dropped_between), 0);
	report_next(f, i->residual_ns == TRACE_UNKNOWN ? TRACE_UNKNOWN : i->offset_ns, 3);
	report_next(f, i->residual_ns == TRACE_UNKNOWN ? TRACE_UNKNOWN : i->drift_ppb, 0);
	report_next(f, i->residual_ns, 3);
	put(f, ",%" PRIu64 ",%" PRIu64, i->counts.data_packets, i->bursts.n);
	report_next(f, i->bursts.longest_ns, 3);
	report_next(f, i->bursts.peak_bps, 0);
	put_char(']', f);
}

void report_interfaces(FILE *f, const struct trace_result *r)
{
	put(f, "\"interfaces\":{\"all\":%u,\"rows\":[", r->n_interfaces);
	for (uint32_t i = 0; i < r->n_interfaces && i < REPORT_INTERFACES; i++) {
		put_text(i ? ",\n" : "\n", f);
		write_interface(f, r, &r->interface[i]);
	}
	put_text("]},\n", f);
}

void report_paths(FILE *f, const struct trace_result *r)
{
	put(f, "\"paths\":{\"all\":%u,\"rows\":[", r->n_paths);
	for (uint32_t i = 0; i < r->n_paths && i < REPORT_PATHS; i++) {
		const struct trace_path *p = &r->path[i];

		put_text(i ? ",\n[" : "\n[", f);
		write_place(f, r, p->from);
		put_char(',', f);
		write_place(f, r, p->to);
		put(f, ",%" PRIu64 ",%" PRIu64, p->matched, p->lost);
		report_next(f, p->latency_ns.n ? p->latency_ns.min : TRACE_UNKNOWN, 3);
		report_next(f, trace_span_mean(&p->latency_ns), 3);
		report_next(f, p->latency_ns.n ? p->latency_ns.max : TRACE_UNKNOWN, 3);
		put(f, ",%d]", p->common_clock);
	}
	put_text("]},\n", f);
}
