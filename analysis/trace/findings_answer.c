/* SPDX-License-Identifier: Apache-2.0 */
/* What receivers refuse, and what they do not answer at all. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/trace/diagnose_int.h"

/* A QP that is not answered for so long is not merely at the end of the capture. */
#define UNANSWERED_NS INT64_C(1000000)

/* The first flow that carries such answers. */
static uint32_t first_with(const struct trace_result *r, int nak)
{
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_counts *c = &r->flow[i].counts;

		if (nak < 0 ? c->rnr_naks : c->nak[nak])
			return i;
	}
	return TRACE_NONE;
}

static void refused(
        struct diagnose *d, enum finding_id id, uint64_t n, int nak, const char *what)
{
	uint32_t flow = first_with(d->r, nak);
	char name[NAME_LEN];
	struct finding *f;

	if (!n)
		return;
	f = finding_add(d, id, "%" PRIu64 " %s", n, what);
	if (flow != TRACE_NONE) {
		finding_more(f, ", the first in %s", name_flow(name, d->r, flow));
		finding_flow(f, flow);
		if (d->r->flow[flow].peer != TRACE_NONE)
			finding_flow(f, d->r->flow[flow].peer);
	}
	finding_figure(f, nak < 0 ? "rnr_naks" : "naks", (int64_t)n);
	finding_packets(f, d->r, nak < 0 ? TRACE_EV_RNR : TRACE_EV_NAK_OTHER);
}

static uint64_t way(uint32_t from_host, uint32_t to_host)
{
	return (uint64_t)from_host << 32 | to_host;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* From which host to which other a paired flow goes: sorted, the caller frees. */
static uint64_t *paired_ways(const struct trace_result *r, size_t *n)
{
	uint64_t *w = malloc((r->n_flows + (size_t)1) * sizeof(*w));

	*n = 0;
	if (!w)
		return NULL;
	for (uint32_t i = 0; i < r->n_flows; i++)
		if (r->flow[i].peer != TRACE_NONE)
			w[(*n)++] = way(r->flow[i].src_host, r->flow[i].dst_host);
	qsort(w, *n, sizeof(*w), by_value);
	return w;
}

/* The other direction is in the capture, but nothing in it acknowledges this QP. */
static bool is_unanswered(const struct trace_result *r, const struct trace_flow *f,
        const uint64_t *paired, size_t n_paired)
{
	uint64_t back = way(f->dst_host, f->src_host);

	if ((f->transport != TRACE_RC && f->transport != TRACE_XRC) || !f->counts.messages ||
	        f->last_data_ns == TRACE_UNKNOWN ||
	        r->last_ns - f->last_data_ns < UNANSWERED_NS)
		return false;
	if (f->peer != TRACE_NONE) {
		const struct trace_counts *c = &r->flow[f->peer].counts;

		return !c->acks && !c->naks && !c->rnr_naks && !c->data_packets;
	}
	return bsearch(&back, paired, n_paired, sizeof(back), by_value);
}

static void unanswered(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	struct finding *f = NULL;
	char name[NAME_LEN];
	int64_t flows = 0;
	size_t n_paired;
	uint64_t *paired = paired_ways(r, &n_paired);

	if (!paired) {
		d->failed = true;
		return;
	}
	for (uint32_t i = 0; i < r->n_flows; i++) {
		if (!flow_has_data(&r->flow[i]) ||
		        !is_unanswered(r, &r->flow[i], paired, n_paired))
			continue;
		if (flows++ == 0)
			f = finding_add(d, FINDING_UNACKNOWLEDGED,
			        "%s is not answered: %" PRIu64
			        " data packets, no ACK and no NAK",
			        name_flow(name, r, i), r->flow[i].counts.data_packets);
		finding_flow(f, i);
	}
	free(paired);
	if (f)
		finding_figure(f, "flows", flows);
}

void findings_answer(struct diagnose *d)
{
	const struct trace_counts *c = &d->r->roce;

	refused(d, FINDING_RNR, c->rnr_naks, -1, "RNR NAKs: no receive was posted");
	refused(d, FINDING_REMOTE_ACCESS_ERROR, c->nak[TRACE_NAK_REMOTE_ACCESS],
	        TRACE_NAK_REMOTE_ACCESS, "NAKs for a remote access error");
	refused(d, FINDING_INVALID_REQUEST, c->nak[TRACE_NAK_INVALID_REQUEST],
	        TRACE_NAK_INVALID_REQUEST, "NAKs for an invalid request");
	refused(d, FINDING_REMOTE_OPERATION_ERROR, c->nak[TRACE_NAK_REMOTE_OPERATION],
	        TRACE_NAK_REMOTE_OPERATION, "NAKs for a remote operational error");
	refused(d, FINDING_NAK_OTHER, c->nak[TRACE_NAK_INVALID_RD], TRACE_NAK_INVALID_RD,
	        "NAKs for an invalid RD request");
	refused(d, FINDING_NAK_OTHER, c->nak[TRACE_NAK_RESERVED], TRACE_NAK_RESERVED,
	        "NAKs with a reserved code");
	unanswered(d);
}
