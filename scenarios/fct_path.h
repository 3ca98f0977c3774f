/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base round trip and bottleneck between two hosts as the HPCC ns-3 family computes them, for
 * its standalone FCT and its window: twice the propagation of a shortest path plus the time of
 * one full payload on each link, one way, in whole nanoseconds. Cold path, one thread.
 */
#ifndef SCENARIO_FCT_PATH_H
#define SCENARIO_FCT_PATH_H

#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/fabric/topo.h"

struct fct_path {
	int64_t rtt_ns;
	int64_t rate_bps; /* of the slowest link */
};

/* Paths to the hosts of one edge switch at a time; ask for destinations grouped by switch. */
struct fct_paths {
	const struct topo *topo;
	int64_t payload_bytes;
	uint32_t edge;         /* of the search that the arrays hold; UINT32_MAX: none yet */
	uint32_t *queue;       /* [n_nodes]: nodes in the order of the search */
	struct fct_path *from; /* [n_nodes]: to the edge switch; rate 0: not reached */
};

NODISCARD int fct_paths_open(
        struct fct_paths *p, const struct topo *t, int64_t payload_bytes, struct err *e);
void fct_paths_close(struct fct_paths *p);

struct fct_path fct_path_get(struct fct_paths *p, uint32_t src, uint32_t dst);

/* Fills p->from for one switch; a path to a host there is that and the host's own link. */
void fct_paths_search(struct fct_paths *p, uint32_t edge);
struct fct_path fct_path_extend(
        const struct fct_paths *p, struct fct_path path, const struct topo_port *link);

/* The switch that a host hangs on. */
static inline uint32_t fct_edge_of(const struct topo *t, uint32_t host)
{
	return t->port[t->node[host].first_port].peer_node;
}

#endif
