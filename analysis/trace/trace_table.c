/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/trace_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plain_text.h"
#include "analysis/put.h"
#include "analysis/trace/trace_table_int.h"
#include "capture/clock.h"
#include "dataplane/base/units.h"

enum { FLOWS_SHOWN = 10 };

const char *table_time(char buf[HUMAN_LEN], int64_t ns)
{
	if (ns == TRACE_UNKNOWN)
		return "unknown";
	if (ns > INT64_MAX / PS_PER_NS)
		ns = INT64_MAX / PS_PER_NS;
	return human_time(buf, ps_from_ns(ns));
}

const char *table_name(char buf[TABLE_NAME_LEN], const char *name)
{
	(void)snprintf(buf, TABLE_NAME_LEN, "%s", name);
	plain_text(buf);
	return buf[0] ? buf : "(no name)";
}

/* Somebody else may have named the file; packets that were fed have none. */
static void put_path(FILE *f, const char *path)
{
	char *plain = strdup(path ? path : "(no file)");

	if (plain)
		plain_text(plain);
	put_text(plain ? plain : "(no memory for the name)", f);
	free(plain);
}

static void heads(FILE *f, const struct trace_result *r)
{
	char length[HUMAN_LEN], name[TABLE_NAME_LEN];

	for (uint32_t i = 0; i < r->n_files; i++) {
		const struct trace_file *t = &r->file[i];

		put_path(f, t->path);
		put(f, ": %s, %" PRIu64 " frames%s%s\n", t->format, t->frames,
		        t->cut ? ", cut off within a packet" : "",
		        t->error[0] ? ", broken" : "");
	}
	if (!r->n_files && r->n_interfaces)
		put(f, "%s: live, %" PRIu64 " frames\n",
		        table_name(name, r->interface[0].capture.name), r->frames);
	if (r->first_ns == TRACE_UNKNOWN) {
		put_text("no frames\n", f);
		return;
	}
	put(f, "%s from the first frame to the last",
	        table_time(length, r->last_ns - r->first_ns));
	if (r->n_interfaces)
		put(f, "; clock: %s%s%s",
		        clock_kind_name((enum clock_kind)r->interface[0].capture.clock.kind),
		        r->interface[0].capture.clock.name[0] ? " " : "",
		        r->interface[0].capture.clock.name[0]
		                ? table_name(name, r->interface[0].capture.clock.name)
		                : "");
	put(f, "%s\n\n", r->stopped ? "; stopped before the end" : "");
}

static void interfaces(FILE *f, const struct trace_result *r)
{
	static const char *const from[] = {"", "", " (given)", " (inferred)"};
	char speed[HUMAN_LEN], name[TABLE_NAME_LEN];

	for (uint32_t i = 0; i < r->n_interfaces && r->n_interfaces <= 16; i++) {
		const struct trace_interface *t = &r->interface[i];

		put(f, "  interface    %u %s: %" PRIu64 " frames, %s%s", i,
		        table_name(name, t->capture.name), t->frames,
		        t->speed_bps ? human_rate(speed, t->speed_bps) : "speed unknown",
		        from[t->speed_source]);
		if (t->capture.dropped_by_os != CAPTURE_NO_COUNT && t->capture.dropped_by_os)
			put(f, ", %" PRIu64 " lost by the capture", t->capture.dropped_by_os);
		if (t->residual_ns != TRACE_UNKNOWN)
			put(f,
			        ", clock %+" PRId64 " ns (drift %" PRId64
			        " ppb, residual %" PRId64 " ns)",
			        t->offset_ns, t->drift_ppb, t->residual_ns);
		put_char('\n', f);
	}
}

double table_percent(uint64_t n, uint64_t of)
{
	return of ? 100.0 * (double)n / (double)of : 0;
}

static void distribution(FILE *f, const char *name, const struct hist *h)
{
	char a[HUMAN_LEN], b[HUMAN_LEN], c[HUMAN_LEN];

	if (h->count)
		put(f, "  %-12s p50 %s, p99 %s%s, max %s (%" PRIu64 " samples)\n", name,
		        table_time(a, hist_percentile(h, 50)),
		        table_time(b, hist_percentile(h, 99)), h->count < 1000 ? " (weak)" : "",
		        table_time(c, h->max), h->count);
}

static void traffic(FILE *f, const struct trace_result *r)
{
	const struct trace_counts *c = &r->roce;
	char bytes[HUMAN_LEN];

	put(f,
	        "  data         %" PRIu64 " packets, %s payload, %" PRIu64 " messages, %" PRIu64
	        " ACKs, %u flows\n",
	        c->data_packets, human_size(bytes, (int64_t)c->payload_bytes), c->messages,
	        c->acks, r->n_flows);
	if (r->other_frames)
		put(f, "  other        %" PRIu64 " frames that are neither RoCE nor pause\n",
		        r->other_frames);
	if (r->unfollowed_packets)
		put(f, "  not followed %" PRIu64 " packets of flows beyond the first million\n",
		        r->unfollowed_packets);
	if (c->icrc_checked)
		put(f, "  ICRC         %" PRIu64 " checked, %" PRIu64 " bad\n", c->icrc_checked,
		        c->icrc_bad);
	else if (c->packets)
		put_text("  ICRC         not checkable: packets are cut\n", f);
}

static void losses(FILE *f, const struct trace_result *r, const struct trace_table_options *o)
{
	const struct trace_counts *c = &r->roce;
	uint64_t events[4] = {0}, packets[4] = {0};

	if (c->missing_psns)
		put(f, "  missing      %" PRIu64 " PSNs, %" PRIu64 " of them never seen\n",
		        c->missing_psns, c->unfilled_psns);
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];

		for (int k = 0; (!o->only_qp || w->dqp == o->qp || w->src_qp == o->qp) && k < 4;
		        k++) {
			events[k] += w->loss_events[k];
			packets[k] += w->retransmits[k];
		}
	}
	for (int k = 0; k < 4; k++)
		if (events[k])
			put(f,
			        "  sent again   %" PRIu64 " packets in %" PRIu64
			        " recoveries, cause: %s\n",
			        packets[k], events[k], trace_cause_name((enum trace_cause)k));
	for (int k = 0; k < TRACE_NAKS; k++)
		if (c->nak[k])
			put(f, "  NAK          %" PRIu64 " %s\n", c->nak[k],
			        trace_nak_name((enum trace_nak)k));
	if (c->rnr_naks)
		put(f, "  RNR NAK      %" PRIu64 "\n", c->rnr_naks);
	if (c->reordered_packets)
		put(f, "  reordered    %" PRIu64 " packets\n", c->reordered_packets);
	if (c->duplicated_packets)
		put(f, "  duplicated   %" PRIu64 " packets\n", c->duplicated_packets);
}

static void congestion(FILE *f, const struct trace_result *r)
{
	const struct trace_counts *c = &r->roce;
	char gap[HUMAN_LEN];

	if (c->ce_packets)
		put(f, "  CE marks     %" PRIu64 " packets, %.2f %% of data\n", c->ce_packets,
		        table_percent(c->ce_packets, c->data_packets));
	if (c->cnps) {
		put(f, "  CNPs         %" PRIu64 ", %" PRIu64 " without a CE packet before",
		        c->cnps, c->cnps_without_ce);
		if (r->cnp_gap_qp_ns != TRACE_UNKNOWN)
			put(f, "; closest of one QP %s", table_time(gap, r->cnp_gap_qp_ns));
		put_char('\n', f);
	}
	distribution(f, "CE to CNP", r->ce_to_cnp_ns);
	distribution(f, "CNP to cut", r->cnp_to_cut_ns);
}

static void pauses(FILE *f, const struct trace_result *r)
{
	char text[HUMAN_LEN];

	if (r->xoff_frames || r->xon_frames)
		put(f,
		        "  PFC          %" PRIu64 " XOFF, %" PRIu64 " XON frames, %" PRIu64
		        " pauses\n",
		        r->xoff_frames, r->xon_frames, r->all_pauses);
	for (int i = 0; i < TRACE_PRIORITIES; i++)
		if (r->paused_ns[i])
			put(f, "  paused       priority %d: %s%s\n", i,
			        table_time(text, r->paused_ns[i]),
			        r->paused_ns[i] == TRACE_UNKNOWN ? " (link speed? --speed)"
			                                         : "");
	if (r->pause_frames)
		put(f, "  802.3x       %" PRIu64 " pause frames, paused %s\n", r->pause_frames,
		        table_time(text, r->paused_all_ns));
}

static void incast(FILE *f, const struct trace_result *r)
{
	const struct trace_host *top = NULL;
	char text[TRACE_ADDR_LEN];

	for (uint32_t i = 0; i < r->n_hosts; i++)
		if (!top || r->host[i].incast_degree > top->incast_degree)
			top = &r->host[i];
	if (top && top->incast_degree > 1)
		put(f, "  incast       up to %u sources at once towards %s\n",
		        top->incast_degree, trace_addr_text(text, &top->addr));
}

struct ranked {
	uint64_t bytes;
	uint32_t flow;
};

static int by_bytes(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->flow > y->flow) - (x->flow < y->flow);
}

static void flow_line(FILE *f, const struct trace_flow *w)
{
	char src[TRACE_ADDR_LEN], dst[TRACE_ADDR_LEN], bytes[HUMAN_LEN], rate[HUMAN_LEN];
	char fct[HUMAN_LEN], peer[16] = "?";
	const struct trace_counts *c = &w->counts;

	if (w->src_qp != TRACE_NONE)
		(void)snprintf(peer, sizeof(peer), "0x%x", w->src_qp);
	put(f,
	        "  %-24s %-8s %-24s 0x%-6x %-3s %9" PRIu64 " %9s %11s %6.2f %5" PRIu64
	        " %5" PRIu64 " %5" PRIu64 " %10s\n",
	        trace_addr_text(src, &w->src), peer, trace_addr_text(dst, &w->dst), w->dqp,
	        trace_transport_name((enum trace_transport)w->transport), c->data_packets,
	        human_size(bytes, (int64_t)c->payload_bytes),
	        w->goodput_bps == TRACE_UNKNOWN ? "" : human_rate(rate, w->goodput_bps),
	        table_percent(c->ce_packets, c->data_packets), c->retransmitted_packets,
	        c->missing_psns, w->loop.cnps_ce + w->loop.cnps_loss + w->loop.cnps_unexplained,
	        w->net_fct_ns.n ? table_time(fct, trace_span_mean(&w->net_fct_ns)) : "");
}

static void flows(FILE *f, const struct trace_result *r, const struct trace_table_options *o)
{
	struct ranked *k = malloc((r->n_flows ? r->n_flows : 1) * sizeof(*k));
	uint32_t n = 0, shown;

	if (!k)
		return;
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];

		if (!w->counts.data_packets)
			continue;
		k[n++] = (struct ranked){w->counts.payload_bytes, i};
	}
	qsort(k, n, sizeof(*k), by_bytes);
	shown = o->flows || n < FLOWS_SHOWN ? n : FLOWS_SHOWN;
	if (shown)
		put(f, "\n  %-24s %-8s %-24s %-8s %-3s %9s %9s %11s %6s %5s %5s %5s %10s\n",
		        "source", "QP", "destination", "QP", "", "packets", "payload",
		        "goodput", "CE %", "again", "gaps", "CNPs", "mean FCT");
	for (uint32_t i = 0; i < shown; i++)
		flow_line(f, &r->flow[k[i].flow]);
	if (shown < n)
		put(f, "  and %u more (--flows)\n", n - shown);
	free(k);
}

void trace_table_write(
        FILE *f, const struct trace_result *r, const struct trace_table_options *o)
{
	heads(f, r);
	if (r->first_ns == TRACE_UNKNOWN)
		return;
	interfaces(f, r);
	traffic(f, r);
	losses(f, r, o);
	congestion(f, r);
	pauses(f, r);
	incast(f, r);
	distribution(f, "net FCT", r->net_fct_ns);
	distribution(f, "ACK round trip", r->rtt_ns);
	distribution(f, "latency", r->latency_ns);
	if (o->only_qp)
		table_qp(f, r, o->qp);
	else
		flows(f, r, o);
	if (o->timeline)
		table_timeline(f, r);
}
