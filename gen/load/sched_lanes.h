/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts the graph of each rank into lanes: chains in which an operation stands behind another
 * only if it waits for it anyway, so that a lane adds no order that the schedule has not. What
 * an operation waits for on other lanes becomes a step counter there. Sends and receives that
 * wait for the same and are waited for by the same go together as one node. Cold path.
 */
#ifndef LOAD_SCHED_LANES_H
#define LOAD_SCHED_LANES_H

#include "gen/load/sched_match.h"

enum {
	SCHED_LEADS = 1,         /* the first operation of its node */
	SCHED_START_AWAITED = 2, /* another lane waits for the node to have started */
	SCHED_END_AWAITED = 4,   /* another lane waits for the node to be complete */
	SCHED_ACKED = 8,         /* somebody waits for its sends to be acknowledged */
};

struct sched_lanes {
	uint32_t *node;    /* [n_ops]: the leader of an operation's node */
	uint32_t *member;  /* [n_ops]: the next operation of the node, UINT32_MAX: the last */
	uint32_t *place;   /* [n_ops]: a leader's number in its lane, from 0 */
	uint16_t *lane;    /* [n_ops]: a leader's lane in its rank */
	uint8_t *flags;    /* [n_ops]: of a leader */
	uint32_t *n_lanes; /* [n_ranks] */
};

/* -EINVAL where a rank needs more than LOAD_MAX_LANES. sched_lanes_fini frees, also after a
 * failure. */
NODISCARD int sched_lanes_init(struct sched_lanes *l, const struct sched *s,
        const struct sched_match *m, struct err *e);
void sched_lanes_fini(struct sched_lanes *l);

#endif
