/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rank sends to all others. parallel: at once, to rank + 1 first, then rank + 2 ..., so
 * that no receiver is everybody's first. shifted: in step k to rank + k, when step k - 1 has
 * been sent and received, so that each rank receives from one at a time. random: one after the
 * other, each rank in an order of its own.
 */

#include "gen/load/exchange.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"
#include "gen/load/skew.h"

enum phase { PHASE_DUE, PHASE_BEGIN, PHASE_EXCHANGE, PHASE_END };

struct __attribute__((may_alias)) state {
	uint32_t rank, round;
	struct exchange x;
	uint8_t phase;
};
_Static_assert(sizeof(struct state) <= sizeof(struct load_state), "state fits");

static int prepare(struct load_entry *en, struct err *e)
{
	int rc = rounds_prepare_group(en, e);

	if (rc)
		return rc;
	return skew_prepare(en, "message", en->cfg.message_bytes * (int64_t)en->ranks.n, e);
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	*st = (struct load_state){{0}};
	((struct state *)(void *)st)->rank = place_rank(en, host);
}

static int64_t bytes(const struct load_entry *en, const struct exchange_plan *x, uint32_t to)
{
	return skew_bytes(en->shared, en, x->number, to);
}

/* With a period rounds may overlap: then nobody waits, and nothing begins or ends. */
static bool is_open(const struct load_entry *en)
{
	return en->cfg.period_ps && en->cfg.order == ORDER_PARALLEL;
}

static bool exchange(const struct load_entry *en, struct state *s, struct load_op *op)
{
	const struct load_cfg *c = &en->cfg;
	const bool due = c->order == ORDER_PARALLEL && (!s->round || c->period_ps);
	const struct exchange_plan x = {
	        .rank = s->rank,
	        .number = s->round,
	        .tag = s->round,
	        .due_ps = due ? c->start_ps + s->round * c->period_ps : -1,
	        .receives = c->order == ORDER_RANDOM,
	        .acked = !is_open(en),
	        .bytes = bytes,
	};

	return exchange_next(en, &x, &s->x, op);
}

static bool next_in(const struct load_entry *en, struct state *s, struct load_op *op)
{
	const struct load_cfg *c = &en->cfg;

	switch ((enum phase)s->phase) {
	case PHASE_DUE:
		s->phase = is_open(en) ? PHASE_EXCHANGE : PHASE_BEGIN;
		if (s->round == c->repeat) {
			s->phase = PHASE_DUE;
			*op = (struct load_op){.kind = LOAD_END};
			return true;
		}
		if (s->round && !c->period_ps)
			return false;
		*op = (struct load_op){.kind = LOAD_SLEEP_UNTIL,
		        .t_ps = c->start_ps + s->round * c->period_ps};
		return true;
	case PHASE_BEGIN:
	case PHASE_END:
		*op = (struct load_op){
		        .kind = LOAD_MARK, .tag = s->round, .count = s->phase == PHASE_END};
		s->round += s->phase == PHASE_END;
		s->phase = s->phase == PHASE_END ? PHASE_DUE : PHASE_EXCHANGE;
		return true;
	case PHASE_EXCHANGE:
		if (exchange(en, s, op))
			return true;
		s->phase = PHASE_END;
		if (is_open(en)) {
			s->phase = PHASE_DUE;
			s->round++;
		}
		return false;
	}
	return false;
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	while (!next_in(en, (struct state *)(void *)st, op))
		;
}

/* nccl-tests counts what a rank sends to all, itself included. */
static bool figure(const struct load_entry *en, uint16_t part, struct load_figure *f)
{
	const struct skew *k = en->shared;

	*f = (struct load_figure){"all-to-all", k->bytes, en->ranks.n - 1, en->ranks.n};
	return part == 0;
}

const struct load_ops all_to_all_ops = {
        .name = "all-to-all",
        .doc = "each rank sends one message to every other rank",
        .prepare = prepare,
        .involves = load_in_group,
        .start = start,
        .next = next,
        .fini = skew_fini,
        .figure = figure,
        .receives = true,
        .marks = MARKED_BY_LANES,
};
