/* SPDX-License-Identifier: Apache-2.0 */
/* Time line and distributions of a capture, reduced to what a page shows. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/put.h"
#include "analysis/trace/trace_report_int.h"

/* Bins of a point of the page. */
static struct trace_bin sum_of(const struct trace_bin *b, uint32_t n)
{
	struct trace_bin s = {0};

	for (uint32_t i = 0; i < n; i++) {
		s.payload_bytes += b[i].payload_bytes;
		s.wire_bytes += b[i].wire_bytes;
		s.data_packets += b[i].data_packets;
		s.ce_packets += b[i].ce_packets;
		s.cnps += b[i].cnps;
		s.naks += b[i].naks;
		s.retransmitted += b[i].retransmitted;
		s.acks += b[i].acks;
		for (int k = 0; k < TRACE_PRIORITIES; k++)
			s.paused_ns[k] += b[i].paused_ns[k];
		s.rtt_sum_ns += b[i].rtt_sum_ns;
		s.rtt_n += b[i].rtt_n;
		if (b[i].rtt_max_ns > s.rtt_max_ns)
			s.rtt_max_ns = b[i].rtt_max_ns;
		s.latency_sum_ns += b[i].latency_sum_ns;
		s.latency_n += b[i].latency_n;
		if (b[i].model_bps)
			s.model_bps = b[i].model_bps;
		if (b[i].latency_max_ns > s.latency_max_ns)
			s.latency_max_ns = b[i].latency_max_ns;
	}
	return s;
}

static int64_t bps(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (int64_t)((unsigned __int128)bytes * 8000000000u / (uint64_t)ns) : 0;
}

struct column {
	const char *name;
	enum {
		PAYLOAD,
		WIRE,
		DATA,
		CE,
		CNPS,
		NAKS,
		AGAIN,
		ACKS,
		RTT,
		RTT_MAX,
		LATENCY,
		LATENCY_MAX,
		MODEL,
		LOW,
		HIGH,
		PAUSED
	} what;
	int decimals;
};

static const struct column columns[] = {
        {"payload_bytes", PAYLOAD, 0},
        {"wire_bytes", WIRE, 0},
        {"data_packets", DATA, 0},
        {"ce", CE, 0},
        {"cnps", CNPS, 0},
        {"naks", NAKS, 0},
        {"again", AGAIN, 0},
        {"acks", ACKS, 0},
        {"rtt_us", RTT, 3},
        {"rtt_max_us", RTT_MAX, 3},
        {"latency_us", LATENCY, 3},
        {"latency_max_us", LATENCY_MAX, 3},
        {"model_bps", MODEL, 0},
        {"payload_low_bps", LOW, 0},
        {"payload_high_bps", HIGH, 0},
};

/* The lowest or highest payload of the single bins of a point. */
static int64_t extreme(const struct trace_bin *b, uint32_t n, int64_t width_ns, bool high)
{
	uint64_t v = b[0].payload_bytes;

	for (uint32_t i = 1; i < n; i++)
		if (high == (b[i].payload_bytes > v))
			v = b[i].payload_bytes;
	return bps(v, width_ns);
}

static int64_t value_of(const struct column *c, const struct trace_bin *b, uint32_t n,
        int64_t width_ns, int priority)
{
	const struct trace_bin s = sum_of(b, n);

	switch (c->what) {
	case PAYLOAD:
		return (int64_t)s.payload_bytes;
	case WIRE:
		return (int64_t)s.wire_bytes;
	case DATA:
		return s.data_packets;
	case CE:
		return s.ce_packets;
	case CNPS:
		return s.cnps;
	case NAKS:
		return s.naks;
	case AGAIN:
		return s.retransmitted;
	case ACKS:
		return s.acks;
	case RTT:
		return s.rtt_n ? s.rtt_sum_ns / s.rtt_n : TRACE_UNKNOWN;
	case RTT_MAX:
		return s.rtt_n ? s.rtt_max_ns : TRACE_UNKNOWN;
	case LATENCY:
		return s.latency_n ? s.latency_sum_ns / s.latency_n : TRACE_UNKNOWN;
	case LATENCY_MAX:
		return s.latency_n ? s.latency_max_ns : TRACE_UNKNOWN;
	case MODEL:
		return s.model_bps ? s.model_bps : TRACE_UNKNOWN;
	case LOW:
	case HIGH:
		return extreme(b, n, width_ns, c->what == HIGH);
	case PAUSED:
		return s.paused_ns[priority];
	}
	return TRACE_UNKNOWN;
}

static void write_column(FILE *f, const struct trace_timeline *l, uint32_t step,
        const struct column *c, int priority)
{
	put(f, ",\n\"%s", c->name);
	if (c->what == PAUSED)
		put(f, "%d", priority);
	put_text("\":[", f);
	for (uint32_t i = 0; i < l->n; i += step) {
		uint32_t n = l->n - i < step ? l->n - i : step;

		put_text(i ? "," : "", f);
		report_value(f, value_of(c, l->bin + i, n, l->width_ns, priority), c->decimals);
	}
	put_char(']', f);
}

static bool ever_paused(const struct trace_timeline *l, int priority)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->bin[i].paused_ns[priority])
			return true;
	return false;
}

void report_timeline(FILE *f, const struct trace_result *r)
{
	static const struct column paused = {"paused", PAUSED, 0};
	const struct trace_timeline *l = &r->timeline;
	uint32_t step = (l->n + REPORT_POINTS - 1) / REPORT_POINTS;

	step = step ? step : 1;
	put(f, "\"series\":{\"rows\":%u,\"step\":%u,\"width_us\":", l->n, step);
	report_value(f, l->width_ns, 3);
	put_text(",\"start_us\":", f);
	report_since(f, r, l->n ? l->start_ns : r->first_ns);
	put_text(",\"t_us\":[", f);
	for (uint32_t i = 0; i < l->n; i += step) {
		uint32_t end = l->n - i < step ? l->n : i + step;

		put_text(i ? "," : "", f);
		report_since(f, r, l->start_ns + (int64_t)end * l->width_ns);
	}
	put_char(']', f);
	for (size_t k = 0; k < sizeof(columns) / sizeof(*columns); k++)
		if (step > 1 || (columns[k].what != LOW && columns[k].what != HIGH))
			write_column(f, l, step, &columns[k], 0);
	for (int k = 0; k < TRACE_PRIORITIES; k++)
		if (ever_paused(l, k))
			write_column(f, l, step, &paused, k);
	put_text("},\n", f);
}

/* [value, samples at least so large]: a point wherever one sample in fifty of those that are
 * left is passed, so that the tail is as fine as the rest. */
static void write_tail(FILE *f, const struct hist *h)
{
	uint64_t left = h->count, written = 0;
	const char *between = "";

	put(f, "{\"n\":%" PRIu64 ",\"min\":", h->count);
	report_value(f, h->count ? h->min : TRACE_UNKNOWN, 3);
	put_text(",\"mean\":", f);
	report_value(f, h->count ? (int64_t)(h->sum / (__int128)h->count) : TRACE_UNKNOWN, 3);
	put_text(",\"p\":[", f);
	report_value(f, h->count ? hist_percentile(h, 50) : TRACE_UNKNOWN, 3);
	report_next(f, h->count ? hist_percentile(h, 90) : TRACE_UNKNOWN, 3);
	report_next(f, h->count ? hist_percentile(h, 99) : TRACE_UNKNOWN, 3);
	report_next(f, h->count ? hist_percentile(h, 99.9) : TRACE_UNKNOWN, 3);
	put_text("],\"max\":", f);
	report_value(f, h->count ? h->max : TRACE_UNKNOWN, 3);
	put_text(",\"tail\":[", f);
	for (uint32_t i = 0; i < HIST_BUCKETS && left; i++) {
		if (!h->bucket[i])
			continue;
		if (!written || written - left > written / 50 || left == h->bucket[i]) {
			put(f, "%s[", between);
			report_value(f, written ? hist_bucket_top(h, i) : h->min, 3);
			put(f, ",%" PRIu64 "]", left);
			between = ",";
			written = left;
		}
		left -= h->bucket[i];
	}
	put_text("]}", f);
}

void report_tails(FILE *f, const struct trace_result *r)
{
	const struct {
		const char *name;
		const struct hist *h;
	} all[] = {{"net_fct", r->net_fct_ns}, {"rtt", r->rtt_ns}, {"latency", r->latency_ns},
	        {"ce_to_cnp", r->ce_to_cnp_ns}, {"cnp_to_cut", r->cnp_to_cut_ns}};

	put_text("\"tails\":{", f);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		put(f, "%s\"%s\":", i ? ",\n" : "", all[i].name);
		write_tail(f, all[i].h);
	}
	put_text("},\n", f);
}
