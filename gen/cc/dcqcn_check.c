/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/cc/dcqcn_check.h"

#include <errno.h>

#include "dataplane/base/units.h"

#define KEY "fabric.nic.dcqcn."

int dcqcn_cfg_check(const struct dcqcn_cfg *cfg, struct err *e)
{
	char min[48], max[48];

	if (cfg->cut == DCQCN_CUT_ON_GRID && cfg->rate_reduce_monitor_period_ps <= 0)
		return err_set(e, -EINVAL,
		        KEY "rate_reduce_monitor_period: 0 with cut: grid, expected the grid's "
		            "period, "
		            "such as 4us");
	if (cfg->rpg_max_rate_bps && cfg->rpg_min_rate_bps > cfg->rpg_max_rate_bps)
		return err_set(e, -EINVAL,
		        KEY "rpg_min_rate: %s is above rpg_max_rate %s, expected at most that",
		        unit_format(min, sizeof(min), UNIT_RATE, cfg->rpg_min_rate_bps),
		        unit_format(max, sizeof(max), UNIT_RATE, cfg->rpg_max_rate_bps));
	return 0;
}
