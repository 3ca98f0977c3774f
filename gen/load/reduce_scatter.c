/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank ends with its part of the sum of all ranks' buffers. */
#include "gen/load/collective.h"
#include "gen/load/load_int.h"

static int prepare(struct load_entry *en, struct err *e)
{
	return coll_prepare(en, COLL_REDUCE_SCATTER, &coll_ring, e);
}

static bool figure(const struct load_entry *en, uint16_t part, struct load_figure *f)
{
	const uint32_t n = en->ranks.n;

	*f = (struct load_figure){"reduce-scatter", en->cfg.buffer_bytes,
	        coll_bus_num(COLL_REDUCE_SCATTER, n), n};
	return part == 0;
}

const struct load_ops reduce_scatter_ops = {
        .name = "reduce-scatter",
        .doc = "each rank ends with its part of the sum of all buffers",
        .prepare = prepare,
        .involves = load_in_group,
        .lanes = coll_lanes,
        .start = coll_start,
        .next = coll_next,
        .fini = coll_fini,
        .figure = figure,
        .receives = true,
        .marks = MARKED_BY_LANES,
};
