/* SPDX-License-Identifier: Apache-2.0 */
/* The capture itself: packets that it lost, and packets that are none. */
#include <inttypes.h>

#include "analysis/trace/diagnose_int.h"

static uint64_t counted(uint64_t n)
{
	return n == CAPTURE_NO_COUNT ? 0 : n;
}

static void dropped(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char at[NAME_LEN];

	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		const struct capture_interface *c = &r->interface[i].capture;
		uint64_t n = counted(c->dropped_by_interface) + counted(c->dropped_by_os);
		struct finding *f;

		if (!n)
			n = counted(c->dropped_between);
		if (!n)
			continue;
		f = finding_add(d, FINDING_CAPTURE_LOSS,
		        "%s: %" PRIu64 " packets were not captured", name_interface(at, r, i),
		        n);
		finding_interface(f, i);
		finding_figure(f, "not_captured", (int64_t)n);
	}
	for (uint32_t i = 0; i < r->n_files; i++) {
		struct finding *f;

		if (!r->file[i].cut && !r->file[i].error[0])
			continue;
		f = finding_add(d, FINDING_CAPTURE_LOSS, "%s %s", r->file[i].path,
		        r->file[i].cut ? "is cut off within a packet"
		                       : "could not be read to its end");
		finding_figure(f, "frames", (int64_t)r->file[i].frames);
	}
}

/* Every message of the flow is acknowledged, so what its sender's side does not show was sent.
 */
static void acknowledged_unseen(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	uint64_t unseen = 0;
	struct finding *f;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];
		bool complete = false;
		uint64_t n;

		if (w->first_view == TRACE_NONE || !w->counts.unfilled_psns ||
		        d->s.sprayed[i] ||
		        (w->transport != TRACE_RC && w->transport != TRACE_XRC))
			continue;
		n = r->view[w->first_view].counts.unfilled_psns;
		for (uint32_t k = 0; k < r->n_messages && n; k++)
			if (r->message[k].flow == i && r->message[k].last_psn == w->last_psn)
				complete = r->message[k].complete &&
				           r->message[k].acked_ns != TRACE_UNKNOWN;
		if (complete)
			unseen += n;
	}
	if (!unseen)
		return;
	f = finding_add(d, FINDING_CAPTURE_LOSS,
	        "%" PRIu64 " packets were acknowledged that the capture does not show", unseen);
	finding_figure(f, "acknowledged_unseen", (int64_t)unseen);
	finding_packets(f, r, TRACE_EV_MISSING);
}

void findings_capture(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	struct finding *f;

	dropped(d);
	acknowledged_unseen(d);
	if (!r->roce.malformed)
		return;
	f = finding_add(d, FINDING_MALFORMED,
	        "%" PRIu64 " of %" PRIu64 " RoCE packets contradict themselves",
	        r->roce.malformed, r->roce.packets);
	finding_figure(f, "malformed", (int64_t)r->roce.malformed);
	finding_packets(f, r, TRACE_EV_MALFORMED);
}
