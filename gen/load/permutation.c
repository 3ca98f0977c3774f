/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank sends to one other and receives from one other, drawn from the seed: the ranks
 * stand in one random circle. With reshuffle each round has a circle of its own. */
#include "gen/load/load_int.h"
#include "gen/load/perm.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	uint32_t i;

	if (rounds_next(en, st, 1, op, &i)) {
		struct perm p = perm_make(
		        load_draw(en, en->cfg.reshuffle ? op->tag : 0, LOAD_DRAW_PARTNER),
		        en->ranks.n);

		op->peer = place_host(en, perm_next(&p, rounds_rank(st)));
	}
}

const struct load_ops permutation_ops = {
        .name = "permutation",
        .doc = "each rank sends to one other and receives from one other, drawn from the seed",
        .prepare = rounds_prepare_group,
        .involves = load_in_group,
        .start = rounds_start,
        .next = next,
        .fini = rounds_fini,
};
