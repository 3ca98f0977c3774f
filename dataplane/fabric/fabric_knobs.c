/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of switches and frames; those of topology and links are in topo_knobs.c. */
#include "dataplane/base/units.h"
#include "dataplane/fabric/defect.h"
#include "dataplane/fabric/fabric_cfg.h"

#define SWITCH(f) offsetof(struct switch_cfg, f)
#define FRAME(f)  offsetof(struct frame_cfg, f)
#define MIB       (INT64_C(1) << 20)

static const struct knob_word forwardings[] = {
        {"store-and-forward", FORWARD_STORE}, {"cut-through", FORWARD_CUT_THROUGH}, {NULL, 0}};
static const struct knob_word balances[] = {{"ecmp", BALANCE_ECMP}, {"spray", BALANCE_SPRAY},
        {"adaptive", BALANCE_ADAPTIVE}, {NULL, 0}};
static const struct knob_word ecn_points[] = {
        {"dequeue", ECN_DEQUEUE}, {"enqueue", ECN_ENQUEUE}, {NULL, 0}};
static const struct knob_word ecn_priority_words[] = {{"auto", ECN_NOT_STRICT}, {NULL, 0}};
static const struct knob_word non_ect_words[] = {
        {"drop", NON_ECT_DROP}, {"pass", NON_ECT_PASS}, {NULL, 0}};
static const struct knob_word average_words[] = {{"off", 0}, {NULL, 0}};
static const struct knob_word headroom_words[] = {{"auto", PFC_HEADROOM_AUTO}, {NULL, 0}};
static const struct knob_word response_words[] = {
        {"standard", PFC_RESPONSE_STANDARD}, {NULL, 0}};
static const struct knob_word quanta_words[] = {{"unlimited", PFC_NEVER_EXPIRES}, {NULL, 0}};
static const struct knob_word watchdog_words[] = {{"off", WATCHDOG_OFF}, {NULL, 0}};
static const struct knob_word watchdog_actions[] = {{"drop", WATCHDOG_DROP},
        {"forward", WATCHDOG_FORWARD}, {"alert", WATCHDOG_ALERT}, {NULL, 0}};
static const struct knob_word refresh_words[] = {{"off", 0}, {NULL, 0}};

static const struct knob_word unit_words[] = {
        {"bytes", SCHEDULE_BYTES}, {"packets", SCHEDULE_PACKETS}, {NULL, 0}};

static const struct knob switch_rows[] = {
        {.key = "buffer",
                .type = KNOB_SIZE,
                .offset = SWITCH(buffer_bytes),
                .min = 1,
                .max = 16384 * MIB,
                .def = "32MiB",
                .doc = "Packet memory of one switch: reserves, headroom and the shared pool.",
                .source = "HPCC (SIGCOMM 2019): 32 MB at 100G, as Tomahawk-class ASICs have"},
        {.key = "cell",
                .type = KNOB_SIZE,
                .offset = SWITCH(cell_bytes),
                .max = 65536,
                .def = "0B",
                .doc = "Allocation unit of the packet memory: a frame takes whole cells. 0: "
                       "byte-exact.",
                .source = "squall: byte-exact",
                .note = "SONiC's tables have 208 B (Tomahawk, Tomahawk 2), 254 B (Tomahawk 3 "
                        "to 5), "
                        "96 to 256 B (Spectrum): set your ASIC's."},
        {.key = "latency",
                .type = KNOB_TIME,
                .offset = SWITCH(latency_ps),
                .max = PS_PER_MS,
                .def = "0ns",
                .doc = "Pipeline delay from the arrival of a frame's last byte to its "
                       "admission.",
                .source = "squall: part of the link's delay, as in HPCC's 1 us"},
        {.key = "forwarding",
                .type = KNOB_WORD,
                .offset = SWITCH(forwarding),
                .def = "store-and-forward",
                .words = forwardings,
                .doc = "Whether a frame may leave before its last byte has arrived.",
                .source =
                        "squall: shared-buffer switches store whole packets under congestion"},
        {.key = "load_balancing",
                .type = KNOB_WORD,
                .offset = SWITCH(load_balancing),
                .def = "ecmp",
                .words = balances,
                .doc = "Which of several equal next hops a data packet takes. ecmp: each flow "
                       "keeps to one, by a hash of its addresses and UDP source port. spray: a "
                       "random one for each packet. adaptive: the one with the shortest queue "
                       "of its priority, paused ports last. ACKs and CNPs always go by ecmp.",
                .source = "RFC 2992 (ECMP by hash): what RoCE fabrics do unless told otherwise",
                .note = "spray and adaptive reorder packets, which go-back-N takes for loss: "
                        "set nic.retransmit to selective-repeat."},
        {.key = "flowlet_gap",
                .type = KNOB_TIME,
                .offset = SWITCH(flowlet_gap_ps),
                .max = PS_PER_S,
                .def = "0s",
                .doc = "adaptive: a flow keeps its port while its packets follow each other "
                       "sooner than this. 0: each packet is placed by itself.",
                .source = "squall: per packet",
                .note = "CONGA (SIGCOMM 2014) has 500 us."},
        {.key = "ecn.enabled",
                .type = KNOB_BOOL,
                .offset = SWITCH(ecn_enabled),
                .max = 1,
                .def = "on",
                .doc = "Marks ECN-capable packets CE by the length of their egress queue.",
                .source = "DCQCN (SIGCOMM 2015) section 3.1: the congestion point"},
        {.key = "ecn.kmin",
                .type = KNOB_SIZE,
                .offset = SWITCH(ecn_kmin_bytes),
                .max = 16384 * MIB,
                .def = "400KB",
                .doc = "Egress queue up to which nothing is marked.",
                .source = "HPCC (SIGCOMM 2019): its value for 100 Gb/s; overrides give faster "
                          "ports theirs",
                .note = "At any rate SONiC's template has 1 MiB, Cumulus and Onyx 150 KB; the "
                        "DCQCN "
                        "paper has 5 KB at 40G. HPCC scales it with the rate, 4 KB per "
                        "Gbit/s; this default does not."},
        {.key = "ecn.kmax",
                .type = KNOB_SIZE,
                .offset = SWITCH(ecn_kmax_bytes),
                .max = 16384 * MIB,
                .def = "1600KB",
                .doc = "Egress queue above which every packet is marked.",
                .source = "HPCC (SIGCOMM 2019): 16 KB per Gbit/s",
                .note = "SONiC's template has 2 MiB, Cumulus and Onyx 1500 KB; the DCQCN paper "
                        "has "
                        "200 KB at 40G."},
        {.key = "ecn.pmax",
                .type = KNOB_FRACTION,
                .offset = SWITCH(ecn_pmax_q32),
                .max = Q32_ONE,
                .def = "20%",
                .doc = "Marking probability just below kmax; it rises from 0 at kmin.",
                .source = "HPCC (SIGCOMM 2019)",
                .note = "SONiC's template has 5 %, the DCQCN paper 1 %, Cumulus and Onyx 100 "
                        "%."},
        {.key = "ecn.mark",
                .type = KNOB_WORD,
                .offset = SWITCH(ecn_point),
                .def = "dequeue",
                .words = ecn_points,
                .doc = "When the queue is looked at: as the packet leaves or as it comes.",
                .source = "Zhu et al., ECN or Delay (CoNEXT 2016): marking on egress as "
                          "switches do"},
        {.key = "ecn.priorities",
                .type = KNOB_PRIORITIES,
                .offset = SWITCH(ecn_priorities),
                .max = 255,
                .def = "auto",
                .words = ecn_priority_words,
                .doc = "Priorities whose egress queues have this WRED profile. auto: all but "
                       "the strict ones, which carry CNPs.",
                .source = "NVIDIA Cumulus RoCE default: ECN on TC 0 and 3, none on the strict "
                          "TC 6",
                .note = "SONiC's template has it on the lossless queues 3 and 4."},
        {.key = "ecn.non_ect",
                .type = KNOB_WORD,
                .offset = SWITCH(ecn_non_ect),
                .def = "drop",
                .words = non_ect_words,
                .doc = "What a queue with this profile does with a packet that is not "
                       "ECN-capable and comes where an ECN-capable one would be marked; pass: "
                       "nothing.",
                .source = "RFC 3168 section 5: a router drops where it cannot mark; SONiC's "
                          "profiles with wred_green_enable",
                .note = "Lossless queues drop too: CNPs and senders without ECT do not belong "
                        "into them."},
        {.key = "ecn.average",
                .type = KNOB_FRACTION,
                .offset = SWITCH(ecn_average_q32),
                .min = 1,
                .max = Q32_ONE,
                .def = "off",
                .words = average_words,
                .doc = "Weight w of the queue's moving average, avg = (1-w) avg + w q at each "
                       "arrival, that marking then goes by; off: by the queue as it is.",
                .source = "DCQCN (SIGCOMM 2015) section 3.1: the instantaneous queue",
                .note = "RED (Floyd and Jacobson, ToN 1993) has 0.002."},
        {.key = "pfc.priorities",
                .type = KNOB_PRIORITIES,
                .offset = SWITCH(pfc_priorities),
                .max = 255,
                .def = "[3]",
                .doc = "Lossless priorities; the others drop when the buffer is short.",
                .source = "NVIDIA Cumulus RoCE default: switch priority 3",
                .note = "SONiC enables 3 and 4."},
        {.key = "pfc.alpha",
                .type = KNOB_FRACTION,
                .offset = SWITCH(pfc_alpha_q32),
                .min = Q32_ONE / 256,
                .max = 256 * Q32_ONE,
                .def = "1/8",
                .doc = "A port's priority is paused above alpha times the free part of the "
                       "pool.",
                .source = "HPCC (SIGCOMM 2019): PFC at 11 % of the free buffer, alpha 1/8",
                .note = "SONiC's dynamic_th is its logarithm: 1/8 is -3."},
        {.key = "pfc.reserve",
                .type = KNOB_SIZE,
                .offset = SWITCH(pfc_reserve_bytes),
                .max = 1024 * MIB,
                .def = "4KiB",
                .doc = "Guaranteed to each port and lossless priority, outside the shared "
                       "pool.",
                .source = "HPCC ns-3 switch model: 4096 B",
                .note = "SONiC's Broadcom tables have 1 to 10 cells, 208 to 2540 B."},
        {.key = "pfc.headroom",
                .type = KNOB_SIZE,
                .offset = SWITCH(pfc_headroom_bytes),
                .max = 1024 * MIB,
                .def = "auto",
                .words = headroom_words,
                .doc = "For each port and lossless priority: room for what still arrives after "
                       "XOFF. "
                       "auto: the smallest that can never be exceeded, from the port's rate, "
                       "delay "
                       "and frames.",
                .source = "squall: derivation in docs/models.md; budget as in IEEE 802.1Q "
                          "annex N"},
        {.key = "pfc.xon_offset",
                .type = KNOB_SIZE,
                .offset = SWITCH(pfc_xon_offset_bytes),
                .max = 1024 * MIB,
                .def = "3KiB",
                .doc = "XON is sent once the port's priority is this far below the XOFF "
                       "threshold.",
                .source = "HPCC ns-3 switch model: 3072 B",
                .note = "SONiC's Tomahawk 5 tables have 3556 B (14 cells)."},
        {.key = "pfc.response",
                .type = KNOB_TIME,
                .offset = SWITCH(pfc_response_ps),
                .max = PS_PER_MS,
                .def = "standard",
                .words = response_words,
                .doc = "Time from a pause frame's last byte to the moment from which the "
                       "receiver "
                       "starts no more frames. standard: the most that the standard allows.",
                .source = "IEEE 802.3 31B.3.7: 394 quanta at 100G, 905 at 400G"},
        {.key = "pfc.quanta",
                .type = KNOB_COUNT,
                .offset = SWITCH(pfc_quanta),
                .min = 1,
                .max = 65535,
                .def = "65535",
                .words = quanta_words,
                .doc = "Pause time that XOFF asks for, in 512 bit times; unlimited: until XON.",
                .source = "IEEE 802.1Q clause 36: the largest value, as switches send"},
        {.key = "pfc.refresh",
                .type = KNOB_COUNT,
                .offset = SWITCH(pfc_refresh_percent),
                .min = 1,
                .max = 99,
                .def = "50",
                .words = refresh_words,
                .doc = "XOFF is repeated after this share of the pause time, in percent, while "
                       "it "
                       "holds; off: never.",
                .source =
                        "squall: half of the pause time, so that one lost frame does no harm"},
        {.key = "watchdog.detect",
                .type = KNOB_TIME,
                .offset = SWITCH(watchdog_detect_ps),
                .min = 1,
                .max = 100 * PS_PER_S,
                .def = "off",
                .words = watchdog_words,
                .doc = "PFC watchdog: a lossless queue that is under pause for so long without "
                       "a "
                       "break is stormed, whether packets wait in it or not. `watchdog: off` "
                       "is "
                       "short for this key.",
                .source = "squall: off, as in IEEE 802.1Q",
                .note = "SONiC's start_default has 200 ms, at least 100 ms."},
        {.key = "watchdog.restore",
                .type = KNOB_TIME,
                .offset = SWITCH(watchdog_restore_ps),
                .min = 1,
                .max = 100 * PS_PER_S,
                .def = "200ms",
                .doc = "A storm is over after so long without a pause; an XON ends a pause.",
                .source = "SONiC sonic-utilities, pfcwd start_default: 200 ms"},
        {.key = "watchdog.poll",
                .type = KNOB_TIME,
                .offset = SWITCH(watchdog_poll_ps),
                .max = 100 * PS_PER_S,
                .def = "0s",
                .doc = "Queues are looked at so often, so that detection takes detect to "
                       "detect "
                       "+ poll, and restoration likewise. 0: exact, as a watchdog in hardware.",
                .source = "squall: exact",
                .note = "SONiC polls every 200 ms by default; its tests set 100 ms."},
        {.key = "watchdog.action",
                .type = KNOB_WORD,
                .offset = SWITCH(watchdog_action),
                .def = "drop",
                .words = watchdog_actions,
                .doc = "What happens to a stormed queue: its packets are dropped, queued and "
                       "arriving ones; or sent in spite of the pause; or it is only reported.",
                .source = "SONiC PFC watchdog: drop unless told otherwise"},
        {.key = "watchdog.drop_ingress",
                .type = KNOB_BOOL,
                .offset = SWITCH(watchdog_drop_ingress),
                .max = 1,
                .def = "on",
                .doc = "Under action: drop, what arrives at the stormed port in that priority "
                       "is dropped as well, so that nothing is asked of the peer that storms.",
                .source = "SONiC PFC watchdog: the priority group of the queue drops too",
                .note = "On some platforms (Mellanox, by sonic-mgmt's test_pfcwd_many_to_one) "
                        "the reverse direction goes on."},
        {.key = "lossy.alpha",
                .type = KNOB_FRACTION,
                .offset = SWITCH(lossy_alpha_q32),
                .min = Q32_ONE / 256,
                .max = 256 * Q32_ONE,
                .def = "1",
                .doc = "A lossy egress queue may take alpha times the free part of the pool.",
                .source = "Choudhury and Hahne, Dynamic Queue Length Thresholds (ToN 1998): "
                          "alpha 1"},
        {.key = "scheduler.strict",
                .type = KNOB_PRIORITIES,
                .offset = SWITCH(strict_priorities),
                .max = 255,
                .def = "[6]",
                .doc = "Priorities that go before all others, the highest number first.",
                .source = "NVIDIA Cumulus RoCE default: TC 6 (CNPs) strict"},
        {.key = "scheduler.unit",
                .type = KNOB_WORD,
                .offset = SWITCH(scheduler_unit),
                .def = "bytes",
                .words = unit_words,
                .doc = "What the weights share out: bytes (deficit round robin) or packets "
                       "(round robin).",
                .source = "M. Shreedhar, G. Varghese, Efficient fair queuing using deficit "
                          "round robin, SIGCOMM 1995; packets as simple switch models do"},
        {.key = "scheduler.weights",
                .type = KNOB_EACH_PRIORITY,
                .offset = SWITCH(weights),
                .min = 1,
                .max = 1000,
                .def = "[1, 1, 1, 1, 1, 1, 1, 1]",
                .doc = "Shares of the priorities 0 to 7 that are not strict.",
                .source = "IEEE 802.1Q clause 37 (ETS); equal shares"},
        {.key = "defect",
                .type = KNOB_WORD,
                .offset = SWITCH(defect),
                .def = "none",
                .words = fabric_defect_words,
                .doc = "A planted fault of the switch, for tests of qualification suites.",
                .source = "squall: a switch does as it must"},
};

static const struct knob fabric_rows[] = {
        {.key = "path_mtu",
                .type = KNOB_SIZE,
                .offset = FRAME(path_mtu_bytes),
                .min = 1,
                .max = 9000,
                .def = "1024",
                .plain = true,
                .doc = "Payload of every packet but the last one of a message. InfiniBand "
                       "defines "
                       "256, 512, 1024, 2048 and 4096.",
                .source = "IBTA 9.6 path MTU: the largest that fits a 1500 B Ethernet MTU"},
};

static const struct knob frame_rows[] = {
        {.key = "header",
                .type = KNOB_SIZE,
                .offset = FRAME(header_bytes),
                .max = 512,
                .def = "58B",
                .doc = "Bytes of a data frame beside its payload, without FCS.",
                .source = "IBTA annex A17: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4"},
        {.key = "reth",
                .type = KNOB_SIZE,
                .offset = FRAME(reth_bytes),
                .max = 512,
                .def = "16B",
                .doc = "Further bytes in the first packet of a message.",
                .source = "IBTA 9.3.1: RETH of an RDMA WRITE"},
        {.key = "ack",
                .type = KNOB_SIZE,
                .offset = FRAME(ack_bytes),
                .min = 1,
                .max = 9000,
                .def = "62B",
                .doc = "An ACK or NAK frame, without FCS.",
                .source = "IBTA 9.3.5: AETH 4 bytes after the BTH"},
        {.key = "cnp",
                .type = KNOB_SIZE,
                .offset = FRAME(cnp_bytes),
                .min = 1,
                .max = 9000,
                .def = "74B",
                .doc = "A congestion notification packet, without FCS.",
                .source = "IBTA annex A17.9.3: 16 reserved bytes after the BTH"},
        {.key = "pfc",
                .type = KNOB_SIZE,
                .offset = FRAME(pfc_bytes),
                .min = 1,
                .max = 9000,
                .def = "60B",
                .doc = "A priority pause frame, without FCS.",
                .source = "IEEE 802.3 31.4.1: MAC control frames have the minimum size"},
        {.key = "min",
                .type = KNOB_SIZE,
                .offset = FRAME(min_bytes),
                .max = 512,
                .def = "60B",
                .doc = "Data frames are padded to this, without FCS.",
                .source = "IEEE 802.3 3.2.8: minFrameSize 64 with FCS"},
        {.key = "pad",
                .type = KNOB_BOOL,
                .offset = FRAME(pad),
                .max = 1,
                .def = "on",
                .doc = "Whether payloads are padded to a multiple of four bytes.",
                .source = "IBTA 9.2.3: PadCnt of the BTH"},
        {.key = "fcs",
                .type = KNOB_SIZE,
                .offset = FRAME(fcs_bytes),
                .max = 64,
                .def = "4B",
                .doc = "Frame check sequence, counted by buffers and by the wire.",
                .source = "IEEE 802.3 3.2.9"},
        {.key = "gap",
                .type = KNOB_SIZE,
                .offset = FRAME(gap_bytes),
                .max = 64,
                .def = "20B",
                .doc = "Preamble, start delimiter and inter-frame gap, counted by the wire "
                       "alone.",
                .source = "IEEE 802.3 3.2.1, 3.2.2 and 4.4.2: 7, 1 and 12 bytes"},
        {.key = "time_step",
                .type = KNOB_TIME,
                .offset = FRAME(time_step_ps),
                .min = 1,
                .max = PS_PER_US,
                .def = "1ps",
                .doc = "Clock step of serialisation and pacing times: above 1ps, each is the "
                       "largest multiple of this that is shorter than the exact time.",
                .source = "squall: exact at every Ethernet rate"},
};

const struct knob_group fabric_knobs = {.path = "fabric",
        .doc = "What every link and endpoint shares.",
        .rows = KNOB_ROWS(fabric_rows),
        .struct_bytes = sizeof(struct frame_cfg)};
const struct knob_group switch_knobs = {.path = "fabric.switch",
        .doc = "Buffer, ECN, PFC and scheduling of every switch and port; overrides change "
               "some.",
        .rows = KNOB_ROWS(switch_rows),
        .struct_bytes = sizeof(struct switch_cfg)};
const struct knob_group frame_knobs = {.path = "fabric.frame",
        .doc = "Byte counts of frames. The defaults are RoCEv2 over IPv4 on untagged Ethernet.",
        .rows = KNOB_ROWS(frame_rows),
        .struct_bytes = sizeof(struct frame_cfg)};
