/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/import_hpcc_keys.h"

static int no_memory(const struct hpcc_files *f, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: no memory for %u nodes and %u links", f->topo.path,
	        f->topo.n_nodes, f->topo.n_links);
}

/* One round of distances: 1 next to a host, else one more than the lowest neighbour. */
static bool lower_tiers(struct topo_node *node, const struct hpcc_files *f)
{
	bool changed = false;

	for (uint32_t i = 0; i < f->topo.n_links; i++) {
		struct topo_node *a = &node[f->index[f->topo.link[i].a]];
		struct topo_node *b = &node[f->index[f->topo.link[i].b]];

		if (a->tier > b->tier + 1)
			a->tier = (uint8_t)(b->tier + 1), changed = true;
		if (b->tier > a->tier + 1)
			b->tier = (uint8_t)(a->tier + 1), changed = true;
	}
	return changed;
}

int hpcc_node_list(struct topo_node **out, const struct hpcc_files *f, struct err *e)
{
	struct topo_node *node = calloc(f->topo.n_nodes, sizeof(*node));

	if (!node)
		return no_memory(f, e);
	for (uint32_t id = 0; id < f->topo.n_nodes; id++) {
		struct topo_node *n = &node[f->index[id]];
		bool is_switch = f->topo.is_switch[id];

		n->outside_id = id;
		n->tier = is_switch ? 15 : 0;
		(void)snprintf(n->name, sizeof(n->name), "%s%u", is_switch ? "sw" : "host", id);
	}
	while (lower_tiers(node, f))
		;
	*out = node;
	return 0;
}

int hpcc_link_list(struct topo_link **out, const struct hpcc_files *f, struct err *e)
{
	struct topo_link *link = calloc(f->topo.n_links, sizeof(*link));

	if (!link)
		return no_memory(f, e);
	for (uint32_t i = 0; i < f->topo.n_links; i++) {
		const struct hpcc_link *l = &f->topo.link[i];

		link[i] = (struct topo_link){
		        .a = f->index[l->a],
		        .b = f->index[l->b],
		        .rate_bps = l->rate_bps,
		        .delay_ps = ps_from_ns(l->delay_ns),
		};
	}
	*out = link;
	return 0;
}

int hpcc_add_topology(struct scenario *s, const struct hpcc_files *f, struct err *e)
{
	struct topo_node *node;
	struct topo_link *link;
	int rc = hpcc_node_list(&node, f, e);

	if (rc)
		return rc;
	rc = hpcc_link_list(&link, f, e);
	if (rc) {
		free(node);
		return rc;
	}
	scenario_take_links(s, node, f->topo.n_nodes, f->topo.n_hosts, link, f->topo.n_links);
	return 0;
}
