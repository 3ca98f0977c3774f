/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/switch_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct switch_bench *switch_bench_new(void)
{
	struct switch_bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	simkit_init(&b->k);
	return b;
}

int switch_bench_at(struct switch_bench *b, uint32_t node, uint64_t seed, struct err *e)
{
	int rc = fsw_profile_init(&b->profile, &b->k.sw, e);

	if (!rc)
		rc = fsw_init(&b->sw, b->k.topo, node, &b->profile, &b->k.frame, seed, e);
	if (rc)
		return rc;
	fifo_pool_init(&b->pool);
	hist_init(&b->hist);
	b->sw.pool = &b->pool;
	b->sw.queue_hist = &b->hist;
	b->sw.n = &b->n;
	b->sw.interval_max_queue_bytes = &b->interval_max;
	return 0;
}

int switch_bench_star(struct switch_bench *b, struct err *e)
{
	simkit_star(&b->k, SWITCH_BENCH_PORTS, 100 * SIMKIT_GBPS, PS_PER_US);
	return switch_bench_at(b, SWITCH_BENCH_PORTS, 1, e);
}

struct switch_bench *switch_bench_open(void (*set)(struct switch_cfg *))
{
	struct switch_bench *b = switch_bench_new();
	struct err e = {0};

	if (set)
		set(&b->k.sw);
	if (switch_bench_star(b, &e))
		fail_msg("%s", e.msg);
	return b;
}

void switch_bench_close(struct switch_bench *b)
{
	fsw_check(&b->sw);
	fsw_fini(&b->sw);
	fifo_pool_fini(&b->pool);
	simkit_fini(&b->k);
	free(b);
}
