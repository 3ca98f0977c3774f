/* SPDX-License-Identifier: Apache-2.0 */
/* Each message goes to one of the first hot_ranks ranks with probability hot_share, else to any
 * rank, evenly drawn; nobody sends to himself. */
#include <inttypes.h>

#include "dataplane/base/rng.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"

static int prepare(struct load_entry *en, struct err *e)
{
	int rc = rounds_prepare_group(en, e);

	return rc ? rc : load_check_hot(en, e);
}

/* Evenly among 0 .. n - 1 without self, n > 1 or self >= n. */
static uint32_t other(struct rng *r, uint32_t n, uint32_t self)
{
	uint32_t k = (uint32_t)rng_below(r, n - (self < n));

	return k + (self < n && k >= self);
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	const struct load_cfg *c = &en->cfg;
	const uint32_t self = rounds_rank(st), hot = (uint32_t)c->hot_ranks;
	uint32_t i;

	if (rounds_next(en, st, 1, op, &i)) {
		struct rng r = {hash_combine(load_draw(en, op->tag, LOAD_DRAW_PARTNER), self)};
		bool to_hot = (int64_t)(rng_next(&r) >> 32) < c->hot_share_q32;

		if (to_hot && hot == 1 && self == 0)
			to_hot = false; /* the hot one itself */
		op->peer = place_host(en, other(&r, to_hot ? hot : en->ranks.n, self));
	}
}

const struct load_ops hotspot_ops = {
        .name = "hotspot",
        .doc = "each rank sends to the others, a share of its messages to a few hot ones",
        .prepare = prepare,
        .involves = load_in_group,
        .start = rounds_start,
        .next = next,
        .fini = rounds_fini,
};
