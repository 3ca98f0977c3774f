/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank ends with its part of the sum of all ranks' buffers. */
#include "gen/load/collective.h"
#include "gen/load/load_int.h"

static int prepare(struct load_entry *en, struct err *e)
{
	return coll_prepare(en, COLL_REDUCE_SCATTER, &coll_ring, e);
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
        .figure = coll_figure,
        .receives = true,
        .marks = MARKED_BY_LANES,
};
