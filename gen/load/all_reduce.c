/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank ends with the sum of all ranks' buffers. */
#include "gen/load/collective.h"
#include "gen/load/load_int.h"

static int prepare(struct load_entry *en, struct err *e)
{
	static const struct coll_algorithm *const algorithms[] = {
	        [ALGORITHM_RING] = &coll_ring,
	        [ALGORITHM_TREE] = &coll_tree,
	        [ALGORITHM_DOUBLE_TREE] = &coll_double_tree,
	        [ALGORITHM_HALVING_DOUBLING] = &coll_halving,
	};

	return coll_prepare(en, COLL_ALL_REDUCE, algorithms[en->cfg.algorithm], e);
}

const struct load_ops all_reduce_ops = {
        .name = "all-reduce",
        .doc = "every rank ends with the sum of all ranks' buffers",
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
