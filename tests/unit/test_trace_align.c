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
	assert_int_equal(c.drift_ppb, 0);
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
	assert_in_range(-c.drift_ppb, 19500, 20500);
	for (int64_t s = 0; s < 4; s++) {
		int64_t t_ns = INT64_C(1700000000000000000) + s * 1000000000;
		int64_t true_ns = t_ns - 7000000 - s * 20000;

		assert_true(llabs(clock_fixed(&c, t_ns) - true_ns) < 1500);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(offset),
	        cmocka_unit_test(drift),
	        cmocka_unit_test(clocks_that_agree),
	        cmocka_unit_test(one_direction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
