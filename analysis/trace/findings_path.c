/* SPDX-License-Identifier: Apache-2.0 */
/* Ways through the network: source ports, unequal shares of parallel links, reordering,
 * classes. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/human.h"
#include "analysis/trace/diagnose_int.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/frame.h"

/* So many flows that have one UDP source port by chance: 16,384^-3 for four. */
#define ONE_PORT_FLOWS 4
/* What flows get on the one link, of what they get beside it. */
#define UNEQUAL_PERCENT 70
#define LARGE_PACKETS   100
/* The flows that an uplink may carry and still be a matter of chance rather than of load. */
#define COLLISION_FLOWS 32
#define MARKS_MIN       10
/* Each is compared with each. */
#define WRONG_PRIORITY_FLOWS 20000

static void one_port(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	uint32_t flows = 0, pairs = 0;
	uint16_t port = 0;
	bool all = true;
	char name[NAME_LEN];
	struct finding *f;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];

		if (!flow_has_data(w) || w->kind != FRAME_ROCE_V2)
			continue;
		if (flows++ == 0)
			port = w->sport;
		else if (w->sport != port)
			all = false;
	}
	for (uint32_t i = 0; i < r->n_cells; i++)
		pairs += r->cell[i].payload_bytes > 0;
	if (all && flows >= ONE_PORT_FLOWS) {
		f = finding_add(d, FINDING_ONE_SOURCE_PORT,
		        "all %u flows with data, between %u pairs of hosts, have UDP source "
		        "port %u",
		        flows, pairs, port);
		finding_figure(f, "flows", flows);
		finding_figure(f, "source_port", port);
		for (uint32_t i = 0; i < r->n_flows; i++)
			if (flow_has_data(&r->flow[i]))
				finding_flow(f, i);
		return;
	}
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		if (r->host[i].sports_out != 1 || r->host[i].flows_out < ONE_PORT_FLOWS)
			continue;
		f = finding_add(d, FINDING_ONE_SOURCE_PORT,
		        "all %u flows with data of %s have one UDP source port",
		        r->host[i].flows_out, name_host(name, r, i));
		finding_figure(f, "flows", r->host[i].flows_out);
		for (uint32_t k = 0; k < r->n_flows; k++)
			if (flow_has_data(&r->flow[k]) && r->flow[k].src_host == i)
				finding_flow(f, k);
	}
}

/* Both lead from one device to one other device. */
static bool parallel(const struct diagnose *d, uint32_t a, uint32_t b)
{
	const struct seen_interface *x = &d->s.interface[a], *y = &d->s.interface[b];
	uint32_t to_a = x->link, to_b = y->link;

	if (a == b || x->device != y->device || to_a == TRACE_NONE || to_b == TRACE_NONE ||
	        x->far_host != TRACE_NONE || y->far_host != TRACE_NONE)
		return false;
	return d->r->interface[a].speed_bps == d->r->interface[b].speed_bps;
}

/* Whether two flows, one by each of the ports, leave for the same device at the end. */
static bool same_ends(const struct diagnose *d, uint32_t a, uint32_t b)
{
	const struct trace_result *r = d->r;
	uint32_t device[2][16], n[2] = {0, 0};

	for (uint32_t i = 0; i < r->n_views; i++) {
		const struct trace_view *v = &r->view[i], *last = NULL;
		uint32_t which = v->interface == a ? 0 : 1, k;

		if ((v->interface != a && v->interface != b) || v->direction != DIRECTION_OUT ||
		        !v->counts.data_packets || n[which] == 16)
			continue;
		for (k = v->next; k != TRACE_NONE; k = r->view[k].next)
			if (r->view[k].direction == DIRECTION_OUT)
				last = &r->view[k];
		if (last)
			device[which][n[which]++] = d->s.interface[last->interface].device;
	}
	for (uint32_t i = 0; i < n[0]; i++)
		for (uint32_t k = 0; k < n[1]; k++)
			if (device[0][i] == device[1][k])
				return true;
	return false;
}

/* Marks that packets which leave by i get behind it: there is a narrower place. */
static uint64_t marks_behind(const struct trace_result *r, uint32_t i)
{
	uint64_t marks = 0;

	for (uint32_t k = 0; k < r->n_views; k++) {
		const struct trace_view *v = &r->view[k];
		uint64_t most = v->counts.ce_packets;

		if (v->interface != i || v->direction != DIRECTION_OUT)
			continue;
		for (uint32_t n = v->next; n != TRACE_NONE; n = r->view[n].next)
			if (r->view[n].counts.ce_packets > most)
				most = r->view[n].counts.ce_packets;
		marks += most - v->counts.ce_packets;
	}
	return marks;
}

/* What the large flows that leave by i get, on average. */
static int64_t mean_bps(const struct trace_result *r, uint32_t i)
{
	__int128 sum = 0;
	int64_t n = 0;

	for (uint32_t k = 0; k < r->n_views; k++) {
		const struct trace_view *v = &r->view[k];

		if (v->interface != i || v->direction != DIRECTION_OUT ||
		        v->counts.data_packets < LARGE_PACKETS ||
		        r->flow[v->flow].goodput_bps == TRACE_UNKNOWN)
			continue;
		sum += r->flow[v->flow].goodput_bps;
		n++;
	}
	return n ? (int64_t)(sum / n) : TRACE_UNKNOWN;
}

/* i marks, the other hardly, and not because the same flows have a narrower place behind it. */
static bool is_fuller(const struct diagnose *d, uint32_t i, uint32_t other)
{
	const struct seen_interface *s = &d->s.interface[i], *t = &d->s.interface[other];

	return t->marks * 10 <= s->marks && marks_behind(d->r, i) * 10 <= s->marks &&
	       t->flows_out < s->flows_out;
}

static void collision(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char at[NAME_LEN], other[NAME_LEN], a[HUMAN_LEN], b[HUMAN_LEN];

	/* Behind a port that a host holds queues grow without anybody's share being too large.
	 */
	if (d->host_pauses)
		return;
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		const struct seen_interface *s = &d->s.interface[i];
		uint32_t least = TRACE_NONE;
		struct finding *f;
		int64_t here_bps, beside_bps;

		if (s->marks < MARKS_MIN || s->flows_out < 2 ||
		        s->flows_out > COLLISION_FLOWS || s->paused_ns)
			continue;
		for (uint32_t k = 0; k < r->n_interfaces; k++)
			if (parallel(d, i, k) && d->s.interface[k].data_out &&
			        is_fuller(d, i, k) &&
			        (least == TRACE_NONE ||
			                d->s.interface[k].flows_out <
			                        d->s.interface[least].flows_out) &&
			        same_ends(d, i, k))
				least = k;
		if (least == TRACE_NONE)
			continue;
		here_bps = mean_bps(r, i);
		beside_bps = mean_bps(r, least);
		if (here_bps == TRACE_UNKNOWN || beside_bps == TRACE_UNKNOWN ||
		        here_bps > beside_bps / 100 * UNEQUAL_PERCENT)
			continue;
		f = finding_add(d, FINDING_ECMP_COLLISION,
		        "%s carries %u flows, which get %s each, and marks; %s beside it "
		        "carries "
		        "%u, which get %s",
		        name_interface(at, r, i), s->flows_out, human_rate(a, here_bps),
		        name_interface(other, r, least), d->s.interface[least].flows_out,
		        human_rate(b, beside_bps));
		finding_interface(f, i);
		finding_interface(f, least);
		finding_figure(f, "flows", s->flows_out);
		finding_figure(f, "flows_beside", d->s.interface[least].flows_out);
		finding_figure(f, "flow_bps", here_bps);
		finding_figure(f, "flow_beside_bps", beside_bps);
		for (uint32_t k = 0; k < r->n_views; k++)
			if (r->view[k].interface == i &&
			        r->view[k].direction == DIRECTION_OUT &&
			        r->view[k].counts.data_packets)
				finding_flow(f, r->view[k].flow);
		finding_packets(f, r, TRACE_EV_CE);
	}
}

static void out_of_order(struct diagnose *d)
{
	const struct trace_counts *c = &d->r->roce;
	uint32_t sprayed = 0;
	char name[NAME_LEN];
	struct finding *f;

	for (uint32_t i = 0; i < d->r->n_flows; i++)
		sprayed += d->s.sprayed[i];
	/* Reordering that nobody minds is none of ours. */
	if ((!sprayed && !c->reordered_packets && !naks_without_loss(d)) ||
	        !c->retransmitted_packets || !c->nak[TRACE_NAK_SEQUENCE])
		return;
	if (d->lost && d->lost * 10 > c->nak[TRACE_NAK_SEQUENCE])
		return;
	f = finding_add(d, FINDING_OUT_OF_ORDER,
	        "packets overtake each other: %" PRIu64 " NAKs for gaps and %" PRIu64
	        " packets sent again, of %" PRIu64 " in all, but %" PRIu64 " are lost",
	        c->nak[TRACE_NAK_SEQUENCE], c->retransmitted_packets, c->data_packets, d->lost);
	if (sprayed)
		finding_more(f, "; %u flows take several ways at once", sprayed);
	for (uint32_t i = 0; i < d->r->n_flows; i++)
		if (d->s.sprayed[i]) {
			if (!f->n_flows)
				finding_more(f, ", the first is %s", name_flow(name, d->r, i));
			finding_flow(f, i);
		}
	finding_figure(f, "naks", (int64_t)c->nak[TRACE_NAK_SEQUENCE]);
	finding_figure(f, "retransmitted_packets", (int64_t)c->retransmitted_packets);
	finding_figure(f, "reordered_packets", (int64_t)c->reordered_packets);
	finding_figure(f, "lost_packets", (int64_t)d->lost);
	finding_packets(f, d->r, TRACE_EV_NAK_SEQUENCE);
}

/* Flows of one kind: about as much in about as large messages. */
static bool alike(const struct trace_flow *a, const struct trace_flow *b)
{
	uint64_t x = a->counts.payload_bytes, y = b->counts.payload_bytes;

	return a->dst_host == b->dst_host && a->transport == b->transport && x <= 2 * y &&
	       y <= 2 * x;
}

/* Of flows of one kind to one host most have one priority, and a few another. */
static void wrong_priority(struct diagnose *d)
{
	const struct trace_result *r = d->r;
	char name[NAME_LEN];

	for (uint32_t i = 0; i < r->n_flows && r->n_flows <= WRONG_PRIORITY_FLOWS; i++) {
		const struct trace_flow *w = &r->flow[i];
		uint32_t n[TRACE_PRIORITIES] = {0}, usual = 0, p = flow_priority(w);
		struct finding *f = d->found[FINDING_DATA_ON_WRONG_PRIORITY];

		if (!flow_has_data(w))
			continue;
		for (uint32_t k = 0; k < r->n_flows; k++)
			if (flow_has_data(&r->flow[k]) && alike(w, &r->flow[k]))
				n[flow_priority(&r->flow[k])]++;
		for (uint32_t k = 1; k < TRACE_PRIORITIES; k++)
			if (n[k] > n[usual])
				usual = k;
		if (p == usual || n[usual] < 3 * n[p])
			continue;
		if (!f) {
			f = finding_add(d, FINDING_DATA_ON_WRONG_PRIORITY,
			        "%s has priority %u (DSCP %u), %u flows like it to that host "
			        "have "
			        "priority %u",
			        name_flow(name, r, i), p, w->dscp, n[usual], usual);
			finding_figure(f, "priority", p);
			finding_figure(f, "usual_priority", usual);
		}
		finding_flow(f, i);
	}
}

void findings_path(struct diagnose *d)
{
	one_port(d);
	wrong_priority(d);
	collision(d);
	out_of_order(d);
}
