/* SPDX-License-Identifier: Apache-2.0 */
/* Links and losses: what findings mean. Thresholds are those of findings_*.c. */
#include "analysis/trace/finding_kinds_int.h"

static const uint8_t link_down_causes[] = {FINDING_PAUSE_STORM, FINDING_NONE};
const struct finding_kind finding_link_down = {
        .name = "link-down",
        .title = "a link falls silent and what is sent to it is lost",
        .severity = FINDING_ERROR,
        .means = "A cable, an optic or a port failed, or a route leads to a dead end. Until "
                 "routing has noticed, everything that is hashed to that link is lost.",
        .detected =
                "An interface shows no frame in either direction for at least 50 us, after "
                "it was used, is not paused, and at least 20 packets on their way to it came "
                "into the device meanwhile, or left it, and were not seen again.",
        .advice = "Look at the link's error counters, FEC and flaps on both ends; shorten the "
                  "detection (BFD, fast failover) and let ECMP drop the member.",
        .causes = link_down_causes,
};

static const uint8_t down_trained_link_causes[] = {
        FINDING_PAUSE_STORM, FINDING_SLOW_RECEIVER, FINDING_NONE};
const struct finding_kind finding_down_trained_link = {
        .name = "down-trained-link",
        .title = "a link is slower than its speed says",
        .severity = FINDING_ERROR,
        .means = "Lanes are lost, the wrong speed was negotiated, or a shaper is in the way. "
                 "The port is a bottleneck that no plan of the network shows.",
        .detected = "Behind each of at least 8 packets that a port marked (they stand behind a "
                    "queue) it sends less than 70 % of the speed that the file gives for it, "
                    "over 4 us or one step of the time line, without being paused.",
        .advice = "Compare the negotiated speed and lane count on both ends (ethtool, show "
                  "interface phy), reseat or replace cable and optics; look for shapers.",
        .causes = down_trained_link_causes,
};

const struct finding_kind finding_corruption = {
        .name = "corruption",
        .title = "packets are damaged on a link",
        .severity = FINDING_ERROR,
        .means = "A dirty connector or a failing lane changes bits. The receiver drops such "
                 "packets; go-back-N sends everything behind them again. (Most NICs drop a "
                 "frame with a bad FCS before a capture sees it: then it is random-loss.)",
        .detected =
                "A packet's ICRC does not fit, where fewer than half of all do not: at least "
                "one. The interface that shows it first is behind the bad link.",
        .advice = "Clean or replace cable and optics of that link; look at FEC and symbol "
                  "errors there. Selective repeat makes the cost small.",
};

static const uint8_t random_loss_causes[] = {FINDING_CORRUPTION, FINDING_NONE};
const struct finding_kind finding_random_loss = {
        .name = "random-loss",
        .title = "packets are lost on a link",
        .severity = FINDING_ERROR,
        .means = "Packets leave one end of a cable and do not come in at the other: bit "
                 "errors that the MAC drops, or a failing lane. No queue is to blame.",
        .detected =
                "Transmissions that the sending port shows and the receiving port does not, "
                "at least one, where both are captured and the link is not down; not counted "
                "where the devices next to it lose fifty times as much.",
        .advice = "Clean or replace cable and optics; look at the FCS and FEC counters of the "
                  "receiving port.",
        .causes = random_loss_causes,
};

static const uint8_t switch_loss_causes[] = {FINDING_LINK_DOWN, FINDING_DEADLOCK,
        FINDING_PAUSE_STORM, FINDING_CORRUPTION, FINDING_NONE};
const struct finding_kind finding_switch_loss = {
        .name = "switch-loss",
        .title = "a device drops packets without a queue",
        .severity = FINDING_ERROR,
        .means = "Packets come into a switch and do not leave it although the port that they "
                 "are for is idle: a black hole in its tables, an ACL, a parity error, or a "
                 "loss between ports that were not captured.",
        .detected =
                "Transmissions that an ingress shows and no later interface does, where the "
                "port of the flow's way marks nothing and was never full for 20 us, more "
                "than a twentieth of all that devices lose.",
        .advice = "Read the drop reasons of that switch (show drops, ingress ACL, ECMP member "
                  "errors) for the flows named here.",
        .causes = switch_loss_causes,
};

const struct finding_kind finding_out_of_order = {
        .name = "out-of-order",
        .title = "packets overtake each other and are taken for lost",
        .severity = FINDING_ERROR,
        .means = "Packets of a QP take several ways (spraying, flowlets, a changing LAG) or "
                 "some are held up. A receiver that does go-back-N takes each gap for a loss: "
                 "packets are sent again that were never lost.",
        .detected =
                "NAKs for a PSN sequence error and packets sent again, while hardly anything "
                "is lost (fewer than one in ten NAKs), and either a device sends one QP's "
                "packets out by several ports at once, or late packets fill gaps by "
                "themselves, or all of the way is captured and there are ten NAKs. "
                "Reordering that nobody answers is no finding.",
        .advice = "Spray only where NICs accept it (selective repeat with a reorder window, "
                  "adaptive routing on both ends), else hash by flow.",
};

static const uint8_t data_on_lossy_priority_causes[] = {FINDING_LINK_DOWN, FINDING_CORRUPTION,
        FINDING_RANDOM_LOSS, FINDING_OUT_OF_ORDER, FINDING_NONE};
const struct finding_kind finding_data_on_lossy_priority = {
        .name = "data-on-lossy-priority",
        .title = "data ride a priority without PFC and are lost",
        .severity = FINDING_ERROR,
        .means = "PFC protects other priorities, not this one. Wrong DSCP, trust of the wrong "
                 "field, or a QP that does not take the host's traffic class (GPU-initiated "
                 "QPs) put RDMA there.",
        .detected = "A priority loses data packets and is never paused, while another priority "
                    "is paused in the same capture. With one place captured alone, gaps in its "
                    "PSNs count as losses.",
        .advice = "Set the traffic class of these QPs (NCCL_IB_TC, cma_roce_tos, "
                  "traffic_class), check DSCP maps on NIC and switch; DSCP 26 is priority 3 by "
                  "most NIC guides and lossy by SONiC's default map.",
        .causes = data_on_lossy_priority_causes,
};

static const uint8_t data_on_wrong_priority_causes[] = {
        FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_NONE};
const struct finding_kind finding_data_on_wrong_priority = {
        .name = "data-on-wrong-priority",
        .title = "a few flows have another priority than the rest",
        .severity = FINDING_WARNING,
        .means = "Some senders mark their data with another DSCP or PCP than all others: they "
                 "have other queues, other thresholds and maybe no PFC.",
        .detected =
                "Of the flows to one host with about as many bytes (within a factor of two), "
                "those of one priority are at least three times as many as those of this "
                "one. Up to 20,000 flows.",
        .advice = "Compare DSCP and trust settings of these hosts and QPs with the others'.",
        .causes = data_on_wrong_priority_causes,
};

const struct finding_kind finding_no_congestion_control = {
        .name = "no-congestion-control",
        .title = "neither ECN nor PFC: queues overflow",
        .severity = FINDING_ERROR,
        .means = "The traffic is plain best effort: nobody is told to slow down, nobody is "
                 "stopped, and whole windows are dropped.",
        .detected =
                "Packets are dropped in devices on the way to ports that were full for 20 us "
                "or longer; no CE, no CNP and no XOFF in the whole capture.",
        .advice = "Turn on ECN marking in the data's queue and DCQCN on the NICs, and PFC on "
                  "its priority as the last resort.",
};

static const uint8_t loss_without_pfc_causes[] = {FINDING_NO_CONGESTION_CONTROL, FINDING_NONE};
const struct finding_kind finding_loss_without_pfc = {
        .name = "loss-without-pfc",
        .title = "ECN alone does not keep queues from overflowing",
        .severity = FINDING_ERROR,
        .means = "ECN needs a round trip to slow senders down, and a burst overflows the "
                 "queue before. Without PFC go-back-N sends much of it again.",
        .detected = "Packets are dropped in devices on the way to ports that mark or were full "
                    "for 20 us or longer, and no XOFF is seen anywhere; CE or CNPs are.",
        .advice = "Turn on PFC on the data's priority, mark earlier, use selective repeat, or "
                  "make bursts smaller.",
        .causes = loss_without_pfc_causes,
};
