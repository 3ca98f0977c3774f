/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule compiled: for each lane of each rank a row of instructions that schedule.c turns
 * into operations. Constant once built. sched_program_fini frees; all zero is empty.
 */
#ifndef LOAD_SCHED_PROGRAM_H
#define LOAD_SCHED_PROGRAM_H

#include "gen/load/sched.h"

/* Counts are those of the first round; round r adds r times what one round has of them. */
struct sched_ins {
	int64_t value; /* SEND: bytes; COMPUTE: units; others: count */
	uint32_t peer; /* SEND, RECV: rank; WAIT_LANE: lane */
	uint32_t tag;  /* SEND: the schedule's; RECV: messages of this stream per round */
	uint16_t stream;
	uint8_t kind; /* enum load_op_kind */
};

struct sched_lane {
	uint32_t first, n; /* instructions */
};

struct sched_program {
	uint32_t n_ranks;
	struct sched_ins *ins;
	uint32_t n_ins, room_ins;
	struct sched_lane *lane;
	uint32_t *first_lane; /* [n_ranks + 1] */
	uint32_t *end_step;   /* by lane: its step counter once a round is over */
	uint64_t messages;    /* per round */
	uint32_t max_streams; /* of one pair */
};

/* Checks the schedule and compiles it; it may be freed then. -EINVAL names what is wrong. */
NODISCARD int sched_compile(struct sched_program *p, const struct sched *s, struct err *e);
void sched_program_fini(struct sched_program *p);

#endif
