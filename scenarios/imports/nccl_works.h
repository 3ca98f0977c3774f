/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job ran, as its log says it: calls of collectives, send and receive calls, the
 * tuner's lines, the table of nccl-tests; and what is said about it. nccl_works_fini frees; all
 * zero is empty. One thread.
 */
#ifndef SCENARIO_NCCL_WORKS_H
#define SCENARIO_NCCL_WORKS_H

#include "scenarios/imports/import_draft.h"
#include "scenarios/imports/nccl_algorithm.h"
#include "scenarios/imports/nccl_collective.h"

#define NCCL_MAX_WORKS 64

enum nccl_works_from { WORKS_ASSUMED, WORKS_CALLS, WORKS_TUNER, WORKS_TABLE };

/* A message of send and receive calls. */
struct nccl_sent {
	uint64_t op_count;
	int64_t bytes;
	uint32_t src, dst, step; /* ranks */
	bool by_receiver;        /* the receive call says it */
};

struct nccl_works {
	struct nccl_work at[NCCL_MAX_WORKS];
	uint64_t op_count[NCCL_MAX_WORKS];
	uint32_t step[NCCL_MAX_WORKS];
	enum nccl_carrier by[NCCL_MAX_WORKS];
	uint32_t n, more;
	enum nccl_works_from from;
	bool assumed_op, assumed_bytes, buffer_unused;
	bool gather_or_all_to_all; /* the table fits both */
	struct nccl_sent *sent;
	uint32_t n_sent;
	uint32_t lost; /* send and receive calls of ranks that are not known */
};

/* -EINVAL where the log has calls but none that can be imported and no buffer is asked for. */
NODISCARD int nccl_works_init(struct nccl_works *w, const struct nccl_log *l,
        const struct nccl_job *j, const struct import_job *job, const char *name,
        struct err *e);
void nccl_works_fini(struct nccl_works *w);

void nccl_works_say(
        struct import_draft *d, const struct nccl_works *w, const struct nccl_log *l);

/* A tree cannot do the others, NCCL takes the ring for them. */
static inline bool nccl_tree_op(enum nccl_op op)
{
	return op == NCCL_ALL_REDUCE || op == NCCL_BROADCAST || op == NCCL_REDUCE;
}

/* Transfers of the send and receive calls that leave a machine. */
NODISCARD int nccl_works_sent(struct transfers *t, const struct nccl_job *j,
        const struct nccl_works *w, struct err *e);

#endif
