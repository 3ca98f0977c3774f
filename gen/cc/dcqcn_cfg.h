/* SPDX-License-Identifier: Apache-2.0 */
/* DCQCN parameters in canonical units, filled through the rows of cc_knobs.c. */
#ifndef CC_DCQCN_CFG_H
#define CC_DCQCN_CFG_H

#include <stdint.h>

#include "dataplane/base/knob.h"

enum dcqcn_cut { DCQCN_CUT_ON_CNP, DCQCN_CUT_ON_GRID };
enum np_scope { NP_SCOPE_QP, NP_SCOPE_IP, NP_SCOPE_PORT };
enum np_carrier { NP_CARRIER_PACKET, NP_CARRIER_ACK };

/* fabric.nic.dcqcn: reaction point, ConnectX names. */
struct dcqcn_cfg {
	int64_t clamp_tgt_rate;
	int64_t clamp_tgt_rate_after_time_inc;
	int64_t rpg_time_reset_ps;
	int64_t rpg_byte_reset_bytes; /* 0: no byte counter */
	int64_t rpg_threshold;        /* stages of fast recovery */
	int64_t rpg_max_rate_bps;     /* 0: port rate */
	int64_t rpg_ai_rate_bps, rpg_hai_rate_bps;
	int64_t rpg_gd;                  /* cut = alpha(10 bit) / 2^gd: 11 is alpha/2 */
	int64_t rpg_min_dec_fac_percent; /* new rate >= this share of the old one */
	int64_t rpg_min_rate_bps;
	int64_t rate_to_set_on_first_cnp_bps; /* 0: keep the current rate */
	int64_t dce_tcp_g;      /* weight of the old alpha in 1/1024 (used when g_q32 is 0) */
	int64_t g_q32;          /* the papers' g as a fraction; 0: from dce_tcp_g */
	int64_t dce_tcp_rtt_ps; /* alpha update period */
	int64_t rate_reduce_monitor_period_ps;
	int64_t initial_alpha_value; /* 1/1024; 1023 is taken as 1 */
	/* How implementations differ beyond the vendor's knobs. */
	int64_t cut; /* enum dcqcn_cut: on CNP arrival, or on a free-running grid */
	int64_t cut_grid_offset_ps;  /* grid: first tick this much later than one period */
	int64_t alpha_timer_restart; /* 1: a CNP restarts the alpha timer (paper); 0:
	                                free-running */
	int64_t alpha_update_on_cnp; /* 1: alpha=(1-g)alpha+g at the CNP (paper); 0: at the next
	                                tick */
	int64_t hai_needs_both;      /* 1: hyper increase when timer AND byte counter passed F
	                                (paper) */
	int64_t first_cnp_cuts; /* 1: the first CNP cuts at once; 0: it only starts the timers
	                         */
};

/* fabric.nic.np: notification point. */
struct np_cfg {
	int64_t min_time_between_cnps_ps;
	int64_t scope; /* enum np_scope */
	int64_t delay_ps;
	int64_t carrier; /* enum np_carrier */
};

extern const struct knob_group dcqcn_knobs, np_knobs;

#endif
