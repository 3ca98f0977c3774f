/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: the plain event heap. It runs groups of nodes that are joined by links
 * shorter than a window, and, with every node in one group, is the oracle that the windows are
 * tested against.
 */
#ifndef SIM_HEAP_CORE_H
#define SIM_HEAP_CORE_H

#include "gen/sim/sim_int.h"

struct heap_event {
	uint64_t key; /* sim_key */
	uint32_t node;
	uint32_t seq; /* order of insertion */
	bool own;     /* a look at the node's own next event; else the arrival of d */
	struct desc d;
};

struct heap_core {
	struct heap_event *e;
	uint32_t n, cap;
	uint32_t seq;
	uint64_t *own_key; /* [n_nodes] the own event that the heap knows of */
};

NODISCARD int heap_core_init(struct heap_core *h, uint32_t n_nodes);
void heap_core_fini(struct heap_core *h);

#endif
