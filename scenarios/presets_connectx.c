/* SPDX-License-Identifier: Apache-2.0 */
/* ConnectX firmware as `mlxconfig query` prints it on a new card. These are the plain defaults
 * as well: the preset takes a file back to them that another preset has moved away. */
#include <stddef.h>

#include "scenarios/presets.h"

#define RP "fabric.nic.dcqcn."
#define NP "fabric.nic.np."

static const struct preset_value values[] = {
        {"fabric.nic.cc", "dcqcn"},
        {RP "clamp_tgt_rate", "off"},
        {RP "clamp_tgt_rate_after_time_inc", "on"},
        {RP "rpg_time_reset", "300us"},
        {RP "rpg_byte_reset", "2097088B"}, /* 32767 units of 64 bytes */
        {RP "rpg_threshold", "1"},
        {RP "rpg_max_rate", "port"},
        {RP "rpg_ai_rate", "5Mbps"},
        {RP "rpg_hai_rate", "50Mbps"},
        {RP "rpg_gd", "11"},
        {RP "rpg_min_dec_fac", "50"},
        {RP "rpg_min_rate", "1Mbps"},
        {RP "rate_to_set_on_first_cnp", "current"},
        {RP "dce_tcp_g", "1019"},
        {RP "g", "dce_tcp_g"},
        {RP "dce_tcp_rtt", "1us"},
        {RP "rate_reduce_monitor_period", "4us"},
        {RP "initial_alpha_value", "1023"},
        {RP "cut", "on_cnp"},
        {RP "cut_grid_offset", "0us"},
        {RP "alpha_timer_restart", "off"},
        {RP "alpha_update_on_cnp", "off"},
        {RP "hai_needs_both", "on"},
        {RP "first_cnp_cuts", "on"},
        {NP "min_time_between_cnps", "4us"},
        {NP "scope", "qp"},
        {NP "carrier", "packet"},
        {"fabric.nic.cnp_priority", "6"},
        {"fabric.nic.cnp_dscp", "48"},
        {NULL, NULL},
};

const struct preset preset_connectx = {
        .name = "connectx",
        .doc = "ConnectX firmware defaults (mlxconfig query), which are the plain defaults "
               "too.",
        .values = values,
};
