/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which sends and receives of a rank are one node: they wait for the same operations and the
 * same operations wait for their completion. Posting them together and waiting for all is then
 * the same as one by one, and a fan-out of a thousand messages takes one lane. Cold path.
 */
#ifndef LOAD_SCHED_NODES_H
#define LOAD_SCHED_NODES_H

#include "gen/load/sched_lanes.h"

/* Fills node, member and the flags LEADS and ACKED. */
NODISCARD int sched_nodes(struct sched_lanes *l, const struct sched *s,
        const struct sched_match *m, struct err *e);

#endif
