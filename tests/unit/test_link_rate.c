/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dataplane/base/link_rate.h"

static void whole_bytes(void **state)
{
	struct link_rate r;

	(void)state;
	link_rate_init(&r, INT64_C(100000000000), 1);
	assert_int_equal(link_rate_tx_ps(&r, 86), 6880);
}

/* 30 Gb/s: 266.67 ps a byte, and three bytes take exactly 800. */
static void carries(void **state)
{
	struct link_rate r;
	int64_t sum_ps = 0;

	(void)state;
	link_rate_init(&r, INT64_C(30000000000), 1);
	for (int i = 0; i < 300; i++)
		sum_ps += link_rate_tx_ps(&r, 1);
	assert_int_equal(sum_ps, 80000);
}

static void steps(void **state)
{
	struct link_rate r;

	(void)state;
	link_rate_init(&r, INT64_C(100000000000), 1000);
	assert_int_equal(link_rate_tx_ps(&r, 1106), 88000);
	assert_int_equal(
	        link_rate_tx_ps(&r, 50), 3000); /* a whole number of steps is one less */
}

/* Time goes on whatever the step. */
static void never_nothing(void **state)
{
	struct link_rate r;

	(void)state;
	link_rate_init(&r, INT64_C(400000000000), 1000);
	assert_int_equal(link_rate_tx_ps(&r, 43), 859);
	assert_int_equal(link_rate_tx_ps(&r, 51), 1000);
	link_rate_init(&r, INT64_C(10000000000000), 1000);
	assert_int_equal(link_rate_tx_ps(&r, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(whole_bytes),
	        cmocka_unit_test(carries),
	        cmocka_unit_test(steps),
	        cmocka_unit_test(never_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
