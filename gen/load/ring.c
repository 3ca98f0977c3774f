/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank streams to its right neighbour; the last one's is the first. */
#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	uint32_t i;

	if (rounds_next(en, st, 1, op, &i))
		op->peer = place_host(en, (rounds_rank(st) + 1) % en->ranks.n);
}

const struct load_ops ring_ops = {
        .name = "ring",
        .doc = "each rank sends its messages to the next rank, the last to the first",
        .prepare = rounds_prepare_group,
        .involves = load_in_group,
        .start = rounds_start,
        .next = next,
        .fini = rounds_fini,
};
