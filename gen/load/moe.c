/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mixture of experts, expert parallelism: in each step every rank dispatches its tokens to the
 * ranks that hold their experts, these compute, and the results come back the same way
 * (combine). Popular experts get more, and compute longer. A rank goes on when it has
 * everybody's message, so the hottest one holds up all. `buffer` is what a rank's tokens amount
 * to in a step, those for its own experts included.
 */

#include "gen/load/exchange.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"
#include "gen/load/skew.h"

enum phase {
	PHASE_DUE,
	PHASE_BEGIN,
	PHASE_BEGIN_DISPATCH,
	PHASE_DISPATCH,
	PHASE_END_DISPATCH,
	PHASE_COMPUTE,
	PHASE_BEGIN_COMBINE,
	PHASE_COMBINE,
	PHASE_END_COMBINE,
	PHASE_END,
};

enum { PART_WHOLE, PART_DISPATCH, PART_COMBINE };

struct __attribute__((may_alias)) state {
	uint32_t rank, round;
	struct exchange x;
	uint8_t phase;
};
_Static_assert(sizeof(struct state) <= sizeof(struct load_state), "state fits");

static int prepare(struct load_entry *en, struct err *e)
{
	int rc = load_check_group(en, e);

	if (!rc)
		rc = rounds_check_period(en, e);
	if (rc)
		return rc;
	return skew_prepare(en, "buffer", en->cfg.buffer_bytes, e);
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	*st = (struct load_state){{0}};
	((struct state *)(void *)st)->rank = place_rank(en, host);
}

static int64_t dispatched(
        const struct load_entry *en, const struct exchange_plan *x, uint32_t to)
{
	return skew_bytes(en->shared, en, x->tag, to);
}

/* As much as came from there: what everybody has for this rank. */
static int64_t combined(const struct load_entry *en, const struct exchange_plan *x, uint32_t to)
{
	(void)to;
	return skew_bytes(en->shared, en, x->tag, x->rank);
}

static bool exchange(
        const struct load_entry *en, struct state *s, struct load_op *op, bool combine)
{
	const struct exchange_plan x = {
	        .rank = s->rank,
	        .number = 2 * (uint64_t)s->round + combine,
	        .tag = s->round,
	        .due_ps = -1,
	        .receives = true,
	        .acked = true,
	        .bytes = combine ? combined : dispatched,
	};

	return exchange_next(en, &x, &s->x, op);
}

/* In proportion to the tokens: `compute` is for an even share. */
static int64_t compute_ps(const struct load_entry *en, const struct state *s)
{
	const int64_t own = skew_bytes(en->shared, en, s->round, s->rank);

	return (int64_t)((__int128)en->cfg.compute_ps * own * en->ranks.n /
	                 en->cfg.buffer_bytes);
}

static void mark(struct load_op *op, const struct state *s, uint16_t part, bool end)
{
	*op = (struct load_op){
	        .kind = LOAD_MARK, .tag = s->round, .stream = part, .count = end};
}

static bool due(const struct load_entry *en, struct state *s, struct load_op *op)
{
	const struct load_cfg *c = &en->cfg;

	if (s->round == c->repeat) {
		*op = (struct load_op){.kind = LOAD_END};
		return true;
	}
	s->phase = PHASE_BEGIN;
	*op = (struct load_op){
	        .kind = LOAD_SLEEP_UNTIL, .t_ps = c->start_ps + s->round * c->period_ps};
	return !s->round || c->period_ps;
}

static bool next_in(const struct load_entry *en, struct state *s, struct load_op *op)
{
	const enum phase phase = (enum phase)s->phase++;

	switch (phase) {
	case PHASE_DUE:
		s->phase = PHASE_DUE;
		return due(en, s, op);
	case PHASE_BEGIN:
		mark(op, s, PART_WHOLE, false);
		return true;
	case PHASE_BEGIN_DISPATCH:
		mark(op, s, PART_DISPATCH, false);
		return true;
	case PHASE_DISPATCH:
	case PHASE_COMBINE:
		if (!exchange(en, s, op, phase == PHASE_COMBINE))
			return false;
		s->phase = (uint8_t)phase;
		return true;
	case PHASE_END_DISPATCH:
		mark(op, s, PART_DISPATCH, true);
		return true;
	case PHASE_COMPUTE:
		*op = (struct load_op){.kind = LOAD_COMPUTE, .t_ps = compute_ps(en, s)};
		return op->t_ps > 0;
	case PHASE_BEGIN_COMBINE:
		mark(op, s, PART_COMBINE, false);
		return true;
	case PHASE_END_COMBINE:
		mark(op, s, PART_COMBINE, true);
		return true;
	case PHASE_END:
		mark(op, s, PART_WHOLE, true);
		s->phase = PHASE_DUE;
		s->round++;
		return true;
	}
	return false;
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	while (!next_in(en, (struct state *)(void *)st, op))
		;
}

static bool figure(const struct load_entry *en, uint16_t part, struct load_figure *f)
{
	*f = (struct load_figure){part == PART_DISPATCH ? "moe-dispatch" : "moe-combine",
	        en->cfg.buffer_bytes, en->ranks.n - 1, en->ranks.n};
	return part == PART_DISPATCH || part == PART_COMBINE;
}

const struct load_ops moe_ops = {
        .name = "moe",
        .doc = "mixture of experts: tokens to the experts' ranks, and the results back",
        .prepare = prepare,
        .involves = load_in_group,
        .start = start,
        .next = next,
        .fini = skew_fini,
        .figure = figure,
        .receives = true,
        .marks = MARKED_BY_LANES,
};
