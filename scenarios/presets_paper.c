/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCQCN as published: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015, with the values that Zhu et al., "ECN or Delay", CoNEXT 2016, section 3,
 * repeats for 40 Gb/s: Kmin 5 KB, Kmax 200 KB, Pmax 1 %, g 1/256, tau 50 us, tau' 55 us, T 55
 * us, B 10 MB, F 5, R_AI 40 Mb/s.
 */
#include <stddef.h>

#include "scenarios/presets.h"

#define RP "fabric.nic.dcqcn."
#define NP "fabric.nic.np."

static const struct preset_value values[] = {
        {"fabric.switch.ecn.enabled", "on"},
        {"fabric.switch.ecn.kmin", "5KB"},
        {"fabric.switch.ecn.kmax", "200KB"},
        {"fabric.switch.ecn.pmax", "1%"},
        {"fabric.switch.ecn.mark", "dequeue"}, /* CoNEXT 2016 section 5: marked on departure */
        {"fabric.nic.cc", "dcqcn"},
        {RP "clamp_tgt_rate", "on"}, /* every CNP: Rt = Rc */
        {RP "clamp_tgt_rate_after_time_inc", "on"},
        {RP "rpg_time_reset", "55us"},
        {RP "rpg_byte_reset", "10MB"},
        {RP "rpg_threshold", "5"},
        {RP "rpg_max_rate", "port"},
        {RP "rpg_ai_rate", "40Mbps"},
        {RP "rpg_hai_rate", "40Mbps"}, /* the model of CoNEXT 2016 has no hyper increase */
        {RP "rpg_gd", "11"},           /* Rc = Rc (1 - alpha / 2) */
        {RP "rpg_min_dec_fac", "50"},  /* never binding: alpha is at most 1 */
        {RP "rate_to_set_on_first_cnp", "current"},
        {RP "g", "1/256"},
        {RP "dce_tcp_rtt", "55us"},
        {RP "rate_reduce_monitor_period", "0us"}, /* each CNP cuts; the NP spaces them */
        {RP "initial_alpha_value", "1023"},       /* alpha(0) = 1 */
        {RP "cut", "on_cnp"},
        {RP "cut_grid_offset", "0us"},
        {RP "alpha_timer_restart", "on"},
        {RP "alpha_update_on_cnp", "on"},
        {RP "hai_needs_both", "on"},
        {RP "first_cnp_cuts", "on"},
        {NP "min_time_between_cnps", "50us"},
        {NP "scope", "qp"},
        {NP "delay", "0us"},
        {NP "carrier", "packet"},
        {NULL, NULL},
};

const struct preset preset_paper = {
        .name = "paper",
        .doc = "DCQCN and marking thresholds as published for 40 Gb/s (SIGCOMM 2015, CoNEXT "
               "2016).",
        .values = values,
};
