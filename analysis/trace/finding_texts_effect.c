/* SPDX-License-Identifier: Apache-2.0 */
/* Effects: what findings mean. Thresholds are those of findings_*.c. */
#include "analysis/trace/finding_kinds_int.h"

static const uint8_t watchdog_drop_causes[] = {
        FINDING_PAUSE_STORM, FINDING_SLOW_RECEIVER, FINDING_DEADLOCK, FINDING_NONE};
const struct finding_kind finding_watchdog_drop = {
        .name = "watchdog-drop",
        .title = "packets for a paused port are dropped",
        .severity = FINDING_WARNING,
        .means = "A PFC watchdog took the queue for stormed and drops what is bound for it, "
                 "so that others can go on.",
        .detected = "Packets come into a device and do not leave it by a port that was paused "
                    "for 100 us or longer at a time.",
        .advice = "The watchdog does its work: find who asked for the pauses.",
        .causes = watchdog_drop_causes,
};

static const uint8_t lossless_drop_causes[] = {FINDING_PAUSE_IGNORED, FINDING_LATE_PAUSE,
        FINDING_PAUSE_STORM, FINDING_LINK_DOWN, FINDING_NON_ECT, FINDING_NONE};
const struct finding_kind finding_lossless_drop = {
        .name = "lossless-drop",
        .title = "a lossless priority loses packets",
        .severity = FINDING_ERROR,
        .means = "Headroom was too small for what came after the XOFF, or PFC is on at one "
                 "end of the link alone.",
        .detected =
                "Packets of a priority for which XOFF frames are seen come into a device and "
                "do not leave it, on their way to a port that was full.",
        .advice = "Compare headroom with rate x (2 x cable + response time) + 2 MTU; check PFC "
                  "at the sender and cable length settings.",
        .causes = lossless_drop_causes,
};

static const uint8_t cnp_lost_causes[] = {FINDING_CNP_IN_WRONG_QUEUE, FINDING_LINK_DOWN,
        FINDING_CORRUPTION, FINDING_RANDOM_LOSS, FINDING_PAUSE_STORM,
        FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_LOSS_WITHOUT_PFC, FINDING_NO_CONGESTION_CONTROL,
        FINDING_SWITCH_LOSS, FINDING_NONE};
const struct finding_kind finding_cnp_lost = {
        .name = "cnp-lost",
        .title = "CNPs are lost on their way",
        .severity = FINDING_WARNING,
        .means = "Senders are not told to slow down.",
        .detected = "The last interface on the way of CNPs shows fewer of them than the first, "
                    "by 5 or more in all, and by more than were sent in the last 50 us.",
        .advice = "Give CNPs a queue of their own without WRED; find the loss.",
        .causes = cnp_lost_causes,
};

static const uint8_t head_of_line_causes[] = {FINDING_DEADLOCK, FINDING_PAUSE_STORM,
        FINDING_SLOW_RECEIVER, FINDING_PAUSE_IGNORED, FINDING_DOWN_TRAINED_LINK,
        FINDING_CE_WITHOUT_CNP, FINDING_CNP_IGNORED, FINDING_CNP_IN_WRONG_QUEUE,
        FINDING_CNP_THROTTLED, FINDING_PFC_WITHOUT_ECN, FINDING_PFC_BEFORE_ECN,
        FINDING_SWITCH_WITHOUT_ECN, FINDING_NON_ECT, FINDING_LINK_LEVEL_PAUSE,
        FINDING_ONE_SOURCE_PORT, FINDING_ECMP_COLLISION, FINDING_NONE};
const struct finding_kind finding_head_of_line = {
        .name = "head-of-line",
        .title = "pauses spread: devices that are paused pause others",
        .severity = FINDING_WARNING,
        .means = "A device is full of packets for a paused port and stops its own neighbours, "
                 "and with them everything else that they send.",
        .detected =
                "A device asks for pauses while one of its own ports is paused for at least "
                "a fifth of that time.",
        .advice = "Cure the root.",
        .causes = head_of_line_causes,
        .never_root = true,
};

static const uint8_t victim_flow_causes[] = {FINDING_DEADLOCK, FINDING_PAUSE_STORM,
        FINDING_SLOW_RECEIVER, FINDING_PAUSE_IGNORED, FINDING_LINK_LEVEL_PAUSE,
        FINDING_DOWN_TRAINED_LINK, FINDING_CE_WITHOUT_CNP, FINDING_CNP_IGNORED,
        FINDING_CNP_IN_WRONG_QUEUE, FINDING_CNP_THROTTLED, FINDING_PFC_WITHOUT_ECN,
        FINDING_PFC_BEFORE_ECN, FINDING_SWITCH_WITHOUT_ECN, FINDING_NON_ECT,
        FINDING_ONE_SOURCE_PORT, FINDING_ECMP_COLLISION, FINDING_NONE};
const struct finding_kind finding_victim_flow = {
        .name = "victim-flow",
        .title = "flows stand still that go where nothing is congested",
        .severity = FINDING_WARNING,
        .means = "PFC stops a whole priority of a link. A flow that shares the link but not "
                 "the congested port pays all the same.",
        .detected =
                "A flow with data spends at least a fifth of its time with a port on its way "
                "paused, and the last port of its way neither marks nor loses, serves one "
                "sender at a time and is not paused by the host.",
        .advice = "Cure the root; congestion control that acts before PFC keeps pauses away.",
        .causes = victim_flow_causes,
        .never_root = true,
};

static const uint8_t loss_hidden_causes[] = {FINDING_LINK_DOWN, FINDING_PAUSE_IGNORED,
        FINDING_LATE_PAUSE, FINDING_WATCHDOG_DROP, FINDING_CORRUPTION, FINDING_RANDOM_LOSS,
        FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_NO_CONGESTION_CONTROL, FINDING_LOSS_WITHOUT_PFC,
        FINDING_LOSSLESS_DROP, FINDING_SWITCH_LOSS, FINDING_OUT_OF_ORDER, FINDING_PAUSE_STORM,
        FINDING_SLOW_RECEIVER, FINDING_DEADLOCK, FINDING_REMOTE_ACCESS_ERROR,
        FINDING_INVALID_REQUEST, FINDING_NON_ECT, FINDING_NONE};
const struct finding_kind finding_loss_hidden = {
        .name = "loss-hidden",
        .title = "losses that retransmission hides",
        .severity = FINDING_WARNING,
        .means = "Applications see no error, only time: packets were lost and sent again.",
        .detected =
                "Data packets whose PSN was shown before, after a NAK for a PSN sequence "
                "error or a timeout (RNR apart), or NAKs for sequence errors; at least one. "
                "Where nothing else in the capture explains it, it is a root: the loss lies "
                "where the capture does not look.",
        .advice = "Find where: capture at both ends (`squall analyze sender.pcap "
                  "receiver.pcap`) or at the switches' ports; compare packet_seq_err, "
                  "out_of_sequence and port discards.",
        .causes = loss_hidden_causes,
};

static const uint8_t timeout_recovery_causes[] = {FINDING_LINK_DOWN, FINDING_PAUSE_IGNORED,
        FINDING_LATE_PAUSE, FINDING_WATCHDOG_DROP, FINDING_LOSSLESS_DROP,
        FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_NO_CONGESTION_CONTROL, FINDING_LOSS_WITHOUT_PFC,
        FINDING_CORRUPTION, FINDING_RANDOM_LOSS, FINDING_SWITCH_LOSS, FINDING_OUT_OF_ORDER,
        FINDING_PAUSE_STORM, FINDING_SLOW_RECEIVER, FINDING_DEADLOCK, FINDING_RNR,
        FINDING_LOSS_HIDDEN, FINDING_NONE};
const struct finding_kind finding_timeout_recovery = {
        .name = "timeout-recovery",
        .title = "senders wait for their timers",
        .severity = FINDING_WARNING,
        .means = "The end of a message was lost: no later packet shows the gap, so no NAK "
                 "comes, and the sender waits for its retransmission timer: 4.096 us x "
                 "2^timeout, 67 ms for the usual 14.",
        .detected = "Packets sent again without a NAK, where acknowledgements are seen or the "
                    "sender was silent for 250 us or longer before: at least one.",
        .advice = "Cure the loss; a shorter timeout (local_ack_timeout, adaptive "
                  "retransmission) makes each cheaper.",
        .causes = timeout_recovery_causes,
};

static const uint8_t unacknowledged_causes[] = {FINDING_DEADLOCK, FINDING_PAUSE_STORM,
        FINDING_LINK_DOWN, FINDING_SWITCH_LOSS, FINDING_CAPTURE_LOSS, FINDING_LOSS_HIDDEN,
        FINDING_TIMEOUT_RECOVERY, FINDING_NONE};
const struct finding_kind finding_unacknowledged = {
        .name = "unacknowledged",
        .title = "a QP gets no answer",
        .severity = FINDING_WARNING,
        .means = "Data are sent and nothing acknowledges them: the peer is gone, the QP "
                 "number is wrong, or the way back is broken.",
        .detected =
                "A reliable flow with at least one whole message and no ACK or NAK from its "
                "peer within 1 ms, while packets of the other direction are in the capture.",
        .advice = "Look at the peer's QP state and at the way back.",
        .causes = unacknowledged_causes,
};

static const uint8_t incast_causes[] = {FINDING_PFC_BEFORE_ECN, FINDING_PFC_WITHOUT_ECN,
        FINDING_CE_WITHOUT_CNP, FINDING_CNP_IGNORED, FINDING_NO_CONGESTION_CONTROL,
        FINDING_LOSS_WITHOUT_PFC, FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_LOSSLESS_DROP,
        FINDING_PAUSE_IGNORED, FINDING_LATE_PAUSE, FINDING_CNP_IN_WRONG_QUEUE,
        FINDING_CNP_THROTTLED, FINDING_SWITCH_WITHOUT_ECN, FINDING_NON_ECT, FINDING_DEEP_BUFFER,
        FINDING_NONE};
const struct finding_kind finding_incast = {
        .name = "incast",
        .title = "many hosts send to one at once",
        .severity = FINDING_INFO,
        .means = "The load that brings the fault to light. An incast that is marked, slowed "
                 "down and not lost is no fault.",
        .detected = "At least 4 hosts have messages to one host open at the same time, and "
                    "something else is wrong.",
        .advice = "Fewer or smaller messages at once help; the root is what to cure.",
        .causes = incast_causes,
        .never_root = true,
};

static const uint8_t microburst_causes[] = {FINDING_PFC_BEFORE_ECN, FINDING_PFC_WITHOUT_ECN,
        FINDING_CE_WITHOUT_CNP, FINDING_CNP_IGNORED, FINDING_NO_CONGESTION_CONTROL,
        FINDING_LOSS_WITHOUT_PFC, FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_LOSSLESS_DROP,
        FINDING_PAUSE_IGNORED, FINDING_LATE_PAUSE, FINDING_CNP_IN_WRONG_QUEUE,
        FINDING_CNP_THROTTLED, FINDING_SWITCH_WITHOUT_ECN, FINDING_NON_ECT, FINDING_DEEP_BUFFER,
        FINDING_NONE};
const struct finding_kind finding_microburst = {
        .name = "microburst",
        .title = "a port is full for a while",
        .severity = FINDING_INFO,
        .means = "A burst fills a port completely: the queue behind it grows by what arrives "
                 "beyond.",
        .detected =
                "10-us slots used at 90 % or more, 50 us in a row, at a port of known speed, "
                "and something else is wrong.",
        .advice = "Thresholds and headroom must bear the largest burst; see the root.",
        .causes = microburst_causes,
        .never_root = true,
};
