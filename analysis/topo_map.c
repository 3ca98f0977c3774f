/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/topo_map.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS_APART    2048 /* more of them are drawn as one per switch */
#define SWITCHES_APART 160  /* with more, a pod is one box per tier */
#define TOP_APART      24   /* switches of the top tier above such pods */

#define MARGIN       16
#define CELL         14 /* a host with its gap */
#define HOST_SIZE    11
#define HOSTS_NAMED  48 /* so few have room for their names */
#define NAMED_WIDE   56
#define NAMED_HIGH   22
#define SWITCH_WIDTH 58
#define SWITCH_HIGH  24
#define SWITCH_STEP  66
#define TIER_STEP    96
#define BLOCK_GAP    14
#define POD_GAP      18
#define ARC_RISE     34  /* of a cable between neighbours of one tier */
#define ARC_NEAR     130 /* apart */
#define ARC_MORE     100
#define NO_POD       UINT32_MAX

struct maker {
	const struct net_view *v;
	struct topo_map *m;
	uint32_t *pod;   /* [nodes] component below the top tier */
	uint32_t *group; /* [nodes] the node that stands for it */
	uint32_t n_pods, top_tier;
	double *centre;  /* [drawn] of switches */
	uint32_t *order; /* [drawn] scratch */
};

static uint32_t edge_of(const struct net_view *v, uint32_t host)
{
	return net_port(v, host, 0)->peer_node;
}

static uint32_t find_top(const struct net_view *v)
{
	uint32_t top = 0;

	for (uint32_t i = v->n_hosts; i < v->n_nodes; i++)
		top = v->node[i].tier > top ? v->node[i].tier : top;
	return top;
}

/* Components of the fabric without its top tier: pods. With one tier of switches there are
 * none. */
static int find_pods(struct maker *k, uint32_t *stack)
{
	const struct net_view *v = k->v;

	for (uint32_t i = 0; i < v->n_nodes; i++)
		k->pod[i] = NO_POD;
	for (uint32_t i = 0; i < v->n_nodes; i++) {
		uint32_t n = 0;

		if (k->pod[i] != NO_POD || v->node[i].tier >= k->top_tier)
			continue;
		k->pod[i] = k->n_pods;
		stack[n++] = i;
		while (n) {
			const struct net_node *at = &v->node[stack[--n]];

			for (uint32_t p = 0; p < at->n_ports; p++) {
				uint32_t peer = v->port[at->first_port + p].peer_node;

				if (k->pod[peer] != NO_POD || v->node[peer].tier >= k->top_tier)
					continue;
				k->pod[peer] = k->n_pods;
				stack[n++] = peer;
			}
		}
		k->n_pods++;
	}
	return 0;
}

/* Who stands for a node: itself, its switch's first host, or the first of its pod and tier. */
static int find_groups(struct maker *k, uint32_t *first)
{
	const struct net_view *v = k->v;
	const uint32_t tiers = k->top_tier + 1;
	const uint32_t n_switches = v->n_nodes - v->n_hosts;
	uint32_t n_top = 0;

	for (uint32_t i = v->n_hosts; i < v->n_nodes; i++)
		n_top += v->node[i].tier == k->top_tier;
	k->m->hosts_apart = v->n_hosts <= HOSTS_APART;
	k->m->pods_together = n_switches > SWITCHES_APART && k->n_pods > 1 && k->top_tier > 1;
	if (k->m->pods_together)
		k->m->hosts_apart = false;
	for (uint32_t i = 0; i < (k->n_pods + 1) * tiers + v->n_nodes; i++)
		first[i] = UINT32_MAX;
	for (uint32_t i = 0; i < v->n_nodes; i++) {
		const uint32_t tier = v->node[i].tier;
		uint32_t *f = NULL;

		k->group[i] = i;
		if (tier >= k->top_tier && i >= v->n_hosts) {
			if (k->m->pods_together && n_top > TOP_APART)
				f = &first[k->n_pods * tiers + tier];
		} else if (k->m->pods_together) {
			f = &first[k->pod[i] * tiers + tier];
		} else if (i < v->n_hosts && !k->m->hosts_apart) {
			f = &first[(k->n_pods + 1) * tiers + edge_of(v, i)];
		}
		if (!f)
			continue;
		if (*f == UINT32_MAX)
			*f = i;
		k->group[i] = *f;
	}
	return 0;
}

static const char *tier_word(uint32_t tier, uint32_t top)
{
	return tier == 0   ? "hosts"
	       : tier == 1 ? "leaves"
	       : tier == 2 ? "spines"
	       : tier == 3 ? "cores"
	       : top       ? "switches"
	                   : "";
}

static int make_nodes(struct maker *k)
{
	const struct net_view *v = k->v;
	struct topo_map *m = k->m;

	m->node = calloc(v->n_nodes + 1, sizeof(*m->node));
	if (!m->node)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->n_nodes; i++) {
		if (k->group[i] == i) {
			m->drawn[i] = m->n_nodes;
			m->node[m->n_nodes++] = (struct map_node){
			        .first = i, .tier = v->node[i].tier, .pod = k->pod[i]};
		} else {
			m->drawn[i] = m->drawn[k->group[i]];
		}
		m->node[m->drawn[i]].members++;
	}
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		struct map_node *n = &m->node[i];

		if (k->group[n->first] == n->first && n->members == 1)
			(void)snprintf(
			        n->label, sizeof(n->label), "%s", v->node[n->first].name);
		else
			(void)snprintf(n->label, sizeof(n->label), "%u %s", n->members,
			        tier_word(n->tier, k->top_tier));
	}
	return 0;
}

static int link_order(const void *pa, const void *pb)
{
	const struct map_link *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

static int make_links(struct maker *k)
{
	const struct net_view *v = k->v;
	struct topo_map *m = k->m;
	uint32_t n = 0;

	m->link = calloc(v->n_ports / 2 + 1, sizeof(*m->link));
	if (!m->link)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->n_nodes; i++) {
		for (uint32_t p = 0; p < v->node[i].n_ports; p++) {
			const struct net_port *port = net_port(v, i, p);
			struct map_link l = {m->drawn[i], m->drawn[port->peer_node], 1,
			        port->rate_bps, port->delay_ps, false};

			/* each cable from its lower end */
			if (i < port->peer_node && l.a != l.b)
				m->link[n++] = l;
		}
	}
	if (n)
		qsort(m->link, n, sizeof(*m->link), link_order);
	for (uint32_t i = 0; i < n; i++) {
		struct map_link *last = m->n_links ? &m->link[m->n_links - 1] : NULL;

		if (!last || link_order(last, &m->link[i])) {
			m->link[m->n_links++] = m->link[i];
			continue;
		}
		last->cables++;
		last->mixed |= last->rate_bps != m->link[i].rate_bps ||
		               last->delay_ps != m->link[i].delay_ps;
	}
	return 0;
}

/* The hosts of one switch as a block of squares, or one box; returns its width. */
static int32_t place_block(struct maker *k, uint32_t sw, int32_t x, int32_t y, int32_t *bottom)
{
	const struct net_view *v = k->v;
	const struct net_node *at = &v->node[sw];
	const bool named = v->n_hosts <= HOSTS_NAMED;
	const int32_t cell_w = named ? NAMED_WIDE : CELL, cell_h = named ? NAMED_HIGH : CELL;
	uint32_t hosts = 0, cols, i = 0;
	int32_t width;

	for (uint32_t p = 0; p < at->n_ports; p++)
		hosts += v->port[at->first_port + p].peer_node < v->n_hosts;
	cols = hosts ? (uint32_t)ceil(sqrt((double)hosts * (named ? 0.6 : 1.6))) : 1;
	if (cols > 32)
		cols = 32;
	width = (int32_t)cols * cell_w;
	if (!k->m->hosts_apart || width < SWITCH_WIDTH)
		width = SWITCH_WIDTH;
	for (uint32_t p = 0; p < at->n_ports; p++) {
		const uint32_t host = v->port[at->first_port + p].peer_node;
		struct map_node *n;

		if (host >= v->n_hosts)
			continue;
		n = &k->m->node[k->m->drawn[host]];
		if (k->m->hosts_apart) {
			const int32_t used = (int32_t)(hosts < cols ? hosts : cols) * cell_w;

			n->x = x + (width - used) / 2 + (int32_t)(i % cols) * cell_w + 1;
			n->y = y + (int32_t)(i / cols) * cell_h;
			n->w = named ? NAMED_WIDE - 4 : HOST_SIZE;
			n->h = named ? NAMED_HIGH - 4 : HOST_SIZE;
		} else if (!n->w) {
			n->x = x;
			n->y = y;
			n->w = width;
			n->h = SWITCH_HIGH;
		}
		if (n->y + n->h > *bottom)
			*bottom = n->y + n->h;
		i++;
	}
	return width;
}

static bool has_hosts(const struct net_view *v, uint32_t sw)
{
	for (uint32_t p = 0; p < v->node[sw].n_ports; p++)
		if (v->port[v->node[sw].first_port + p].peer_node < v->n_hosts)
			return true;
	return false;
}

/* Blocks of hosts in a row, each under its switch; returns the width of all. */
static int32_t place_edges(struct maker *k, int32_t y, int32_t *bottom)
{
	struct topo_map *m = k->m;
	uint32_t pod = NO_POD;
	int32_t x = MARGIN;

	for (uint32_t d = 0; d < m->n_nodes; d++) {
		const struct map_node *n = &m->node[d];
		int32_t width;

		if (n->tier == 0 || (!has_hosts(k->v, n->first) && n->tier != 1))
			continue;
		if (n->pod != pod && x > MARGIN)
			x += POD_GAP;
		pod = n->pod;
		width = place_block(k, n->first, x, y, bottom);
		k->centre[d] = x + width / 2.0;
		x += width + BLOCK_GAP;
	}
	return x - BLOCK_GAP + MARGIN;
}

/* Above what they are connected to. */
static void find_centre(struct maker *k, uint32_t d)
{
	const struct topo_map *m = k->m;
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_links; i++) {
		const struct map_link *l = &m->link[i];
		uint32_t other = l->a == d ? l->b : l->b == d ? l->a : UINT32_MAX;

		if (other != UINT32_MAX && m->node[other].tier < m->node[d].tier &&
		        k->centre[other] >= 0) {
			sum += k->centre[other];
			n++;
		}
	}
	k->centre[d] = n ? sum / n : 0;
}

static void place_switch(struct map_node *n, double centre, int32_t y)
{
	n->w = SWITCH_WIDTH;
	n->h = SWITCH_HIGH;
	n->x = (int32_t)centre - SWITCH_WIDTH / 2;
	n->y = y;
}

/* One tier: those with hosts stand above them, the others are spread over the width in the
 * order of what hangs on them. */
static void place_tier(struct maker *k, uint32_t tier, int32_t y)
{
	struct topo_map *m = k->m;
	uint32_t n = 0;

	for (uint32_t d = 0; d < m->n_nodes; d++) {
		if (m->node[d].tier != tier || m->node[d].first < k->v->n_hosts)
			continue;
		if (k->centre[d] >= 0) {
			place_switch(&m->node[d], k->centre[d], y);
			continue;
		}
		find_centre(k, d);
		k->order[n++] = d;
	}
	for (uint32_t i = 1; i < n; i++) { /* by centre; equal ones stay in order */
		const uint32_t d = k->order[i];
		uint32_t j = i;

		for (; j > 0 && k->centre[k->order[j - 1]] > k->centre[d]; j--)
			k->order[j] = k->order[j - 1];
		k->order[j] = d;
	}
	for (uint32_t i = 0; i < n; i++) {
		k->centre[k->order[i]] = (i + 0.5) * m->width / n;
		place_switch(&m->node[k->order[i]], k->centre[k->order[i]], y);
	}
}

static int place(struct maker *k)
{
	struct topo_map *m = k->m;
	const int32_t hosts_y = MARGIN +
	                        (int32_t)(k->top_tier ? k->top_tier - 1 : 0) * TIER_STEP +
	                        SWITCH_HIGH + 12;
	int32_t bottom = hosts_y;

	k->centre = calloc(m->n_nodes + 1, sizeof(*k->centre));
	k->order = calloc(m->n_nodes + 1, sizeof(*k->order));
	if (!k->centre || !k->order)
		return -ENOMEM;
	for (uint32_t d = 0; d < m->n_nodes; d++)
		k->centre[d] = -1;
	m->width = place_edges(k, hosts_y, &bottom);
	for (uint32_t t = 1; t <= k->top_tier; t++) {
		int32_t n = 0;

		for (uint32_t d = 0; d < m->n_nodes; d++)
			n += m->node[d].tier == t;
		if (n * SWITCH_STEP + 2 * MARGIN > m->width)
			m->width = n * SWITCH_STEP + 2 * MARGIN;
	}
	for (uint32_t t = 1; t <= k->top_tier; t++)
		place_tier(k, t, MARGIN + (int32_t)(k->top_tier - t) * TIER_STEP);
	m->height = bottom + MARGIN;
	return 0;
}

static int make(struct maker *k, uint32_t *scratch)
{
	int r = find_pods(k, scratch);

	if (!r)
		r = find_groups(k, scratch);
	if (!r)
		r = make_nodes(k);
	if (!r)
		r = make_links(k);
	return r ? r : place(k);
}

int topo_map_init(struct topo_map *m, const struct net_view *v, struct err *e)
{
	struct maker k = {.v = v, .m = m, .top_tier = find_top(v)};
	uint32_t *scratch = NULL;
	int r = -ENOMEM;

	*m = (struct topo_map){0};
	k.pod = calloc(v->n_nodes + 1, sizeof(*k.pod));
	k.group = calloc(v->n_nodes + 1, sizeof(*k.group));
	m->drawn = calloc(v->n_nodes + 1, sizeof(*m->drawn));
	/* pods and tiers are fewer than nodes, but for the empty ones */
	scratch = calloc(
	        ((size_t)v->n_nodes + 2) * (k.top_tier + 2) + v->n_nodes, sizeof(*scratch));
	if (k.pod && k.group && m->drawn && scratch)
		r = make(&k, scratch);
	free(scratch);
	free(k.pod);
	free(k.group);
	free(k.centre);
	free(k.order);
	if (!r)
		return 0;
	topo_map_fini(m);
	return err_set(e, r, "out of memory for a drawing of %u nodes", v->n_nodes);
}

void topo_map_fini(struct topo_map *m)
{
	free(m->node);
	free(m->link);
	free(m->drawn);
	*m = (struct topo_map){0};
}

int32_t topo_map_arc_rise(const struct map_node *a, const struct map_node *b)
{
	const int32_t apart = a->x > b->x ? a->x - b->x : b->x - a->x;
	const int32_t more = (apart - ARC_NEAR) / 5;

	return ARC_RISE + (more < 0 ? 0 : more > ARC_MORE ? ARC_MORE : more);
}

const struct map_link *topo_map_link(const struct topo_map *m, uint32_t a, uint32_t b)
{
	const struct map_link want = {.a = a < b ? a : b, .b = a < b ? b : a};

	return m->n_links ? bsearch(&want, m->link, m->n_links, sizeof(*m->link), link_order)
	                  : NULL;
}
