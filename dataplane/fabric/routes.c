/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/routes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"

#define FAR UINT16_MAX

/* What building needs and running does not. Switches count from 0 here. */
struct builder {
	const struct topo *t;
	struct routes *r;
	uint32_t *edge_switch; /* [n_edges] */
	uint16_t *edge_host;   /* [n_edges] the first host of each */
	uint16_t *distance;    /* [n_switches] hops to the edge switch at hand */
	uint32_t *queue;       /* [n_switches] */
	uint32_t *known;       /* hash table of sets: words as in routes.set, 0: empty */
	uint32_t n_known, n_slots;
	struct topo_route *own; /* the topology's own routes by (sw, to); NULL: none */
	const uint8_t *down;    /* [topo.n_ports] links that are not to be used; NULL: none */
	const struct routes *usual; /* with `down`: where these leave no way */
	uint32_t pool_capacity;
};

static int no_memory(const struct topo *t, struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for the routes of %u switches and %u hosts",
	        t->n_nodes - t->n_hosts, t->n_hosts);
}

static struct topo_node *switch_node(const struct builder *b, uint32_t sw)
{
	return &b->t->node[b->t->n_hosts + sw];
}

static bool is_down(const struct builder *b, const struct topo_node *n, uint32_t port)
{
	return b->down && b->down[n->first_port + port];
}

/* Numbers the switches that have hosts, in the order of their first host. */
static int number_edges(struct builder *b, struct err *e)
{
	const struct topo *t = b->t;
	uint32_t *edge_of = malloc(b->r->n_switches * sizeof(*edge_of));

	if (!edge_of)
		return no_memory(t, e);
	memset(edge_of, 0xff, b->r->n_switches * sizeof(*edge_of));
	for (uint32_t h = 0; h < t->n_hosts; h++) {
		const struct topo_port *p = &t->port[t->node[h].first_port];
		uint32_t sw = p->peer_node - t->n_hosts;

		if (edge_of[sw] == UINT32_MAX) {
			edge_of[sw] = b->r->n_edges;
			b->edge_host[b->r->n_edges] = (uint16_t)h;
			b->edge_switch[b->r->n_edges++] = sw;
		}
		b->r->host[h] = (struct route_host){(uint16_t)edge_of[sw], p->peer_port};
	}
	free(edge_of);
	return 0;
}

/* Breadth first from one edge switch over the links between switches. */
static void measure(struct builder *b, uint32_t root)
{
	const struct topo *t = b->t;
	uint32_t head = 0, tail = 0;

	memset(b->distance, 0xff, b->r->n_switches * sizeof(*b->distance));
	b->distance[root] = 0;
	b->queue[tail++] = root;
	while (head < tail) {
		uint32_t sw = b->queue[head++];
		const struct topo_node *n = switch_node(b, sw);

		for (uint32_t i = 0; i < n->n_ports; i++) {
			uint32_t peer = t->port[n->first_port + i].peer_node;

			if (peer < t->n_hosts || b->distance[peer - t->n_hosts] != FAR ||
			        is_down(b, n, i))
				continue;
			b->distance[peer - t->n_hosts] = (uint16_t)(b->distance[sw] + 1);
			b->queue[tail++] = peer - t->n_hosts;
		}
	}
}

/* Fills port[] with the egresses of sw that are one hop nearer; returns how many. */
static uint32_t next_hops(const struct builder *b, uint32_t sw, uint16_t *port)
{
	const struct topo *t = b->t;
	const struct topo_node *n = switch_node(b, sw);
	uint32_t count = 0;

	for (uint32_t i = 0; i < n->n_ports; i++) {
		uint32_t peer = t->port[n->first_port + i].peer_node;

		if (peer >= t->n_hosts &&
		        b->distance[peer - t->n_hosts] + 1 == b->distance[sw] &&
		        !is_down(b, n, i))
			port[count++] = (uint16_t)i;
	}
	return count;
}

static int by_switch(const void *pa, const void *pb)
{
	const struct topo_route *a = pa, *b = pb;

	if (a->sw != b->sw)
		return a->sw < b->sw ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* The first of the own routes that is not before (sw, to). */
static const struct topo_route *first_own(const struct builder *b, uint32_t sw, uint32_t to)
{
	const struct topo_route key = {.sw = sw, .to = to};
	uint32_t lo = 0, hi = b->t->n_routes;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (by_switch(&b->own[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &b->own[lo];
}

/* Fills port[] with what the topology's own routes say; 0 where they say nothing. */
static uint32_t own_hops(const struct builder *b, uint32_t sw, uint32_t edge, uint16_t *port)
{
	const struct topo *t = b->t;
	const struct topo_node *n = switch_node(b, sw);
	const uint32_t at = t->n_hosts + sw, to = t->n_hosts + b->edge_switch[edge];
	const struct topo_route *first = first_own(b, at, to), *end = b->own + t->n_routes;
	uint32_t count = 0;

	if (first == end || first->sw != at || first->to != to)
		return 0;
	for (uint32_t i = 0; i < n->n_ports; i++) {
		uint32_t peer = t->port[n->first_port + i].peer_node;

		if (is_down(b, n, i))
			continue;
		for (const struct topo_route *r = first; r < end && r->sw == at && r->to == to;
		        r++) {
			if (r->via != peer)
				continue;
			port[count++] = (uint16_t)i;
			break;
		}
	}
	return count;
}

/* Fills port[] with the route that it has while no link is down; 0: none either. */
static uint32_t usual_hops(const struct builder *b, uint32_t sw, uint32_t edge, uint16_t *port)
{
	const uint16_t *from = NULL;
	uint16_t one;
	uint32_t count = b->usual ? routes_ports(b->usual, b->t->n_hosts + sw,
	                                    b->edge_host[edge], &from, &one)
	                          : 0;

	if (count)
		memcpy(port, from, count * sizeof(*port));
	return count;
}

/* Own routes may lead in a circle: takes away, again and again, switches that nobody sends to
 * (Kahn); what is left lies on a circle or behind one. */
static int check_loops(struct builder *b, uint32_t edge, struct err *e)
{
	const struct topo *t = b->t;
	const uint32_t n_switches = b->r->n_switches;
	const uint16_t host = b->edge_host[edge];
	uint16_t *degree = b->distance; /* no longer needed */
	uint32_t head = 0, tail = 0, sw = 0;
	const uint16_t *port = NULL;
	uint16_t one;

	memset(degree, 0, n_switches * sizeof(*degree));
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; pass ? head < tail : i < n_switches; i++) {
			uint32_t at = pass ? b->queue[head++] : i;
			uint32_t n = at == b->edge_switch[edge]
			                     ? 0
			                     : routes_ports(b->r, t->n_hosts + at, host, &port,
			                               &one);

			for (uint32_t k = 0; k < n; k++) {
				uint32_t to = t->port[switch_node(b, at)->first_port + port[k]]
				                      .peer_node -
				              t->n_hosts;

				degree[to] = (uint16_t)(degree[to] + (pass ? -1 : 1));
				if (pass && !degree[to])
					b->queue[tail++] = to;
			}
		}
		for (uint32_t i = 0; !pass && i < n_switches; i++)
			if (!degree[i])
				b->queue[tail++] = i;
	}
	if (tail == n_switches)
		return 0;
	/* what is left has a predecessor that is left: far enough back it is on the circle */
	for (uint32_t i = 0; i < n_switches; i++) {
		uint32_t n = !degree[i] || i == b->edge_switch[edge]
		                     ? 0
		                     : routes_ports(b->r, t->n_hosts + i, host, &port, &one);

		for (uint32_t k = 0; k < n; k++)
			b->queue[t->port[switch_node(b, i)->first_port + port[k]].peer_node -
			         t->n_hosts] = i;
	}
	while (!degree[sw])
		sw++;
	for (uint32_t i = 0; i < n_switches; i++)
		sw = b->queue[sw];
	return err_set(e, -EINVAL, "the routes to the hosts of %s lead in a circle through %s",
	        switch_node(b, b->edge_switch[edge])->name, switch_node(b, sw)->name);
}

static uint32_t set_hash(const uint16_t *port, uint32_t count)
{
	uint32_t h = count;

	for (uint32_t i = 0; i < count; i++)
		h = route_mix(h ^ port[i]) + i;
	return h;
}

static bool same_set(
        const struct routes *r, uint32_t word, const uint16_t *port, uint32_t count)
{
	return (word & (TOPO_MAX_SWITCH_PORTS - 1)) == count - 1 &&
	       !memcmp(&r->pool[word >> ROUTE_COUNT_BITS], port, count * sizeof(*port));
}

static uint32_t *find_slot(const struct builder *b, const uint16_t *port, uint32_t count)
{
	uint32_t i = set_hash(port, count) & (b->n_slots - 1);

	while (b->known[i] && !same_set(b->r, b->known[i], port, count))
		i = (i + 1) & (b->n_slots - 1);
	return &b->known[i];
}

static bool grow_known(struct builder *b)
{
	uint32_t n_old = b->n_slots, *old = b->known;

	b->n_slots = n_old ? 2 * n_old : 1024;
	b->known = calloc(b->n_slots, sizeof(*b->known));
	if (!b->known) {
		b->known = old;
		b->n_slots = n_old;
		return false;
	}
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i])
			*find_slot(b, &b->r->pool[old[i] >> ROUTE_COUNT_BITS],
			        (old[i] & (TOPO_MAX_SWITCH_PORTS - 1)) + 1) = old[i];
	free(old);
	return true;
}

static bool grow_pool(struct builder *b, uint32_t need)
{
	uint32_t capacity = b->pool_capacity ? b->pool_capacity : 4096;
	uint16_t *pool;

	while (capacity < need)
		capacity *= 2;
	pool = realloc(b->r->pool, capacity * sizeof(*pool));
	if (!pool)
		return false;
	b->r->pool = pool;
	b->pool_capacity = capacity;
	return true;
}

/* The word for a set of two ports or more, which is added to the pool unless it is there. */
static int intern_set(
        struct builder *b, uint32_t *word, const uint16_t *port, uint32_t count, struct err *e)
{
	struct routes *r = b->r;
	uint32_t *slot;

	if (2 * b->n_known >= b->n_slots && !grow_known(b))
		return no_memory(b->t, e);
	slot = find_slot(b, port, count);
	if (!*slot) {
		if (r->n_pool >= ROUTE_NONE >> ROUTE_COUNT_BITS)
			return err_set(e, -EINVAL,
			        "the fabric has more than 2 million different sets of next "
			        "hops, "
			        "too irregular to route");
		if (r->n_pool + count > b->pool_capacity && !grow_pool(b, r->n_pool + count))
			return no_memory(b->t, e);
		memcpy(&r->pool[r->n_pool], port, count * sizeof(*port));
		*slot = r->n_pool << ROUTE_COUNT_BITS | (count - 1);
		r->n_pool += count;
		b->n_known++;
	}
	*word = *slot;
	return 0;
}

static int unreachable(const struct builder *b, uint32_t sw, uint32_t edge, struct err *e)
{
	const struct topo *t = b->t;
	uint32_t from = 0, to = 0;

	while (t->port[t->node[from].first_port].peer_node != t->n_hosts + sw)
		from++;
	while (b->r->host[to].edge != edge)
		to++;
	return err_set(e, -EINVAL,
	        "host %u (%s) cannot reach host %u (%s): no chain of links joins them", from,
	        t->node[from].name, to, t->node[to].name);
}

static uint32_t hops(const struct builder *b, uint32_t sw, uint32_t edge, uint16_t *port)
{
	uint32_t count;

	if (b->distance[sw] == FAR)
		return usual_hops(b, sw, edge, port);
	count = b->own ? own_hops(b, sw, edge, port) : 0;
	return count ? count : next_hops(b, sw, port);
}

/* The column of one edge switch: how every switch reaches it. */
static int route_edge(struct builder *b, uint32_t edge, struct err *e)
{
	struct routes *r = b->r;
	uint16_t port[TOPO_MAX_SWITCH_PORTS];

	measure(b, b->edge_switch[edge]);
	for (uint32_t i = 0; i < r->n_edges && !b->usual; i++)
		if (b->distance[b->edge_switch[i]] == FAR)
			return unreachable(b, b->edge_switch[i], edge, e);
	for (uint32_t sw = 0; sw < r->n_switches; sw++) {
		uint32_t *word = &r->set[(size_t)sw * r->n_edges + edge];
		uint32_t count;
		int rc;

		if (b->distance[sw] == 0) {
			*word = ROUTE_LOCAL;
			continue;
		}
		count = hops(b, sw, edge, port);
		if (!count) {
			*word = ROUTE_NONE;
			continue;
		}
		if (count == 1) {
			*word = (uint32_t)port[0] << ROUTE_COUNT_BITS;
			continue;
		}
		/* Neighbouring edges mostly share their next hops. */
		if (edge && r->n_pool && (word[-1] & (TOPO_MAX_SWITCH_PORTS - 1)) &&
		        same_set(r, word[-1], port, count)) {
			*word = word[-1];
			continue;
		}
		rc = intern_set(b, word, port, count, e);
		if (rc)
			return rc;
	}
	return 0;
}

static int build(struct builder *b, uint64_t seed, struct err *e)
{
	struct routes *r = b->r;
	const struct topo *t = b->t;
	int rc;

	r->n_hosts = t->n_hosts;
	r->n_switches = t->n_nodes - t->n_hosts;
	r->host = malloc(r->n_hosts * sizeof(*r->host));
	r->seed = malloc(r->n_switches * sizeof(*r->seed));
	b->edge_switch = malloc(r->n_switches * sizeof(*b->edge_switch));
	b->edge_host = malloc(r->n_switches * sizeof(*b->edge_host));
	b->distance = malloc(r->n_switches * sizeof(*b->distance));
	b->queue = malloc(r->n_switches * sizeof(*b->queue));
	if (!r->host || !r->seed || !b->edge_switch || !b->edge_host || !b->distance ||
	        !b->queue)
		return no_memory(t, e);
	if (t->n_routes) {
		b->own = malloc(t->n_routes * sizeof(*b->own));
		if (!b->own)
			return no_memory(t, e);
		memcpy(b->own, t->route, t->n_routes * sizeof(*b->own));
		qsort(b->own, t->n_routes, sizeof(*b->own), by_switch);
	}
	rc = number_edges(b, e);
	if (rc)
		return rc;
	r->set = malloc((size_t)r->n_switches * r->n_edges * sizeof(*r->set));
	if (!r->set)
		return no_memory(t, e);
	for (uint32_t sw = 0; sw < r->n_switches; sw++)
		r->seed[sw] = (uint32_t)rng_make(seed, t->n_hosts + sw, RNG_ECMP).state;
	for (uint32_t edge = 0; edge < r->n_edges; edge++) {
		rc = route_edge(b, edge, e);
		if (!rc && t->n_routes)
			rc = check_loops(b, edge, e);
		if (rc)
			return rc;
	}
	return 0;
}

int routes_build_without(struct routes **out, const struct topo *t, uint64_t seed,
        const uint8_t *down, const struct routes *usual, struct err *e)
{
	struct builder b = {
	        .t = t, .r = calloc(1, sizeof(struct routes)), .down = down, .usual = usual};
	int rc = b.r ? build(&b, seed, e) : no_memory(t, e);

	free(b.edge_switch);
	free(b.edge_host);
	free(b.own);
	free(b.distance);
	free(b.queue);
	free(b.known);
	if (rc) {
		routes_free(b.r);
		return rc;
	}
	*out = b.r;
	return 0;
}

int routes_build(struct routes **out, const struct topo *t, uint64_t seed, struct err *e)
{
	return routes_build_without(out, t, seed, NULL, NULL, e);
}

void routes_free(struct routes *r)
{
	if (!r)
		return;
	free(r->host);
	free(r->set);
	free(r->seed);
	free(r->pool);
	free(r);
}

uint32_t routes_path(const struct routes *r, const struct topo *t, uint32_t src, uint32_t dst,
        uint16_t entropy, struct route_hop *hop, uint32_t max)
{
	uint32_t node = src, n = 0;
	uint16_t port = 0;

	while (node != dst || n == 0) {
		if (n == max)
			return 0;
		hop[n++] = (struct route_hop){node, port};
		node = t->port[t->node[node].first_port + port].peer_node;
		if (node >= t->n_hosts)
			port = routes_port(r, node, (uint16_t)dst, entropy);
	}
	return n;
}
