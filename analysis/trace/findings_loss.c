/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that devices drop, and why: no PFC, a class without PFC, headroom, a watchdog. */
#include <inttypes.h>

#include "analysis/trace/diagnose_int.h"

/* A port that was used at 90 % for as long as this, or paused, had a queue. */
#define BUSY_NS INT64_C(20000)
/* A watchdog acts after milliseconds; 100 ms are usual. */
#define WATCHDOG_NS INT64_C(100000)

struct where {
	uint64_t lost, watchdog, congested, other, on_links;
	uint64_t by_priority[TRACE_PRIORITIES];
	uint32_t worst, worst_other;
	uint64_t worst_lost, worst_other_lost;
};

static bool was_busy(const struct diagnose *d, uint32_t i)
{
	return d->s.interface[i].marks || d->r->interface[i].bursts.longest_ns >= BUSY_NS ||
	       d->s.interface[i].longest_pause_ns >= BUSY_NS;
}

/* What a device dropped, by the port that it was for and by the priority of its flow. */
static void locate(const struct diagnose *d, struct where *w)
{
	const struct trace_result *r = d->r;

	*w = (struct where){.worst = TRACE_NONE, .worst_other = TRACE_NONE};
	for (uint32_t i = 0; i < r->n_views; i++) {
		const struct trace_view *v = &r->view[i];

		if (v->lost_after && v->direction == DIRECTION_IN && d->s.located[v->flow])
			w->by_priority[flow_priority(&r->flow[v->flow])] += v->lost_after;
	}
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		const struct seen_interface *s = &d->s.interface[i];
		uint64_t lost = s->lost_towards;

		w->lost += s->lost_inside;
		w->on_links += s->lost_on_link;
		if (!lost)
			continue;
		if (s->longest_pause_ns >= WATCHDOG_NS)
			w->watchdog += lost;
		else if (was_busy(d, i))
			w->congested += lost;
		else
			w->other += lost;
		if (s->longest_pause_ns < WATCHDOG_NS && !was_busy(d, i) &&
		        lost > w->worst_other_lost) {
			w->worst_other_lost = lost;
			w->worst_other = i;
		}
		if (lost > w->worst_lost) {
			w->worst_lost = lost;
			w->worst = i;
		}
	}
}

static bool was_paused(const struct trace_result *r, uint32_t priority)
{
	for (uint32_t i = 0; i < r->n_pausers; i++)
		if (r->pauser[i].episodes[priority])
			return true;
	return false;
}

static void describe(
        struct diagnose *d, struct finding *f, const struct where *w, uint64_t lost)
{
	char at[NAME_LEN];

	if (w->worst != TRACE_NONE) {
		finding_more(f, "; most of them (%" PRIu64 ") on their way to %s",
		        w->worst_lost, name_interface(at, d->r, w->worst));
		finding_interface(f, w->worst);
	}
	finding_figure(f, "lost_packets", (int64_t)lost);
	finding_figure(f, "ce_packets", (int64_t)d->r->roce.ce_packets);
	finding_packets(f, d->r, TRACE_EV_MISSING);
}

/* Priorities that lose and are never paused, while others are paused. */
static bool lossy_priority(struct diagnose *d, const struct where *w)
{
	const struct trace_result *r = d->r;
	bool found = false;

	for (uint32_t p = 0; p < TRACE_PRIORITIES; p++) {
		uint64_t lost = w->by_priority[p];
		struct finding *f;

		/* One place alone shows gaps, not where they come from. */
		if (!d->s.whole && !lost)
			lost = r->priority[p].missing_psns;
		if (!lost || was_paused(r, p))
			continue;
		f = finding_add(d, FINDING_DATA_ON_LOSSY_PRIORITY,
		        "priority %u carries %" PRIu64 " data packets, loses %" PRIu64
		        " and is never paused, while other priorities are",
		        p, r->priority[p].data_packets, lost);
		describe(d, f, w, lost);
		finding_figure(f, "priority", p);
		found = true;
	}
	return found;
}

static void without_pfc(struct diagnose *d, const struct where *w)
{
	const struct trace_counts *c = &d->r->roce;
	bool neither = !c->ce_packets && !c->cnps;
	struct finding *f;

	f = finding_add(d, neither ? FINDING_NO_CONGESTION_CONTROL : FINDING_LOSS_WITHOUT_PFC,
	        "%" PRIu64
	        " packets are dropped in congested queues, and nobody asks for a pause%s",
	        w->congested,
	        neither ? "; nothing is marked with CE, and there are no CNPs" : "");
	describe(d, f, w, w->congested);
}

static void watchdog(struct diagnose *d, const struct where *w)
{
	struct finding *f = finding_add(d, FINDING_WATCHDOG_DROP,
	        "%" PRIu64 " packets are dropped on their way to a port that is paused",
	        w->watchdog);

	describe(d, f, w, w->watchdog);
}

static void lossless(struct diagnose *d, const struct where *w, uint64_t lost)
{
	struct finding *f = finding_add(d, FINDING_LOSSLESS_DROP,
	        "%" PRIu64 " packets of a priority that PFC protects are dropped", lost);

	describe(d, f, w, lost);
}

static void elsewhere(struct diagnose *d, const struct where *w)
{
	char at[NAME_LEN];
	struct finding *f = finding_add(d, FINDING_SWITCH_LOSS,
	        "%" PRIu64
	        " packets come into a device and do not leave it, although the port that "
	        "they were for had no queue",
	        w->other);

	if (w->worst_other != TRACE_NONE) {
		finding_more(f, "; most of them (%" PRIu64 ") on their way to %s",
		        w->worst_other_lost, name_interface(at, d->r, w->worst_other));
		finding_interface(f, w->worst_other);
	}
	finding_figure(f, "lost_packets", (int64_t)w->other);
	finding_packets(f, d->r, TRACE_EV_MISSING);
}

void findings_loss(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	uint64_t lossless_lost = 0;
	struct where w;

	locate(d, &w);
	d->lost_inside = w.lost;
	for (uint32_t p = 0; p < TRACE_PRIORITIES; p++)
		if (was_paused(r, p))
			lossless_lost += w.by_priority[p];
	if (w.watchdog && !trace_found(d, FINDING_LINK_DOWN))
		watchdog(d, &w);
	if (r->xoff_frames && lossy_priority(d, &w))
		lossless_lost = 0;
	if (trace_found(d, FINDING_LINK_DOWN))
		return;
	/* Copies of a PSN that go-back-N sends again are taken for each other now and then. */
	if (w.congested < w.on_links)
		w.congested = 0;
	if (!r->xoff_frames && !r->pause_frames && w.congested)
		without_pfc(d, &w);
	else if (lossless_lost > w.watchdog && w.congested)
		lossless(d, &w, lossless_lost);
	if (w.other && w.other * 20 > w.lost)
		elsewhere(d, &w);
}
