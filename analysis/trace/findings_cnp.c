/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications: not sent, lost, in the wrong queue, too few, without a reason, without effect.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/human.h"
#include "analysis/trace/diagnose_int.h"
#include "dataplane/base/units.h"

/* Packets with CE at the receiver, and the time since the first of them, that leave no doubt
 * that a CNP was due: the first mark of a QP is answered within microseconds. */
#define UNANSWERED_CE 5
#define UNANSWERED_NS INT64_C(50000)
/* CNPs that one NP spaces for all its QPs: of several QPs that are marked two would otherwise
 * follow each other within a packet time. Of CNPs at random times one in fifty or so lies
 * within four times the least distance, of those that wait for a timer most. */
#define SCOPE_NS     INT64_C(2000)
#define SCOPE_QPS    4
#define SCOPE_CNPS   50
#define SCOPE_CE_PER 3
/* Beside what may be under way when the capture ends. */
#define LOST_CNPS    5
#define UNDER_WAY_NS INT64_C(50000)
/* One NP that is so many times slower than another. */
#define SLOWER      5
#define SLOWER_GAPS 10
/* CNPs that nothing in the capture explains. A capture that begins between CE and CNP has one.
 */
#define UNEXPLAINED_MIN      5
#define UNEXPLAINED_PERMILLE 20
/* A sender that goes on after so many CNPs, over so many packets. */
#define IGNORED_CNPS    50
#define IGNORED_PACKETS 2000
#define IGNORED_WATCHES 4

struct receiver {
	uint64_t ce, cnps, becn_acks, other; /* other: packets that it sends at all */
	uint32_t qps;                        /* with CE */
	uint32_t first_flow;
	int64_t ce_since_ns;      /* the first that no CNP has answered; INT64_MAX: not known */
	struct trace_span gap_ns; /* between two CNPs of one QP */
};

/* CE as it arrives: what is marked may be lost behind the mark. */
static uint64_t ce_arrived(const struct diagnose *d, const struct trace_flow *f)
{
	for (uint32_t k = f->first_view; k != TRACE_NONE; k = d->r->view[k].next)
		if (d->s.interface[d->r->view[k].interface].host == f->dst_host)
			return d->r->view[k].counts.ce_packets;
	return f->counts.ce_packets;
}

static int64_t ce_since(const struct trace_result *r, const struct trace_flow *f)
{
	int64_t first_ns = INT64_MAX;

	for (uint32_t k = f->first_view; k != TRACE_NONE; k = r->view[k].next)
		if (r->view[k].ce_since_ns != TRACE_UNKNOWN &&
		        r->view[k].ce_since_ns < first_ns)
			first_ns = r->view[k].ce_since_ns;
	return first_ns;
}

static void gaps_add(struct trace_span *to, const struct trace_span *gap)
{
	if (gap->n && (!to->n || gap->min < to->min))
		to->min = gap->min;
	to->n += gap->n;
	to->sum += gap->sum;
}

/* Who got how much CE and answered with how many CNPs. */
static struct receiver *receivers(const struct diagnose *d)
{
	const struct trace_result *r = d->r;
	struct receiver *all = calloc(r->n_hosts + 1, sizeof(*all));

	for (uint32_t i = 0; all && i < r->n_hosts; i++)
		all[i] = (struct receiver){.first_flow = TRACE_NONE, .ce_since_ns = INT64_MAX};
	for (uint32_t i = 0; all && i < r->n_flows; i++) {
		const struct trace_flow *f = &r->flow[i];
		struct receiver *to = &all[f->dst_host], *from = &all[f->src_host];
		uint64_t ce = ce_arrived(d, f);
		int64_t since_ns = ce_since(r, f);

		if (since_ns < to->ce_since_ns)
			to->ce_since_ns = since_ns;
		to->ce += ce;
		to->qps += ce > 0;
		if (ce && to->first_flow == TRACE_NONE)
			to->first_flow = i;
		from->cnps += f->counts.cnps;
		from->becn_acks += f->counts.becn_acks;
		from->other += f->counts.packets;
		gaps_add(&to->gap_ns, &f->loop.cnp_gap_ns);
	}
	return all;
}

static void ce_without_cnp(struct diagnose *d, const struct receiver *all)
{
	char name[NAME_LEN];

	for (uint32_t i = 0; i < d->r->n_hosts; i++) {
		struct finding *f;

		if (all[i].ce < UNANSWERED_CE || all[i].cnps || all[i].becn_acks ||
		        !all[i].other ||
		        (all[i].ce_since_ns != INT64_MAX &&
		                d->r->last_ns - all[i].ce_since_ns < UNANSWERED_NS))
			continue;
		f = finding_add(d, FINDING_CE_WITHOUT_CNP,
		        "%s receives %" PRIu64 " packets with CE for %u QPs and sends no CNP",
		        name_host(name, d->r, i), all[i].ce, all[i].qps);
		if (all[i].ce < 10)
			f->severity = FINDING_WARNING;
		finding_flow(f, all[i].first_flow);
		finding_figure(f, "ce_packets", (int64_t)all[i].ce);
		finding_figure(f, "cnps", 0);
		finding_packets(f, d->r, TRACE_EV_CE);
	}
}

/* Most of its CNPs follow each other at hardly more than the least distance. */
static bool waits_for_timer(const struct trace_host *h)
{
	uint64_t near = 0, all = 0;
	uint32_t least = TRACE_GAPS;

	for (uint32_t i = 0; i < TRACE_GAPS; i++) {
		if (h->cnp_gaps[i] && least == TRACE_GAPS)
			least = i;
		if (i <= least + 1)
			near += h->cnp_gaps[i];
		all += h->cnp_gaps[i];
	}
	return all && near * 2 >= all;
}

/* One limit for all QPs of a receiver. */
static bool limited(const struct diagnose *d, const struct receiver *all, uint32_t i)
{
	const struct trace_host *h = &d->r->host[i];

	return all[i].qps >= SCOPE_QPS && all[i].cnps >= SCOPE_CNPS &&
	       h->cnp_gap_ns >= SCOPE_NS && all[i].ce >= all[i].cnps * SCOPE_CE_PER &&
	       waits_for_timer(h);
}

static void throttled(struct diagnose *d, const struct receiver *all)
{
	const struct trace_result *r = d->r;
	int64_t least = INT64_MAX;
	char name[NAME_LEN], a[HUMAN_LEN], b[HUMAN_LEN];
	struct finding *f;

	for (uint32_t i = 0; i < r->n_hosts; i++)
		if (all[i].gap_ns.n && all[i].gap_ns.min < least)
			least = all[i].gap_ns.min;
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		if (!limited(d, all, i))
			continue;
		f = finding_add(d, FINDING_CNP_THROTTLED,
		        "%s never sends two CNPs within less than %s, although %u of its QPs "
		        "are marked: they share one limit; it answers %" PRIu64
		        " packets with CE with %" PRIu64 " CNPs",
		        name_host(name, r, i), human_time(a, ps_from_ns(r->host[i].cnp_gap_ns)),
		        all[i].qps, all[i].ce, all[i].cnps);
		finding_figure(f, "cnp_gap_port_ns", r->host[i].cnp_gap_ns);
		finding_figure(f, "cnp_gap_qp_ns", all[i].gap_ns.min);
		finding_figure(f, "marked_qps", all[i].qps);
		finding_packets(f, r, TRACE_EV_CNP);
	}
	if (trace_found(d, FINDING_CNP_THROTTLED))
		return;
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct trace_span *gap_ns = &all[i].gap_ns;

		if (gap_ns->n < SLOWER_GAPS || gap_ns->min < SLOWER * least ||
		        gap_ns->min < SCOPE_NS || all[i].ce < all[i].cnps * SLOWER ||
		        trace_span_mean(gap_ns) > 4 * gap_ns->min)
			continue;
		f = finding_add(d, FINDING_CNP_THROTTLED,
		        "%s leaves %s or more between two CNPs of a QP, others %s; it answers "
		        "%" PRIu64 " packets with CE with %" PRIu64 " CNPs",
		        name_host(name, r, i), human_time(a, ps_from_ns(gap_ns->min)),
		        human_time(b, ps_from_ns(least)), all[i].ce, all[i].cnps);
		finding_figure(f, "cnp_gap_qp_ns", all[i].gap_ns.min);
		finding_packets(f, r, TRACE_EV_CNP);
	}
}

/* CNPs that the last interface of their way does not show. */
static uint64_t lost_cnps(struct diagnose *d, struct finding **f)
{
	const struct trace_result *r = d->r;
	uint64_t lost = 0;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		uint64_t first = 0, last = 0, most = 0;

		if (!r->flow[i].counts.cnps || r->flow[i].n_views < 2 || d->s.sprayed[i])
			continue;
		for (uint32_t k = r->flow[i].first_view; k != TRACE_NONE; k = r->view[k].next) {
			last = r->view[k].counts.cnps;
			if (k == r->flow[i].first_view)
				first = last;
			if (last > most)
				most = last;
		}
		if (first < most || last >= first)
			continue;
		lost += first - last;
		if (f)
			finding_flow(*f, i);
	}
	return lost;
}

/* CNPs of the end of the capture, which may have been under way. */
static uint64_t latest_cnps(const struct trace_result *r)
{
	const struct trace_timeline *t = &r->timeline;
	uint64_t n = 0;

	for (uint32_t i = t->n; i-- > 0;) {
		if (t->start_ns + (i + 1) * t->width_ns < r->last_ns - UNDER_WAY_NS)
			break;
		n += t->bin[i].cnps;
	}
	return n;
}

static void lost(struct diagnose *d)
{
	uint64_t n = lost_cnps(d, NULL);
	struct finding *f;

	if (n < LOST_CNPS || n <= latest_cnps(d->r))
		return;
	f = finding_add(d, FINDING_CNP_LOST,
	        "%" PRIu64 " of %" PRIu64 " CNPs are lost on their way", n, d->r->roce.cnps);
	(void)lost_cnps(d, &f);
	finding_figure(f, "lost_cnps", (int64_t)n);
	finding_figure(f, "cnps", (int64_t)d->r->roce.cnps);
	finding_packets(f, d->r, TRACE_EV_CNP);
}

/* In the queue of data, where that is marked, paused or loses; or not where all others are. */
static void wrong_queue(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	uint32_t usual = 0;
	struct finding *f;

	for (uint32_t p = 1; p < TRACE_PRIORITIES; p++)
		if (r->priority[p].cnps > r->priority[usual].cnps)
			usual = p;
	for (uint32_t p = 0; p < TRACE_PRIORITIES; p++) {
		const struct trace_priority *q = &r->priority[p];
		bool shared =
		        q->data_packets > q->cnps &&
		        (q->ce_packets || q->missing_psns || trace_found(d, FINDING_CNP_LOST));

		if (!q->cnps || (!shared && p == usual))
			continue;
		f = finding_add(d, FINDING_CNP_IN_WRONG_QUEUE,
		        "%" PRIu64 " CNPs have priority %u", q->cnps, p);
		if (shared)
			finding_more(f,
			        " with %" PRIu64 " data packets, of which %" PRIu64
			        " are marked: they wait in the same queue, and where it marks "
			        "data it drops them",
			        q->data_packets, q->ce_packets);
		else
			finding_more(f, ", %" PRIu64 " others have priority %u",
			        r->priority[usual].cnps, usual);
		finding_figure(f, "priority", p);
		finding_figure(f, "cnps", (int64_t)q->cnps);
		finding_figure(f, "data_packets", (int64_t)q->data_packets);
		finding_packets(f, r, TRACE_EV_CNP);
	}
}

static void without_ce(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	uint64_t by_loss = 0, unexplained = 0, all = 0;
	struct finding *f;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];

		by_loss += w->loop.cnps_loss;
		/* Before the port that marks there is no CE to be seen. */
		if (w->counts.ce_packets || d->s.whole) {
			unexplained += w->loop.cnps_unexplained;
			all += w->loop.cnps_ce + w->loop.cnps_unexplained;
		}
	}
	if (unexplained < UNEXPLAINED_MIN || unexplained * 1000 < all * UNEXPLAINED_PERMILLE)
		unexplained = 0;
	if (by_loss < UNEXPLAINED_MIN)
		by_loss = 0;
	if (!by_loss && !unexplained)
		return;
	f = finding_add(d, FINDING_CNP_WITHOUT_CE,
	        "%" PRIu64 " of %" PRIu64 " CNPs follow no packet with CE: %" PRIu64
	        " come after a loss, %" PRIu64 " have no reason that the capture shows",
	        by_loss + unexplained, r->roce.cnps, by_loss, unexplained);
	finding_figure(f, "after_loss", (int64_t)by_loss);
	finding_figure(f, "unexplained", (int64_t)unexplained);
	finding_packets(f, r, TRACE_EV_CNP_WITHOUT_CE);
}

/* Pauses hide cuts: they space packets as well. So do queues, and behind one is what comes in.
 */
static bool was_held(const struct diagnose *d, const struct trace_flow *w)
{
	return w->first_view == TRACE_NONE ||
	       d->r->view[w->first_view].direction == DIRECTION_IN ||
	       d->s.interface[d->r->view[w->first_view].interface].paused_ns;
}

/* Whether half of the data followed the first CNP: queues may be so long that all were sent
 * before it came. The last CNP is no later than the last packet of its direction. */
static bool went_on(const struct trace_result *r, const struct trace_flow *w)
{
	const int64_t gap_ns = trace_span_mean(&w->loop.cnp_gap_ns);
	int64_t first_ns, sent_ns;

	if (gap_ns == TRACE_UNKNOWN || w->goodput_bps == TRACE_UNKNOWN || !w->goodput_bps)
		return false;
	first_ns =
	        r->flow[w->peer].last_ns - gap_ns * ((int64_t)r->flow[w->peer].counts.cnps - 1);
	/* How long its sender took: the last of its packets may be seen elsewhere much later.
	 */
	sent_ns =
	        (int64_t)((__int128)w->counts.payload_bytes * 8 * 1000000000 / w->goodput_bps);
	return w->first_data_ns + sent_ns - first_ns >= sent_ns / 2;
}

/* No cut seen after any of many CNPs. */
static void ignored(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char name[NAME_LEN], a[HUMAN_LEN];

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];
		uint64_t cnps = w->peer == TRACE_NONE ? 0 : r->flow[w->peer].counts.cnps;
		struct finding *f;

		if (cnps < IGNORED_CNPS || w->counts.data_packets < IGNORED_PACKETS ||
		        w->loop.watches < IGNORED_WATCHES || w->loop.cnp_to_cut_ns.n ||
		        was_held(d, w) || !went_on(r, w))
			continue;
		f = finding_add(d, FINDING_CNP_IGNORED,
		        "%s sends %" PRIu64 " packets without ever slowing down after %" PRIu64
		        " CNPs (%s)",
		        name_flow(name, r, i), w->counts.data_packets, cnps,
		        w->goodput_bps == TRACE_UNKNOWN ? "rate unknown"
		                                        : human_rate(a, w->goodput_bps));
		finding_flow(f, i);
		finding_figure(f, "cnps", (int64_t)cnps);
		finding_packets(f, r, TRACE_EV_CNP);
	}
}

void findings_cnp(struct diagnose *d)
{
	struct receiver *all = receivers(d);

	if (!all) {
		d->failed = true;
		return;
	}
	ce_without_cnp(d, all);
	throttled(d, all);
	free(all);
	lost(d);
	wrong_queue(d);
	without_ce(d);
	ignored(d);
}
