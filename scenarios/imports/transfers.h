/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives as transfers between hosts: a transfer is a row of messages over one edge of a
 * ring or tree, and its k-th message waits for a message of other transfers that arrives where
 * it starts. Made into a schedule, rank by rank. transfers_fini frees; all zero is empty.
 */
#ifndef SCENARIO_TRANSFERS_H
#define SCENARIO_TRANSFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/load/sched.h"

#define TRANSFERS_MAX (UINT32_C(1) << 22)

struct transfer {
	uint32_t src, dst; /* hosts */
	uint32_t tag;
	uint32_t n;    /* messages */
	int64_t bytes; /* that the parts divide */
	uint32_t parts;
	uint32_t position; /* ring: message k carries part (position - k) mod parts */
	bool in_order;     /* else: message k carries part k */
	uint32_t step; /* transfers of step s begin when their hosts are done with step s - 1 */
	uint32_t first_dep, n_deps;
};

/* Message k waits for message k - lag of another transfer, which arrives at the host where this
 * one starts; nothing to wait for where k < lag. */
struct transfer_dep {
	uint32_t on, lag;
};

struct transfers {
	struct transfer *at;
	uint32_t n, room;
	struct transfer_dep *dep;
	uint32_t n_deps, room_deps;
};

void transfers_fini(struct transfers *t);

/* Adds one whose dependencies are added next; *index may be NULL. */
NODISCARD int transfers_add(
        struct transfers *t, const struct transfer *add, uint32_t *index, struct err *e);
/* For the transfer added last. If what it waits for arrives at another host, as it does where
 * two NICs of a machine pass data on, a message of 8 bytes carries the news there. */
NODISCARD int transfers_wait(struct transfers *t, uint32_t on, uint32_t lag, struct err *e);

int64_t transfer_bytes(const struct transfer *t, uint32_t k);

/* A finished schedule of so many ranks; name is what messages call it. */
NODISCARD int transfers_schedule(struct sched *out, struct transfers *t, const char *name,
        uint32_t n_hosts, struct err *e);

#endif
