/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a schedule one that can run: each rank's operations in an order that its dependencies
 * allow, each send with its receive (by source, destination and tag, in that order), and no
 * operation that waits, over whatever ranks and messages, for itself. Cold path.
 */
#ifndef LOAD_SCHED_MATCH_H
#define LOAD_SCHED_MATCH_H

#include "gen/load/sched.h"

struct sched_match {
	uint32_t *order; /* [n_ops]: op numbers, rank by rank, what is waited for first */
	uint32_t *peer;  /* [n_ops]: the receive of a send and the send of a receive */
};

/* -EINVAL names the operations that do not fit. sched_match_fini frees, also after a failure.
 */
NODISCARD int sched_match_init(struct sched_match *m, const struct sched *s, struct err *e);
void sched_match_fini(struct sched_match *m);

#endif
