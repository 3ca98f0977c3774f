/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All connections of a run in one array: address space is reserved up front, memory is used as
 * connections are opened. Where address space is limited (ulimit -v) it takes a part of what
 * there is. conn_arena_new may be called by any thread; an index is only a place, it never
 * decides an order.
 */
#ifndef HOST_CONN_ARENA_H
#define HOST_CONN_ARENA_H

#include <stdatomic.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "gen/rnic/conn.h"

#define CONN_ARENA_MAX (UINT32_C(1) << 23)
#define CONN_ARENA_MIN (UINT32_C(1) << 14)
#define CONN_NONE      UINT32_MAX

struct conn_arena {
	struct conn *conn;
	uint32_t max, end; /* end: of what this process may open */
	atomic_uint next;
};

NODISCARD int conn_arena_open(struct conn_arena *a, struct err *e);
/* Indices are one space for all processes of a run, and each opens its share of them. */
NODISCARD int conn_arena_share(
        struct conn_arena *a, uint32_t process, uint32_t n_processes, struct err *e);
void conn_arena_close(struct conn_arena *a);
uint32_t conn_arena_new(struct conn_arena *a); /* zeroed; CONN_NONE when full */

#endif
