/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of the HPCC ns-3 simulator (SIGCOMM 2019 artefact and its many forks) in our keys.
 * docs/peer.md gives the reason for each line. Values that its config.txt sets are here at
 * those of the paper's DCQCN runs at 100 Gb/s; an import replaces them.
 */
#include <stddef.h>

#include "scenarios/presets.h"

static const struct preset_value values[] = {
        /* Byte counts: Ethernet 14, IPv4 20, UDP 8, sequence and priority 6; no FCS, preamble
         * or gap; an ACK is padded to 60; clock in whole nanoseconds. */
        {"fabric.path_mtu", "1000B"},
        {"fabric.frame.header", "48B"},
        {"fabric.frame.reth", "0B"},
        {"fabric.frame.ack", "60B"},
        {"fabric.frame.pfc", "43B"},
        {"fabric.frame.min", "0B"},
        {"fabric.frame.pad", "off"},
        {"fabric.frame.fcs", "0B"},
        {"fabric.frame.gap", "0B"},
        {"fabric.frame.time_step", "1ns"},

        /* Switch: byte-exact shared buffer, 4 KiB reserved per port, pause without expiry that
         * acts the moment it arrives, equal turns for all classes. */
        {"fabric.switch.buffer", "32MiB"},
        {"fabric.switch.cell", "0B"},
        {"fabric.switch.latency", "0ns"},
        {"fabric.switch.forwarding", "store-and-forward"},
        {"fabric.switch.ecn.enabled", "on"},
        {"fabric.switch.ecn.kmin", "400KB"},
        {"fabric.switch.ecn.kmax", "1600KB"},
        {"fabric.switch.ecn.pmax", "20%"},
        {"fabric.switch.ecn.mark", "dequeue"},
        {"fabric.switch.ecn.priorities", "[0, 1, 2, 3, 4, 5, 6, 7]"},
        {"fabric.switch.ecn.non_ect", "pass"},
        {"fabric.switch.ecn.average", "off"},
        {"fabric.switch.pfc.alpha", "1/8"},
        {"fabric.switch.pfc.reserve", "4KiB"},
        {"fabric.switch.pfc.headroom", "37500B"}, /* three times rate x delay: 100 Gb/s, 1 us */
        {"fabric.switch.pfc.xon_offset", "3KiB"},
        {"fabric.switch.pfc.response", "0ns"},
        {"fabric.switch.pfc.quanta", "unlimited"},
        {"fabric.switch.pfc.refresh", "off"},
        {"fabric.switch.scheduler.strict", "[]"},
        {"fabric.switch.scheduler.unit", "packets"},
        {"fabric.switch.scheduler.weights", "[1, 1, 1, 1, 1, 1, 1, 1]"},

        /* Endpoint: an ACK for each packet in the data's class, which switches mark like any
         * other packet; a repeated NAK after 500 us; no answer to duplicates; no timeout. */
        {"fabric.nic.cc", "dcqcn"},
        {"fabric.nic.ack_every", "1"},
        {"fabric.nic.ack_priority", "same"},
        {"fabric.nic.ack_ect", "on"},
        {"fabric.nic.ack_obeys_pause", "off"},
        {"fabric.nic.ack_duplicates", "off"},
        {"fabric.nic.nak_interval", "500us"},
        {"fabric.nic.retransmit", "go-back-n"},
        {"fabric.nic.retransmit_timeout", "off"},
        {"fabric.nic.retry_limit", "unlimited"},
        {"fabric.nic.ecn", "ect0"},
        {"fabric.nic.pacing", "fixed"},
        {"fabric.nic.window", "off"},
        {"fabric.nic.window_scales_with_rate", "off"},

        /* Notification point: each ACK of a marked packet carries the mark back. */
        {"fabric.nic.np.carrier", "ack"},
        {"fabric.nic.np.scope", "qp"},
        {"fabric.nic.np.min_time_between_cnps", "0us"},
        {"fabric.nic.np.delay", "0us"},

        /* Reaction point: the first CNP starts the timers; cuts fall on a grid, 1 ns after the
         * alpha update of the same time; stages by the timer alone. */
        {"fabric.nic.dcqcn.cut", "grid"},
        {"fabric.nic.dcqcn.cut_grid_offset", "1ns"},
        {"fabric.nic.dcqcn.first_cnp_cuts", "off"},
        {"fabric.nic.dcqcn.alpha_timer_restart", "off"},
        {"fabric.nic.dcqcn.alpha_update_on_cnp", "off"},
        {"fabric.nic.dcqcn.hai_needs_both", "off"},
        {"fabric.nic.dcqcn.clamp_tgt_rate", "off"},
        {"fabric.nic.dcqcn.clamp_tgt_rate_after_time_inc", "on"},
        {"fabric.nic.dcqcn.rpg_byte_reset", "off"},
        {"fabric.nic.dcqcn.rpg_gd", "11"},
        {"fabric.nic.dcqcn.rpg_min_dec_fac", "50"},
        {"fabric.nic.dcqcn.rpg_max_rate", "port"},
        {"fabric.nic.dcqcn.rate_to_set_on_first_cnp", "current"},
        {"fabric.nic.dcqcn.initial_alpha_value", "1023"},
        {"fabric.nic.dcqcn.g", "1/256"},
        {"fabric.nic.dcqcn.dce_tcp_rtt", "1us"},
        {"fabric.nic.dcqcn.rate_reduce_monitor_period", "4us"},
        {"fabric.nic.dcqcn.rpg_time_reset", "300us"},
        {"fabric.nic.dcqcn.rpg_threshold", "1"},
        {"fabric.nic.dcqcn.rpg_ai_rate", "20Mbps"},
        {"fabric.nic.dcqcn.rpg_hai_rate", "200Mbps"},
        {"fabric.nic.dcqcn.rpg_min_rate", "1000Mbps"},
        {NULL, NULL},
};

const struct preset preset_hpcc = {
        .name = "hpcc",
        .doc = "The HPCC ns-3 simulator's model and its DCQCN settings at 100 Gb/s "
               "(github.com/alibaba-edu/High-Precision-Congestion-Control, CC_MODE 1).",
        .values = values,
};
