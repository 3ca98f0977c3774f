/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive halving and doubling: with each partner, half as far away as the one before, a rank
 * exchanges half of what it still works on and sums the half that it keeps; then the same way
 * back with the finished parts. log2(n) steps each way, 2 (n - 1) / n of the buffer in all:
 * Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH",
 * IJHPCA 19 (2005). When n is no power of two, the first 2 (n - 2^k) positions fold: an even
 * one gives its buffer to the odd one above it and gets the result back. Each exchange is one
 * message; parts that are empty are not sent.
 */
#include "gen/load/collective.h"
#include "gen/load/load_int.h"

struct place {
	uint32_t size, folded; /* 2^k, n - 2^k */
	uint32_t levels;       /* k */
	uint32_t id;           /* among the 2^k; UINT32_MAX: an even one that folds */
	int64_t bytes;
};

static struct place place_of(const struct load_entry *en, const struct coll_state *s)
{
	const uint32_t n = coll_of(en)->n;
	struct place p = {.size = 1,
	        .bytes = cut_bytes(en->cfg.buffer_bytes, en->cfg.channels, s->channel)};

	while (p.size * 2 <= n) {
		p.size *= 2;
		p.levels++;
	}
	p.folded = n - p.size;
	p.id = s->position - p.folded;
	if (s->position < 2 * p.folded)
		p.id = s->position % 2 ? s->position / 2 : UINT32_MAX;
	return p;
}

static uint32_t position_of(const struct place *p, uint32_t id)
{
	return id < p->folded ? 2 * id + 1 : id + p->folded;
}

/* What `id` works on after so many levels. */
static int64_t part_bytes(const struct place *p, uint32_t id, uint32_t level)
{
	const uint32_t width = p->size >> level, from = id & ~(width - 1);

	return cut_offset(p->bytes, p->size, from + width) -
	       cut_offset(p->bytes, p->size, from);
}

/* One half of an exchange. The two of a pair meet once on each way; those messages that are not
 * empty are counted. */
static bool exchange(const struct load_entry *en, const struct coll_state *s,
        struct load_op *op, const struct place *p, uint32_t level, bool back, bool send)
{
	const uint32_t other = p->id ^ (p->size >> (level + 1));
	/* There the sender gives away what the receiver works on from then on; back it gives
	 * what it has finished. */
	const int64_t there_bytes = part_bytes(p, send ? other : p->id, level + 1);
	const int64_t back_bytes = part_bytes(p, send ? p->id : other, level + 1);
	uint64_t number = (uint64_t)s->iteration * ((there_bytes > 0) + (back_bytes > 0));

	if (!(back ? back_bytes : there_bytes))
		return false;
	if (back)
		number += there_bytes > 0;
	if (send)
		coll_send(en, s, op, position_of(p, other), number,
		        back ? back_bytes : there_bytes);
	else
		coll_recv(en, s, op, position_of(p, other), 0, number);
	return true;
}

/* The whole buffer between the two of a fold. */
static bool fold(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        const struct place *p, bool send)
{
	const uint32_t other = s->position ^ 1;

	if (send)
		coll_send(en, s, op, other, s->iteration, p->bytes);
	else
		coll_recv(en, s, op, other, 0, s->iteration);
	return true;
}

/* Step 0: fold; 1 .. 2k there; 2k + 1 .. 4k back, sending and receiving in turn; then unfold.
 */
static bool at_step(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        const struct place *p, uint32_t step)
{
	const bool folds = s->position < 2 * p->folded, even = p->id == UINT32_MAX;
	uint32_t turn = step - 1;

	if (step == 0 || step == 4 * p->levels + 1)
		return folds && fold(en, s, op, p, even == (step == 0));
	if (even)
		return false;
	if (turn < 2 * p->levels)
		return exchange(en, s, op, p, turn / 2, false, turn % 2 == 0);
	turn -= 2 * p->levels;
	return exchange(en, s, op, p, p->levels - 1 - turn / 2, true, turn % 2 == 0);
}

static bool body(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	const struct place p = place_of(en, s);

	while (p.bytes && s->step < 4 * p.levels + 2)
		if (at_step(en, s, op, &p, s->step++))
			return true;
	return false;
}

static int check(const struct load_entry *en, struct err *e)
{
	return load_check_bytes(
	        en, "buffer", cut_bytes(en->cfg.buffer_bytes, en->cfg.channels, 0), e);
}

const struct coll_algorithm coll_halving = {
        .lanes = 1, .chunk_bytes = 1, .body = body, .check = check};
