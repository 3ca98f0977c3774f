/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_rules.h"

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
        [QRULE_PAUSED] = {"paused",
                "A paused priority begins no frame later than the standard's response time "
                "after the pause frame, and goes on exactly when the time asked for is over.",
                qualify_rule_paused},
        [QRULE_PFC_SENT] = {"pfc-sent",
                "The switch pauses the priorities named and no other, its frames are legal, "
                "and every pause is renewed or ended before it runs out.",
                qualify_rule_pfc_sent},
        [QRULE_SENDER_PAUSED] = {"sender-paused",
                "The tester itself was silent for as long as the switch paused it; without "
                "this proof the case is invalid.",
                qualify_rule_sender_paused},
        [QRULE_PFC_COUNTED] = {"pfc-counted",
                "The switch counts each valid pause frame for every priority it names, and no "
                "other frame.",
                qualify_rule_pfc_counted},
        [QRULE_HEADROOM] = {"headroom",
                "What comes after XOFF is bounded by cables, response and frames: a headroom "
                "above the bound never drops, one below what is under way must.",
                qualify_rule_headroom},
        [QRULE_DEQUEUE_MARKING] = {"dequeue-marking",
                "Of a burst that was held, the first packet is marked and the last is not: "
                "the queue behind a packet decides as it leaves.",
                qualify_rule_dequeue_marking},
        [QRULE_MARKING_CURVE] = {"marking-curve",
                "Marks are binomial around Pmax (q - Kmin) / (Kmax - Kmin) in every part of "
                "the curve, 0 below and 1 above, within 4.5 sigma.",
                qualify_rule_marking_curve},
        [QRULE_MARKS_RISE] = {"marks-rise",
                "A longer pause leaves a longer queue and so more marks.",
                qualify_rule_marks_rise},
        [QRULE_MARKS_BY_LOAD] = {"marks-by-load",
                "A priority that wants more than its share is marked, one that wants less is "
                "not, equal ones are marked equally.",
                qualify_rule_marks_by_load},
        [QRULE_DETECTS] = {"detects",
                "The watchdog reports each storm between its detection time and that plus a "
                "poll and the response time, once.",
                qualify_rule_detects},
        [QRULE_RESTORES] = {"restores",
                "It ends each storm between its restoration time after the last pause and "
                "that plus a poll.",
                qualify_rule_restores},
        [QRULE_NO_DETECTION] = {"no-detection",
                "The watchdog reports nothing, though there were pauses.",
                qualify_rule_no_detection},
        [QRULE_RESULT] = {"result",
                "A figure of summary.json (docs/results.md) is as the text says: counters of "
                "the switch and of RoCE endpoints.",
                qualify_rule_result},
};
