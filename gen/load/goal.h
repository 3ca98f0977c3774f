/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GOAL text, the schedules of LogGOPSim (Hoefler, Schneider, Lumsdaine: "LogGOPSim - Simulating
 * Large-Scale Applications in the LogGOPS Model", HPDC 2010):
 *
 *	num_ranks 2
 *	rank 0 {
 *	l1: calc 1000 cpu 0
 *	l2: send 1024b to 1 tag 5
 *	l2 requires l1
 *	}
 *
 * Labels may be left out; `;` ends an operation as a line's end does; comments are // and
 * C's. Total: any bytes give a schedule or one error with its position.
 */
#ifndef LOAD_GOAL_H
#define LOAD_GOAL_H

#include <stddef.h>
#include <stdio.h>

#include "gen/load/sched.h"

#define GOAL_MAX_FILE_BYTES (UINT32_C(1) << 30)

/* A finished schedule (sched_finish). name is for messages: "ring.goal:12:7: ...". */
NODISCARD int goal_parse(
        struct sched *out, const char *name, const char *text, size_t len, struct err *e);

/* A finished schedule as text that goal_parse reads back; what fails stays in the stream. */
void goal_write(FILE *f, const struct sched *s);

#endif
