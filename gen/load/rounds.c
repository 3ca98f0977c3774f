/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/rounds.h"

#include <inttypes.h>

#include "dataplane/base/check.h"
#include "dataplane/base/units.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"

enum { W_RANK, W_ROUND, W_PEER, W_GATE_OPEN }; /* words of struct load_state */

int rounds_check_period(const struct load_entry *en, struct err *e)
{
	const struct load_cfg *c = &en->cfg;
	__int128 last_ps = (__int128)c->start_ps + (__int128)(c->repeat - 1) * c->period_ps;

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

static int64_t due_ps(const struct load_cfg *c, uint64_t round)
{
	return c->start_ps + (int64_t)round * c->period_ps;
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
	if (!st->w[W_GATE_OPEN]) {
		st->w[W_GATE_OPEN] = 1;
		if (has_due_time(c, round))
			*op = (struct load_op){
			        .kind = LOAD_SLEEP_UNTIL, .t_ps = due_ps(c, round)};
		else
			*op = (struct load_op){.kind = LOAD_WAIT_SENDS, .count = 0};
		return false;
	}
	*i = (uint32_t)st->w[W_PEER]++;
	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .qp = (uint32_t)(round % (uint64_t)c->qps),
	        .tag = (uint32_t)round,
	        .bytes = c->message_bytes,
	        .t_ps = has_due_time(c, round) ? due_ps(c, round) : -1,
	        .priority = -1,
	};
	if (st->w[W_PEER] == n_peers) {
		st->w[W_ROUND]++;
		st->w[W_PEER] = 0;
		st->w[W_GATE_OPEN] = 0;
	}
	return true;
}

void rounds_fini(struct load_entry *en)
{
	(void)en;
}
