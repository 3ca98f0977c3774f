/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ranks of a job are and what NICs they use. */
#ifndef SCENARIO_NCCL_NODES_H
#define SCENARIO_NCCL_NODES_H

#include "scenarios/imports/nccl_job.h"

/* n_nodes, local_ranks: as the log says, 0: it does not. Fills nodes, connections and rails. */
NODISCARD int nccl_nodes(struct nccl_job *j, const struct nccl_log *l, uint32_t n_nodes,
        uint32_t local_ranks, struct err *e);

#endif
