/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank sends to all others at once, to rank + 1 first, then rank + 2 ..., so that no
 * receiver is everybody's first. */
#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	uint32_t ranks = en->ranks.n, i;

	if (rounds_next(en, st, ranks - 1, op, &i))
		op->peer = place_host(en, (rounds_rank(st) + 1 + i) % ranks);
}

const struct load_ops all_to_all_ops = {
        .name = "all-to-all",
        .doc = "each rank sends one message to every other rank at once",
        .prepare = rounds_prepare_group,
        .involves = load_in_group,
        .start = rounds_start,
        .next = next,
        .fini = rounds_fini,
};
