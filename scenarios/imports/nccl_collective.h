/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives over the rings or trees of a job, as NCCL runs them: of S bytes each of C
 * channels carries S / C. On a ring of n ranks every edge carries 2 (n - 1) / n of that in an
 * all-reduce, (n - 1) / n in an all-gather or reduce-scatter; on a tree every edge carries all
 * of it up and all of it down. What stays inside a machine is no traffic and takes no time.
 */
#ifndef SCENARIO_NCCL_COLLECTIVE_H
#define SCENARIO_NCCL_COLLECTIVE_H

#include "scenarios/imports/nccl_job.h"
#include "scenarios/imports/transfers.h"

struct nccl_work {
	enum nccl_op op;
	int64_t bytes; /* S */
	uint32_t root;
};

/* Transfers of the work, as this step. */
NODISCARD int nccl_collective_ring(struct transfers *t, struct nccl_job *j,
        const struct nccl_work *w, uint32_t step, struct err *e);
/* All-reduce, broadcast and reduce only. */
NODISCARD int nccl_collective_tree(struct transfers *t, struct nccl_job *j,
        const struct nccl_work *w, uint32_t step, struct err *e);

#endif
