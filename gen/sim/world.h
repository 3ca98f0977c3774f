/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run on several processes, its ranks: what the simulator asks of whatever joins them (Open
 * MPI, or threads in tests). A world is opened by its owner and used by one thread at a time;
 * its functions are collective: all ranks call the same ones in the same order. A rank that is
 * lost ends the others, which is the world's own business: nothing here fails.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define WORLD_MAX_RANKS 1024

struct world_block {
	const void *data;
	size_t len;
};

struct world;

struct world_ops {
	/* out[r] goes to rank r, in[r] comes from rank r and is valid until the next call; the
	 * own one is left out (NULL, 0). */
	void (*exchange)(
	        struct world *w, const struct world_block *out, struct world_block *in);
	void (*close)(struct world *w); /* collective, frees w */
};

struct world {
	const struct world_ops *ops;
	uint32_t rank, n_ranks; /* at most WORLD_MAX_RANKS */
};

/* The first error of any rank, by rank, on all of them: 0, or its code with its message in e.
 * NULL stands for one process alone, here and below: rc is returned. */
NODISCARD int world_agree(struct world *w, int rc, struct err *e);

/* The number that rank 0 gives, on all ranks. */
uint64_t world_of_first(struct world *w, uint64_t value);

/* The largest and the sum of what the ranks give. */
int64_t world_max(struct world *w, int64_t value);
int64_t world_sum(struct world *w, int64_t value);

#endif
