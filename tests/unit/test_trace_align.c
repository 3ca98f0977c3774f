/* SPDX-License-Identifier: Apache-2.0 */
/* The offset of two clocks: from packets of both directions, with queues and a drift. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/trace/align.h"
#include "dataplane/base/rng.h"

enum { N = 4000 };

/* Latency of 2 us and up to queue_ns more, both ways; b's clock is ahead by offset + drift. */
static void make(struct align_match *m, int64_t offset_ns, double drift, uint32_t queue_ns)
{
	struct rng rng = rng_make(1, 0, RNG_LOAD);

	for (uint32_t i = 0; i < N; i++) {
		int64_t t_ns = INT64_C(1700000000000000000) + (int64_t)i * 1000000;
		int64_t latency_ns = 2000 + (int64_t)rng_below(&rng, queue_ns + 1);
		bool there = i & 1;

		m[i] = (struct align_match){.t_ns = t_ns,
		        .d_ns = offset_ns + (int64_t)(drift * i * 1000000) +
		                (there ? latency_ns : -latency_ns),
		        .group = i % 3,
		        .dir = there ^ (i % 3 == 1)};
	}
}

static void offset(void **state)
{
	static struct align_match m[N];
	struct clock_fix c;

	(void)state;
	make(m, -5000000123, 0, 30000);
	c = align_matches(m, N);
	assert_true(c.estimated);
	assert_int_equal(c.drift_ppt, 0);
	assert_in_range(c.offset_ns, 5000000123 - 300, 5000000123 + 300);
	assert_in_range(c.residual_ns, 2000, 2300);
}

/* 20 ppm over four seconds are 80 us. */
static void drift(void **state)
{
	static struct align_match m[N];
	struct clock_fix c;

	(void)state;
	make(m, 7000000, 20e-6, 5000);
	c = align_matches(m, N);
	assert_in_range(-clock_fix_ppb(&c), 19900, 20100);
	for (int64_t s = 0; s < 4; s++) {
		int64_t t_ns = INT64_C(1700000000000000000) + s * 1000000000;
		int64_t true_ns = t_ns - 7000000 - s * 20000;

		assert_true(llabs(clock_fixed(&c, t_ns) - true_ns) < 300);
	}
}

static void clocks_that_agree(void **state)
{
	static struct align_match m[N];
	struct clock_fix c;

	(void)state;
	make(m, 300, 0, 5000); /* within what the latency of 2 us leaves open */
	c = align_matches(m, N);
	assert_true(c.estimated);
	assert_int_equal(c.offset_ns, 0);
	assert_in_range(c.residual_ns, 1900, 2300);
}

static void one_direction(void **state)
{
	static struct align_match m[N];
	struct clock_fix c;
	uint32_t n = 0;

	(void)state;
	make(m, INT64_C(9000000000), 0, 5000);
	for (uint32_t i = 1; i < N; i += 2) {
		m[n] = m[i];
		m[n++].group = 7;
	}
	for (uint32_t i = 0; i < n; i++)
		m[i].dir = true;
	c = align_matches(m, n);
	assert_in_range(-c.offset_ns, 9000000000 + 2000, 9000000000 + 2100);
	c = align_matches(m, 0);
	assert_false(c.estimated);
}

/*
 * Packets of a and b with a known clock: b shows a packet of time t at t + offset + drift * (t
 * - begin). Every stamp of b comes back to where a has it, but for the queues' noise.
 */
static void check_clock(
        int64_t offset_ns, int64_t drift_ppb, int64_t step_ns, uint32_t queue_ns, bool uneven)
{
	static struct align_match m[N];
	const int64_t begin_ns = INT64_C(1700000000000000000);
	struct rng rng = rng_make(7, 0, RNG_LOAD);
	int64_t before_ns = 0, most_ns = 0;
	struct clock_fix c;

	for (uint32_t i = 0; i < N; i++) {
		bool there = uneven ? i < N / 2 + 200 ? i % 16 != 0 : i % 16 == 0 : i & 1;
		int64_t sent_ns = i * step_ns + rng_below(&rng, 500);
		int64_t arrives_ns = sent_ns + 3000 + rng_below(&rng, queue_ns + 1);
		int64_t at_b_ns = there ? arrives_ns : sent_ns;
		int64_t b_ns = begin_ns + at_b_ns + offset_ns +
		               (int64_t)((__int128)at_b_ns * drift_ppb / 1000000000);
		int64_t a_ns = begin_ns + (there ? sent_ns : arrives_ns);

		m[i] = (struct align_match){b_ns, b_ns - a_ns, 5, there};
	}
	c = align_matches(m, N);
	assert_true(c.estimated);
	assert_in_range(c.residual_ns, 2900, 3000 + queue_ns / 10 + 20);
	for (int64_t i = 0; i < 50 * N; i++) {
		int64_t at_ns = i * (step_ns / 50), off_ns;
		int64_t b_ns = begin_ns + at_ns + offset_ns +
		               (int64_t)((__int128)at_ns * drift_ppb / 1000000000);
		int64_t fixed_ns = clock_fixed(&c, b_ns);

		assert_true(fixed_ns >= before_ns);
		before_ns = fixed_ns;
		off_ns = llabs(fixed_ns - begin_ns - at_ns);
		most_ns = off_ns > most_ns ? off_ns : most_ns;
	}
	assert_in_range(most_ns, 0, queue_ns / 8 + 3);
}

static void offset_and_drift(void **state)
{
	const int64_t s = 1000000000, day = 86400 * s;

	(void)state;
	check_clock(s / 10, 50000, 25000, 300, false);
	check_clock(s, 50000, 25000, 300, false);
	check_clock(37 * s, 50000, 25000, 300, false);
	check_clock(-37 * s, -30000, 25000, 300, false);
	check_clock(3600 * s, 50000, 25000, 300, false);
	check_clock(-9 * day, 100000, 25000, 300, false);
	check_clock(-19000 * day, 50000, 25000, 300, false); /* counts from boot */
	check_clock(37 * s, 50000, 2500000, 300, false);     /* ten seconds */
	check_clock(s, 20000, 20000, 0, false); /* 1.6 us of drift, half the residual */
	check_clock(s, 5000, 200000, 300, false);
	check_clock(s, 100000, 1000000, 2000, true); /* data first, then answers */
}

/* PSNs come round: each packet looks like that of a turn before or after as well. */
static void turns(void **state)
{
	static struct align_match m[N];
	uint32_t n = N / 2;
	struct clock_fix c;

	(void)state;
	make(m, 7000000, 20e-6, 300);
	for (uint32_t i = 0; i < N / 2 - 100; i++) {
		m[n] = m[i];
		m[n].t_ns += INT64_C(5000000000);
		m[n++].d_ns += INT64_C(5000000000);
	}
	c = align_matches(m, n);
	assert_in_range(c.residual_ns, 1900, 2100);
	assert_true(llabs(clock_fixed(&c, INT64_C(1700000000000000000)) + 7000000 -
	                    INT64_C(1700000000000000000)) < 300);
}

/* c onto b onto a is what it is at once. */
static void chain(void **state)
{
	struct clock_fix a = {true, 5000, 10, 1000000000, 50000000},
	                 b = {true, -3000000000, 20, 5000000000, -70000000}, ab = b;

	(void)state;
	align_chain(&ab, &a);
	assert_int_equal(ab.residual_ns, 30);
	for (int64_t t_ns = 0; t_ns < 100000000000; t_ns += 999999937) {
		int64_t off_ns =
		        clock_fixed(&ab, t_ns) - clock_fixed(&a, clock_fixed(&b, t_ns));

		assert_in_range(off_ns + 2, 0, 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(offset),
	        cmocka_unit_test(drift),
	        cmocka_unit_test(clocks_that_agree),
	        cmocka_unit_test(one_direction),
	        cmocka_unit_test(offset_and_drift),
	        cmocka_unit_test(turns),
	        cmocka_unit_test(chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
