/* SPDX-License-Identifier: Apache-2.0 */
/* The public result, put together from the state of views and flows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_int.h"

void span_merge(struct trace_span *into, const struct trace_span *from)
{
	if (!from->n)
		return;
	if (!into->n || from->min < into->min)
		into->min = from->min;
	if (!into->n || from->max > into->max)
		into->max = from->max;
	into->n += from->n;
	into->sum += from->sum;
}

/* All of struct trace_counts are uint64_t. */
static void counts_add(struct trace_counts *a, const struct trace_counts *b)
{
	uint64_t *to = (uint64_t *)a;
	const uint64_t *from = (const uint64_t *)b;

	for (size_t i = 0; i < sizeof(*a) / sizeof(*to); i++)
		to[i] += from[i];
}

/* What the PSN tracks count goes into the view's own counts. */
static struct trace_counts shown_of(const struct view *v)
{
	struct trace_counts c = v->shown;

	c.missing_psns = v->request.missing + v->response.missing;
	c.unfilled_psns = psn_track_unfilled(&v->request) + psn_track_unfilled(&v->response);
	return c;
}

/* A flow's views in path order: behind how many others each is seen, on average. */
static void order_views(struct trace *t, struct flow *f)
{
	uint32_t sorted = TRACE_NONE, i = f->first_view;

	while (i != TRACE_NONE) {
		struct view *v = view_at(t, i);
		uint32_t next = v->next, *at = &sorted;

		while (*at != TRACE_NONE) {
			const struct view *w = view_at(t, *at);

			if ((double)v->position_sum * (double)(w->position_n + 1) <
			        (double)w->position_sum * (double)(v->position_n + 1))
				break;
			at = &view_at(t, *at)->next;
		}
		v->next = *at;
		*at = i;
		i = next;
	}
	f->first_view = sorted;
	for (i = sorted; i != TRACE_NONE; i = view_at(t, i)->next)
		f->last_view = i;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a == TRACE_UNKNOWN || (b != TRACE_UNKNOWN && b < a) ? b : a;
}

static void flow_view(
        struct trace *t, const struct flow *f, struct trace_flow *out, const struct view *v)
{
	const struct psn_track *s = v->request.begun ? &v->request : &v->response;
	struct trace_counts once = v->once ? *v->once : v->shown;

	(void)t;
	(void)f;
	/* Judged where paths end. */
	once.missing_psns = once.unfilled_psns = once.reordered_packets = 0;
	counts_add(&out->counts, &once);
	out->first_ns = earlier(out->first_ns, v->first_ns);
	if (v->last_ns > out->last_ns)
		out->last_ns = v->last_ns;
	out->first_data_ns = earlier(out->first_data_ns, v->first_data_ns);
	if (v->last_data_ns > out->last_data_ns)
		out->last_data_ns = v->last_data_ns;
	if (v->mtu_bytes > out->mtu_bytes)
		out->mtu_bytes = v->mtu_bytes;
	if (v->max_reorder > out->max_reorder_psns)
		out->max_reorder_psns = v->max_reorder;
	span_merge(&out->loop.ce_to_cnp_ns, &v->loop.ce_to_cnp_ns);
	span_merge(&out->loop.cnp_gap_ns, &v->loop.cnp_gap_ns);
	out->loop.cnps_ce += v->loop.cnps_ce;
	out->loop.cnps_loss += v->loop.cnps_loss;
	out->loop.cnps_unexplained += v->loop.cnps_unexplained;
	if (!v->home)
		return;
	if (s->begun) {
		out->has_psns = true;
		out->first_psn = (uint32_t)s->first & PSN_MASK;
		out->last_psn = (uint32_t)(s->next - 1) & PSN_MASK;
	}
	out->rtt_ns = v->rtt_ns;
	out->loop.cnp_to_cut_ns = v->loop.cnp_to_cut_ns;
	out->loop.cut_permille = v->loop.cut_permille;
	out->loop.watches = v->loop.watches;
	out->loop.of_model_permille = v->loop.of_model_permille;
	memcpy(out->retransmits, v->loss_packets, sizeof(out->retransmits));
	memcpy(out->loss_events, v->loss_events, sizeof(out->loss_events));
	if (v->first_data_ns != TRACE_UNKNOWN && v->last_data_ns > v->first_data_ns)
		out->goodput_bps = (int64_t)((__int128)v->new_bytes * 8 * 1000000000 /
		                             (v->last_data_ns - v->first_data_ns));
}

/* What was lost or came late anywhere before shows at the end of a path. Of several ends each
 * has a part of the PSNs. */
static void ends(const struct trace *t, const struct flow *f, struct trace_counts *out)
{
	uint32_t n = 0;

	out->missing_psns = out->unfilled_psns = 0;
	for (uint32_t i = f->first_view; i != TRACE_NONE; i = view_at(t, i)->next) {
		const struct view *v = view_at(t, i);
		struct trace_counts c = shown_of(v);

		if (!v->seen_data || view_onward(t, v, 0))
			continue;
		n++;
		out->missing_psns = c.missing_psns;
		out->unfilled_psns = c.unfilled_psns;
		out->reordered_packets += c.reordered_packets;
	}
	if (n < 2)
		return;
	out->missing_psns = f->end_request.missing + f->end_response.missing;
	out->unfilled_psns =
	        psn_track_unfilled(&f->end_request) + psn_track_unfilled(&f->end_response);
}

static void flow_build(struct trace *t, struct flow *f, struct trace_flow *out)
{
	const struct cell *c = cell_at(t, f->cell);

	*out = (struct trace_flow){.src = f->src,
	        .dst = f->dst,
	        .dqp = f->dqp,
	        .src_qp = f->src_qp,
	        .peer = f->peer,
	        .pairing = f->pairing,
	        .transport = f->transport,
	        .kind = f->kind,
	        .sport = f->sport,
	        .n_sports = f->n_sports,
	        .dscp = f->dscp,
	        .pcp = f->pcp,
	        .ack_dscp = f->ack_dscp,
	        .cnp_dscp = f->cnp_dscp,
	        .cnp_pcp = f->cnp_pcp,
	        .dscps = f->dscps,
	        .first_ns = TRACE_UNKNOWN,
	        .last_ns = TRACE_UNKNOWN,
	        .first_data_ns = TRACE_UNKNOWN,
	        .last_data_ns = TRACE_UNKNOWN,
	        .goodput_bps = TRACE_UNKNOWN,
	        .latency_ns = f->latency_ns,
	        .net_fct_ns = f->net_fct_ns,
	        .src_host = c->pub.src,
	        .dst_host = c->pub.dst,
	        .n_views = f->n_views};
	order_views(t, f);
	out->first_view = f->first_view;
	for (uint32_t i = f->first_view; i != TRACE_NONE; i = view_at(t, i)->next)
		flow_view(t, f, out, view_at(t, i));
	ends(t, f, &out->counts);
}

static bool selected(const struct trace *t, const struct flow *f)
{
	return view_at(t, f->first_view)->selected;
}

static int array_of(void **array, uint32_t n, size_t item_bytes)
{
	void *more = realloc(*array, (n ? n : 1) * item_bytes);

	if (!more)
		return -ENOMEM;
	*array = more;
	memset(more, 0, (n ? n : 1) * item_bytes);
	return 0;
}

static void views_build(struct trace *t)
{
	for (uint32_t i = 0; i < t->views.n; i++) {
		const struct view *v = view_at(t, i);

		t->r.view[i] = (struct trace_view){.flow = v->flow,
		        .interface = v->interface,
		        .next = v->next,
		        .direction = v->direction,
		        .counts = shown_of(v),
		        .rtt_ns = v->rtt_ns,
		        .lost_after = v->lost_after,
		        .ce_since_ns = v->first_ce_ns};
		counts_add(&t->iface[v->interface]->pub.counts, &t->r.view[i].counts);
	}
}

static void flows_build(struct trace *t)
{
	memset(&t->r.roce, 0, sizeof(t->r.roce));
	for (uint32_t i = 0; i < t->cells.n; i++)
		cell_at(t, i)->pub.payload_bytes = 0;
	for (uint32_t i = 0; i < t->flows.n; i++) {
		struct flow *f = flow_at(t, i);

		flow_build(t, f, &t->r.flow[i]);
		if (!selected(t, f))
			continue;
		counts_add(&t->r.roce, &t->r.flow[i].counts);
		cell_at(t, f->cell)->pub.payload_bytes += t->r.flow[i].counts.payload_bytes;
	}
}

/* What was taken for neighbours and is not. */
static void paths_build(struct trace_result *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_paths; i++)
		if (r->path[i].matched || r->path[i].lost)
			r->path[n++] = r->path[i];
	r->n_paths = n;
}

void result_build(struct trace *t)
{
	struct trace_result *r = &t->r;

	if (array_of((void **)&r->interface, t->n_ifaces, sizeof(*r->interface)) ||
	        array_of((void **)&r->flow, t->flows.n, sizeof(*r->flow)) ||
	        array_of((void **)&r->view, t->views.n, sizeof(*r->view)) ||
	        array_of((void **)&r->host, t->hosts.n, sizeof(*r->host)) ||
	        array_of((void **)&r->cell, t->cells.n, sizeof(*r->cell)) ||
	        array_of((void **)&r->pauser, t->n_pausers, sizeof(*r->pauser))) {
		t->failed = -ENOMEM;
		r->n_interfaces = r->n_flows = r->n_views = r->n_hosts = r->n_cells = 0;
		r->n_pausers = 0;
		return;
	}
	r->n_interfaces = t->n_ifaces;
	r->n_flows = t->flows.n;
	r->n_views = t->views.n;
	r->n_hosts = t->hosts.n;
	r->n_cells = t->cells.n;
	r->n_pausers = t->n_pausers;
	for (uint32_t i = 0; i < t->n_ifaces; i++)
		memset(&t->iface[i]->pub.counts, 0, sizeof(t->iface[i]->pub.counts));
	flows_build(t);
	views_build(t);
	pfc_result(t);
	sources_result(t);
	for (uint32_t i = 0; i < t->n_ifaces; i++) {
		r->interface[i] = t->iface[i]->pub;
		r->interface[i].timeline = t->per_iface[i].pub;
	}
	for (uint32_t i = 0; i < t->hosts.n; i++)
		r->host[i] = host_at(t, i)->pub;
	for (uint32_t i = 0; i < t->cells.n; i++)
		r->cell[i] = cell_at(t, i)->pub;
	for (uint32_t i = 0; i < t->n_pausers; i++)
		r->pauser[i] = pfc_pauser(t, i);
	paths_build(r);
	for (uint32_t i = 0; i < r->n_paths; i++) {
		const struct trace_interface *a = &r->interface[r->path[i].from];
		const struct trace_interface *b = &r->interface[r->path[i].to];

		r->path[i].common_clock =
		        a->file == b->file ||
		        (!a->offset_ns && !a->drift_ppb && !b->offset_ns && !b->drift_ppb);
	}
	r->timeline = t->total.pub;
}
