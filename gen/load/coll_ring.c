/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings. Who stands at position p of its channel sends to p + 1 and receives from p - 1 (mod
 * n). In step t it sends the piece that it received in step t - 1, so a step waits for the
 * neighbour's step before, message by message. What a step moves is the buffer's piece (p -
 * shift - t) mod n:
 *
 *	all-gather	n - 1 steps, shift 0: the own piece first
 *	reduce-scatter	n - 1 steps, shift 1: the own piece comes last, summed up
 *	all-reduce	2 (n - 1) steps, shift 0: one after the other
 *
 * As NCCL does it (enqueue.cc, all_reduce.h): an all-reduce cuts a channel's slice into loops
 * of n chunks and each loop into n pieces, the last one's being smaller; the others cut the
 * buffer into one part per rank, that into channels, and that into chunks. A chunk goes as
 * `slices` messages, fewer where they would be smaller than 32 KiB.
 */
#include "gen/load/collective.h"

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* What rank `rank` keeps of an all-gather or reduce-scatter on one channel. */
static int64_t block_bytes(
        const struct load_entry *en, const struct coll_state *s, uint32_t rank)
{
	return cut_bytes(cut_bytes(coll_job_of(en, s)->bytes, coll_of(en)->n, rank),
	        en->cfg.channels, s->channel);
}

static int64_t slice_of_channel(const struct load_entry *en, const struct coll_state *s)
{
	return cut_bytes(coll_job_of(en, s)->bytes, en->cfg.channels, s->channel);
}

static uint32_t loops(const struct load_entry *en, const struct coll_state *s)
{
	int64_t bytes = block_bytes(en, s, 0), per_loop = coll_of(en)->chunk_bytes;

	if (coll_job_of(en, s)->kind == COLL_ALL_REDUCE) {
		bytes = slice_of_channel(en, s);
		per_loop *= coll_of(en)->n;
	}
	return (uint32_t)((bytes + per_loop - 1) / per_loop);
}

static int64_t piece_bytes(
        const struct load_entry *en, const struct coll_state *s, uint32_t piece)
{
	const struct coll *k = coll_of(en);
	const int64_t chunk = k->chunk_bytes;
	int64_t rest;

	if (coll_job_of(en, s)->kind == COLL_ALL_REDUCE) {
		rest = slice_of_channel(en, s) - s->loop * chunk * k->n;
		return cut_bytes(min(rest, chunk * k->n), k->n, piece);
	}
	rest = block_bytes(en, s, coll_rank(k, s->channel, piece)) - s->loop * chunk;
	return max(min(rest, chunk), 0);
}

static uint32_t steps(const struct load_entry *en, const struct coll_state *s)
{
	const uint32_t n = coll_of(en)->n;

	return coll_job_of(en, s)->kind == COLL_ALL_REDUCE ? 2 * (n - 1) : n - 1;
}

/* The piece of this step and how it is cut. */
static void open_step(const struct load_entry *en, struct coll_state *s)
{
	const struct coll *k = coll_of(en);
	uint64_t at = s->position + 2 * (uint64_t)k->n - s->step -
	              (coll_job_of(en, s)->kind == COLL_REDUCE_SCATTER);

	s->piece_bytes = piece_bytes(en, s, (uint32_t)(at % k->n));
	s->n_slices =
	        (uint16_t)min(en->cfg.slices, max(s->piece_bytes / COLL_MIN_SLICE_BYTES, 1));
	if (!s->piece_bytes)
		s->n_slices = 0;
	s->slice = 0;
	s->turn = s->step == 0; /* nothing to wait for */
}

/* Is there another message in this iteration? Steps whose piece is empty have none. */
static bool find_message(const struct load_entry *en, struct coll_state *s)
{
	while (!s->open || s->slice == s->n_slices) {
		if (s->open && ++s->step > steps(en, s)) {
			s->step = 0;
			s->loop++;
		}
		s->open = s->loop < loops(en, s);
		if (!s->open)
			return false;
		open_step(en, s);
	}
	return true;
}

static bool body(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	const struct coll *k = coll_of(en);

	if (!find_message(en, s))
		return false;
	if (!s->turn) {
		coll_recv(en, s, op, s->position ? s->position - 1 : k->n - 1, 0, s->got++);
		if (s->step == steps(en, s)) /* it stays here */
			s->slice++;
		else
			s->turn = 1;
		return true;
	}
	coll_send(en, s, op, s->position + 1 < k->n ? s->position + 1 : 0, s->sent++,
	        cut_bytes(s->piece_bytes, s->n_slices, s->slice));
	s->slice++;
	s->turn = s->step == 0;
	return true;
}

const struct coll_algorithm coll_ring = {.lanes = 1, .chunk_bytes = 2 << 20, .body = body};
