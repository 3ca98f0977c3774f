/* SPDX-License-Identifier: Apache-2.0 */
/* Links: damaged packets, packets that leave one end and do not come in at the other, links
 * that fall silent, links that are slower than they say. */
#include <inttypes.h>

#include "analysis/human.h"
#include "analysis/trace/diagnose_int.h"
#include "dataplane/base/units.h"

/* A link is taken for down where both directions are silent for so long while packets for it
 * are lost: routing protocols and optics need tens of microseconds at the least. */
#define DOWN_NS      INT64_C(50000)
#define DOWN_PACKETS 20
/* A queue lasts for this long behind a mark: 50 KB at 100 Gb/s. */
#define BEHIND_NS    INT64_C(4000)
#define SLOW_WINDOWS 8
#define SLOW_PERCENT 70
/* Of what is lost on one link, beside what the devices next to it lose: go-back-N sends a PSN
 * several times, and which of the copies was lost is not always known. */
#define CONFUSED_PERCENT 2

static void corruption(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char at[NAME_LEN];
	struct finding *f = NULL;

	if (r->roce.icrc_bad * 2 > r->roce.icrc_checked && r->roce.icrc_bad > 8) {
		f = finding_add(d, FINDING_ICRC_REWRITTEN,
		        "%" PRIu64 " of %" PRIu64 " packets have an ICRC that does not fit",
		        r->roce.icrc_bad, r->roce.icrc_checked);
		finding_figure(f, "icrc_bad", (int64_t)r->roce.icrc_bad);
		finding_packets(f, r, TRACE_EV_ICRC_BAD);
		return;
	}
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		uint64_t bad = r->interface[i].counts.icrc_bad;

		if (!bad)
			continue;
		f = finding_add(d, FINDING_CORRUPTION,
		        "%" PRIu64 " damaged packets come in at %s", bad,
		        name_interface(at, r, i));
		finding_interface(f, i);
		if (d->s.interface[i].link != TRACE_NONE) {
			finding_more(
			        f, " from %s", name_interface(at, r, d->s.interface[i].link));
			finding_interface(f, d->s.interface[i].link);
		}
		finding_figure(f, "icrc_bad", (int64_t)bad);
		finding_figure(f, "icrc_checked", (int64_t)r->interface[i].counts.icrc_checked);
	}
	if (f)
		finding_packets(f, r, TRACE_EV_ICRC_BAD);
}

/* What was lost beside it, inside the devices at its ends. */
static uint64_t lost_near(const struct diagnose *d, uint32_t i)
{
	const struct seen_interface *at = &d->s.interface[i];

	return at->lost_towards +
	       (at->link == TRACE_NONE ? 0 : d->s.interface[at->link].lost_inside);
}

static void random_loss(struct diagnose *d)
{
	char a[NAME_LEN], b[NAME_LEN];

	for (uint32_t i = 0; i < d->r->n_interfaces; i++) {
		const struct seen_interface *at = &d->s.interface[i];
		struct finding *f;

		if (!at->lost_on_link ||
		        at->lost_on_link * 100 <= lost_near(d, i) * CONFUSED_PERCENT)
			continue;
		if (trace_found(d, FINDING_LINK_DOWN) || naks_without_loss(d))
			continue;
		f = finding_add(d, FINDING_RANDOM_LOSS,
		        "%" PRIu64 " of %" PRIu64
		        " data packets that left by %s did not come in%s%s",
		        at->lost_on_link, at->data_out, name_interface(a, d->r, i),
		        at->link == TRACE_NONE ? "" : " at ",
		        at->link == TRACE_NONE ? "" : name_interface(b, d->r, at->link));
		finding_interface(f, i);
		if (at->link != TRACE_NONE)
			finding_interface(f, at->link);
		finding_figure(f, "lost_packets", (int64_t)at->lost_on_link);
		finding_figure(f, "sent_packets", (int64_t)at->data_out);
		finding_packets(f, d->r, TRACE_EV_MISSING);
	}
}

/* The longest time without a frame, after bins with some; it may last to the end. */
static int64_t silence(const struct trace_interface *i, int64_t end_ns, int64_t *from_ns)
{
	const struct trace_timeline *t = &i->timeline;
	int64_t longest_ns = 0;
	uint32_t last = TRACE_NONE;

	for (uint32_t k = 0; k <= t->n; k++) {
		int64_t to_ns = k < t->n ? t->start_ns + k * t->width_ns : end_ns, since_ns;

		if (k < t->n && !t->bin[k].wire_bytes)
			continue;
		since_ns = t->start_ns + ((int64_t)last + 1) * t->width_ns;
		if (last != TRACE_NONE && to_ns - since_ns > longest_ns) {
			longest_ns = to_ns - since_ns;
			*from_ns = since_ns;
		}
		last = k;
	}
	return longest_ns;
}

/* Data that came into the device, by ports whose packets it lost, while i was silent. */
static uint64_t came_in(const struct diagnose *d, uint32_t i, int64_t from_ns, int64_t ns)
{
	const struct trace_result *r = d->r;
	uint64_t n = 0;

	for (uint32_t k = 0; k < r->n_interfaces; k++) {
		const struct trace_timeline *t = &r->interface[k].timeline;

		if (k == i || d->s.interface[k].device != d->s.interface[i].device ||
		        !d->s.interface[k].lost_inside)
			continue;
		for (uint32_t b = 0; b < t->n; b++) {
			int64_t at_ns = t->start_ns + b * t->width_ns;

			if (at_ns >= from_ns && at_ns < from_ns + ns)
				n += t->bin[b].data_packets;
		}
	}
	return n;
}

static void link_down(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char at[NAME_LEN], t[HUMAN_LEN], u[HUMAN_LEN];

	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		const struct seen_interface *s = &d->s.interface[i];
		uint64_t lost = s->lost_towards;
		int64_t from_ns = 0, ns;
		struct finding *f;

		if (lost < DOWN_PACKETS || s->longest_pause_ns)
			continue;
		ns = silence(&r->interface[i], r->last_ns, &from_ns);
		if (ns < DOWN_NS || s->lost_towards > 2 * came_in(d, i, from_ns, ns))
			continue;
		f = finding_add(d, FINDING_LINK_DOWN,
		        "%s is silent for %s from %s on, while %" PRIu64
		        " packets on their way to it are lost",
		        name_interface(at, r, i), human_time(t, ps_from_ns(ns)),
		        human_time(u, ps_from_ns(from_ns - r->first_ns)), lost);
		finding_interface(f, i);
		if (s->link != TRACE_NONE)
			finding_interface(f, s->link);
		finding_figure(f, "silent_ns", ns);
		finding_figure(f, "silent_from_ns", from_ns);
		finding_figure(f, "lost_packets", (int64_t)lost);
		finding_packets(f, r, TRACE_EV_MISSING);
	}
}

static int64_t paused_in(const struct trace_bin *b)
{
	int64_t ns = 0;

	for (int p = 0; p < TRACE_PRIORITIES; p++)
		ns += b->paused_ns[p];
	return ns;
}

/*
 * The most that the port sent in the 4 us (or one bin) after a packet that it marked: the
 * packet stands behind a queue then, which a port that is not paused sends at full speed.
 */
static int64_t rate_behind_marks(const struct trace_interface *i, uint32_t *windows)
{
	const struct trace_timeline *t = &i->timeline;
	const uint32_t n = t->width_ns >= BEHIND_NS ? 1 : (uint32_t)(BEHIND_NS / t->width_ns);
	uint64_t most = 0;

	*windows = 0;
	for (uint32_t k = 0; k + n < t->n; k++) {
		uint64_t bytes = 0;
		int64_t paused_ns = paused_in(&t->bin[k]);

		if (!t->bin[k].ce_packets)
			continue;
		for (uint32_t b = 1; b <= n; b++) {
			bytes += t->bin[k + b].wire_bytes;
			paused_ns += paused_in(&t->bin[k + b]);
		}
		if (paused_ns)
			continue;
		(*windows)++;
		if (bytes > most)
			most = bytes;
	}
	return (int64_t)((__int128)most * 8 * 1000000000 / ((int64_t)n * t->width_ns));
}

static void down_trained(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char at[NAME_LEN], a[HUMAN_LEN], b[HUMAN_LEN];

	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		const struct trace_interface *t = &r->interface[i];
		const struct seen_interface *s = &d->s.interface[i];
		struct finding *f;
		uint32_t windows;
		int64_t bps;

		/* Its own marks, not those of a port before it. */
		if (!t->speed_bps || t->speed_source == TRACE_SPEED_INFERRED ||
		        !t->timeline.n || s->marks < SLOW_WINDOWS ||
		        s->marks * 10 < t->counts.ce_packets * 9)
			continue;
		bps = rate_behind_marks(t, &windows);
		if (windows < SLOW_WINDOWS || bps * 100 >= t->speed_bps * SLOW_PERCENT)
			continue;
		f = finding_add(d, FINDING_DOWN_TRAINED_LINK,
		        "%s sends no more than %s behind %u packets that it marked, although "
		        "its "
		        "link has %s",
		        name_interface(at, r, i), human_rate(a, bps), windows,
		        human_rate(b, t->speed_bps));
		finding_interface(f, i);
		finding_figure(f, "rate_bps", bps);
		finding_figure(f, "speed_bps", t->speed_bps);
		finding_figure(f, "marks_followed", windows);
		finding_packets(f, r, TRACE_EV_CE);
	}
}

void findings_link(struct diagnose *d)
{
	corruption(d);
	link_down(d);
	random_loss(d);
	down_trained(d);
}
