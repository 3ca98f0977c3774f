/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that ask for pauses, and ports that do not heed them. */
#include <inttypes.h>

#include "analysis/human.h"
#include "analysis/trace/diagnose_int.h"
#include "dataplane/base/units.h"

/* A receiver that still takes anything gives its buffer's worth of time between XOFF and XON:
 * 1 MB at a tenth of 100 Gb/s are 0.8 ms. Who holds the sender for longer takes nothing. */
#define STORM_NS INT64_C(1000000)
/* A congested switch may hold one of a hundred senders for a millisecond or two. */
#define SWITCH_STORM_NS INT64_C(10000000)
/* Below this a NIC that asks once in a while is in order. */
#define SLOW_XOFFS  3
#define SLOW_MIN_NS INT64_C(20000)
/* Frames sent in spite of a pause that are no matter of stamps. */
#define LATE_PACKETS 8

static const char *ms(char buf[HUMAN_LEN], int64_t ns)
{
	return human_time(buf, ps_from_ns(ns));
}

static int64_t longest(const struct trace_pauser *p)
{
	int64_t ns = 0;

	for (int k = 0; k <= TRACE_PRIORITIES; k++)
		if (p->longest_ns[k] > ns)
			ns = p->longest_ns[k];
	return ns;
}

/* Data go to the host by the paused port: a pause of acknowledgements alone stops nobody. */
static bool matters(const struct diagnose *d, const struct seen_pauser *q)
{
	return q->paused == TRACE_NONE || d->s.interface[q->paused].data_out > 0;
}

static void host_pause(struct diagnose *d, uint32_t i)
{
	const struct trace_pauser *p = &d->r->pauser[i];
	const struct seen_pauser *q = &d->s.pauser[i];
	bool storm = longest(p) >= STORM_NS;
	char host[NAME_LEN], at[NAME_LEN], a[HUMAN_LEN], b[HUMAN_LEN];
	struct finding *f;

	if (!storm && (q->xoffs < SLOW_XOFFS || q->paused_ns < SLOW_MIN_NS))
		return;
	d->host_pauses = true;
	f = finding_add(d, storm ? FINDING_PAUSE_STORM : FINDING_SLOW_RECEIVER,
	        "%s asks for pauses at %s: %" PRIu64 " XOFF and %" PRIu64
	        " XON frames, paused for %s, the longest time %s",
	        name_host(host, d->r, q->host), name_interface(at, d->r, p->interface),
	        q->xoffs, p->xon_frames, ms(a, q->paused_ns), ms(b, longest(p)));
	finding_interface(f, p->interface);
	finding_figure(f, "xoff_frames", (int64_t)q->xoffs);
	finding_figure(f, "xon_frames", (int64_t)p->xon_frames);
	finding_figure(f, "paused_ns", q->paused_ns);
	finding_figure(f, "longest_ns", longest(p));
	finding_packets(f, d->r, p->pause_frames ? TRACE_EV_PAUSE : TRACE_EV_XOFF);
}

/* A switch, or nobody knows who. */
static void other_storm(struct diagnose *d, uint32_t i)
{
	const struct trace_pauser *p = &d->r->pauser[i];
	char at[NAME_LEN], who[NAME_LEN], a[HUMAN_LEN];
	struct finding *f;

	f = finding_add(d, FINDING_PAUSE_STORM,
	        "%s asks for pauses at %s without a break: the longest time %s, %" PRIu64
	        " XOFF and %" PRIu64 " XON frames",
	        name_pauser(who, d, i), name_interface(at, d->r, p->interface),
	        ms(a, longest(p)), d->s.pauser[i].xoffs, p->xon_frames);
	finding_interface(f, p->interface);
	finding_figure(f, "longest_ns", longest(p));
	finding_packets(f, d->r, TRACE_EV_XOFF);
}

static void disobeyed(struct diagnose *d, uint32_t i)
{
	const struct trace_pauser *p = &d->r->pauser[i];
	char at[NAME_LEN], a[HUMAN_LEN], b[HUMAN_LEN];

	for (int k = 0; k <= TRACE_PRIORITIES; k++) {
		bool ignored = p->late_ns[k] * 2 >= p->longest_ns[k] ||
		               p->late_ns[k] >= INT64_C(100000);
		struct finding *f;

		if (p->late_packets[k] < LATE_PACKETS)
			continue;
		f = finding_add(d, ignored ? FINDING_PAUSE_IGNORED : FINDING_LATE_PAUSE,
		        "%s sends %" PRIu64
		        " packets while it is paused, up to %s after the XOFF "
		        "of a pause of up to %s",
		        name_interface(at, d->r, p->interface), p->late_packets[k],
		        ms(a, p->late_ns[k]), ms(b, p->longest_ns[k]));
		finding_interface(f, p->interface);
		finding_figure(f, "packets_while_paused", (int64_t)p->late_packets[k]);
		finding_figure(f, "longest_after_xoff_ns", p->late_ns[k]);
		finding_packets(f, d->r, k < TRACE_PRIORITIES ? TRACE_EV_XOFF : TRACE_EV_PAUSE);
	}
}

static void link_level(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char a[HUMAN_LEN], at[NAME_LEN];
	struct finding *f;

	if (!r->pause_frames)
		return;
	f = finding_add(d, FINDING_LINK_LEVEL_PAUSE,
	        "%" PRIu64
	        " frames of 802.3x pause stop all priorities of a port, for %s in all",
	        r->pause_frames,
	        r->paused_all_ns == TRACE_UNKNOWN ? "an unknown time"
	                                          : ms(a, r->paused_all_ns));
	finding_figure(f, "pause_frames", (int64_t)r->pause_frames);
	for (uint32_t i = 0; i < r->n_interfaces; i++)
		if (r->interface[i].pause_frames) {
			finding_more(f, "; %s: %" PRIu64, name_interface(at, r, i),
			        r->interface[i].pause_frames);
			finding_interface(f, i);
		}
	finding_packets(f, r, TRACE_EV_PAUSE);
}

static void fabric(struct diagnose *d, uint32_t i)
{
	const struct seen_pauser *q = &d->s.pauser[i];

	if (q->derived)
		return;
	d->fabric_xoffs += q->xoffs;
	d->fabric_paused_ns += q->paused_ns;
}

void findings_pause(struct diagnose *d)
{
	link_level(d);
	for (uint32_t i = 0; i < d->r->n_pausers; i++) {
		const struct seen_pauser *q = &d->s.pauser[i];

		if (!q->counts)
			continue;
		if (q->host != TRACE_NONE && matters(d, q))
			host_pause(d, i);
		disobeyed(d, i);
	}
	for (uint32_t i = 0; i < d->r->n_pausers; i++) {
		const struct seen_pauser *q = &d->s.pauser[i];

		if (!q->counts || q->host != TRACE_NONE)
			continue;
		if (!d->host_pauses && !q->derived &&
		        longest(&d->r->pauser[i]) >= SWITCH_STORM_NS)
			other_storm(d, i);
		fabric(d, i);
	}
}
