/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/pause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define G INT64_C(1000000000)

static void quanta(void **state)
{
	(void)state;
	assert_int_equal(pause_quanta_ps(1, 100 * G), 5120); /* 512 bits at 10 ps */
	assert_int_equal(pause_quanta_ps(1, 400 * G), 1280);
	assert_int_equal(pause_quanta_ps(65535, 100 * G), INT64_C(335539200));
	assert_int_equal(pause_quanta_ps(65535, 1000), INT64_C(33553920000000000));
	assert_int_equal(pause_quanta_ps(0, 100 * G), 0);
}

/* IEEE 802.3 31B.3.7; rates in between take the next higher entry. */
static void response_times(void **state)
{
	(void)state;
	assert_int_equal(pause_response_quanta(1 * G), 60);
	assert_int_equal(pause_response_quanta(10 * G), 60);
	assert_int_equal(pause_response_quanta(25 * G), 80);
	assert_int_equal(pause_response_quanta(40 * G), 118);
	assert_int_equal(pause_response_quanta(50 * G), 147);
	assert_int_equal(pause_response_quanta(50 * G + 1), 394);
	assert_int_equal(pause_response_quanta(100 * G), 394);
	assert_int_equal(pause_response_quanta(200 * G), 453);
	assert_int_equal(pause_response_quanta(400 * G), 905);
	assert_int_equal(pause_response_quanta(800 * G), 905);
}

static void stops_after_response_and_resumes_on_expiry(void **state)
{
	struct pause_rx p;

	(void)state;
	memset(&p, 0, sizeof(p));
	pause_rx_xoff(&p, 3, 1000, 500, 100);
	assert_int_equal(pause_rx_update(&p, 1000), 1100);
	assert_int_equal(p.blocked, 0); /* within the response time */
	assert_int_equal(pause_rx_update(&p, 1099), 1100);
	assert_int_equal(p.blocked, 0);
	assert_int_equal(pause_rx_update(&p, 1100), 1500);
	assert_int_equal(p.blocked, 1 << 3);
	assert_int_equal(pause_rx_update(&p, 1499), 1500);
	assert_int_equal(p.blocked, 1 << 3);
	assert_int_equal(pause_rx_update(&p, 1500), TIME_NEVER);
	assert_int_equal(p.blocked, 0);
	assert_int_equal(p.live, 0);
	assert_int_equal(pause_rx_total_ps(&p, 3, 9999), 500);
	assert_int_equal(p.episodes[3], 1);
}

static void xon_resumes_at_once(void **state)
{
	struct pause_rx p;

	(void)state;
	memset(&p, 0, sizeof(p));
	pause_rx_xoff(&p, 0, 0, TIME_NEVER, 10);
	assert_int_equal(pause_rx_update(&p, 10), TIME_NEVER);
	assert_int_equal(p.blocked, 1);
	assert_int_equal(pause_rx_total_ps(&p, 0, 60), 60);
	pause_rx_xon(&p, 0, 70);
	assert_int_equal(p.blocked, 0);
	assert_int_equal(pause_rx_update(&p, 70), TIME_NEVER);
	assert_int_equal(pause_rx_total_ps(&p, 0, 1000), 70);
	/* as of a time within it and, with one more, of a time before that */
	assert_int_equal(pause_rx_total_ps(&p, 0, 60), 60);
	pause_rx_xoff(&p, 0, 100, TIME_NEVER, 10);
	pause_rx_xon(&p, 0, 130);
	assert_int_equal(pause_rx_total_ps(&p, 0, 1000), 100);
	assert_int_equal(pause_rx_total_ps(&p, 0, 90), 70);
}

static void xon_within_the_response_time_cancels(void **state)
{
	struct pause_rx p;

	(void)state;
	memset(&p, 0, sizeof(p));
	pause_rx_xoff(&p, 1, 0, 1000, 100);
	pause_rx_xon(&p, 1, 50);
	assert_int_equal(pause_rx_update(&p, 200), TIME_NEVER);
	assert_int_equal(p.blocked, 0);
	assert_int_equal(pause_rx_total_ps(&p, 1, 5000), 50);
}

static void xon_without_pause_does_nothing(void **state)
{
	struct pause_rx p, before;

	(void)state;
	memset(&p, 0, sizeof(p));
	before = p;
	pause_rx_xon(&p, 5, 123);
	assert_memory_equal(&p, &before, sizeof(p));
}

/* A refresh replaces the time but neither restarts the response time nor counts as an episode.
 */
static void refresh_extends_one_episode(void **state)
{
	struct pause_rx p;

	(void)state;
	memset(&p, 0, sizeof(p));
	pause_rx_xoff(&p, 3, 0, 1000, 100);
	(void)pause_rx_update(&p, 100);
	pause_rx_xoff(&p, 3, 800, 1000, 100);
	assert_int_equal(p.blocked, 1 << 3);
	assert_int_equal(pause_rx_update(&p, 1000), 1800);
	assert_int_equal(p.blocked, 1 << 3);
	(void)pause_rx_update(&p, 1800);
	assert_int_equal(p.blocked, 0);
	assert_int_equal(p.episodes[3], 1);
	assert_int_equal(pause_rx_total_ps(&p, 3, 1800), 1800);
}

/* A shorter time replaces a longer one that is running: the pause is not a maximum. */
static void shorter_time_replaces(void **state)
{
	struct pause_rx p;

	(void)state;
	memset(&p, 0, sizeof(p));
	pause_rx_xoff(&p, 2, 0, 100000, 0);
	pause_rx_xoff(&p, 2, 10, 20, 0);
	assert_int_equal(pause_rx_update(&p, 10), 30);
	assert_int_equal(pause_rx_update(&p, 30), TIME_NEVER);
	assert_int_equal(pause_rx_total_ps(&p, 2, 30), 30);
}

static void new_pause_at_the_instant_of_expiry(void **state)
{
	struct pause_rx p;

	(void)state;
	memset(&p, 0, sizeof(p));
	pause_rx_xoff(&p, 4, 0, 100, 10);
	(void)pause_rx_update(&p, 10);
	assert_int_equal(p.blocked, 1 << 4);
	pause_rx_xoff(&p, 4, 100, 100, 10); /* before the update at 100 */
	assert_int_equal(p.blocked, 0);     /* the new response time runs */
	assert_int_equal(pause_rx_update(&p, 100), 110);
	assert_int_equal(p.episodes[4], 2);
	(void)pause_rx_update(&p, 200);
	assert_int_equal(pause_rx_total_ps(&p, 4, 200), 200);
}

static void far_expiry_saturates(void **state)
{
	struct pause_rx p;

	(void)state;
	memset(&p, 0, sizeof(p));
	pause_rx_xoff(&p, 7, TIME_NEVER - 5, 100, 0);
	assert_int_equal(p.until_ps[7], TIME_NEVER);
}

/* What one priority does must not depend on the other seven: all eight at once against eight
 * alone. */
static void priorities_are_independent(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct rng r = rng_make(seed, 0, RNG_FAULT);
		struct pause_rx all, one[PRIORITIES];
		int64_t now_ps = 0;

		memset(&all, 0, sizeof(all));
		memset(one, 0, sizeof(one));
		for (int step = 0; step < 300; step++) {
			int pr = (int)rng_below(&r, PRIORITIES);
			int64_t length_ps = (int64_t)rng_below(&r, 400);
			int64_t next_ps = TIME_NEVER;

			now_ps += (int64_t)rng_below(&r, 50);
			for (int i = 0; i < PRIORITIES; i++) /* everybody is up to date first */
				(void)pause_rx_update(&one[i], now_ps);
			(void)pause_rx_update(&all, now_ps);
			if (rng_below(&r, 4)) {
				pause_rx_xoff(&all, pr, now_ps, length_ps, 30);
				pause_rx_xoff(&one[pr], pr, now_ps, length_ps, 30);
			} else {
				pause_rx_xon(&all, pr, now_ps);
				pause_rx_xon(&one[pr], pr, now_ps);
			}
			for (int i = 0; i < PRIORITIES; i++) {
				int64_t t_ps = pause_rx_update(&one[i], now_ps);

				if (t_ps < next_ps)
					next_ps = t_ps;
			}
			assert_int_equal(pause_rx_update(&all, now_ps), next_ps);
			for (int i = 0; i < PRIORITIES; i++) {
				assert_int_equal(all.blocked & (1 << i), one[i].blocked);
				assert_int_equal(pause_rx_total_ps(&all, i, now_ps),
				        pause_rx_total_ps(&one[i], i, now_ps));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(quanta),
	        cmocka_unit_test(response_times),
	        cmocka_unit_test(stops_after_response_and_resumes_on_expiry),
	        cmocka_unit_test(xon_resumes_at_once),
	        cmocka_unit_test(xon_within_the_response_time_cancels),
	        cmocka_unit_test(xon_without_pause_does_nothing),
	        cmocka_unit_test(refresh_extends_one_episode),
	        cmocka_unit_test(shorter_time_replaces),
	        cmocka_unit_test(new_pause_at_the_instant_of_expiry),
	        cmocka_unit_test(far_expiry_saturates),
	        cmocka_unit_test(priorities_are_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
