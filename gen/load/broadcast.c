/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank ends with the root's buffer. */
#include "gen/load/collective.h"
#include "gen/load/load_int.h"

static int prepare(struct load_entry *en, struct err *e)
{
	switch (en->cfg.algorithm) {
	case ALGORITHM_RING:
		return coll_prepare(en, COLL_BROADCAST, &coll_chain, e);
	case ALGORITHM_TREE:
		return coll_prepare(en, COLL_BROADCAST, &coll_tree_down, e);
	default:
		return load_key_err(en, e, "algorithm", "a broadcast goes by ring or tree");
	}
}

static bool figure(const struct load_entry *en, uint16_t part, struct load_figure *f)
{
	*f = (struct load_figure){"broadcast", en->cfg.buffer_bytes, 1, 1};
	return part == 0;
}

const struct load_ops broadcast_ops = {
        .name = "broadcast",
        .doc = "every rank ends with the root's buffer",
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
