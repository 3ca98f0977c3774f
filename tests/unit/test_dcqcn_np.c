/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/cc/dcqcn_np.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/base/units.h"

static void the_first_mark_always_makes_a_cnp(void **state)
{
	const struct np_cfg cfg = {.min_time_between_cnps_ps = 131071 * PS_PER_US};
	int64_t last_ps = DCQCN_NP_NEVER;

	(void)state;
	assert_true(dcqcn_np_ce(&last_ps, &cfg, 0));
	assert_false(dcqcn_np_ce(&last_ps, &cfg, 1));
}

static void at_most_one_cnp_per_interval(void **state)
{
	const struct np_cfg cfg = {.min_time_between_cnps_ps = 4 * PS_PER_US};
	int64_t last_ps = DCQCN_NP_NEVER, t;
	int n = 0;

	(void)state;
	for (t = 0; t < 40 * PS_PER_US; t += 100 * PS_PER_NS)
		n += dcqcn_np_ce(&last_ps, &cfg, t);
	assert_int_equal(n, 10);
	assert_int_equal(last_ps, 36 * PS_PER_US);
	assert_false(dcqcn_np_ce(&last_ps, &cfg, 40 * PS_PER_US - 1));
	assert_true(
	        dcqcn_np_ce(&last_ps, &cfg, 40 * PS_PER_US)); /* exactly one interval later */
}

static void without_an_interval_every_mark_makes_one(void **state)
{
	const struct np_cfg cfg = {.min_time_between_cnps_ps = 0};
	int64_t last_ps = DCQCN_NP_NEVER;

	(void)state;
	assert_true(dcqcn_np_ce(&last_ps, &cfg, 5));
	assert_true(dcqcn_np_ce(&last_ps, &cfg, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_first_mark_always_makes_a_cnp),
	        cmocka_unit_test(at_most_one_cnp_per_interval),
	        cmocka_unit_test(without_an_interval_every_mark_makes_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
