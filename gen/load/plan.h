/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of a workload with what each waits for, found by running the rank programs
 * without a network: in the order of their earliest start times, every message after all that
 * it depends on. Messages go to a callback one by one, so memory grows with ranks and not with
 * messages. A message's id is (entry, src, seq): seq counts that program's messages from 0.
 * Cold path.
 */
#ifndef LOAD_PLAN_H
#define LOAD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "gen/load/load.h"

#define PLAN_MAX_MESSAGES UINT32_MAX
#define PLAN_ID_BYTES     40

enum plan_dep_kind {
	PLAN_COMPLETED, /* acknowledged at their sender, which is this message's own program */
	PLAN_ARRIVED,   /* received by this message's source */
};

/* Messages first .. last of one program of the same entry. */
struct plan_dep {
	enum plan_dep_kind kind;
	uint32_t src;
	uint64_t first, last;
};

/*
 * dep: what the program waited for just before this message, or before the group of messages
 * sent with it. A message also waits for whatever earlier messages of its program waited for.
 */
struct plan_message {
	uint16_t entry;
	uint32_t src, dst;
	uint64_t seq;
	int64_t bytes;
	int64_t start_ps; /* intended, or the earliest: as if the network took no time */
	bool intended;    /* start_ps is a schedule that does not wait for the network */
	int8_t priority;  /* -1: the entry's */
	uint32_t tag;     /* row of a flow list, round of a burst */
	uint32_t n_dep;
	const struct plan_dep *dep; /* valid during the callback */
};

struct plan_totals {
	uint64_t messages;
	uint64_t programs;
	__int128 bytes;
	bool cut; /* there are more messages than max_messages */
};

/* A non-zero return stops the plan, which returns it. NULL: only the totals are wanted, and
 * nothing is kept of what waits for what. */
typedef int plan_fn(void *arg, const struct plan_message *m);

/* Entries are prepared for the same fabric; messages from stop.after on are left out. -EINVAL
 * also when programs wait for each other for ever, with one of them named. */
NODISCARD int plan_run(const struct load_entry *entry, uint32_t n_entries,
        uint64_t max_messages, plan_fn *each, void *arg, struct plan_totals *out,
        struct err *e);

/* The operations of every lane as they begin, each lane's in its order; LOAD_WAIT_LANE once it
 * is over, so that the step stands before it. In a cut plan some wait for messages that are not
 * in it. */
typedef int plan_op_fn(
        void *arg, uint16_t entry, uint32_t host, uint32_t lane, const struct load_op *op);
NODISCARD int plan_run_ops(const struct load_entry *entry, uint32_t n_entries,
        uint64_t max_messages, plan_op_fn *op, void *arg, struct plan_totals *out,
        struct err *e);

/* "0.3.17": entry, source, sequence; returns buf. */
const char *plan_id(char buf[PLAN_ID_BYTES], uint16_t entry, uint32_t src, uint64_t seq);

#endif
