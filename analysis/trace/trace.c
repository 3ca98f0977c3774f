/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/trace/trace_int.h"

enum { THREADS_MAX = 16, MESSAGES_DEFAULT = 1 << 20, LOSSES_DEFAULT = 1 << 16 };
enum { PAUSES_DEFAULT = 1 << 18, INTERFACES_MAX = 1 << 16 };
/* Stamps are clamped to this, so that no difference of two overflows: the year 2116. */
#define TIME_LAST_NS (INT64_MAX / 2)

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "the analysis ran out of memory");
}

static int hists_init(struct trace_result *r)
{
	struct hist **all[] = {&r->ce_to_cnp_ns, &r->cnp_to_cut_ns, &r->rtt_ns, &r->net_fct_ns,
	        &r->latency_ns, &r->message_bytes};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*all[i] = malloc(sizeof(struct hist));
		if (!*all[i])
			return -ENOMEM;
		hist_init(*all[i]);
	}
	return 0;
}

static void defaults(struct trace_options *o)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!o->threads)
		o->threads = processors > 0 ? (uint32_t)processors : 1;
	if (o->threads > THREADS_MAX)
		o->threads = THREADS_MAX;
	if (!o->max_messages)
		o->max_messages = MESSAGES_DEFAULT;
	if (!o->max_losses)
		o->max_losses = LOSSES_DEFAULT;
	if (!o->max_pauses)
		o->max_pauses = PAUSES_DEFAULT;
}

int trace_open(struct trace **out, const struct trace_options *o, struct err *e)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return no_memory(e);
	t->opt = *o;
	defaults(&t->opt);
	t->obs_opt.no_icrc = o->no_icrc;
	t->obs_opt.udp_port = o->udp_port;
	t->views.item_bytes = sizeof(struct view);
	t->flows.item_bytes = sizeof(struct flow);
	t->cells.item_bytes = sizeof(struct cell);
	t->hosts.item_bytes = sizeof(struct host);
	timeline_init(&t->total, o->bin_ns);
	t->r.first_ns = t->r.last_ns = TRACE_UNKNOWN;
	t->r.cnp_gap_qp_ns = t->r.cnp_gap_ip_ns = t->r.cnp_gap_port_ns = TRACE_UNKNOWN;
	for (int i = 0; i < TRACE_PRIORITIES; i++)
		t->r.priority[i].first_ce_ns = t->r.priority[i].first_pause_ns = TRACE_UNKNOWN;
	if (index_init(&t->view_index) || index_init(&t->flow_index) ||
	        index_init(&t->cell_index) || index_init(&t->host_index) || hists_init(&t->r)) {
		trace_close(t);
		return no_memory(e);
	}
	*out = t;
	return 0;
}

static void view_fini(struct view *v)
{
	psn_track_fini(&v->request);
	psn_track_fini(&v->response);
	free(v->once);
	free(v->edge);
	free(v->recovery);
	free(v->open.m);
	free(v->reads);
	if (v->unpaired)
		free(v->unpaired->event);
	free(v->unpaired);
	free(v->model);
}

static void result_fini(struct trace_result *r)
{
	free(r->ce_to_cnp_ns);
	free(r->cnp_to_cut_ns);
	free(r->rtt_ns);
	free(r->net_fct_ns);
	free(r->latency_ns);
	free(r->message_bytes);
	free(r->file);
	free(r->interface);
	free(r->flow);
	free(r->view);
	free(r->host);
	free(r->cell);
	free(r->pauser);
	free(r->path);
	free(r->loss);
	free(r->message);
	free(r->pause);
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->views.n; i++)
		view_fini(view_at(t, i));
	for (uint32_t i = 0; i < t->flows.n; i++) {
		psn_track_fini(&flow_at(t, i)->end_request);
		psn_track_fini(&flow_at(t, i)->end_response);
	}
	for (uint32_t i = 0; i < t->n_ifaces; i++) {
		free(t->iface[i]->model);
		free(t->iface[i]);
		timeline_fini(&t->per_iface[i]);
	}
	free(t->iface);
	free(t->per_iface);
	pool_fini(&t->views);
	pool_fini(&t->flows);
	pool_fini(&t->cells);
	pool_fini(&t->hosts);
	index_fini(&t->view_index);
	index_fini(&t->flow_index);
	index_fini(&t->cell_index);
	index_fini(&t->host_index);
	timeline_fini(&t->total);
	match_fini(t);
	rates_fini(t);
	free(t->lost);
	free(t->pauser);
	free(t->edge);
	result_fini(&t->r);
	free(t);
}

static int grow_interfaces(struct trace *t)
{
	uint32_t max = t->max_ifaces ? 2 * t->max_ifaces : 4;
	struct timeline *timeline;
	struct iface **iface;

	if (t->n_ifaces < t->max_ifaces)
		return 0;
	iface = realloc(t->iface, max * sizeof(struct iface *));
	if (!iface)
		return -ENOMEM;
	t->iface = iface;
	timeline = realloc(t->per_iface, max * sizeof(*timeline));
	if (!timeline)
		return -ENOMEM;
	t->per_iface = timeline;
	/* An empty time line points into itself. */
	for (uint32_t i = 0; i < t->n_ifaces; i++)
		if (!timeline[i].pub.n)
			timeline_init(&timeline[i], t->opt.bin_ns);
	t->max_ifaces = max;
	return 0;
}

int trace_interface_add(
        struct trace *t, const struct capture_interface *i, uint32_t *index, struct err *e)
{
	struct iface *f;

	if (t->n_ifaces == INTERFACES_MAX)
		return err_set(
		        e, -EINVAL, "more than %d interfaces in one analysis", INTERFACES_MAX);
	f = grow_interfaces(t) ? NULL : calloc(1, sizeof(*f));
	if (!f)
		return no_memory(e);
	f->pub.capture = *i;
	f->pub.first_ns = f->pub.last_ns = TRACE_UNKNOWN;
	f->pub.residual_ns = TRACE_UNKNOWN;
	if (i->speed_bps && i->speed_bps <= INT64_MAX) {
		f->pub.speed_bps = (int64_t)i->speed_bps;
		f->pub.speed_source = TRACE_SPEED_FILE;
	} else if (t->opt.speed_bps > 0) {
		f->pub.speed_bps = t->opt.speed_bps;
		f->pub.speed_source = TRACE_SPEED_GIVEN;
	}
	timeline_init(&t->per_iface[t->n_ifaces], t->opt.bin_ns);
	t->iface[t->n_ifaces] = f;
	*index = t->n_ifaces++;
	return 0;
}

void trace_interface_counts(struct trace *t, uint32_t index, uint64_t received,
        uint64_t dropped_by_os, uint64_t dropped_by_interface)
{
	struct capture_interface *c = &t->iface[index]->pub.capture;

	c->received = received;
	c->dropped_by_os = dropped_by_os;
	c->dropped_by_interface = dropped_by_interface;
}

void trace_interface_listened(struct trace *t, uint32_t index, int64_t until_ns)
{
	t->iface[index]->pub.capture.statistics_ns = until_ns;
}

static struct trace_packet *evidence_slot(struct trace *t, enum trace_event kind)
{
	if (t->r.n_event[kind] == TRACE_EVIDENCE_MAX)
		return NULL;
	return &t->r.event[kind][t->r.n_event[kind]++];
}

void trace_evidence(struct trace *t, enum trace_event kind, const struct obs *o, uint32_t flow)
{
	struct trace_packet *p = evidence_slot(t, kind);

	if (!p)
		return;
	*p = (struct trace_packet){.number = o->number,
	        .file = t->iface[o->interface]->pub.file,
	        .interface = o->interface,
	        .flow = flow,
	        .psn = o->psn,
	        .opcode = o->opcode,
	        .priority = o->pcp != OBS_UNTAGGED ? o->pcp : o->dscp >> 3,
	        .t_ns = o->t_ns};
	if (o->what == OBS_PFC)
		p->priority = (uint8_t)(o->u.pfc.vector ? __builtin_ctz(o->u.pfc.vector) : 0);
}

void trace_evidence_at(
        struct trace *t, enum trace_event kind, const struct view *v, const struct pending *p)
{
	struct trace_packet *out = evidence_slot(t, kind);

	if (out)
		*out = (struct trace_packet){.number = p->number,
		        .file = t->iface[v->interface]->pub.file,
		        .interface = v->interface,
		        .flow = v->flow,
		        .psn = p->psn,
		        .t_ns = p->t_ns};
}

void trace_apply(struct trace *t, struct obs *o)
{
	struct view *v;

	if (o->t_ns < 0)
		o->t_ns = 0;
	if (o->t_ns > TIME_LAST_NS)
		o->t_ns = TIME_LAST_NS;
	if (!t->r.frames++)
		t->r.first_ns = t->r.last_ns = o->t_ns;
	if (o->t_ns < t->r.first_ns)
		t->r.first_ns = o->t_ns;
	if (o->t_ns > t->r.last_ns)
		t->r.last_ns = o->t_ns;
	iface_frame(t->iface[o->interface], o);
	switch ((enum obs_what)o->what) {
	case OBS_ROCE:
		v = flow_table_view(t, o);
		if (v)
			roce_apply(t, v, o);
		else
			t->r.unfollowed_packets++;
		break;
	case OBS_PFC:
	case OBS_PAUSE:
		pfc_apply(t, o);
		break;
	case OBS_OTHER:
		t->r.other_frames++;
		break;
	}
}

int trace_feed(struct trace *t, const struct packet *p, uint32_t n, uint64_t first_number,
        struct err *e)
{
	struct obs o;

	for (uint32_t i = 0; i < n; i++) {
		if (p[i].interface >= t->n_ifaces)
			return err_set(
			        e, -EINVAL, "a packet of an interface that was not added");
		obs_of(&o, &p[i], t->iface[p[i].interface]->pub.capture.link, first_number + i,
		        &t->obs_opt);
		trace_apply(t, &o);
	}
	return t->failed ? no_memory(e) : 0;
}

const struct trace_result *trace_now(struct trace *t)
{
	result_build(t);
	return &t->r;
}

const struct trace_result *trace_finish(struct trace *t)
{
	if (!t->finished) {
		t->finished = true;
		pair_rest(t);
		for (uint32_t i = 0; i < t->views.n; i++) {
			recovery_end(t, view_at(t, i));
			message_end_all(t, view_at(t, i));
		}
		match_finish(t);
		lost_places(t);
		for (uint32_t i = 0; i < t->n_ifaces; i++)
			iface_finish(t, t->iface[i]);
		pfc_finish(t);
	}
	result_build(t);
	return &t->r;
}
