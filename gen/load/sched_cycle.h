/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of a schedule that wait for each other for ever. Cold path. */
#ifndef LOAD_SCHED_CYCLE_H
#define LOAD_SCHED_CYCLE_H

#include "gen/load/sched.h"

/* Runs the graph of all ranks: peer[i] is the send of a receive and the receive of a send.
 * -EINVAL with the cycle, if there is one. */
NODISCARD int sched_cycle_check(const struct sched *s, const uint32_t *peer, struct err *e);

/* The same where it is known that there is one; peer NULL: within one rank. */
int sched_cycle_err(const struct sched *s, const uint32_t *peer, struct err *e);

#endif
