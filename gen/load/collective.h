/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the collectives share. A collective runs `repeat` times over `channels` channels; each
 * channel has its own slice of the buffer, its own order of the ranks, its own lanes (programs
 * that run side by side on a host), queue pairs and streams. An iteration of a lane is
 *
 *	[sleep until the period is due] begin; body; wait for the own messages; end;
 *	wait for the host's other lanes
 *
 * and an algorithm is the body: how many lanes a channel has and what each does. gen/load's
 * own.
 */
#ifndef LOAD_COLLECTIVE_H
#define LOAD_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/load/load.h"

#define COLL_MIN_SLICE_BYTES INT64_C(32768)

/* Overlays struct load_state. */
struct __attribute__((may_alias)) coll_state {
	uint32_t position; /* of this rank in its channel's order */
	uint16_t channel, job;
	uint8_t part; /* which of the channel's lanes */
	uint8_t phase;
	uint32_t iteration;
	/* the algorithm's; 0 when an iteration begins, but for sent and got */
	uint32_t loop, step;
	uint16_t slice, n_slices;
	uint8_t turn;
	bool open; /* loop and step are being worked on */
	int64_t piece_bytes;
	uint64_t sent, got; /* messages to and from the neighbour in all */
};
_Static_assert(sizeof(struct coll_state) <= sizeof(struct load_state), "state fits");

enum coll_kind { COLL_ALL_REDUCE, COLL_ALL_GATHER, COLL_REDUCE_SCATTER, COLL_BROADCAST };

struct coll_channel {
	uint32_t stride, inverse; /* position p is rank p * stride mod n */
};

/* What a lane works on: the one job of a collective, or one of a training iteration. */
struct coll_job {
	enum coll_kind kind;
	int64_t bytes;
};

struct coll_algorithm {
	uint32_t lanes;      /* per channel */
	int64_t chunk_bytes; /* of NCCL, for `chunk: auto` */
	/* The next operation of an iteration, or false when the body is done. */
	bool (*body)(const struct load_entry *en, struct coll_state *s, struct load_op *op);
	/* Refuses what it cannot do; NULL: anything. */
	int (*check)(const struct load_entry *en, struct err *e);
};

/* en->shared */
struct coll {
	struct coll_job *job;
	uint32_t n_jobs;
	uint32_t first_lane; /* of the channels' lanes on a host */
	const struct coll_algorithm *algorithm;
	uint32_t n;    /* ranks */
	uint32_t root; /* of a broadcast */
	int64_t chunk_bytes;
	struct coll_channel channel[LOAD_MAX_CHANNELS];
};

static inline const struct coll *coll_of(const struct load_entry *en)
{
	return en->shared;
}

static inline const struct coll_job *coll_job_of(
        const struct load_entry *en, const struct coll_state *s)
{
	return &coll_of(en)->job[s->job];
}

/* Part i of x bytes cut into n: the first x mod n are one byte longer. */
static inline int64_t cut_bytes(int64_t x, int64_t n, int64_t i)
{
	return x / n + (i < x % n);
}

static inline int64_t cut_offset(int64_t x, int64_t n, int64_t i)
{
	return i * (x / n) + (i < x % n ? i : x % n);
}

static inline uint32_t coll_rank(const struct coll *c, uint32_t channel, uint32_t position)
{
	return (uint32_t)((uint64_t)position * c->channel[channel].stride % c->n);
}

static inline uint32_t coll_position(const struct coll *c, uint32_t channel, uint32_t rank)
{
	return (uint32_t)((uint64_t)rank * c->channel[channel].inverse % c->n);
}

/* Makes en->shared for the ranks: jobs, which it takes over (malloc'd, also on failure), and
 * channels. */
NODISCARD int coll_open(struct load_entry *en, struct coll_job *job, uint32_t n_jobs,
        const struct coll_algorithm *algorithm, struct err *e);
/* A lane's state at its start. */
void coll_state_init(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct coll_state *s);
/* The body of the next job or iteration begins. */
void coll_rewind(struct coll_state *s);
/* Numerator of the bus bandwidth's factor, whose denominator is n. */
uint32_t coll_bus_num(enum coll_kind kind, uint32_t n);

/* ops.figure of a pattern that is one collective, under the name of the pattern. */
bool coll_figure(const struct load_entry *en, uint16_t part, struct load_figure *f);

/* Prepares the entry; takes care of channels, sizes and the algorithm's own check. */
NODISCARD int coll_prepare(struct load_entry *en, enum coll_kind kind,
        const struct coll_algorithm *algorithm, struct err *e);

/* Message number `number` (from 0) of a lane to or from a neighbour: on which queue pair it
 * goes, and which messages of which stream have arrived when it has. Every lane of a pair of
 * hosts has queue pairs and streams of its own: lane * qps + (number mod qps). */
void coll_send(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        uint32_t to_position, uint64_t number, int64_t bytes);
/* From the lane of the same channel whose part is `part`. */
void coll_recv(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        uint32_t from_position, uint32_t part, uint64_t number);

/* A lane's step counter while it is in an iteration: `done` of its steps are; the whole of it
 * counts as the next one's 0. */
static inline uint64_t coll_steps(uint32_t iteration, uint32_t done)
{
	return (uint64_t)iteration << 32 | done;
}

/* load_ops */
uint32_t coll_lanes(const struct load_entry *en, uint32_t host);
void coll_start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st);
void coll_next(const struct load_entry *en, struct load_state *st, struct load_op *op);
void coll_fini(struct load_entry *en);

/* A lane that passes `bytes` on in chunks, one message each: how many, and how long one is. */
static inline uint32_t coll_chunks(const struct load_entry *en, int64_t bytes)
{
	const int64_t chunk = coll_of(en)->chunk_bytes;

	return (uint32_t)((bytes + chunk - 1) / chunk);
}

static inline int64_t coll_chunk_bytes(const struct load_entry *en, int64_t bytes, uint32_t i)
{
	const int64_t chunk = coll_of(en)->chunk_bytes, rest = bytes - i * chunk;

	return rest < chunk ? rest : chunk;
}

/* Before the lane's next message to one of n neighbours. */
void coll_credit(const struct load_entry *en, struct load_op *op, uint32_t n);

/* The algorithms. */
extern const struct coll_algorithm coll_ring, coll_tree, coll_double_tree, coll_halving;
extern const struct coll_algorithm coll_chain, coll_tree_down; /* broadcasts */

#endif
