/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: deadlocks by PFC, found while the run goes on. Every DEADLOCK_PERIOD_PS of
 * virtual time, between two windows, the pauses of all switches are looked at together: a
 * paused queue waits for the ingress that paused it, and that ingress for the queues which hold
 * its packets. What is reported is permanent: let everything that can still move do so, let all
 * buffer that it held go free, and the queues of the cycle stay where they are.
 * Nothing is looked at closely while nothing is paused.
 */
#ifndef SIM_DEADLOCK_H
#define SIM_DEADLOCK_H

#include "dataplane/base/pause.h"
#include "gen/sim/sim_int.h"

#define DEADLOCK_PERIOD_PS (20 * PS_PER_US)

struct deadlocks;

NODISCARD int deadlocks_open(struct deadlocks **out);
void deadlocks_close(struct deadlocks *d); /* NULL is fine */

/* When the next look is due, at a border of windows. */
int64_t deadlocks_next_ps(const struct sim *s, int64_t now_ps);

/* All nodes stand at now_ps. Remembers each new cycle. Collective where there are ranks. */
void deadlocks_look(struct sim *s, int64_t now_ps);

uint64_t deadlocks_found(const struct sim *s);

/* Hands the records over. */
void deadlocks_collect(struct sim *s, struct run_record *r);

#endif
