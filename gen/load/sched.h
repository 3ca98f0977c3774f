/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule: for each rank a graph of operations (send, receive, calculate) and what each
 * waits for, as GOAL files, MSCCL algorithms and execution traces describe work. Built rank by
 * rank, then finished, then constant. sched_fini frees; all zero is an empty schedule. One
 * thread.
 */
#ifndef LOAD_SCHED_H
#define LOAD_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "gen/load/load.h"

#define SCHED_MAX_OPS  (UINT32_C(1) << 24)
#define SCHED_MAX_DEPS (UINT32_C(1) << 27)

enum sched_kind { SCHED_SEND, SCHED_RECV, SCHED_CALC };

struct sched_op {
	int64_t value; /* SEND, RECV: bytes; CALC: units */
	uint32_t peer; /* rank */
	uint32_t tag;
	uint32_t line; /* in its file, for messages; 0: none */
	uint8_t kind;
	uint8_t cpu, nic; /* as written; carried through */
	uint8_t column;   /* in its line; 0: none, or beyond 255 */
};

/* What an operation waits for, in the compressed rows below: the other one's number << 1, plus
 * 1 if it only has to have started. */
#define SCHED_ON(op, started) ((uint32_t)(op) << 1 | (uint32_t)(started))

static inline uint32_t sched_on_op(uint32_t on)
{
	return on >> 1;
}

static inline bool sched_on_started(uint32_t on)
{
	return on & 1;
}

struct sched_edge {
	uint32_t op, on;
};

struct sched {
	uint32_t n_ranks;
	uint32_t *begin, *end; /* [n_ranks]: a rank's operations, neighbours in op[] */
	struct sched_op *op;
	uint32_t n_ops, room_ops;
	struct sched_edge *edge; /* until sched_finish */
	uint32_t n_edges, room_edges;
	uint32_t rank; /* being built; n_ranks: none */
	/* After sched_finish: what op i waits for is on[first_on[i] .. first_on[i + 1]), in
	 * ascending order and each once; what waits for it stands in waiter[] likewise, as
	 * SCHED_ON(waiting operation, ...). */
	uint32_t *first_on, *on;
	uint32_t *first_waiter, *waiter;
	char *name; /* of the file */
};

NODISCARD int sched_init(struct sched *s, const char *name, uint32_t n_ranks, struct err *e);
void sched_fini(struct sched *s);

/* Operations from here on are this rank's; each rank once, in any order. */
NODISCARD int sched_rank(struct sched *s, uint32_t rank, struct err *e);
/* *index is what sched_wait takes. */
NODISCARD int sched_add(
        struct sched *s, const struct sched_op *op, uint32_t *index, struct err *e);
/* op, of the rank being built, starts when `on`, of the same rank, is complete, or has started.
 * A send is complete when it is acknowledged, a receive when its message has arrived whole. */
NODISCARD int sched_wait(
        struct sched *s, uint32_t op, uint32_t on, bool started, struct err *e);
NODISCARD int sched_finish(struct sched *s, struct err *e);

/* Has every message at most so many bytes, and is every calculation one that virtual time
 * holds? The message names the operation and its line. */
NODISCARD int sched_check_sizes(
        const struct sched *s, int64_t max_bytes, int64_t calc_unit_ps, struct err *e);

/* Which rank an operation belongs to. */
uint32_t sched_rank_of(const struct sched *s, uint32_t op);

/* "ring.goal:12:5: rank 1 receives 64 bytes from rank 0 with tag 5"; returns buf. */
#define SCHED_TEXT_BYTES 320
const char *sched_text(char buf[SCHED_TEXT_BYTES], const struct sched *s, uint32_t op);

#endif
