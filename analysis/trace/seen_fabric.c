/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/seen_fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Showings that make two interfaces the ends of a link or ports of a device: more than the odd
 * packet that was matched with another's copy, and one in so many frames. */
#define MATCHED_MIN    3
#define MATCHED_ONE_IN 200
/* Packets pass through a device where so many of an interface's do. */
#define PASS_PERCENT  30
#define SPRAY_PACKETS 10
/* What may be under way when the capture ends: 256 KB of 1 KB packets. */
#define ON_THE_WAY_PACKETS 256

static uint32_t root_of(struct seen_fabric *s, uint32_t i)
{
	while (s->interface[i].device != i)
		i = s->interface[i].device;
	return i;
}

static bool is_link(const struct trace_path *p)
{
	return p->from_direction == DIRECTION_OUT && p->to_direction == DIRECTION_IN;
}

static bool is_device(const struct trace_path *p)
{
	return p->from_direction == DIRECTION_IN && p->to_direction == DIRECTION_OUT;
}

static bool is_usual(const struct trace_result *r, const struct trace_path *p)
{
	uint64_t a = r->interface[p->from].frames, b = r->interface[p->to].frames;

	return p->matched >= MATCHED_MIN && p->matched * MATCHED_ONE_IN >= (a < b ? a : b);
}

/* The most packets decide: one that was missed in between must not join what is apart. */
static void links(struct seen_fabric *s, const struct trace_result *r)
{
	uint64_t *most = calloc(r->n_interfaces + 1, sizeof(*most));

	if (!most)
		return;
	for (uint32_t i = 0; i < r->n_paths; i++) {
		const struct trace_path *p = &r->path[i];

		if (!is_link(p) || p->matched < MATCHED_MIN)
			continue;
		if (p->matched > most[p->from]) {
			most[p->from] = p->matched;
			s->interface[p->from].link = p->to;
		}
		if (p->matched > most[p->to]) {
			most[p->to] = p->matched;
			s->interface[p->to].link = p->from;
		}
	}
	free(most);
}

static void devices(struct seen_fabric *s, const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_paths; i++) {
		const struct trace_path *p = &r->path[i];

		if (!is_device(p) || !is_usual(r, p))
			continue;
		s->interface[root_of(s, p->from)].device = root_of(s, p->to);
		if (p->latency_ns.n && p->latency_ns.max > s->interface[p->to].queue_ns)
			s->interface[p->to].queue_ns = p->latency_ns.max;
	}
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		s->interface[i].device = root_of(s, i);
		s->n_devices += s->interface[i].device == i;
	}
}

/* One address, several, or none so far. */
struct only {
	uint32_t host;
	bool several;
};

static void only_add(struct only *o, uint32_t host)
{
	if (o->host == TRACE_NONE)
		o->host = host;
	else if (o->host != host)
		o->several = true;
}

static bool both(const struct only *a, const struct only *b)
{
	return !a->several && !b->several &&
	       (a->host == b->host || a->host == TRACE_NONE || b->host == TRACE_NONE) &&
	       (a->host != TRACE_NONE || b->host != TRACE_NONE);
}

static uint32_t either(const struct only *a, const struct only *b)
{
	return a->host != TRACE_NONE ? a->host : b->host;
}

/* It asks for pauses with the address by which the host behind all that passes here is known.
 */
static bool asks_as_host(const struct trace_result *r, uint32_t i)
{
	for (uint32_t k = 0; k < r->n_pausers && r->interface[i].mac_known; k++)
		if (r->pauser[k].interface == i && r->pauser[k].direction == DIRECTION_OUT &&
		        !memcmp(r->pauser[k].mac, r->interface[i].mac, 6))
			return true;
	return false;
}

/* Everything that leaves was sent by one host and everything that comes in is for it: its port.
 * The other way round the host is behind the link. With two hosts alone both are true: then it
 * is the port of a host if it belongs to no device, and where nothing else is captured if it
 * has the host's address. */
static int hosts(struct seen_fabric *s, const struct trace_result *r)
{
	struct ends {
		struct only out_src, out_dst, in_src, in_dst;
		uint64_t passing; /* packets that pass through its device */
	} *e = malloc((r->n_interfaces + 1) * sizeof(*e));

	if (!e)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_interfaces; i++)
		e[i] = (struct ends){{TRACE_NONE, false}, {TRACE_NONE, false},
		        {TRACE_NONE, false}, {TRACE_NONE, false}, 0};
	for (uint32_t i = 0; i < r->n_paths; i++) {
		if (!is_device(&r->path[i]))
			continue;
		e[r->path[i].from].passing += r->path[i].matched;
		e[r->path[i].to].passing += r->path[i].matched;
	}
	for (uint32_t i = 0; i < r->n_views; i++) {
		const struct trace_view *v = &r->view[i];
		const struct trace_flow *f = &r->flow[v->flow];
		struct ends *at = &e[v->interface];

		if (v->direction == DIRECTION_OUT) {
			only_add(&at->out_src, f->src_host);
			only_add(&at->out_dst, f->dst_host);
		} else if (v->direction == DIRECTION_IN) {
			only_add(&at->in_src, f->src_host);
			only_add(&at->in_dst, f->dst_host);
		}
	}
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		bool passes = e[i].passing * 100 > r->interface[i].frames * PASS_PERCENT;
		bool near = both(&e[i].out_src, &e[i].in_dst) && !passes;
		bool far = both(&e[i].out_dst, &e[i].in_src);

		if (near && (!far || r->n_interfaces > 1 || asks_as_host(r, i)))
			s->interface[i].host = either(&e[i].out_src, &e[i].in_dst);
		else if (far && !near)
			s->interface[i].far_host = either(&e[i].out_dst, &e[i].in_src);
	}
	free(e);
	/* The other end of a link knows better. */
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		uint32_t link = s->interface[i].link;

		if (link != TRACE_NONE)
			s->interface[i].far_host = s->interface[link].host;
		if (s->interface[i].host != TRACE_NONE)
			s->interface[i].far_host = TRACE_NONE;
	}
	return 0;
}

/* One device sends the flow's packets on by several ports, and each of them lacks some between
 * others all the time. (After a change of routes each has a part of its own.) */
static bool is_sprayed(
        const struct seen_fabric *s, const struct trace_result *r, const struct trace_flow *f)
{
	for (uint32_t i = f->first_view; i != TRACE_NONE; i = r->view[i].next) {
		const struct trace_view *v = &r->view[i];

		if (v->direction != DIRECTION_OUT || v->counts.data_packets < SPRAY_PACKETS ||
		        v->counts.missing_psns * 10 < v->counts.data_packets)
			continue;
		for (uint32_t k = v->next; k != TRACE_NONE; k = r->view[k].next) {
			const struct trace_view *w = &r->view[k];

			if (w->direction == DIRECTION_OUT &&
			        s->interface[w->interface].device ==
			                s->interface[v->interface].device &&
			        w->counts.data_packets >= SPRAY_PACKETS &&
			        w->counts.missing_psns * 10 >= w->counts.data_packets)
				return true;
		}
	}
	return false;
}

static void view_of(struct seen_fabric *s, const struct trace_result *r,
        const struct trace_view *v, const struct trace_view *before)
{
	struct seen_interface *at = &s->interface[v->interface];
	uint64_t marks = v->counts.ce_packets;

	if (v->direction == DIRECTION_OUT) {
		at->data_out += v->counts.data_packets;
		at->data_out_bytes += v->counts.wire_bytes;
		at->acks_out += v->counts.acks;
		at->flows_out += v->counts.data_packets > 0;
	}
	if (!s->located[v->flow]) {
		/* nothing to place */
	} else if (v->lost_after && v->direction == DIRECTION_OUT) {
		at->lost_on_link += v->lost_after;
	} else if (v->lost_after && v->direction == DIRECTION_IN) {
		at->lost_inside += v->lost_after;
		if (v->next != TRACE_NONE && r->view[v->next].direction == DIRECTION_OUT)
			s->interface[r->view[v->next].interface].lost_towards += v->lost_after;
	}
	if (!before || s->sprayed[v->flow] || marks <= before->counts.ce_packets)
		return;
	marks -= before->counts.ce_packets;
	if (v->direction == DIRECTION_OUT)
		at->marks += marks;
	else if (v->direction == DIRECTION_IN && before->direction == DIRECTION_OUT)
		at->link_marks += marks;
}

/*
 * How many of a flow's packets did not get to its end. Copies of one PSN that take several ways
 * are easily taken for each other, but what the sender's port shows and the receiver's does not
 * is lost, whichever copy it was.
 */
static uint64_t lost_of(struct seen_fabric *s, const struct trace_result *r, uint32_t flow)
{
	const struct trace_flow *f = &r->flow[flow];
	const struct trace_view *first = NULL, *last = NULL;
	uint64_t lost = 0, missing;

	for (uint32_t k = f->first_view; k != TRACE_NONE; k = r->view[k].next) {
		const struct trace_view *v = &r->view[k];

		if (s->interface[v->interface].host == f->src_host)
			first = v;
		if (s->interface[v->interface].host == f->dst_host)
			last = v;
		lost += v->lost_after;
	}
	s->located[flow] = lost && !s->sprayed[flow];
	if (!first || !last)
		return lost;
	missing = first->counts.data_packets > last->counts.data_packets
	                  ? first->counts.data_packets - last->counts.data_packets
	                  : 0;
	if (!missing)
		s->located[flow] = false;
	if (s->sprayed[flow] && missing < ON_THE_WAY_PACKETS)
		return 0;
	return lost < missing ? lost : missing;
}

static void flows(struct seen_fabric *s, const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_view *before = NULL;

		s->sprayed[i] = is_sprayed(s, r, &r->flow[i]);
		s->lost += lost_of(s, r, i);
		for (uint32_t k = r->flow[i].first_view; k != TRACE_NONE; k = r->view[k].next) {
			const struct trace_view *v = &r->view[k];

			if (v->direction != DIRECTION_UNKNOWN)
				s->directed = true;
			view_of(s, r, v, before);
			before = v;
		}
		if (before && r->flow[i].counts.data_packets &&
		        s->interface[before->interface].host == r->flow[i].dst_host &&
		        s->interface[r->view[r->flow[i].first_view].interface].host ==
		                r->flow[i].src_host)
			s->whole = true;
	}
}

static int64_t sum_paused(const struct trace_pauser *p)
{
	int64_t ns = 0;

	for (int i = 0; i <= TRACE_PRIORITIES; i++)
		ns += p->paused_ns[i];
	return ns;
}

static void pausers(struct seen_fabric *s, const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_pausers; i++) {
		const struct trace_pauser *p = &r->pauser[i];
		const struct seen_interface *at = &s->interface[p->interface];
		struct seen_pauser *q = &s->pauser[i];
		uint32_t link = at->link;

		*q = (struct seen_pauser){.paused = TRACE_NONE,
		        .host = TRACE_NONE,
		        .device = TRACE_NONE,
		        .counts = !p->repeated,
		        .paused_ns = sum_paused(p),
		        .xoffs = p->xoff_frames + p->pause_frames};
		for (int k = 0; k <= TRACE_PRIORITIES; k++)
			q->episodes += p->episodes[k];
		if (p->direction == DIRECTION_IN) {
			q->paused = p->interface;
			q->host = at->far_host;
			q->device = link == TRACE_NONE ? TRACE_NONE : s->interface[link].device;
		} else if (p->direction == DIRECTION_OUT) {
			q->paused = link;
			q->host = at->host;
			q->device = at->device;
		}
		if (!q->counts || q->paused == TRACE_NONE)
			continue;
		s->interface[q->paused].paused_ns += (uint64_t)q->paused_ns;
		for (int k = 0; k <= TRACE_PRIORITIES; k++)
			if ((uint64_t)p->longest_ns[k] >
			        s->interface[q->paused].longest_pause_ns)
				s->interface[q->paused].longest_pause_ns =
				        (uint64_t)p->longest_ns[k];
	}
}

/* A device that asks while its own ports are paused for a fifth of that time or more passes on
 * what it is asked. */
static void derive(struct seen_fabric *s, const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_pausers; i++) {
		struct seen_pauser *q = &s->pauser[i];
		uint64_t paused_ns = 0;

		if (!q->counts || q->host != TRACE_NONE || q->device == TRACE_NONE)
			continue;
		for (uint32_t k = 0; k < r->n_interfaces; k++)
			if (s->interface[k].device == q->device &&
			        s->interface[k].paused_ns > paused_ns)
				paused_ns = s->interface[k].paused_ns;
		q->derived = q->paused_ns > 0 && paused_ns * 5 >= (uint64_t)q->paused_ns;
	}
}

int seen_fabric_init(struct seen_fabric *s, const struct trace_result *r)
{
	*s = (struct seen_fabric){
	        .interface = calloc(r->n_interfaces + 1, sizeof(*s->interface)),
	        .pauser = calloc(r->n_pausers + 1, sizeof(*s->pauser)),
	        .sprayed = calloc(r->n_flows + 1, sizeof(*s->sprayed)),
	        .located = calloc(r->n_flows + 1, sizeof(*s->located)),
	};
	if (!s->interface || !s->pauser || !s->sprayed || !s->located)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		s->interface[i].device = i;
		s->interface[i].link = s->interface[i].host = TRACE_NONE;
		s->interface[i].far_host = TRACE_NONE;
	}
	links(s, r);
	devices(s, r);
	if (hosts(s, r))
		return -ENOMEM;
	flows(s, r);
	pausers(s, r);
	derive(s, r);
	return 0;
}

void seen_fabric_fini(struct seen_fabric *s)
{
	free(s->interface);
	free(s->pauser);
	free(s->sprayed);
	free(s->located);
}
