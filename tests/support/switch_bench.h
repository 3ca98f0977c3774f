/* SPDX-License-Identifier: Apache-2.0 */
/* One switch alone, with what the simulator would lend it; a test feeds and serves it by hand.
 */
#ifndef TESTS_SWITCH_BENCH_H
#define TESTS_SWITCH_BENCH_H

#include "dataplane/fabric/fswitch.h"
#include "tests/support/simkit.h"

struct switch_bench {
	struct simkit k; /* fabric and settings: k.sw before switch_bench_try */
	struct fsw sw;
	struct fsw_profile profile;
	struct fifo_pool pool;
	struct hist hist;
	struct run_counters n;
	int64_t interval_max;
};

#define SWITCH_BENCH_PORTS 4
#define SWITCH_BENCH_FRAME 1082 /* frame bytes; 1086 in the buffer */

/* Allocated, with default settings and no fabric. */
struct switch_bench *switch_bench_new(void);
/* Lays a star of SWITCH_BENCH_PORTS hosts at 100 Gb/s around the switch. */
NODISCARD int switch_bench_star(struct switch_bench *b, struct err *e);
/* The switch at this node of the fabric that k has. */
NODISCARD int switch_bench_at(
        struct switch_bench *b, uint32_t node, uint64_t seed, struct err *e);
/* A star, or the test fails; set may be NULL. */
struct switch_bench *switch_bench_open(void (*set)(struct switch_cfg *));
void switch_bench_close(struct switch_bench *b); /* checks the accounts first */

#endif
