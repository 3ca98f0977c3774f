/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank has one part of the buffer and ends with all of it. */
#include "gen/load/collective.h"
#include "gen/load/load_int.h"

static int prepare(struct load_entry *en, struct err *e)
{
	return coll_prepare(en, COLL_ALL_GATHER, &coll_ring, e);
}

const struct load_ops all_gather_ops = {
        .name = "all-gather",
        .doc = "every rank ends with the parts of all ranks",
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
