/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One simulated or emulated host: its NIC, its QPs and the rank programs that drive them. The
 * only place where load and rnic meet; every engine uses it. A host belongs to one thread.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/base/record.h"
#include "gen/host/conn_arena.h"
#include "gen/host/keymap.h"
#include "gen/host/mark_log.h"
#include "gen/host/msg_log.h"
#include "gen/load/load.h"
#include "gen/load/time_heap.h"
#include "gen/rnic/rnic.h"

/* Constant during the run. */
struct host_shared {
	const struct load_entry *entry;
	uint32_t n_entries;
	struct conn_arena *arena;
	uint64_t seed;
	int64_t window_bytes; /* per QP; <= 0: none */
	const struct rnic_cfg *nic;
	/* FCT of a message alone on its path; TIME_NEVER: not known, unless completed. */
	int64_t (*alone_ps)(const void *arg, uint32_t src, uint32_t dst, uint16_t entropy,
	        int64_t bytes, bool completed);
	const void *alone_arg;
	/* A QP opens, or serves another stream than before; NULL: nobody need be told. */
	void (*opened)(const void *arg, uint32_t src, uint32_t conn);
	const void *opened_arg;
};

/* Unfinished messages of one program: an open-loop load above what the link carries ends here.
 */
#define HOST_MAX_WAITING (UINT64_C(1) << 21)

#define HOST_MAX_PROGRAMS (UINT32_C(1) << 16) /* qp_msg.program */

#define HOST_WAITER_BITS 17

enum program_state {
	PROGRAM_RUNS,
	PROGRAM_SLEEPS,
	PROGRAM_WAITS_RECV,
	PROGRAM_WAITS_SENDS,
	PROGRAM_WAITS_LANE,
	PROGRAM_ENDED
};

struct host_program {
	const struct load_entry *entry;
	struct load_state st;
	uint64_t open; /* own messages not finished */
	uint64_t wait_count;
	uint64_t step;                /* LOAD_STEP */
	uint32_t first_lane, n_lanes; /* of this entry among the host's programs */
	uint32_t next_waiter;         /* of those that wait for the same; index + 1, 0: none */
	uint32_t first_waiter;        /* for a step of this lane */
	enum program_state state;
	uint32_t last_conn; /* of the last lasting QP, */
	uint64_t last_key;  /* and its key; 0: none */
};

/* What one QP has carried, and how long its last message takes alone: those of a QP are mostly
 * alike, and working it out costs more than all else at the end of a message. */
struct host_flow {
	int64_t completed_bytes;
	int64_t first_post_ps, last_done_ps; /* of completed messages */
	int64_t alone_bytes, alone_ps;       /* alone_bytes -1: not known */
};

struct host {
	struct rnic nic;
	int64_t wake_ps; /* earliest program that is due; TIME_NEVER */
	struct host_program *program;
	uint32_t n_programs;
	uint32_t next_seq;
	uint32_t fresh_seq;
	struct host_flow *flow; /* [nic.n_slots] */
	uint32_t cap_flow;
	struct keymap qps; /* (entry, peer, qp) -> conn + 1; free list of fresh QPs per (entry,
	                      peer) */
	struct keymap received; /* (entry, peer, stream) -> messages << HOST_WAITER_BITS | the
	                           first program that waits for more; see next_waiter */
	uint64_t *due;          /* [n_programs] bits: to be run at once, in this order */
	struct timed *asleep;   /* heap of programs, by index among equal times */
	uint32_t n_asleep;
	const struct host_shared *sh;
	struct msg_log *log;    /* of the thread */
	struct mark_log *marks; /* of the thread */
	struct run_counters *n;
	uint64_t *unfinished; /* of the thread: programs not ended and messages not finished */
	int *failure;         /* of the thread: -errno once something could not be had */
};

/* Starts the programs that involve this host; nic is already initialised. */
NODISCARD int host_init(struct host *h, const struct host_shared *sh, struct err *e);
void host_fini(struct host *h);

/* Runs every program that is due. */
void host_programs(struct host *h, int64_t now_ps);

/* Takes in what the NIC finished: call after rnic_receive or rnic_timers when nic.n_done > 0.
 */
void host_collect(struct host *h, int64_t now_ps);

/* A message of connection `conn` arrived whole: call when its last packet was accepted. */
void host_received(struct host *h, uint32_t conn, int64_t now_ps);

/* Writes a record for each message that is not finished. */
void host_log_unfinished(struct host *h);

/* What the fabric hashes of a connection whose UDP source port is chosen. */
uint16_t host_port_entropy(uint64_t seed, uint32_t src, uint32_t dst, uint16_t port);

#endif
