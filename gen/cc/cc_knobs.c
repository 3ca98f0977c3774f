/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of fabric.nic.dcqcn and fabric.nic.np. Defaults are those of the ConnectX firmware. */
#include "dataplane/base/units.h"
#include "gen/cc/dcqcn_cfg.h"

#define AT(field)    offsetof(struct dcqcn_cfg, field)
#define NP_AT(field) offsetof(struct np_cfg, field)
#define US17         (INT64_C(131071) * PS_PER_US) /* a 17-bit field in microseconds */
#define MBPS         INT64_C(1000000)
#define MBPS17       (INT64_C(131071) * MBPS) /* a 17-bit field in Mb/s */
#define MAX_RATE_BPS INT64_C(10000000000000)
#define MAX_BYTES    (INT64_C(1) << 40)
#define CONNECTX     "NVIDIA ConnectX firmware default (mlxconfig query)"
#define SIGCOMM15    "Zhu et al., SIGCOMM 2015"

static const struct knob_word cut_words[] = {
        {"on_cnp", DCQCN_CUT_ON_CNP},
        {"grid", DCQCN_CUT_ON_GRID},
        {NULL, 0},
};
static const struct knob_word max_rate_words[] = {{"port", 0}, {NULL, 0}};
static const struct knob_word first_rate_words[] = {{"current", 0}, {NULL, 0}};
static const struct knob_word byte_reset_words[] = {{"off", 0}, {NULL, 0}};
static const struct knob_word g_words[] = {{"dce_tcp_g", 0}, {NULL, 0}};
static const struct knob_word scope_words[] = {
        {"qp", NP_SCOPE_QP},
        {"ip", NP_SCOPE_IP},
        {"port", NP_SCOPE_PORT},
        {NULL, 0},
};
static const struct knob_word carrier_words[] = {
        {"packet", NP_CARRIER_PACKET},
        {"ack", NP_CARRIER_ACK},
        {NULL, 0},
};

static const struct knob dcqcn_rows[] = {
        {.key = "clamp_tgt_rate",
                .type = KNOB_BOOL,
                .offset = AT(clamp_tgt_rate),
                .max = 1,
                .def = "off",
                .doc = "Every cut lowers the target rate to the rate before the cut; off: only "
                       "the first cut after an increase does.",
                .source = CONNECTX,
                .note = "SIGCOMM 2015 lowers the target on every cut (on)."},
        {.key = "clamp_tgt_rate_after_time_inc",
                .type = KNOB_BOOL,
                .offset = AT(clamp_tgt_rate_after_time_inc),
                .max = 1,
                .def = "on",
                .doc = "A cut lowers the target rate also where only the timer, not the byte "
                       "counter, has raised the rate since the last cut.",
                .source = CONNECTX},
        {.key = "rpg_time_reset",
                .type = KNOB_TIME,
                .offset = AT(rpg_time_reset_ps),
                .min = PS_PER_US,
                .max = US17,
                .def = "300us",
                .doc = "Time between rate increases; a cut starts it anew.",
                .source = CONNECTX,
                .note = "SIGCOMM 2015 deploys 55us."},
        {.key = "rpg_byte_reset",
                .type = KNOB_SIZE,
                .offset = AT(rpg_byte_reset_bytes),
                .min = 64,
                .max = MAX_BYTES,
                .def = "2097088B",
                .words = byte_reset_words,
                .doc = "Bytes on the wire between rate increases; a cut starts the count anew.",
                .source = CONNECTX ": 32767 units of 64 bytes",
                .note = "mlxconfig's help says bytes, but its 15-bit field would then end at "
                        "four packets; we take the common reading, units of 64 bytes. SIGCOMM "
                        "2015 uses 10MB."},
        {.key = "rpg_threshold",
                .type = KNOB_COUNT,
                .offset = AT(rpg_threshold),
                .max = 31,
                .def = "1",
                .doc = "Increases of either kind that only halve the distance to the target "
                       "(fast recovery) before the target rises.",
                .source = CONNECTX,
                .note = "SIGCOMM 2015 calls it F and uses 5."},
        {.key = "rpg_max_rate",
                .type = KNOB_RATE,
                .offset = AT(rpg_max_rate_bps),
                .min = MBPS,
                .max = MAX_RATE_BPS,
                .def = "port",
                .words = max_rate_words,
                .doc = "Highest rate of a QP, and the rate that it starts with.",
                .source = CONNECTX},
        {.key = "rpg_ai_rate",
                .type = KNOB_RATE,
                .offset = AT(rpg_ai_rate_bps),
                .max = MBPS17,
                .def = "5Mbps",
                .doc = "Step of the target rate in additive increase.",
                .source = CONNECTX,
                .note = "SIGCOMM 2015 uses 40Mbps at 40Gbps."},
        {.key = "rpg_hai_rate",
                .type = KNOB_RATE,
                .offset = AT(rpg_hai_rate_bps),
                .max = MBPS17,
                .def = "50Mbps",
                .doc = "Step of the target rate in hyper increase.",
                .source = CONNECTX},
        {.key = "rpg_gd",
                .type = KNOB_COUNT,
                .offset = AT(rpg_gd),
                .max = 15,
                .def = "11",
                .doc = "A cut takes alpha / 2^rpg_gd of the rate, alpha counted in 1/1024: 11 "
                       "is the paper's alpha/2.",
                .source = CONNECTX,
                .note = "Vendor pages allow 10 and 11 only; the register has four bits and so "
                        "have we. rpg_min_dec_fac bounds the cut."},
        {.key = "rpg_min_dec_fac",
                .type = KNOB_COUNT,
                .offset = AT(rpg_min_dec_fac_percent),
                .max = 100,
                .def = "50",
                .doc = "Percentage of the old rate below which no single cut goes.",
                .source = CONNECTX,
                .note = "One vendor page words it as the largest ratio of decrease; we follow "
                        "DOC-2790: new rate >= rpg_min_dec_fac % of the old, 100 forbids "
                        "cuts."},
        {.key = "rpg_min_rate",
                .type = KNOB_RATE,
                .offset = AT(rpg_min_rate_bps),
                .min = MBPS,
                .max = MBPS17,
                .def = "1Mbps",
                .doc = "Lowest rate of a QP; no more than its port's.",
                .source = CONNECTX,
                .note = "An older register description gives 2000Mbps."},
        {.key = "rate_to_set_on_first_cnp",
                .type = KNOB_RATE,
                .offset = AT(rate_to_set_on_first_cnp_bps),
                .min = MBPS,
                .max = MAX_RATE_BPS,
                .def = "current",
                .words = first_rate_words,
                .doc = "Rate and target that a QP's first CNP sets, before any cut.",
                .source = CONNECTX ": 0, which keeps the rate",
                .note = "Vendor pages limit it to 85 % of the line rate, older ones to half of "
                        "it; we bound it by rpg_max_rate."},
        {.key = "dce_tcp_g",
                .type = KNOB_COUNT,
                .offset = AT(dce_tcp_g),
                .max = 1023,
                .def = "1019",
                .doc = "Weight of the old alpha in 1/1024 at each update; the paper's g is "
                       "(1024 - dce_tcp_g) / 1024.",
                .source = CONNECTX,
                .note = "A register description has it as the weight of the new sample with "
                        "default 64; DOC-2790 and the default 1019 say otherwise."},
        {.key = "g",
                .type = KNOB_FRACTION,
                .offset = AT(g_q32),
                .min = 1,
                .max = Q32_ONE,
                .def = "dce_tcp_g",
                .words = g_words,
                .doc = "Weight of the new sample of alpha as the papers write it, instead of "
                       "dce_tcp_g.",
                .source = SIGCOMM15 ": 1/256"},
        {.key = "dce_tcp_rtt",
                .type = KNOB_TIME,
                .offset = AT(dce_tcp_rtt_ps),
                .min = PS_PER_US,
                .max = US17,
                .def = "1us",
                .doc = "Period of the alpha update.",
                .source = CONNECTX,
                .note = "SIGCOMM 2015 uses 55us."},
        {.key = "rate_reduce_monitor_period",
                .type = KNOB_TIME,
                .offset = AT(rate_reduce_monitor_period_ps),
                .max = US17,
                .def = "4us",
                .doc = "Shortest time between two cuts; CNPs within it count for alpha only. "
                       "With cut: grid, the period of the grid.",
                .source = CONNECTX,
                .note = "Vendor pages give 17 and 32 bits for the register; we allow 17."},
        {.key = "initial_alpha_value",
                .type = KNOB_COUNT,
                .offset = AT(initial_alpha_value),
                .max = 1023,
                .def = "1023",
                .doc = "alpha at a QP's first CNP in 1/1024; 1023 stands for 1.",
                .source = CONNECTX},
        {.key = "cut",
                .type = KNOB_WORD,
                .offset = AT(cut),
                .def = "on_cnp",
                .words = cut_words,
                .doc = "When a cut happens: as the CNP arrives, or at the next tick of a grid "
                       "that starts with the QP's first CNP.",
                .source = SIGCOMM15,
                .note = "The widely used ns-3 model samples on a grid."},
        {.key = "cut_grid_offset",
                .type = KNOB_TIME,
                .offset = AT(cut_grid_offset_ps),
                .max = US17,
                .def = "0us",
                .doc = "How much later than one period after the first CNP the grid's first "
                       "tick is.",
                .source = "ns-3 model: 1ns, which puts cuts after the alpha update of the same "
                          "time"},
        {.key = "alpha_timer_restart",
                .type = KNOB_BOOL,
                .offset = AT(alpha_timer_restart),
                .max = 1,
                .def = "off",
                .doc = "A CNP starts the alpha timer anew; off: it runs freely from the first "
                       "CNP.",
                .source = "ConnectX parameter description: one update per dce_tcp_rtt",
                .note = "SIGCOMM 2015 restarts it (on)."},
        {.key = "alpha_update_on_cnp",
                .type = KNOB_BOOL,
                .offset = AT(alpha_update_on_cnp),
                .max = 1,
                .def = "off",
                .doc = "alpha rises as the CNP arrives and falls at a tick without one; off: "
                       "both happen at the tick.",
                .source = "ConnectX parameter description: one update per dce_tcp_rtt",
                .note = "SIGCOMM 2015 updates on the CNP, after the cut (on)."},
        {.key = "hai_needs_both",
                .type = KNOB_BOOL,
                .offset = AT(hai_needs_both),
                .max = 1,
                .def = "on",
                .doc = "Hyper increase begins when timer and byte counter have both passed "
                       "rpg_threshold; off: one increase after either has.",
                .source = SIGCOMM15 " and IEEE 802.1Qau",
                .note = "The widely used ns-3 model has no byte counter and goes by the timer "
                        "alone (off)."},
        {.key = "first_cnp_cuts",
                .type = KNOB_BOOL,
                .offset = AT(first_cnp_cuts),
                .max = 1,
                .def = "on",
                .doc = "The first CNP cuts at once; off: it starts the timers and the first "
                       "cut follows with the grid's first tick or the second CNP.",
                .source = SIGCOMM15},
};

static const struct knob np_rows[] = {
        {.key = "min_time_between_cnps",
                .type = KNOB_TIME,
                .offset = NP_AT(min_time_between_cnps_ps),
                .max = US17,
                .def = "4us",
                .doc = "Shortest time between two CNPs of one scope.",
                .source = CONNECTX,
                .note = "Dumps of older cards show 2us, an old header 0; SIGCOMM 2015 uses "
                        "50us."},
        {.key = "scope",
                .type = KNOB_WORD,
                .offset = NP_AT(scope),
                .def = "qp",
                .words = scope_words,
                .doc = "What shares one CNP timer: a QP, all QPs of one source address, or the "
                       "whole port.",
                .source = SIGCOMM15 ": one CNP per flow and interval",
                .note = "All three exist in NICs (ROCE_CC_CNP_MODERATION); on a card that "
                        "counts per port many QPs share the CNPs of one."},
        {.key = "delay",
                .type = KNOB_TIME,
                .offset = NP_AT(delay_ps),
                .max = PS_PER_S,
                .def = "0us",
                .doc = "Time from the marked packet's arrival to the CNP being ready to send "
                       "(carrier "
                       "packet).",
                .source = "none published by vendors; measured NICs take microseconds"},
        {.key = "carrier",
                .type = KNOB_WORD,
                .offset = NP_AT(carrier),
                .def = "packet",
                .words = carrier_words,
                .doc = "A CNP is a packet of its own, or a flag in the next ACK or NAK.",
                .source = "IBTA Annex A17 (RoCEv2 CNP)",
                .note = "ack is how the widely used ns-3 model does it; no NIC does."},
};

const struct knob_group dcqcn_knobs = {
        .path = "fabric.nic.dcqcn",
        .doc = "DCQCN reaction point: how a sender's rate follows CNPs, in ConnectX terms.",
        KNOB_ROWS(dcqcn_rows),
        .struct_bytes = sizeof(struct dcqcn_cfg),
};

const struct knob_group np_knobs = {
        .path = "fabric.nic.np",
        .doc = "DCQCN notification point: how a receiver turns CE marks into CNPs.",
        KNOB_ROWS(np_rows),
        .struct_bytes = sizeof(struct np_cfg),
};
