/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where nodes and cables stand in a drawing of the fabric, the same for `squall topo` and for
 * the report. Small fabrics show every node; in large ones hosts, then whole pods, stand for
 * their members, so that a drawing stays legible and small for ten hosts and for ten thousand.
 * topo_map_fini frees.
 */
#ifndef ANALYSIS_TOPO_MAP_H
#define ANALYSIS_TOPO_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/net_view.h"
#include "dataplane/base/err.h"

struct map_node {
	uint32_t first;   /* a node that it stands for */
	uint32_t members; /* how many */
	uint32_t tier;
	uint32_t pod;       /* of the group that it belongs to */
	int32_t x, y, w, h; /* upper left corner and size */
	char label[24];
};

/* All cables between two of them, a below b. */
struct map_link {
	uint32_t a, b;
	uint32_t cables;
	int64_t rate_bps, delay_ps; /* of the first */
	bool mixed;                 /* not all alike */
};

struct topo_map {
	uint32_t n_nodes, n_links;
	struct map_node *node;
	struct map_link *link;
	uint32_t *drawn; /* [net nodes] index in node */
	int32_t width, height;
	bool hosts_apart, pods_together;
};

NODISCARD int topo_map_init(struct topo_map *m, const struct net_view *v, struct err *e);
void topo_map_fini(struct topo_map *m);

/* Cables between nodes at one height bend upwards: how far above them the control point of the
 * quadratic curve lies. Those of distant nodes pass above those of neighbours. */
int32_t topo_map_arc_rise(const struct map_node *a, const struct map_node *b);

/* The link between two drawn nodes, or NULL (within a pod that is drawn as one). */
const struct map_link *topo_map_link(const struct topo_map *m, uint32_t a, uint32_t b);

#endif
