/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/rounds.h"

#include <inttypes.h>

#include "dataplane/base/check.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"

#define GATE_OPEN UINT64_MAX

enum { W_RANK, W_ROUND, W_PEER, W_GATE }; /* words of struct load_state */

int rounds_check_period(const struct load_entry *en, struct err *e)
{
	const struct load_cfg *c = &en->cfg;
	__int128 last_ps = (__int128)c->start_ps + (__int128)(c->repeat - 1) * c->period_ps;

	if (c->period_ps && c->jitter_ps > c->period_ps)
		return load_key_err(en, e, "jitter",
		        "%" PRId64 " ps are longer than the period of %" PRId64
		        " ps: a round would begin before the one before it",
		        c->jitter_ps, c->period_ps);
	if (last_ps > LOAD_MAX_TIME_PS)
		return load_key_err(en, e, "repeat",
		        "%" PRId64 " rounds every %" PRId64
		        " ps end after the longest run of %" PRId64
		        " s: lower repeat or period",
		        c->repeat, c->period_ps, LOAD_MAX_TIME_PS / PS_PER_S);
	return 0;
}

int rounds_prepare(const struct load_entry *en, struct err *e)
{
	int rc = load_check_bytes(en, "message", en->cfg.message_bytes, e);

	return rc ? rc : rounds_check_period(en, e);
}

int rounds_prepare_group(struct load_entry *en, struct err *e)
{
	int rc = load_check_group(en, e);

	return rc ? rc : rounds_prepare(en, e);
}

void rounds_start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	*st = (struct load_state){.w[W_RANK] = place_rank(en, host)};
}

uint32_t rounds_rank(const struct load_state *st)
{
	return (uint32_t)st->w[W_RANK];
}

static bool has_due_time(const struct load_cfg *c, uint64_t round)
{
	return round == 0 || c->period_ps > 0;
}

static int64_t jitter_ps(const struct load_entry *en, const struct load_state *st)
{
	struct rng r;

	if (!en->cfg.jitter_ps)
		return 0;
	r = (struct rng){
	        hash_combine(load_draw(en, st->w[W_ROUND], LOAD_DRAW_JITTER), st->w[W_RANK])};
	return (int64_t)rng_below(&r, (uint64_t)en->cfg.jitter_ps);
}

static int64_t due_ps(const struct load_entry *en, const struct load_state *st)
{
	return en->cfg.start_ps + (int64_t)st->w[W_ROUND] * en->cfg.period_ps +
	       jitter_ps(en, st);
}

/* What a round waits for: its time, or the former round and then the jitter. */
static void open_gate(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	const uint64_t step = st->w[W_GATE]++;

	if (has_due_time(&en->cfg, st->w[W_ROUND]))
		*op = (struct load_op){.kind = LOAD_SLEEP_UNTIL, .t_ps = due_ps(en, st)};
	else if (step)
		*op = (struct load_op){.kind = LOAD_COMPUTE, .t_ps = jitter_ps(en, st)};
	else
		*op = (struct load_op){.kind = LOAD_WAIT_SENDS, .count = 0};
	if (step || !en->cfg.jitter_ps || op->kind == LOAD_SLEEP_UNTIL)
		st->w[W_GATE] = GATE_OPEN;
}

bool rounds_next(const struct load_entry *en, struct load_state *st, uint32_t n_peers,
        struct load_op *op, uint32_t *i)
{
	const struct load_cfg *c = &en->cfg;
	uint64_t round = st->w[W_ROUND];

	ASSERT(n_peers > 0);
	if (round == (uint64_t)c->repeat) {
		*op = (struct load_op){.kind = LOAD_END};
		return false;
	}
	if (st->w[W_GATE] != GATE_OPEN) {
		open_gate(en, st, op);
		return false;
	}
	*i = (uint32_t)st->w[W_PEER]++;
	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .qp = (uint32_t)(round % (uint64_t)c->qps),
	        .tag = (uint32_t)round,
	        .bytes = c->message_bytes,
	        .t_ps = has_due_time(c, round) ? due_ps(en, st) : -1,
	        .priority = -1,
	};
	if (st->w[W_PEER] == n_peers) {
		st->w[W_ROUND]++;
		st->w[W_PEER] = 0;
		st->w[W_GATE] = 0;
	}
	return true;
}

void rounds_fini(struct load_entry *en)
{
	(void)en;
}
