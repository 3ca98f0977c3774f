/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank streams to its right neighbour; the last one's is the first. */
#include "gen/load/load_int.h"
#include "gen/load/rounds.h"

static int prepare(struct load_entry *en, struct err *e)
{
	int rc = load_check_group(en, e);

	return rc ? rc : rounds_prepare(en, e);
}

static void start(const struct load_entry *en, uint32_t host, struct load_state *st)
{
	(void)en;
	rounds_start(host, st);
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	uint32_t ranks = (uint32_t)en->cfg.ranks, first = (uint32_t)en->cfg.first_host, i;

	if (rounds_next(en, st, 1, op, &i))
		op->peer = first + (rounds_host(st) - first + 1) % ranks;
}

const struct load_ops ring_ops = {
        .name = "ring",
        .doc = "each rank sends its messages to the next rank, the last to the first",
        .prepare = prepare,
        .involves = load_in_group,
        .start = start,
        .next = next,
        .fini = rounds_fini,
};
