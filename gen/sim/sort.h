/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: the arrivals of one window at a switch in their order. A key is the time
 * since the window's start (32 bits), the port (12) and the index in the inbox (20), so that
 * equal times of one port stay in FIFO order.
 */
#ifndef SIM_SORT_H
#define SIM_SORT_H

#include "gen/sim/sim_int.h"

#define SORT_INDEX_BITS 20
#define SORT_PORT_BITS  12

/* Fills th->key with the sorted keys of the inbox. */
void sim_sort_arrivals(struct sim_thread *th, const struct inbox *b);

static ALWAYS_INLINE uint32_t sort_key_index(uint64_t key)
{
	return (uint32_t)key & ((1u << SORT_INDEX_BITS) - 1);
}

/* As a key of the node's own order. */
static ALWAYS_INLINE uint64_t sort_key_order(uint64_t key, int64_t start_ps)
{
	return sim_key(start_ps + (int64_t)(key >> (SORT_INDEX_BITS + SORT_PORT_BITS)),
	        SIM_ARRIVAL, (uint32_t)(key >> SORT_INDEX_BITS) & ((1u << SORT_PORT_BITS) - 1));
}

#endif
