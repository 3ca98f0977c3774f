/* SPDX-License-Identifier: Apache-2.0 */
/* What the patterns of gen/load share; nobody else includes it. */
#ifndef LOAD_INT_H
#define LOAD_INT_H

#include "dataplane/base/err.h"
#include "gen/load/load.h"

extern const struct load_ops incast_ops, all_to_all_ops, ring_ops, flow_list_ops, poisson_ops,
        schedule_ops, all_reduce_ops, all_gather_ops, reduce_scatter_ops, broadcast_ops,
        moe_ops, permutation_ops, hotspot_ops, on_off_ops, training_ops, replay_ops;

/* -EINVAL with "workload[3].key: ..." */
int load_key_err(const struct load_entry *en, struct err *e, const char *key, const char *fmt,
        ...) PRINTF_LIKE(4, 5);

/* The largest message: LOAD_MAX_MESSAGE_PACKETS full packets. */
int64_t load_max_bytes(const struct load_entry *en);

/* A message of 1 .. LOAD_MAX_MESSAGE_PACKETS packets? Names the key otherwise. */
NODISCARD int load_check_bytes(
        const struct load_entry *en, const char *key, int64_t bytes, struct err *e);

enum load_draw {
	LOAD_DRAW_PARTNER = 16, /* others draw by small numbers */
	LOAD_DRAW_POPULARITY,
	LOAD_DRAW_ORDER,
	LOAD_DRAW_JITTER,
	LOAD_DRAW_COMPUTE,
	LOAD_DRAW_ON_OFF,
};

/* The entry's random number for a round and a purpose. */
uint64_t load_draw(const struct load_entry *en, uint64_t round, enum load_draw purpose);

/* hot_ranks and hot_share: some ranks are not hot. */
NODISCARD int load_check_hot(const struct load_entry *en, struct err *e);

/* Resolves `ranks: all`, checks the ranks against the fabric and gives each its host. */
NODISCARD int load_check_group(struct load_entry *en, struct err *e);

/* Is host one of the ranks? */
bool load_in_group(const struct load_entry *en, uint32_t host);

#endif
