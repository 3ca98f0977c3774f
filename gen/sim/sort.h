/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: the arrivals of one window at a switch in their order. A key is the node's
 * own order (order.h) with the time counted from the window's start, then the index in the
 * inbox, so that equal times of one port stay in FIFO order.
 */
#ifndef SIM_SORT_H
#define SIM_SORT_H

#include "gen/sim/sim_int.h"

#define SORT_INDEX_BITS 23
#define SORT_TIME_SHIFT (SORT_INDEX_BITS + SIM_TIME_SHIFT)
#define SORT_TIME_BITS  (64 - SORT_TIME_SHIFT)
#define SORT_MAX        (1u << SORT_INDEX_BITS)

/* Fills th->key with the sorted keys of the inbox and UINT64_MAX after the last. */
void sim_sort_arrivals(struct sim_thread *th, const struct inbox *b);

/* The inbox itself, by time, equal ones in their order: for a host, where it is in order unless
 * a fault holds frames up. */
void sim_sort_inbox(struct inbox *b);

static ALWAYS_INLINE uint32_t sort_key_index(uint64_t key)
{
	return (uint32_t)key & (SORT_MAX - 1);
}

/* The arrivals before an event of the window with this sim_key are those with smaller keys. */
static ALWAYS_INLINE uint64_t sort_key_limit(uint64_t sim_key, uint64_t start_key)
{
	return (sim_key - start_key) << SORT_INDEX_BITS;
}

#endif
