/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/cc/dcqcn_check.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dcqcn_presets.h"

static void presets_are_valid(void **state)
{
	struct dcqcn_cfg paper = dcqcn_cfg_paper(), ns3 = dcqcn_cfg_ns3(),
	                 connectx = dcqcn_cfg_connectx();

	(void)state;
	assert_int_equal(dcqcn_cfg_check(&paper, NULL), 0);
	assert_int_equal(dcqcn_cfg_check(&ns3, NULL), 0);
	assert_int_equal(dcqcn_cfg_check(&connectx, NULL), 0);
}

static void assert_names(const struct dcqcn_cfg *cfg, const char *key)
{
	struct err e = {0};

	assert_int_equal(dcqcn_cfg_check(cfg, &e), -EINVAL);
	if (strncmp(e.msg, key, strlen(key)) != 0)
		fail_msg("\"%s\" does not begin with %s", e.msg, key);
}

static void a_grid_needs_a_period(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_ns3();

	(void)state;
	cfg.rate_reduce_monitor_period_ps = 0;
	assert_names(&cfg, "fabric.nic.dcqcn.rate_reduce_monitor_period: ");
	cfg.cut = DCQCN_CUT_ON_CNP;
	assert_int_equal(dcqcn_cfg_check(&cfg, NULL), 0);
}

static void the_minimum_is_not_above_the_maximum(void **state)
{
	struct dcqcn_cfg cfg = dcqcn_cfg_connectx();

	(void)state;
	cfg.rpg_max_rate_bps = cfg.rpg_min_rate_bps = 2000000000;
	assert_int_equal(dcqcn_cfg_check(&cfg, NULL), 0);
	cfg.rpg_max_rate_bps--;
	assert_names(&cfg, "fabric.nic.dcqcn.rpg_min_rate: 2Gbps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(presets_are_valid),
	        cmocka_unit_test(a_grid_needs_a_period),
	        cmocka_unit_test(the_minimum_is_not_above_the_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
