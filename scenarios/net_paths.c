/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/net_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/fabric/routes.h"

/* Ways from the start to a switch, on the way to one host. */
struct reached {
	struct net_way way;
	uint32_t before; /* links into it that are not followed yet */
};

struct walk {
	const struct topo *t;
	const struct routes *r;
	struct reached *sw; /* [switches] */
	uint32_t *queue;    /* [switches] */
};

/* The egresses of a switch towards a host; none where the host hangs on it. */
static uint32_t egresses(
        const struct walk *w, uint32_t sw, uint16_t host, const uint16_t **port, uint16_t *one)
{
	const struct topo_port *end = &w->t->port[w->t->node[host].first_port];

	return end->peer_node - w->t->n_hosts == sw
	               ? 0
	               : routes_ports(w->r, w->t->n_hosts + sw, host, port, one);
}

static uint32_t next_switch(const struct walk *w, uint32_t sw, uint16_t port)
{
	const struct topo_node *n = &w->t->node[w->t->n_hosts + sw];

	return w->t->port[n->first_port + port].peer_node - w->t->n_hosts;
}

/* Counts the links into every switch that packets may come through. */
static void count_links(struct walk *w, uint32_t start, uint16_t host)
{
	uint32_t head = 0, tail = 0;
	const uint16_t *port = NULL;
	uint16_t one;

	w->queue[tail++] = start;
	while (head < tail) {
		const uint32_t at = w->queue[head++], n = egresses(w, at, host, &port, &one);

		for (uint32_t i = 0; i < n; i++) {
			const uint32_t to = next_switch(w, at, port[i]);

			if (!w->sw[to].before++)
				w->queue[tail++] = to;
		}
	}
}

static void add_way(struct net_way *to, const struct net_way *from)
{
	if (!to->paths || from->links + 1 < to->links)
		to->links = from->links + 1;
	if (from->links_max + 1 > to->links_max)
		to->links_max = from->links_max + 1;
	to->paths += from->paths;
	if (to->paths > UINT32_MAX)
		to->paths = UINT32_MAX;
}

/* Routes lead in no circle (routes_build), so each switch is done once all before it are. */
static struct net_way walk_to(struct walk *w, uint32_t start, uint16_t host)
{
	const uint32_t end = w->t->port[w->t->node[host].first_port].peer_node - w->t->n_hosts;
	uint32_t head = 0, tail = 0;
	const uint16_t *port = NULL;
	struct net_way way = {0};
	uint16_t one;

	memset(w->sw, 0, w->r->n_switches * sizeof(*w->sw));
	count_links(w, start, host);
	w->sw[start].way = (struct net_way){1, 1, 1};
	w->queue[tail++] = start;
	while (head < tail) {
		const uint32_t at = w->queue[head++], n = egresses(w, at, host, &port, &one);

		for (uint32_t i = 0; i < n; i++) {
			const uint32_t to = next_switch(w, at, port[i]);

			add_way(&w->sw[to].way, &w->sw[at].way);
			if (!--w->sw[to].before)
				w->queue[tail++] = to;
		}
	}
	add_way(&way, &w->sw[end].way);
	return way;
}

/* Hosts of one switch are equally far. */
static int walk_all(struct net_way *way, struct walk *w, uint32_t from)
{
	const struct topo *t = w->t;
	const uint32_t start = t->port[t->node[from].first_port].peer_node - t->n_hosts;
	uint32_t *first = malloc(w->r->n_edges * sizeof(*first)); /* host + 1 */

	if (!first)
		return -ENOMEM;
	memset(first, 0, w->r->n_edges * sizeof(*first));
	for (uint32_t h = 0; h < t->n_hosts; h++) {
		uint32_t *f = &first[w->r->host[h].edge];

		if (h == from)
			continue;
		way[h] = *f ? way[*f - 1] : walk_to(w, start, (uint16_t)h);
		*f = h + 1;
	}
	free(first);
	return 0;
}

int net_paths_from(struct net_way **way, const struct topo *t, uint32_t from, struct err *e)
{
	struct walk w = {.t = t};
	struct routes *r = NULL;
	int rc = routes_build(&r, t, 0, e);

	*way = NULL;
	if (rc)
		return rc;
	w.r = r;
	w.sw = calloc(r->n_switches + 1, sizeof(*w.sw));
	w.queue = calloc(r->n_switches + 1, sizeof(*w.queue));
	*way = calloc(t->n_hosts + 1, sizeof(**way));
	rc = w.sw && w.queue && *way ? walk_all(*way, &w, from) : -ENOMEM;
	if (rc) {
		free(*way);
		*way = NULL;
		rc = err_set(e, rc, "out of memory for %u nodes", t->n_nodes);
	}
	free(w.sw);
	free(w.queue);
	routes_free(r);
	return rc;
}
