/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify_rules.h"

const struct qrule qualify_rules[QRULE_N] = {
        [QRULE_LOSS] = {"loss",
                "The share of a stream's packets that never come, by their numbers, is within "
                "bounds.",
                qualify_rule_loss},
        [QRULE_LOSS_MODEL] = {"loss-model",
                "A lossy priority loses what its share of the port cannot carry, strict "
                "priorities first and deficit round robin behind them; lossless ones lose "
                "nothing.",
                qualify_rule_loss_model},
        [QRULE_THROUGHPUT] = {"throughput",
                "What is offered comes out at the same rate, within a frame at either end of "
                "the window.",
                qualify_rule_throughput},
        [QRULE_SHARES] = {"dwrr-shares",
                "Each priority gets the share that its weight gives it, within a round.",
                qualify_rule_shares},
        [QRULE_LATENCY] = {"latency",
                "No frame takes longer than two serialisations, the cables, the pipeline and "
                "the frames that may be ahead of it.",
                qualify_rule_latency},
        [QRULE_DROPS] = {"drops", "The switch's own count of drops in lossless priorities.",
                qualify_rule_drops},
};
