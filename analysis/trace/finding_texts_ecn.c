/* SPDX-License-Identifier: Apache-2.0 */
/* Marking and ways: what findings mean. Thresholds are those of findings_*.c. */
#include "analysis/trace/finding_kinds_int.h"

const struct finding_kind finding_switch_without_ecn = {
        .name = "switch-without-ecn",
        .title = "one switch does not mark",
        .severity = FINDING_ERROR,
        .means = "All switches but this mark: it missed its configuration, or the WRED "
                 "profile is not bound to the queue. Where it is the bottleneck only PFC "
                 "acts.",
        .detected =
                "A device without a single new CE whose packets (1,000 or more) waited in a "
                "queue of twice as many bytes as a port elsewhere, no slower, marks from.",
        .advice = "Bind the ECN profile to this switch's queue (SONiC: QUEUE|port|q "
                  "wred_profile, wred_green_enable) and compare its configuration with the "
                  "others'.",
};

const struct finding_kind finding_non_ect = {
        .name = "non-ect",
        .title = "data without ECT in a queue that marks",
        .severity = FINDING_WARNING,
        .means = "Packets that are not ECN-capable are dropped where others are marked, also "
                 "in a lossless class.",
        .detected = "At least 10 data packets without ECT in a priority in which at least 10 "
                    "others are marked with CE.",
        .advice = "Turn on ECN at these senders (roce_np, roce_rp, traffic class with ECT "
                  "bits), or take them out of that queue.",
};

static const uint8_t pfc_without_ecn_causes[] = {
        FINDING_DEADLOCK, FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_NONE};
const struct finding_kind finding_pfc_without_ecn = {
        .name = "pfc-without-ecn",
        .title = "PFC does all the work: data are not ECN-capable",
        .severity = FINDING_ERROR,
        .means = "The senders do not offer ECN, so nothing can be marked and nobody slows "
                 "down before a pause stops him. Pauses reach back through the fabric and "
                 "hold ports that have room to spare.",
        .detected = "As pfc-before-ecn, where more than half of the data packets have no ECT.",
        .advice = "Turn on DCQCN on the NICs for this priority and ECN marking in the "
                  "switches' queue.",
        .causes = pfc_without_ecn_causes,
};

static const uint8_t pfc_before_ecn_causes[] = {FINDING_DEADLOCK,
        FINDING_DATA_ON_LOSSY_PRIORITY, FINDING_SWITCH_WITHOUT_ECN, FINDING_NONE};
const struct finding_kind finding_pfc_before_ecn = {
        .name = "pfc-before-ecn",
        .title = "PFC pauses before ECN marks",
        .severity = FINDING_ERROR,
        .means = "Marking is off or its thresholds lie above what PFC lets a queue grow to "
                 "(its share of a small buffer): the pauses stop senders and congestion "
                 "control never hears of the congestion.",
        .detected =
                "Congested devices, not hosts, send at least 5 XOFF frames or pause for 20 "
                "us, the data are ECN-capable, and no more than one in 2,000 data packets is "
                "marked. Pauses that a device merely passes on are not counted. Not at the "
                "port "
                "of a sender alone, where its marks are not seen.",
        .advice = "Lower Kmin and Kmax below the PFC threshold (alpha x free buffer / ingress "
                  "ports), or raise alpha; check that the ECN profile is bound to the queue.",
        .causes = pfc_before_ecn_causes,
};

const struct finding_kind finding_mark_without_queue = {
        .name = "mark-without-queue",
        .title = "packets are marked where there is no queue",
        .severity = FINDING_ERROR,
        .means = "CE appears between the two ends of a link, or is set by something that is "
                 "no switch queue. Senders are slowed down for nothing.",
        .detected =
                "At least 10 packets leave one end of a link without CE and come in with CE "
                "at the other.",
        .advice = "Look for a device between the two ports that rewrites DSCP and ECN, or a "
                  "policer; compare the ToS byte before and after.",
};

const struct finding_kind finding_deep_buffer = {
        .name = "deep-buffer",
        .title = "packets wait for long and nothing is marked",
        .severity = FINDING_WARNING,
        .means = "A deep buffer without marking: no loss, no pause, no CE, and latency of "
                 "milliseconds.",
        .detected =
                "A packet stayed in a device for 1 ms or longer (12.5 MB at 100 Gb/s), with "
                "no CE, no pause in the capture of 1,000 data packets or more.",
        .advice = "Turn on ECN marking in that queue with thresholds of about a bandwidth- "
                  "delay product.",
};

const struct finding_kind finding_one_source_port = {
        .name = "one-source-port",
        .title = "all QPs have one UDP source port",
        .severity = FINDING_WARNING,
        .means = "ECMP tells QPs apart by their UDP source port. With one port for all, the "
                 "QPs of a pair of hosts share one way, and pairs collide by their addresses "
                 "alone.",
        .detected =
                "At least 4 flows with data, of all hosts or of one, with a single UDP "
                "source port among them; by chance that is one in 16,384 to the third power.",
        .advice = "Let the library set flow labels or source ports per QP "
                  "(NCCL_IB_QPS_PER_CONNECTION with split, UCX_IB_..., rdma_set_option flow "
                  "label), or use adaptive routing.",
};

static const uint8_t ecmp_collision_causes[] = {
        FINDING_DOWN_TRAINED_LINK, FINDING_ONE_SOURCE_PORT, FINDING_LINK_DOWN, FINDING_NONE};
const struct finding_kind finding_ecmp_collision = {
        .name = "ecmp-collision",
        .title = "flows share one uplink while another has room",
        .severity = FINDING_WARNING,
        .means = "The hash put several large flows on one of several equal links. They get a "
                 "fraction of what they could have, although the links together have room for "
                 "all.",
        .detected =
                "A port marks at least 10 packets with 2 to 32 flows on it; a port of equal "
                "speed at the same device, by which flows go to the same device, carries "
                "fewer flows and marks less than a tenth as much; and the large flows (100 "
                "packets) of the first get less than 70 % of what those of the second get. "
                "Not where the same flows are marked again further on (an incast has a "
                "narrower place), nor behind a port that a host pauses.",
        .advice = "More QPs per connection with different source ports, another hash seed, "
                  "adaptive routing, or place the hosts so that fewer flows cross the spines.",
        .causes = ecmp_collision_causes,
};
