/* SPDX-License-Identifier: Apache-2.0 */
/* The time line as a table. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/put.h"
#include "analysis/trace/trace_table_int.h"

#define SILENT_BINS 3 /* so many and more are one line */

static bool is_silent(const struct trace_bin *b)
{
	struct trace_bin none = {.model_bps = b->model_bps};

	return !memcmp(&none, b, sizeof(none));
}

struct shown {
	bool paused[TRACE_PRIORITIES], rtt, latency, model;
};

static struct shown shown_of(const struct trace_timeline *l)
{
	struct shown s = {0};

	for (uint32_t i = 0; i < l->n; i++) {
		const struct trace_bin *b = &l->bin[i];

		for (int k = 0; k < TRACE_PRIORITIES; k++)
			s.paused[k] = s.paused[k] || b->paused_ns[k];
		s.rtt = s.rtt || b->rtt_n;
		s.latency = s.latency || b->latency_n;
		s.model = s.model || b->model_bps;
	}
	return s;
}

static void heads(FILE *f, const struct shown *s)
{
	put(f, "\n  %11s %11s %11s %8s %7s %6s %5s %6s", "at", "goodput", "on the wire", "data",
	        "CE %", "CNPs", "NAKs", "again");
	for (int k = 0; k < TRACE_PRIORITIES; k++)
		if (s->paused[k])
			put(f, "  paused%d", k);
	if (s->rtt)
		put(f, " %11s", "mean RTT");
	if (s->latency)
		put(f, " %12s", "mean latency");
	if (s->model)
		put(f, " %11s", "DCQCN model");
	put_char('\n', f);
}

static int64_t bps(uint64_t bytes, int64_t ns)
{
	return (int64_t)((unsigned __int128)bytes * 8000000000u / (uint64_t)ns);
}

static void row(FILE *f, const struct trace_result *r, uint32_t i, const struct shown *s)
{
	const struct trace_timeline *l = &r->timeline;
	const struct trace_bin *b = &l->bin[i];
	char at[HUMAN_LEN], goodput[HUMAN_LEN], wire[HUMAN_LEN], text[HUMAN_LEN];
	int64_t since_ns = l->start_ns + (int64_t)i * l->width_ns - r->first_ns;

	put(f, "  %11s %11s %11s %8u %7.2f %6u %5u %6u",
	        table_time(at, since_ns > 0 ? since_ns : 0),
	        human_rate(goodput, bps(b->payload_bytes, l->width_ns)),
	        human_rate(wire, bps(b->wire_bytes, l->width_ns)), b->data_packets,
	        table_percent(b->ce_packets, b->data_packets), b->cnps, b->naks,
	        b->retransmitted);
	for (int k = 0; k < TRACE_PRIORITIES; k++)
		if (s->paused[k])
			put(f, " %8.2f", (double)b->paused_ns[k] / (double)l->width_ns);
	if (s->rtt)
		put(f, " %11s", b->rtt_n ? table_time(text, b->rtt_sum_ns / b->rtt_n) : "");
	if (s->latency)
		put(f, " %12s",
		        b->latency_n ? table_time(text, b->latency_sum_ns / b->latency_n) : "");
	if (s->model)
		put(f, " %11s", b->model_bps ? human_rate(text, b->model_bps) : "");
	put_char('\n', f);
}

void table_timeline(FILE *f, const struct trace_result *r)
{
	const struct trace_timeline *l = &r->timeline;
	const struct shown s = shown_of(l);
	char text[HUMAN_LEN];

	if (!l->n)
		return;
	heads(f, &s);
	for (uint32_t i = 0; i < l->n;) {
		uint32_t n = 0;

		while (i + n < l->n && is_silent(&l->bin[i + n]))
			n++;
		if (n >= SILENT_BINS) {
			put(f, "  %11s silent\n", table_time(text, (int64_t)n * l->width_ns));
			i += n;
		} else {
			row(f, r, i++, &s);
		}
	}
	put(f, "  steps of %s; paused: how many ports, on average\n",
	        table_time(text, l->width_ns));
}
