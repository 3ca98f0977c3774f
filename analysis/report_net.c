/* SPDX-License-Identifier: Apache-2.0 */
/* The drawing of the fabric with what its queues did, the ports, and who paused whom. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/report_int.h"
#include "analysis/topo_map.h"

/* What all cables of a drawn link carried in one direction. */
struct heat {
	int64_t max_queue_bytes, paused_ps, marked, dropped, tx_bytes, xoffs;
};

struct link_heat {
	struct heat up, down; /* from link.a to link.b, and back */
};

static void add_heat(struct heat *h, const struct port_record *p)
{
	h->max_queue_bytes = p->max_queue_bytes > h->max_queue_bytes ? p->max_queue_bytes
	                                                             : h->max_queue_bytes;
	h->paused_ps = p->paused_ps > h->paused_ps ? p->paused_ps : h->paused_ps;
	h->marked += p->marked_packets;
	h->dropped += p->dropped_packets;
	h->tx_bytes += p->tx_bytes;
	h->xoffs += p->xoff_frames;
}

static void collect_heat(
        struct link_heat *heat, const struct topo_map *m, const struct run_result *r)
{
	for (uint64_t i = 0; i < r->rec->n_port; i++) {
		const struct port_record *p = &r->rec->port[i];
		const uint32_t from = m->drawn[p->node];
		const uint32_t to = m->drawn[net_port(r->net, p->node, p->port)->peer_node];
		const struct map_link *l = topo_map_link(m, from, to);

		if (!l)
			continue;
		add_heat(from == l->a ? &heat[l - m->link].up : &heat[l - m->link].down, p);
	}
}

static void write_heat(FILE *f, const struct heat *h)
{
	put_char('[', f);
	report_number(f, h->max_queue_bytes, 0);
	put_char(',', f);
	report_number(f, h->paused_ps, 6);
	put_char(',', f);
	report_number(f, h->marked, 0);
	put_char(',', f);
	report_number(f, h->dropped, 0);
	put_char(',', f);
	report_number(f, h->tx_bytes, 0);
	put_char(',', f);
	report_number(f, h->xoffs, 0);
	put_char(']', f);
}

static void write_link(FILE *f, const struct map_link *l, const struct link_heat *h)
{
	put(f, "[%u,%u,%u,%lld,", l->a, l->b, l->cables, (long long)l->rate_bps);
	report_number(f, l->delay_ps, 6);
	put(f, ",%d,", l->mixed);
	write_heat(f, &h->up);
	put_char(',', f);
	write_heat(f, &h->down);
	put_char(']', f);
}

static void write_map(FILE *f, const struct topo_map *m, const struct link_heat *heat)
{
	put(f, "\"map\":{\"width\":%d,\"height\":%d,\"pods\":%d,\n\"nodes\":[", m->width,
	        m->height, m->pods_together);
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		const struct map_node *n = &m->node[i];

		put_text(i ? ",[" : "[", f);
		json_text(f, n->label);
		put(f, ",%u,%d,%d,%d,%d,%u]", n->tier, n->x, n->y, n->w, n->h, n->members);
	}
	put_text("],\n\"links\":[", f);
	for (uint32_t i = 0; i < m->n_links; i++) {
		put_text(i ? ",\n" : "", f);
		write_link(f, &m->link[i], &heat[i]);
	}
	put_text("]},\n", f);
}

int report_map(FILE *f, const struct run_result *r)
{
	struct link_heat *heat;
	struct topo_map m;
	struct err e = {0};
	int rc = topo_map_init(&m, r->net, &e);

	if (rc)
		return rc;
	heat = calloc(m.n_links + 1, sizeof(*heat));
	if (heat) {
		collect_heat(heat, &m, r);
		write_map(f, &m, heat);
	}
	free(heat);
	topo_map_fini(&m);
	return heat ? 0 : -ENOMEM;
}

/* By one measure, then in the order of the record. */
static int by_queue(const void *pa, const void *pb)
{
	const struct port_record *a = *(const struct port_record *const *)pa;
	const struct port_record *b = *(const struct port_record *const *)pb;

	if (a->max_queue_bytes != b->max_queue_bytes)
		return a->max_queue_bytes > b->max_queue_bytes ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int by_pause(const void *pa, const void *pb)
{
	const struct port_record *a = *(const struct port_record *const *)pa;
	const struct port_record *b = *(const struct port_record *const *)pb;

	if (a->paused_ps != b->paused_ps)
		return a->paused_ps > b->paused_ps ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void write_port(FILE *f, const struct port_record *p, const struct net_view *v)
{
	put_char('[', f);
	json_text(f, v->node[p->node].name);
	put(f, ",%u,", p->port);
	json_text(f, net_peer_name(v, p->node, p->port));
	put(f, ",%u,%d,%lld,%lld,%lld,%lld,%lld,", p->priority, p->node < v->n_hosts,
	        (long long)p->tx_packets, (long long)p->tx_bytes, (long long)p->max_queue_bytes,
	        (long long)p->marked_packets, (long long)p->dropped_packets);
	report_number(f, p->paused_ps, 6);
	put(f, ",%llu,%lld,%lld]", (unsigned long long)p->pause_episodes,
	        (long long)p->xoff_frames, (long long)net_port(v, p->node, p->port)->rate_bps);
}

/* The deepest, then of the rest those paused longest. */
int report_ports(FILE *f, const struct run_result *r)
{
	const uint64_t n = r->rec->n_port;
	const struct port_record **at = malloc((n + 1) * sizeof(*at));
	uint64_t deep, all;

	if (!at)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++)
		at[i] = &r->rec->port[i];
	if (n)
		qsort(at, n, sizeof(*at), by_queue);
	deep = n < REPORT_PORTS ? n : REPORT_PORTS;
	if (n > deep)
		qsort(&at[deep], n - deep, sizeof(*at), by_pause);
	all = n < 2 * REPORT_PORTS ? n : 2 * REPORT_PORTS;
	put(f, "\"ports\":{\"all\":%llu,\"rows\":[", (unsigned long long)n);
	for (uint64_t i = 0; i < all; i++) {
		put_text(i ? ",\n" : "", f);
		write_port(f, at[i], r->net);
	}
	put_text("]},\n", f);
	free(at);
	return 0;
}

static int by_held(const void *pa, const void *pb)
{
	const struct pause_edge *a = *(const struct pause_edge *const *)pa;
	const struct pause_edge *b = *(const struct pause_edge *const *)pb;

	if (a->held_ps != b->held_ps)
		return a->held_ps > b->held_ps ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* A pause: who was told, by whom, and the port that was the reason. kind: 0 congestion, 1 that
 * port was paused, 2 a fault, 3 a host that could take no more. */
static void write_edge(FILE *f, const struct pause_edge *x, const struct net_view *v)
{
	const struct net_port *p = net_port(v, x->node, x->port);
	const bool host = x->node < v->n_hosts;

	put_char('[', f);
	json_text(f, v->node[x->node].name);
	put(f, ",%u,", x->port);
	json_text(f, v->node[p->peer_node].name);
	put(f, ",%u,%u,%u,", p->peer_port, x->priority, x->cause_port);
	json_text(f, host ? "" : net_peer_name(v, x->node, x->cause_port));
	put(f, ",%d,%llu,",
	        x->injected       ? 2
	        : host            ? 3
	        : x->cause_paused ? 1
	                          : 0,
	        (unsigned long long)x->xoffs);
	report_number(f, x->first_ps, 6);
	put_char(',', f);
	report_number(f, x->held_ps, 6);
	put(f, ",%d]", p->peer_node < v->n_hosts);
}

int report_pauses(FILE *f, const struct run_result *r)
{
	const uint64_t n = r->rec->n_edge;
	const struct pause_edge **at = malloc((n + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++)
		at[i] = &r->rec->edge[i];
	if (n)
		qsort(at, n, sizeof(*at), by_held);
	put(f, "\"pauses\":{\"all\":%llu,\"rows\":[", (unsigned long long)n);
	for (uint64_t i = 0; i < n && i < REPORT_EDGES; i++) {
		put_text(i ? ",\n" : "", f);
		write_edge(f, at[i], r->net);
	}
	put_text("]},\n", f);
	free(at);
	return 0;
}
