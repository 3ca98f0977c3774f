/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fct_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"

int fct_paths_open(
        struct fct_paths *p, const struct topo *t, int64_t payload_bytes, struct err *e)
{
	*p = (struct fct_paths){.topo = t, .payload_bytes = payload_bytes, .edge = UINT32_MAX};
	p->queue = malloc(t->n_nodes * sizeof(*p->queue));
	p->from = malloc(t->n_nodes * sizeof(*p->from));
	if (p->queue && p->from)
		return 0;
	fct_paths_close(p);
	return err_set(e, -ENOMEM, "no memory for the paths between %u nodes", t->n_nodes);
}

void fct_paths_close(struct fct_paths *p)
{
	free(p->queue);
	free(p->from);
	p->queue = NULL;
	p->from = NULL;
}

/* Each link's payload time is cut to whole nanoseconds. */
struct fct_path fct_path_extend(
        const struct fct_paths *p, struct fct_path path, const struct topo_port *link)
{
	path.rtt_ns += 2 * ns_from_ps_floor(link->delay_ps) +
	               p->payload_bytes * INT64_C(8000000000) / link->rate_bps;
	if (link->rate_bps < path.rate_bps)
		path.rate_bps = link->rate_bps;
	return path;
}

/* Breadth first from the edge switch; the first link that reaches a node is its path. */
void fct_paths_search(struct fct_paths *p, uint32_t edge)
{
	const struct topo *t = p->topo;
	uint32_t n = 0;

	memset(p->from, 0, t->n_nodes * sizeof(*p->from));
	p->from[edge].rate_bps = INT64_MAX;
	p->queue[n++] = edge;
	for (uint32_t i = 0; i < n; i++) {
		const struct topo_node *at = &t->node[p->queue[i]];

		for (uint32_t k = 0; k < at->n_ports; k++) {
			const struct topo_port *link = &t->port[at->first_port + k];

			if (p->from[link->peer_node].rate_bps)
				continue;
			p->from[link->peer_node] =
			        fct_path_extend(p, p->from[p->queue[i]], link);
			if (link->peer_node >= t->n_hosts) /* hosts forward nothing */
				p->queue[n++] = link->peer_node;
		}
	}
	p->edge = edge;
}

struct fct_path fct_path_get(struct fct_paths *p, uint32_t src, uint32_t dst)
{
	uint32_t edge = fct_edge_of(p->topo, dst);

	if (edge != p->edge)
		fct_paths_search(p, edge);
	return fct_path_extend(p, p->from[src], &p->topo->port[p->topo->node[dst].first_port]);
}
