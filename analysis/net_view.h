/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric as reports see it: names, tiers and cables. Owned by whoever made it. */
#ifndef ANALYSIS_NET_VIEW_H
#define ANALYSIS_NET_VIEW_H

#include <stdint.h>

struct net_node {
	const char *name;
	uint32_t first_port; /* in net_view.port */
	uint32_t n_ports;
	uint32_t tier; /* 0 host, 1 leaf (or the only switch), 2 spine ... */
};

struct net_port {
	uint32_t peer_node;
	uint32_t peer_port;
	int64_t rate_bps; /* both directions */
	int64_t delay_ps;
};

struct net_view {
	uint32_t n_hosts, n_nodes, n_ports; /* hosts come first */
	struct net_node *node;
	struct net_port *port;
};

/* From one host to another: the fewest and most links of a path, and how many paths. */
struct net_way {
	uint32_t links, links_max;
	uint64_t paths; /* at most UINT32_MAX */
};

static inline const struct net_port *net_port(
        const struct net_view *v, uint32_t node, uint32_t port)
{
	return &v->port[v->node[node].first_port + port];
}

/* The name of the node that a port leads to. */
static inline const char *net_peer_name(const struct net_view *v, uint32_t node, uint32_t port)
{
	return v->node[net_port(v, node, port)->peer_node].name;
}

#endif
