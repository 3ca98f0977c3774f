/* SPDX-License-Identifier: Apache-2.0 */
/* Marking: where it does not happen, happens too late, or happens without a reason. */
#include <inttypes.h>

#include "analysis/human.h"
#include "analysis/trace/diagnose_int.h"
#include "dataplane/base/units.h"

/* Pauses that are no chance: so many XOFF frames, or this much time. */
#define PAUSE_XOFFS 5
#define PAUSE_NS    INT64_C(20000)
/* Less than one marked packet in so many hardly slows anybody down. */
#define HARDLY_ONE_IN 2000
/* Packets without ECT among those of a queue that marks. */
#define NON_ECT_PACKETS 10
#define MARKS_MIN       10
/* Marks on a link, where there is no queue. */
#define LINK_MARKS_MIN 10
/* A queue that nobody marks, pauses or loses from: 1 ms is 12.5 MB at 100 Gb/s. */
#define DEEP_NS      INT64_C(1000000)
#define DEEP_PACKETS 1000

static bool paused_much(const struct diagnose *d)
{
	return d->fabric_xoffs >= PAUSE_XOFFS || d->fabric_paused_ns >= PAUSE_NS;
}

/* Data whose marks would be seen: at another place than the port of their sender. */
static uint64_t data_behind(const struct trace_result *r)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *f = &r->flow[i];

		if (f->n_views > 1 ||
		        (f->first_view != TRACE_NONE &&
		                r->view[f->first_view].direction == DIRECTION_UNKNOWN))
			n += f->counts.data_packets;
	}
	return n;
}

static void pauses_without_marks(struct diagnose *d)
{
	const struct trace_counts *c = &d->r->roce;
	enum finding_id id = FINDING_PFC_BEFORE_ECN;
	char t[HUMAN_LEN];
	struct finding *f;

	/* What follows from a host's pauses is no matter of thresholds. */
	if (!paused_much(d) || d->host_pauses || !c->data_packets)
		return;
	if (c->ce_packets * HARDLY_ONE_IN > c->data_packets)
		return;
	if (c->not_ect_packets * 2 > c->data_packets)
		id = FINDING_PFC_WITHOUT_ECN;
	else if (!data_behind(d->r))
		return;
	f = finding_add(d, id,
	        "%" PRIu64
	        " XOFF frames of congested devices pause senders for %s, and %" PRIu64
	        " of %" PRIu64 " data packets are marked with CE",
	        d->fabric_xoffs, human_time(t, ps_from_ns(d->fabric_paused_ns)), c->ce_packets,
	        c->data_packets);
	if (id == FINDING_PFC_WITHOUT_ECN)
		finding_more(f, "; %" PRIu64 " are not ECN-capable", c->not_ect_packets);
	finding_figure(f, "xoff_frames", (int64_t)d->fabric_xoffs);
	finding_figure(f, "paused_ns", d->fabric_paused_ns);
	finding_figure(f, "ce_packets", (int64_t)c->ce_packets);
	finding_figure(f, "data_packets", (int64_t)c->data_packets);
	finding_figure(f, "not_ect_packets", (int64_t)c->not_ect_packets);
	for (uint32_t i = 0; i < d->r->n_pausers; i++)
		if (d->s.pauser[i].counts && !d->s.pauser[i].derived)
			finding_interface(f, d->r->pauser[i].interface);
	finding_packets(f, d->r, TRACE_EV_XOFF);
}

static int64_t queue_bytes(const struct diagnose *d, uint32_t i)
{
	return (int64_t)((__int128)d->s.interface[i].queue_ns * d->r->interface[i].speed_bps /
	                 8 / 1000000000);
}

static uint64_t marks_of_device(const struct diagnose *d, uint32_t device)
{
	uint64_t marks = 0;

	for (uint32_t i = 0; i < d->r->n_interfaces; i++)
		if (d->s.interface[i].device == device)
			marks += d->s.interface[i].marks;
	return marks;
}

/* The shortest queue, in bytes, from which a port of this speed or a faster one marks. */
static int64_t least_marking_queue(const struct diagnose *d, int64_t speed_bps)
{
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < d->r->n_interfaces; i++) {
		int64_t bytes = queue_bytes(d, i);

		if (d->r->interface[i].speed_bps >= speed_bps &&
		        d->s.interface[i].marks >= MARKS_MIN && bytes < least)
			least = bytes;
	}
	return least;
}

/* A device without a single mark whose queue was as long as those that others mark from. */
static void switch_without_ecn(struct diagnose *d)
{
	char at[NAME_LEN], a[HUMAN_LEN], b[HUMAN_LEN];

	for (uint32_t i = 0; i < d->r->n_interfaces; i++) {
		const struct seen_interface *s = &d->s.interface[i];
		int64_t bytes = queue_bytes(d, i);
		int64_t least = least_marking_queue(d, d->r->interface[i].speed_bps);
		struct finding *f;

		if (s->marks || s->data_out < DEEP_PACKETS || least == INT64_MAX ||
		        bytes < 2 * least || marks_of_device(d, s->device))
			continue;
		f = finding_add(d, FINDING_SWITCH_WITHOUT_ECN,
		        "packets wait for %s to send up to %s, and none is marked; ports of "
		        "the "
		        "same speed elsewhere mark from queues of no more than %s",
		        name_interface(at, d->r, i), human_size(a, bytes),
		        human_size(b, least));
		finding_interface(f, i);
		finding_figure(f, "queue_bytes", bytes);
		finding_figure(f, "marking_queue_bytes", least);
		finding_packets(f, d->r, TRACE_EV_XOFF);
	}
}

static void non_ect(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char name[NAME_LEN];

	for (uint32_t p = 0; p < TRACE_PRIORITIES; p++) {
		const struct trace_priority *q = &r->priority[p];
		struct finding *f;

		if (q->not_ect_packets < NON_ECT_PACKETS || q->ce_packets < MARKS_MIN)
			continue;
		f = finding_add(d, FINDING_NON_ECT,
		        "%" PRIu64 " of %" PRIu64 " data packets of priority %u are not "
		        "ECN-capable, and %" PRIu64 " others are marked there",
		        q->not_ect_packets, q->data_packets, p, q->ce_packets);
		for (uint32_t i = 0; i < r->n_flows; i++) {
			if (r->flow[i].counts.not_ect_packets < NON_ECT_PACKETS ||
			        flow_priority(&r->flow[i]) != p)
				continue;
			if (!f->n_flows)
				finding_more(f, "; the first is %s", name_flow(name, r, i));
			finding_flow(f, i);
		}
		finding_figure(f, "priority", p);
		finding_figure(f, "not_ect_packets", (int64_t)q->not_ect_packets);
		finding_figure(f, "ce_packets", (int64_t)q->ce_packets);
		finding_packets(f, r, TRACE_EV_NOT_ECT);
	}
}

static void marks_on_links(struct diagnose *d)
{
	char a[NAME_LEN], b[NAME_LEN];

	for (uint32_t i = 0; i < d->r->n_interfaces; i++) {
		const struct seen_interface *s = &d->s.interface[i];
		struct finding *f;

		if (s->link_marks < LINK_MARKS_MIN || s->link == TRACE_NONE)
			continue;
		f = finding_add(d, FINDING_MARK_WITHOUT_QUEUE,
		        "%" PRIu64
		        " packets leave by %s without a mark and come in at %s with CE",
		        s->link_marks, name_interface(a, d->r, s->link),
		        name_interface(b, d->r, i));
		finding_interface(f, s->link);
		finding_interface(f, i);
		finding_figure(f, "marked_packets", (int64_t)s->link_marks);
		finding_packets(f, d->r, TRACE_EV_CE);
	}
}

static void deep_buffer(struct diagnose *d)
{
	const struct trace_counts *c = &d->r->roce;
	char at[NAME_LEN], t[HUMAN_LEN], b[HUMAN_LEN];
	uint32_t worst = TRACE_NONE;
	int64_t ns = DEEP_NS;
	struct finding *f;

	if (c->ce_packets || d->r->xoff_frames || d->r->pause_frames || d->lost ||
	        c->data_packets < DEEP_PACKETS)
		return;
	for (uint32_t i = 0; i < d->r->n_interfaces; i++)
		if (d->s.interface[i].queue_ns > ns) {
			ns = d->s.interface[i].queue_ns;
			worst = i;
		}
	if (worst == TRACE_NONE)
		return;
	f = finding_add(d, FINDING_DEEP_BUFFER,
	        "packets wait for %s for up to %s (%s), and nothing is marked or paused",
	        name_interface(at, d->r, worst), human_time(t, ps_from_ns(ns)),
	        human_size(b, queue_bytes(d, worst)));
	finding_interface(f, worst);
	finding_figure(f, "queue_ns", ns);
}

void findings_ecn(struct diagnose *d)
{
	non_ect(d);
	marks_on_links(d);
	switch_without_ecn(d);
	pauses_without_marks(d);
	deep_buffer(d);
}
