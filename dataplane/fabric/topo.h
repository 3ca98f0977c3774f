/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph: nodes 0 .. n_hosts-1 are hosts (one port each), switches follow. A link is a pair
 * of ports that name each other. Built before the run, constant during it; topo_free frees.
 */
#ifndef FABRIC_TOPO_H
#define FABRIC_TOPO_H

#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/fabric/fabric_cfg.h"

#define TOPO_MAX_HOSTS        65535
#define TOPO_MAX_SWITCHES     16384
#define TOPO_MAX_SWITCH_PORTS 2048
#define TOPO_MAX_PODS         999 /* names have 15 characters: pod999-edge2047 */
#define TOPO_MAX_RAILS        64
#define TOPO_MIN_RATE_BPS     INT64_C(1000000)
#define TOPO_MAX_RATE_BPS     INT64_C(10000000000000)
#define TOPO_MAX_DELAY_PS     INT64_C(1000000000000)

struct topo_port {
	uint32_t peer_node;
	uint16_t peer_port;
	uint16_t profile; /* index of its switch_cfg; unused on hosts */
	int64_t rate_bps; /* both directions */
	int64_t delay_ps;
};

struct topo_node {
	uint32_t first_port; /* in topo.port */
	uint16_t n_ports;
	uint8_t tier;        /* 0 host, 1 leaf (or the only switch), 2 spine ... */
	uint16_t profile;    /* of the switch itself: buffer, cell, latency, forwarding */
	uint32_t outside_id; /* the number a peer's file gave it; else its own index */
	char name[16];       /* host3, leaf0, pod2-edge1, rail7-leaf0, or from the file */
};

/* At a switch, packets for the hosts of switch `to` go to its neighbour `via`, by all links to
 * it, and nowhere else unless another route of this switch says so. */
struct topo_route {
	uint32_t sw, to, via;
};

struct topo {
	uint32_t n_hosts, n_nodes, n_ports;
	struct topo_node *node;
	struct topo_port *port;
	struct switch_cfg *profile; /* [n_profiles]; 0 is the base */
	uint32_t n_profiles;
	struct topo_route *route; /* instead of shortest paths; only files have any */
	uint32_t n_routes;
};

/* A link as a list element, from which every topology is built. */
struct topo_link {
	uint32_t a, b; /* node indices */
	int64_t rate_bps, delay_ps;
};

/* Every kind: file through topo_file.h, the others from their counts. Checks counts and names
 * the key at fault. */
NODISCARD int topo_build(struct topo **out, const struct topo_cfg *cfg,
        const struct switch_cfg *base, struct err *e);

/*
 * From a list: node (array of n_nodes with names, tiers and outside ids set, hosts first) and
 * links in order; a switch's ports are numbered 0.. in the order of its links. Refuses a host
 * with no link or several, two switches' worth of limits, zero rates, negative delays, and a
 * host that another host cannot reach ("host 5 (h5) cannot reach host 0 (h0)").
 */
NODISCARD int topo_from_links(struct topo **out, const struct topo_node *node, uint32_t n_nodes,
        uint32_t n_hosts, const struct topo_link *link, uint32_t n_links,
        const struct switch_cfg *base, struct err *e);

void topo_free(struct topo *t);

/* Node by name ("leaf0", "host3"), or UINT32_MAX. */
uint32_t topo_find(const struct topo *t, const char *name);

#endif
