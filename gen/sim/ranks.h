/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: a run on several processes. Nodes of other ranks hold no state here; what is
 * sent to them leaves with the votes at the end of each window, and so do the facts of
 * connections whose responder lives elsewhere, before their first packet can arrive. The first
 * thread of each rank does this while the others wait.
 */
#ifndef SIM_RANKS_H
#define SIM_RANKS_H

#include "gen/sim/bytes.h"
#include "gen/sim/sim_int.h"
#include "gen/sim/world.h"

struct ranks {
	struct world *world;
	uint16_t *rank_of;         /* [n_nodes] */
	struct bytes *out;         /* [n_ranks] */
	struct world_block *block; /* [2 * n_ranks]: to and from them */
	struct sim_vote sum;       /* of all ranks, for all threads of this one */
};

/* rank_of is filled by sim_partition. */
NODISCARD int ranks_open(struct ranks **out, struct world *w, uint32_t n_nodes, struct err *e);
void ranks_close(struct ranks *rk);

/* A frame for a node of another rank. */
void ranks_mail(struct sim_thread *th, uint32_t node, const struct desc *d);

/* Host src opened connection conn, or uses it anew in another way: its peer must know. */
void ranks_opened(const void *sim, uint32_t src, uint32_t conn);

/* All threads of this rank have voted and wait: mail, connections and votes go round. */
void ranks_exchange(struct sim *s, const struct sim_vote *votes);

/* gather.c: everything of all ranks in the record of rank 0, array after array in the order of
 * ranks; the log likewise. */
NODISCARD int ranks_gather(
        struct sim *s, struct run_record *r, struct msg_log *log, struct err *e);

#endif
