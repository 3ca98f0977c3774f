/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the endpoint; fabric.nic.dcqcn and fabric.nic.np belong to gen/cc. */
#include "dataplane/base/units.h"
#include "gen/rnic/rnic_cfg.h"

#define NIC(f) offsetof(struct rnic_cfg, f)

static const struct knob_word ccs[] = {
        {"dcqcn", NIC_CC_DCQCN}, {"none", NIC_CC_NONE}, {NULL, 0}};
static const struct knob_word retransmits[] = {{"go-back-n", NIC_GO_BACK_N},
        {"selective-repeat", NIC_SELECTIVE_REPEAT}, {"none", NIC_RETRANSMIT_NONE}, {NULL, 0}};
static const struct knob_word pacings[] = {
        {"follows-rate", NIC_PACING_FOLLOWS_RATE}, {"fixed", NIC_PACING_FIXED}, {NULL, 0}};
static const struct knob_word off_is_zero[] = {{"off", 0}, {NULL, 0}};
static const struct knob_word retry_words[] = {{"unlimited", NIC_RETRY_UNLIMITED}, {NULL, 0}};
static const struct knob_word windows[] = {
        {"off", NIC_WINDOW_OFF}, {"bdp", NIC_WINDOW_BDP}, {NULL, 0}};
static const struct knob_word ects[] = {{"not-ect", 0}, {"ect0", 1}, {"ect1", 2}, {NULL, 0}};
static const struct knob_word receive_rates[] = {{"off", NIC_RECEIVE_WIRE}, {NULL, 0}};
static const struct knob_word autos[] = {{"auto", NIC_RECEIVE_AUTO}, {NULL, 0}};
static const struct knob_word receive_queues[] = {
        {"unlimited", NIC_RECEIVE_NO_LIMIT}, {NULL, 0}};
static const struct knob_word of_switch[] = {{"switch", NIC_PFC_AS_SWITCH}, {NULL, 0}};
static const struct knob_word same_words[] = {{"same", NIC_PRIORITY_SAME}, {NULL, 0}};

static const struct knob rows[] = {
        {.key = "cc",
                .type = KNOB_WORD,
                .offset = NIC(cc),
                .def = "dcqcn",
                .words = ccs,
                .doc = "Congestion control of every QP; none: always at line rate, and no "
                       "CNPs.",
                .source = "ConnectX firmware default: RoCE congestion control on for all "
                          "priorities",
                .note = "An older vendor page (DOC-2790) has it off; mlxconfig on newer cards "
                        "shows "
                        "ROCE_CC_PRIO_MASK 255."},
        {.key = "retransmit",
                .type = KNOB_WORD,
                .offset = NIC(retransmit),
                .def = "go-back-n",
                .words = retransmits,
                .doc = "What is sent again after a loss: everything from the missing packet "
                       "on, what is missing alone, or nothing at all, as a traffic tester "
                       "does.",
                .source = "IBTA 9.7.7.2: the requester restarts from the PSN that a NAK names",
                .note = "Selective repeat is that of IRN (SIGCOMM 2018); ConnectX-6 and later "
                        "have one of their own."},
        {.key = "reorder_window",
                .type = KNOB_COUNT,
                .offset = NIC(reorder_window),
                .min = 2,
                .max = 2048,
                .def = "1024",
                .doc = "selective-repeat: packets that a receiver keeps of a QP from the first "
                       "missing one on; a sender has no more than these in flight.",
                .source = "IRN (SIGCOMM 2018) 3.2: at least the bandwidth-delay product; this "
                          "one covers 20 us at 400 Gb/s and MTU 1024"},
        {.key = "reorder_threshold",
                .type = KNOB_COUNT,
                .offset = NIC(reorder_threshold),
                .max = 2047,
                .def = "0",
                .doc = "selective-repeat: a packet counts as lost when one more than so many "
                       "PSNs ahead of it has arrived; above 0 packets may overtake each other "
                       "as under spraying.",
                .source = "IRN (SIGCOMM 2018) 3.1: the first packet out of order tells"},
        {.key = "ack_every",
                .type = KNOB_COUNT,
                .offset = NIC(ack_every),
                .min = 1,
                .max = 65535,
                .def = "1",
                .doc = "Data packets per ACK. The last packet of a message is always "
                       "acknowledged.",
                .source = "squall: every packet, the strictest load on the reverse path",
                .note = "IBTA 9.7.5.1.2 lets a responder coalesce; NICs do so under load."},
        {.key = "nak_interval",
                .type = KNOB_TIME,
                .offset = NIC(nak_interval_ps),
                .max = PS_PER_S,
                .def = "off",
                .words = off_is_zero,
                .doc = "A NAK that changed nothing is repeated after this; off: one NAK per "
                       "missing "
                       "packet.",
                .source = "IBTA 9.7.5.2.8: one NAK per sequence error until the expected PSN "
                          "comes"},
        {.key = "ack_duplicates",
                .type = KNOB_BOOL,
                .offset = NIC(ack_duplicates),
                .max = 1,
                .def = "on",
                .doc = "Acknowledges a packet that was received before once more.",
                .source = "IBTA 9.7.5.1.2"},
        {.key = "retransmit_timeout",
                .type = KNOB_TIME,
                .offset = NIC(retransmit_timeout_ps),
                .min = PS_PER_US,
                .max = 10000 * PS_PER_S,
                .def = "67.108864ms",
                .words = off_is_zero,
                .doc = "Without progress for this long, a QP sends again from the oldest "
                       "packet that "
                       "is not acknowledged; off: no timer.",
                .source = "IBTA 9.7.6.1.3: 4.096 us * 2^n with n = 14, the default of perftest "
                          "and "
                          "of NCCL_IB_TIMEOUT before NCCL 2.14",
                .note = "NCCL later took n = 18, then 20 (1.07 s and 4.3 s)."},
        {.key = "retransmit_backoff",
                .type = KNOB_BOOL,
                .offset = NIC(retransmit_backoff),
                .max = 1,
                .def = "on",
                .doc = "The timeout doubles with each retry in a row.",
                .source =
                        "ConnectX adaptive retransmission (ROCE_ACCL roce_adp_retrans_en, on)",
                .note = "IBTA has a fixed timeout; ConnectX starts lower and grows by a table "
                        "that "
                        "is not public. Doubling stands for it."},
        {.key = "retry_limit",
                .type = KNOB_COUNT,
                .offset = NIC(retry_limit),
                .max = 7,
                .def = "7",
                .words = retry_words,
                .doc = "Retries in a row without progress before the QP fails and its messages "
                       "with it.",
                .source =
                        "IBTA 9.7.6.1.3: a 3-bit counter; 7 in perftest and NCCL_IB_RETRY_CNT"},
        {.key = "window",
                .type = KNOB_SIZE,
                .offset = NIC(window_bytes),
                .min = 1,
                .max = INT64_C(1) << 40,
                .def = "off",
                .words = windows,
                .doc = "Payload that a QP may have in flight; bdp: the fabric's largest base "
                       "round "
                       "trip times the NIC's rate.",
                .source = "ConnectX: no window beside DCQCN (roce_tx_window_en is 0)"},
        {.key = "pacing",
                .type = KNOB_WORD,
                .offset = NIC(pacing),
                .def = "follows-rate",
                .words = pacings,
                .doc = "The gap after a packet: follows-rate, its length over the rate in "
                       "effect when it ends; fixed, over the rate when the packet was sent.",
                .source = "squall: a rate limiter takes its new rate at once",
                .note = "The ns-3 HPCC model keeps the gap (fixed): a QP cut to 1 Mb/s then "
                        "sleeps 9 ms whatever its rate does meanwhile."},
        {.key = "window_scales_with_rate",
                .type = KNOB_BOOL,
                .offset = NIC(window_scales_with_rate),
                .max = 1,
                .def = "off",
                .doc = "The window shrinks in proportion to the QP's rate.",
                .source = "HPCC (SIGCOMM 2019): the DCQCN+win variant alone does so"},
        {.key = "priority",
                .type = KNOB_COUNT,
                .offset = NIC(priority),
                .max = 7,
                .def = "3",
                .doc = "Priority of data packets.",
                .source = "NVIDIA RoCE convention: priority 3"},
        {.key = "dscp",
                .type = KNOB_COUNT,
                .offset = NIC(dscp),
                .max = 63,
                .def = "26",
                .doc = "DSCP of data packets: a label; the priority decides the class.",
                .source = "NVIDIA RoCE convention: 26 (traffic class 106 with ECT)",
                .note = "SONiC's default map sends 26 to a lossy queue."},
        {.key = "ecn",
                .type = KNOB_WORD,
                .offset = NIC(ect),
                .def = "ect0",
                .words = ects,
                .doc = "ECN field of data packets; not-ect ones are never marked.",
                .source = "RFC 3168 section 5; traffic class 106 ends in ECT(0)"},
        {.key = "ack_priority",
                .type = KNOB_COUNT,
                .offset = NIC(ack_priority),
                .max = 7,
                .def = "same",
                .words = same_words,
                .doc = "Priority of ACKs and NAKs; same: that of the data they answer.",
                .source = "IBTA: an RC QP has one service level for requests and responses",
                .note = "Gaudi 3 has its own priority for them."},
        {.key = "ack_ect",
                .type = KNOB_BOOL,
                .offset = NIC(ack_ect),
                .max = 1,
                .def = "on",
                .doc = "ACKs and NAKs are ECN-capable too.",
                .source = "ConnectX: all packets of a QP carry its traffic class, ECN bits "
                          "included",
                .note = "RFC 3168 section 6.1.4 forbids it for TCP. A WRED queue "
                        "drops what is not ECN-capable (fabric.switch.ecn.non_ect)."},
        {.key = "ack_obeys_pause",
                .type = KNOB_BOOL,
                .offset = NIC(ack_obeys_pause),
                .max = 1,
                .def = "on",
                .doc = "ACKs and NAKs wait while their priority is paused.",
                .source = "IEEE 802.1Q clause 36: a pause stops every frame of the priority"},
        {.key = "cnp_priority",
                .type = KNOB_COUNT,
                .offset = NIC(cnp_priority),
                .max = 7,
                .def = "6",
                .doc = "Priority of CNPs.",
                .source = "ConnectX firmware default CNP_802P_PRIO 6"},
        {.key = "cnp_dscp",
                .type = KNOB_COUNT,
                .offset = NIC(cnp_dscp),
                .max = 63,
                .def = "48",
                .doc = "DSCP of CNPs: a label; the priority decides the class.",
                .source = "ConnectX firmware default CNP_DSCP 48"},
        {.key = "receive_rate",
                .type = KNOB_RATE,
                .offset = NIC(receive_rate_bps),
                .min = 1000000,
                .max = INT64_C(10000000000000),
                .def = "off",
                .words = receive_rates,
                .doc = "What a host takes from its NIC, in wire bytes of data packets; off: as "
                       "fast as they come. Below the link's rate the NIC's receive buffer "
                       "fills.",
                .source = "squall: a host that keeps up",
                .note = "PCIe x16 gives 126 Gb/s in generation 3, 252 in 4, 504 in 5, headers "
                        "of its own included."},
        {.key = "receive_buffer",
                .type = KNOB_SIZE,
                .offset = NIC(receive_buffer_bytes),
                .min = 1,
                .max = INT64_C(1) << 30,
                .def = "auto",
                .words = autos,
                .doc = "The NIC's receive buffer of each priority, for frames with FCS; auto: "
                       "128 KiB and the headroom that PFC needs on the link.",
                .source = "mlnx_qos on ConnectX-5 shows 130944 B per buffer"},
        {.key = "receive_queue",
                .type = KNOB_COUNT,
                .offset = NIC(receive_queue),
                .min = 1,
                .max = 32768,
                .def = "unlimited",
                .words = receive_queues,
                .doc = "Receives that the application has posted on each QP; a message takes "
                       "one with its first packet, and finds none: RNR NAK (rc), or it is "
                       "dropped (uc, ud). With retransmit: go-back-n.",
                .source = "squall: RDMA WRITE needs no receive"},
        {.key = "receive_time",
                .type = KNOB_TIME,
                .offset = NIC(receive_time_ps),
                .max = PS_PER_S,
                .def = "0us",
                .doc = "How long the application works on a message of a QP, one after the "
                       "other, before it posts its receive again.",
                .source = "squall: an application that keeps up"},
        {.key = "rnr_timer",
                .type = KNOB_TIME,
                .offset = NIC(rnr_timer_ps),
                .min = 10 * PS_PER_US,
                .max = 655360 * PS_PER_US,
                .def = "640us",
                .doc = "How long a sender waits after an RNR NAK before it sends again from "
                       "that packet.",
                .source = "IBTA table 45, code 12: min_rnr_timer of perftest and NCCL"},
        {.key = "rnr_retry",
                .type = KNOB_COUNT,
                .offset = NIC(rnr_retry),
                .max = NIC_RNR_UNLIMITED,
                .def = "7",
                .doc = "RNR NAKs in a row without progress before the QP fails; 7: no limit.",
                .source = "IBTA 9.7.5.2.8; rnr_retry of perftest and NCCL"},
        {.key = "pfc.priorities",
                .type = KNOB_PRIORITIES,
                .offset = NIC(pfc_priorities),
                .max = 255,
                .def = "switch",
                .words = of_switch,
                .doc = "Priorities that the NIC pauses when its receive buffer fills; the "
                       "others are dropped when it is full. switch: the lossless ones of its "
                       "switch port. Pause time, refresh and response are also that port's.",
                .source = "squall: both ends of a link agree, as DCBX would make them"},
        {.key = "pfc.xoff",
                .type = KNOB_SIZE,
                .offset = NIC(pfc_xoff_bytes),
                .max = INT64_C(1) << 30,
                .def = "auto",
                .words = autos,
                .doc = "The NIC sends XOFF when a priority has more than this in its receive "
                       "buffer; auto: the buffer less the headroom that nothing exceeds.",
                .source = "squall: docs/models.md, PFC headroom"},
        {.key = "pfc.xon_offset",
                .type = KNOB_SIZE,
                .offset = NIC(pfc_xon_offset_bytes),
                .max = INT64_C(1) << 30,
                .def = "auto",
                .words = autos,
                .doc = "The NIC sends XON once the priority is this far below pfc.xoff; auto: "
                       "the largest frame.",
                .source = "Linux mlx5 driver: the XON threshold is one MTU below XOFF"},
};

const struct knob_group nic_knobs = {.path = "fabric.nic",
        .doc = "The endpoint of every host.",
        .rows = KNOB_ROWS(rows),
        .struct_bytes = sizeof(struct rnic_cfg)};
