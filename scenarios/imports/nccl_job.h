/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One communicator put together from what its ranks logged: rings and trees that are whole,
 * which machine each rank is on, which NIC each edge between machines uses, and hosts of the
 * scenario: one per machine and NIC in use. nccl_job_fini frees; all zero is empty. One thread.
 */
#ifndef SCENARIO_NCCL_JOB_H
#define SCENARIO_NCCL_JOB_H

#include "scenarios/imports/nccl_log.h"

#define NCCL_NONE UINT32_MAX

struct nccl_connection { /* what both sides said about an edge of a channel */
	int32_t src, dst;
	int16_t send_nic, recv_nic;
	uint8_t channel;
	bool is_local;
};

struct nccl_job {
	uint32_t n_ranks,
	        n_channels;        /* channels: as NCCL counts them, or as many as were found */
	uint32_t n_rings, n_trees; /* whole ones */
	uint32_t *ring[NCCL_MAX_CHANNELS];  /* [n_ranks]: rank by position; NULL: none, or not
	                                       whole */
	int32_t *parent[NCCL_MAX_CHANNELS]; /* [n_ranks]: -1: the root; NULL likewise */
	uint32_t broken_rings, broken_trees;
	bool rings_from_connections; /* no line names a ring */
	uint32_t *node;              /* [n_ranks] */
	uint32_t *local;             /* [n_ranks]: number among the ranks of its node */
	uint32_t n_nodes;
	uint32_t *node_host;                /* [n_nodes]: nccl_log.host; 0: not said */
	bool one_node;                      /* each rank is taken for a machine of its own */
	struct nccl_connection *connection; /* by channel, src, dst */
	uint32_t n_connections;
	int32_t rail[1024 + NCCL_MAX_RANKS]; /* of a NIC number; -1: not used */
	uint32_t n_rails;
	uint32_t nics_said, nics_other_side, nics_of_channel,
	        nics_of_rank;                             /* edges, by how their
	                                                     NIC is known */
	uint32_t nodes_said, nodes_by_block, nodes_alone; /* ranks, likewise */
	uint32_t other_comms, as_large; /* left out; of them with as many ranks */
	uint64_t comm;  /* pointer in the process of the first rank; 0: not said */
	bool *has_part; /* [n_parts]: the part is of this communicator */
};

/* The communicator with the most ranks. -EINVAL if there is no ring and no tree that is whole.
 */
NODISCARD int nccl_job_init(
        struct nccl_job *j, const struct nccl_log *l, const char *name, struct err *e);
void nccl_job_fini(struct nccl_job *j);

/* Does the edge leave its machine? */
bool nccl_job_leaves(const struct nccl_job *j, uint32_t src, uint32_t dst);
/* The scenario's hosts at both ends of an edge that does; counts how they are known. */
void nccl_job_hosts(struct nccl_job *j, uint8_t channel, uint32_t src, uint32_t dst,
        uint32_t *src_host, uint32_t *dst_host);

/* The host of a rank's own traffic: the NIC with the number of the rank on its machine. */
uint32_t nccl_job_host(const struct nccl_job *j, uint32_t rank);

#endif
