/* SPDX-License-Identifier: Apache-2.0 */
/* DCQCN configurations that the tests share, each from its source. */
#ifndef TESTS_DCQCN_PRESETS_H
#define TESTS_DCQCN_PRESETS_H

#include "dataplane/base/units.h"
#include "gen/cc/dcqcn_cfg.h"

/* CoNEXT 2016 section 3: the paper's own algorithm and its parameters at 40 Gb/s. */
static inline struct dcqcn_cfg dcqcn_cfg_paper(void)
{
	return (struct dcqcn_cfg){
	        .clamp_tgt_rate = 1,
	        .rpg_time_reset_ps = 55 * PS_PER_US,
	        .rpg_byte_reset_bytes = 10000000,
	        .rpg_threshold = 5,
	        .rpg_ai_rate_bps = 40000000,
	        .rpg_hai_rate_bps = 40000000,
	        .rpg_gd = 11,
	        .rpg_min_dec_fac_percent = 50,
	        .rpg_min_rate_bps = 10000000,
	        .g_q32 = Q32_ONE / 256,
	        .dce_tcp_rtt_ps = 55 * PS_PER_US,
	        .initial_alpha_value = 1023,
	        .cut = DCQCN_CUT_ON_CNP,
	        .alpha_timer_restart = 1,
	        .alpha_update_on_cnp = 1,
	        .hai_needs_both = 1,
	        .first_cnp_cuts = 1,
	};
}

/* The ns-3 model of the HPCC authors with their script's values at 100 Gb/s. */
static inline struct dcqcn_cfg dcqcn_cfg_ns3(void)
{
	return (struct dcqcn_cfg){
	        .clamp_tgt_rate_after_time_inc = 1,
	        .rpg_time_reset_ps = 300 * PS_PER_US,
	        .rpg_threshold = 1,
	        .rpg_ai_rate_bps = 20000000,
	        .rpg_hai_rate_bps = 200000000,
	        .rpg_gd = 11,
	        .rpg_min_rate_bps = 1000000000,
	        .g_q32 = Q32_ONE / 256,
	        .dce_tcp_rtt_ps = PS_PER_US,
	        .rate_reduce_monitor_period_ps = 4 * PS_PER_US,
	        .initial_alpha_value = 1023,
	        .cut = DCQCN_CUT_ON_GRID,
	        .cut_grid_offset_ps = PS_PER_NS,
	};
}

/* ConnectX firmware defaults. */
static inline struct dcqcn_cfg dcqcn_cfg_connectx(void)
{
	return (struct dcqcn_cfg){
	        .clamp_tgt_rate_after_time_inc = 1,
	        .rpg_time_reset_ps = 300 * PS_PER_US,
	        .rpg_byte_reset_bytes = 32767 * 64,
	        .rpg_threshold = 1,
	        .rpg_ai_rate_bps = 5000000,
	        .rpg_hai_rate_bps = 50000000,
	        .rpg_gd = 11,
	        .rpg_min_dec_fac_percent = 50,
	        .rpg_min_rate_bps = 1000000,
	        .dce_tcp_g = 1019,
	        .dce_tcp_rtt_ps = PS_PER_US,
	        .rate_reduce_monitor_period_ps = 4 * PS_PER_US,
	        .initial_alpha_value = 1023,
	        .hai_needs_both = 1,
	        .first_cnp_cuts = 1,
	};
}

#endif
