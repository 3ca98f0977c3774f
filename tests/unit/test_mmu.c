/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared-buffer accounting, packet by packet: reserve first, then the pool under its dynamic
 * threshold alpha x (pool - used) (Choudhury and Hahne, "Dynamic Queue Length Thresholds for
 * Shared-Memory Packet Switches", IEEE/ACM ToN 6(2), 1998), then headroom; XOFF at the
 * threshold, XON an offset below it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/fabric/mmu.h"

#define ONE      (INT64_C(1) << MMU_ALPHA_SHIFT)
#define HEADROOM 3000

static const struct mmu_limits limits = {
        .alpha_q16 = ONE / 2, .reserve_bytes = 1000, .xon_offset_bytes = 300};

static bool admit(struct mmu *m, struct mmu_ingress *in, int64_t bytes)
{
	return mmu_admit_lossless(m, in, &limits, HEADROOM, bytes);
}

static void reserve_is_filled_before_the_pool(void **state)
{
	struct mmu m = {.pool_bytes = 10000};
	struct mmu_ingress in = {0};

	(void)state;
	assert_true(admit(&m, &in, 400));
	assert_true(admit(&m, &in, 600));
	assert_int_equal(in.used_bytes, 1000);
	assert_int_equal(m.shared_bytes, 0);
	assert_true(admit(&m, &in, 1));
	assert_int_equal(m.shared_bytes, 1);
	/* a packet that straddles the reserve takes only the rest from the pool */
	mmu_release_lossless(&m, &in, &limits, 401);
	assert_int_equal(m.shared_bytes, 0);
	assert_true(admit(&m, &in, 500));
	assert_int_equal(m.shared_bytes, 100);
	assert_int_equal(in.used_bytes, 1100);
	assert_int_equal(m.max_shared_bytes, 100);
}

/* A lone ingress fills alpha / (1 + alpha) of the pool: here a third of 9000. */
static void threshold_leaves_the_share_that_alpha_says(void **state)
{
	struct mmu m = {.pool_bytes = 9000};
	struct mmu_ingress in = {0};

	(void)state;
	while (in.headroom_bytes == 0)
		assert_true(admit(&m, &in, 10));
	assert_int_equal(m.shared_bytes, 3000);
	assert_int_equal(in.used_bytes, 4000);
	assert_int_equal(in.headroom_bytes, 10);
}

static void headroom_takes_what_the_pool_refuses_to_the_last_byte(void **state)
{
	struct mmu m = {.pool_bytes = 0};
	struct mmu_ingress in = {0};

	(void)state;
	assert_true(admit(&m, &in, 1000)); /* reserve */
	assert_true(admit(&m, &in, HEADROOM - 1));
	assert_false(admit(&m, &in, 2));
	assert_true(admit(&m, &in, 1));
	assert_false(admit(&m, &in, 1));
	assert_int_equal(m.max_headroom_bytes, HEADROOM);
	/* what leaves gives headroom back first, so that there is room for the next storm */
	mmu_release_lossless(&m, &in, &limits, HEADROOM + 100);
	assert_int_equal(in.headroom_bytes, 0);
	assert_int_equal(in.used_bytes, 900);
}

/* XOFF when what is above the reserve reaches the threshold; XON when it is xon_offset below
 * it, or nothing is above the reserve; neither twice. */
static void xoff_and_xon_have_hysteresis(void **state)
{
	struct mmu m = {.pool_bytes = 9000};
	struct mmu_ingress in = {0};

	(void)state;
	assert_true(admit(&m, &in, 3999)); /* 2999 above, threshold 3000.5 */
	assert_false(mmu_wants_xoff(&m, &in, &limits));
	assert_true(admit(&m, &in, 1)); /* 3000 above, threshold 3000 */
	assert_true(mmu_wants_xoff(&m, &in, &limits));
	assert_false(mmu_wants_xoff(&m, &in, &limits));
	mmu_release_lossless(&m, &in, &limits, 199); /* 2801, threshold 3099: 298 below */
	assert_false(mmu_wants_xon(&m, &in, &limits));
	mmu_release_lossless(&m, &in, &limits, 2); /* 2799, threshold 3100: 301 below */
	assert_true(mmu_wants_xon(&m, &in, &limits));
	assert_false(mmu_wants_xon(&m, &in, &limits));
}

static void xon_waits_for_headroom_and_comes_with_an_empty_share(void **state)
{
	struct mmu m = {.pool_bytes = 100};
	struct mmu_ingress in = {0};

	(void)state;
	assert_true(admit(&m, &in, 1000));
	assert_true(admit(&m, &in, 500)); /* more than the pool: headroom */
	assert_int_equal(in.headroom_bytes, 500);
	assert_true(mmu_wants_xoff(&m, &in, &limits));
	mmu_release_lossless(&m, &in, &limits, 499);
	assert_false(mmu_wants_xon(&m, &in, &limits));
	mmu_release_lossless(&m, &in, &limits, 1);
	/* 300 below a threshold of 50 is never reached: nothing above the reserve is enough */
	assert_true(mmu_wants_xon(&m, &in, &limits));
}

static void passing_is_what_changes_nothing(void **state)
{
	struct mmu m = {.pool_bytes = 9000};
	struct mmu_ingress in = {0};

	(void)state;
	assert_true(mmu_passes(&m, &in, &limits, 1000));
	assert_true(mmu_passes(&m, &in, &limits, 1000 + 4499));
	assert_false(mmu_passes(&m, &in, &limits, 1000 + 4500)); /* would send XOFF */
	in.xoff = true;
	assert_false(mmu_passes(&m, &in, &limits, 1)); /* its going might send XON */
	in = (struct mmu_ingress){.headroom_bytes = 1};
	assert_false(mmu_passes(&m, &in, &limits, 1));
}

/* With alpha above 1 the threshold exceeds what is free. */
static void no_alpha_overfills_the_pool(void **state)
{
	const struct mmu_limits greedy = {.alpha_q16 = 64 * ONE};
	struct mmu m = {.pool_bytes = 10000};
	struct mmu_ingress in = {0};

	(void)state;
	while (in.headroom_bytes == 0) {
		assert_true(mmu_admit_lossless(&m, &in, &greedy, HEADROOM, 1090));
		assert_true(m.shared_bytes <= m.pool_bytes);
	}
	assert_int_equal(m.shared_bytes, 9 * 1090);
	m = (struct mmu){.pool_bytes = 10000};
	for (int64_t q = 0; mmu_admit_lossy(&m, 64 * ONE, q, 1090); q += 1090)
		assert_true(m.shared_bytes <= m.pool_bytes);
	assert_int_equal(m.shared_bytes, 9 * 1090);
}

static void lossy_queues_drop_at_their_threshold(void **state)
{
	struct mmu m = {.pool_bytes = 3000};
	int64_t q = 0;

	(void)state;
	while (mmu_admit_lossy(&m, ONE, q, 100))
		q += 100;
	assert_int_equal(q, 1500); /* alpha 1: half of the pool */
	for (int64_t other = 0; mmu_admit_lossy(&m, ONE, other, 100); other += 100)
		q += 100;
	assert_int_equal(
	        q, 2300); /* and half of the rest, in packets: the last one found 700 */
	mmu_release_lossy(&m, 2300);
	assert_int_equal(m.shared_bytes, 0);
}

/* Random packets of four ingresses come and go: the pool holds exactly what is above the
 * reserves, and nothing is left in the end. */
static void counters_add_up(void **state)
{
	struct rng r = rng_make(1, 0, RNG_LOAD);
	struct mmu m = {.pool_bytes = 20000};
	struct mmu_ingress in[4] = {{0}};
	int64_t held[4][4000];
	int n[4] = {0};

	(void)state;
	for (int step = 0; step < 100000; step++) {
		int i = (int)rng_below(&r, 4);
		int64_t bytes = 64 + (int64_t)rng_below(&r, 1500), above = 0;

		if (rng_below(&r, 100) < 52 && n[i] < 4000) {
			if (admit(&m, &in[i], bytes))
				held[i][n[i]++] = bytes;
		} else if (n[i]) {
			mmu_release_lossless(&m, &in[i], &limits, held[i][--n[i]]);
		}
		for (int k = 0; k < 4; k++) {
			above += mmu_above_reserve(&in[k], limits.reserve_bytes);
			assert_in_range(in[k].headroom_bytes, 0, HEADROOM);
		}
		assert_int_equal(above, m.shared_bytes);
		assert_in_range(m.shared_bytes, 0, m.pool_bytes);
	}
	for (int i = 0; i < 4; i++)
		while (n[i])
			mmu_release_lossless(&m, &in[i], &limits, held[i][--n[i]]);
	assert_int_equal(m.shared_bytes, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(in[i].used_bytes + in[i].headroom_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reserve_is_filled_before_the_pool),
	        cmocka_unit_test(threshold_leaves_the_share_that_alpha_says),
	        cmocka_unit_test(headroom_takes_what_the_pool_refuses_to_the_last_byte),
	        cmocka_unit_test(xoff_and_xon_have_hysteresis),
	        cmocka_unit_test(xon_waits_for_headroom_and_comes_with_an_empty_share),
	        cmocka_unit_test(passing_is_what_changes_nothing),
	        cmocka_unit_test(no_alpha_overfills_the_pool),
	        cmocka_unit_test(lossy_queues_drop_at_their_threshold),
	        cmocka_unit_test(counters_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
