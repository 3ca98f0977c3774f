/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NCCL's debug log says, from version 2.3 on: rings, trees, which NIC each connection
 * uses, where ranks are, calls of collectives. Facts are kept as they come; nccl_job.h puts
 * them together. nccl_log_fini frees; all zero is empty. One thread.
 */
#ifndef SCENARIO_NCCL_LOG_H
#define SCENARIO_NCCL_LOG_H

#include <stdbool.h>

#include "scenarios/imports/nccl_lines.h"

#define NCCL_MAX_RANKS    65535
#define NCCL_MAX_CHANNELS 128
#define NCCL_MAX_FACTS    (UINT32_C(1) << 23)
#define NCCL_MAX_PARTS    (UINT32_C(1) << 20)
#define NCCL_NO_NIC       (-1)
#define NCCL_LOCAL        (-2) /* shared memory, NVLink or PCIe */

enum nccl_fact_kind {
	NCCL_RING,      /* a sends to b */
	NCCL_TREE,      /* b is the parent of a, -1: a is the root ("Trees") */
	NCCL_TREE_PLAN, /* the same from lines "Tree", which may name trees that are not used */
	NCCL_SEND,      /* a sends to b through NIC nic of a's machine */
	NCCL_RECV,      /* b receives from a through NIC nic of b's machine */
};

struct nccl_fact {
	int32_t a, b;
	uint32_t part;
	int16_t nic;
	uint8_t channel, kind;
};

/* What one thread said while it set up one communicator. */
struct nccl_part {
	uint64_t comm, id; /* pointer, commId; 0: not said */
	uint32_t host, n_ranks, n_nodes, local_ranks, channels; /* 0: not said */
	int32_t rank, local_rank;                               /* -1: not said */
	uint32_t thread;
	bool complete;
};

struct nccl_thread {
	uint32_t host;
	int64_t pid, tid;
	int32_t gpu;
	uint32_t part; /* UINT32_MAX: none */
};

enum nccl_op {
	NCCL_ALL_REDUCE,
	NCCL_ALL_GATHER,
	NCCL_REDUCE_SCATTER,
	NCCL_BROADCAST,
	NCCL_REDUCE,
	NCCL_ALL_TO_ALL,
	NCCL_OPS,
};
extern const char *const nccl_op_name[]; /* "all-reduce" */

/* A collective that was called; bytes as nccl-tests counts them. */
struct nccl_call {
	uint64_t op_count, comm;
	int64_t bytes;
	uint32_t thread; /* that said it */
	int32_t root;
	uint8_t op;
};

/* "AllGather: 33554432 Bytes -> Algo RING ...": bytes likewise. */
struct nccl_tuned {
	int64_t bytes;
	uint32_t thread;
	uint8_t op; /* NCCL_OPS: not said, as before 2.19 */
	uint8_t by; /* enum nccl_carrier */
};

#define NCCL_MAX_CALLS (UINT32_C(1) << 20)

struct nccl_host {
	char name[128];
	char nic[64][24];      /* names of NICs, "" unknown */
	uint8_t nic_ports[64]; /* fused into one */
	uint32_t n_nics;
	int64_t nic_bps, low_bps; /* the fastest and the slowest that is said; 0: not said */
};

struct nccl_log {
	struct nccl_fact *fact;
	uint32_t n_facts, room_facts;
	struct nccl_part *part;
	uint32_t n_parts, room_parts;
	struct nccl_thread *thread;
	uint32_t n_threads, room_threads;
	uint32_t *thread_slot; /* hash of threads */
	uint32_t room_slots;
	struct nccl_host *host; /* [0] is the one that is not said */
	uint32_t n_hosts, room_hosts;
	struct nccl_call *call;
	uint32_t n_calls, room_calls, more_calls;
	struct nccl_call *pair; /* send and receive calls; root is the peer, op 1: receive */
	uint32_t n_pairs, room_pairs;
	struct nccl_tuned *tuned;
	uint32_t n_tuned, room_tuned;
	uint32_t other_calls; /* that are not known, or of a datatype that is not */
	char other_call[40];  /* the first of them */
	char version[40];
	char algorithm[160]; /* NCCL_ALGO */
	/* the table of nccl-tests */
	int64_t table_bytes[64];
	uint32_t n_table, more_table;
	char table_name[40]; /* "all_gather_perf" */
	bool table_reduces;  /* the rows name a reduction */
	int32_t table_root;
	double table_bus; /* busbw / algbw of the last row; 0: not said */
	bool has_alltoall;
	uint32_t messages, damaged;
	uint32_t *rank_host; /* "#  Rank 0 ... on HOST": [NCCL_MAX_RANKS], host + 1 */
};

NODISCARD int nccl_log_init(struct nccl_log *l, struct err *e);
void nccl_log_fini(struct nccl_log *l);

/* For nccl_lines_read; arg is the log. */
int nccl_log_take(void *arg, const struct nccl_message *m, struct err *e);

/* For the parts of the reader. */
NODISCARD int nccl_log_fact(struct nccl_log *l, const struct nccl_fact *f, struct err *e);
NODISCARD int nccl_log_call(struct nccl_log *l, const struct nccl_call *c, struct err *e);
NODISCARD int nccl_log_pair(struct nccl_log *l, const struct nccl_call *c, struct err *e);
NODISCARD int nccl_log_tuned(struct nccl_log *l, const struct nccl_tuned *t, struct err *e);
/* Lines about rings, trees and connections: 1 if it was one, -errno, or 0. */
NODISCARD int nccl_log_graph(
        struct nccl_log *l, uint32_t part, const char *text, struct err *e);
/* Lines about calls, sizes and NICs; as above. */
NODISCARD int nccl_log_call_line(
        struct nccl_log *l, uint32_t thread, const char *text, struct err *e);
/* A rate of a NIC of the machine. */
void nccl_host_rate(struct nccl_host *h, int64_t bps);
void nccl_log_nics(struct nccl_host *h, const char *text);
void nccl_log_table(struct nccl_log *l, const char *text);

#endif
