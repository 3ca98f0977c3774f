/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications: what findings mean. Thresholds are those of findings_*.c. */
#include "analysis/trace/finding_kinds_int.h"

const struct finding_kind finding_cnp_in_wrong_queue = {
        .name = "cnp-in-wrong-queue",
        .title = "CNPs share a queue with data, or differ in priority",
        .severity = FINDING_ERROR,
        .means = "CNPs are not ECN-capable: where the queue would mark data it drops them, "
                 "and behind a queue they come late. Both take the brake off just when it is "
                 "needed.",
        .detected = "CNPs have the priority of more data packets than there are CNPs, and that "
                    "priority is marked, loses packets or CNPs are lost; or some CNPs have "
                    "another priority than most.",
        .advice = "Give CNPs a queue of their own, strict and without WRED: DSCP 48 to "
                  "priority 6 on NICs (cnp_dscp, cnp_802p_prio) and switches.",
};

const struct finding_kind finding_cnp_throttled = {
        .name = "cnp-throttled-per-port",
        .title = "one limit on CNPs for all QPs of a port",
        .severity = FINDING_WARNING,
        .means = "Some NICs space CNPs per port or per destination instead of per QP. With "
                 "many QPs each of them hears of congestion far too rarely.",
        .detected =
                "A receiver with at least 4 marked QPs and 50 CNPs, three times as many CE, "
                "of whose CNPs no two follow each other within 2 us and half within four "
                "times the least distance or less: they wait for one timer, QPs that are "
                "limited one by one would not avoid each other. Or one receiver spaces the "
                "CNPs of a QP five times as far as another (ten distances or more, their "
                "mean at most four times the least) and answers fewer than one in five CE.",
        .advice = "Lower min_time_between_cnps on that NIC, or find the moderation mode "
                  "(ROCE_CC_CNP_MODERATION) that works per QP.",
};

static const uint8_t ce_without_cnp_causes[] = {FINDING_SLOW_RECEIVER, FINDING_PAUSE_STORM,
        FINDING_PAUSE_IGNORED, FINDING_LATE_PAUSE, FINDING_DEADLOCK, FINDING_LINK_DOWN,
        FINDING_OUT_OF_ORDER, FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_NONE};
const struct finding_kind finding_ce_without_cnp = {
        .name = "ce-without-cnp",
        .title = "packets are marked and nobody answers with CNPs",
        .severity = FINDING_ERROR,
        .means = "The switches do their part, the receiver does not: its notification point "
                 "is off for this priority (or sends CNPs that are filtered before the "
                 "capture). Senders never slow down, and PFC or loss takes over.",
        .detected =
                "A host receives at least 5 packets with CE, the first 50 us before the end "
                "of the capture or earlier, sends packets in the same capture, and neither "
                "a CNP nor an acknowledgement with BECN. Below ten CE it is a warning.",
        .advice = "Turn on roce_np for the data's priority at the receiver (and roce_rp at the "
                  "sender); look at np_cnp_sent and np_ecn_marked_roce_packets.",
        .causes = ce_without_cnp_causes,
};

static const uint8_t cnp_ignored_causes[] = {FINDING_CNP_IN_WRONG_QUEUE, FINDING_NONE};
const struct finding_kind finding_cnp_ignored = {
        .name = "cnp-ignored",
        .title = "a sender does not slow down after CNPs",
        .severity = FINDING_ERROR,
        .means = "CNPs arrive and the sender goes on as before: its reaction point is off, "
                 "another algorithm owns the QP, or the CNPs are for the wrong QP.",
        .detected =
                "A QP with at least 50 CNPs and 2,000 data packets, in whose packet spacing at "
                "its "
                "sender no rate cut follows any of the CNPs (looked for 4 times or more, over "
                "256 packets each), whose port is never paused, and half of whose data came "
                "after the first CNP.",
        .advice = "Turn on roce_rp for that priority at the sender, look at rp_cnp_handled and "
                  "rp_cnp_ignored; check for a programmable congestion control that replaces "
                  "DCQCN.",
        .causes = cnp_ignored_causes,
};

static const uint8_t cnp_without_ce_causes[] = {FINDING_SLOW_RECEIVER, FINDING_PAUSE_STORM,
        FINDING_CORRUPTION, FINDING_RANDOM_LOSS, FINDING_SWITCH_LOSS, FINDING_LINK_DOWN,
        FINDING_OUT_OF_ORDER, FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_LOSS_WITHOUT_PFC,
        FINDING_NO_CONGESTION_CONTROL, FINDING_PAUSE_IGNORED, FINDING_NONE};
const struct finding_kind finding_cnp_without_ce = {
        .name = "cnp-without-ce",
        .title = "CNPs that no CE explains",
        .severity = FINDING_INFO,
        .means = "Some NICs send a CNP for a loss as well (slow restart, adaptive "
                 "retransmission). A CNP is then no proof of marking.",
        .detected =
                "At least 5 CNPs after a gap or NAK of their QP without CE since the CNP "
                "before; or at least 5, and 2 %, that neither explains, at a place where the "
                "QP's CE would be seen.",
        .advice = "Know that rates are cut for losses too; find the losses. To see ECN alone "
                  "turn off slow restart (ROCE_ACCL roce_slow_restart_en).",
        .causes = cnp_without_ce_causes,
};
