/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of one workload entry. `applies` holds bit (1 << pattern). A key that is there twice
 * has two forms: a plain value, or a table that the key's own reader takes (cdf.h, flow_csv.h).
 */
#include "dataplane/base/units.h"
#include "gen/load/load.h"

#define ON(kind) (1u << LOAD_##kind)
#define ROUNDS   (ON(INCAST) | ON(ALL_TO_ALL) | ON(RING))
#define FIELD(f) offsetof(struct load_cfg, f)

static const struct knob_word patterns[] = {
        {"incast", LOAD_INCAST},
        {"all-to-all", LOAD_ALL_TO_ALL},
        {"ring", LOAD_RING},
        {"flows", LOAD_FLOWS},
        {"poisson", LOAD_POISSON},
        {NULL, 0},
};
static const struct knob_word all_senders[] = {{"all", LOAD_SENDERS_ALL}, {NULL, 0}};
static const struct knob_word all_ranks[] = {{"all", 0}, {NULL, 0}};
static const struct knob_word of_nic[] = {{"nic", -1}, {NULL, 0}};
static const struct knob_word per_qp[] = {{"auto", 0}, {NULL, 0}};
static const struct knob_word no_limit[] = {{"unlimited", 0}, {NULL, 0}};

static const struct knob rows[] = {
        {.key = "pattern",
                .type = KNOB_WORD,
                .offset = FIELD(pattern),
                .words = patterns,
                .doc = "Who sends to whom, and when."},
        {.key = "start",
                .type = KNOB_TIME,
                .offset = FIELD(start_ps),
                .max = LOAD_MAX_TIME_PS,
                .def = "0us",
                .doc = "When the entry begins; starts of a flow list count from here.",
                .source = "squall: the run's start"},
        {.key = "message",
                .type = KNOB_SIZE,
                .offset = FIELD(message_bytes),
                .min = 1,
                .max = LOAD_MAX_MESSAGE_PACKETS * LOAD_MAX_MTU_BYTES,
                .doc = "Payload of one message.",
                .applies = ROUNDS},
        {.key = "repeat",
                .type = KNOB_COUNT,
                .offset = FIELD(repeat),
                .min = 1,
                .max = LOAD_MAX_REPEAT,
                .def = "1",
                .doc = "Rounds: each sender sends one message to each of its peers per round.",
                .source = "squall: one burst",
                .applies = ROUNDS},
        {.key = "period",
                .type = KNOB_TIME,
                .offset = FIELD(period_ps),
                .max = LOAD_MAX_TIME_PS,
                .def = "0us",
                .doc = "Round k is sent at start + k * period whether or not the former is "
                       "done; "
                       "0: a sender starts its next round when its last one is done.",
                .source = "squall: closed loop, as perftest and nccl-tests run",
                .applies = ROUNDS},
        {.key = "senders",
                .type = KNOB_COUNT,
                .offset = FIELD(senders),
                .min = 1,
                .max = LOAD_MAX_HOSTS - 1,
                .def = "all",
                .words = all_senders,
                .doc = "How many hosts send: first_host and those after it, without the "
                       "receiver.",
                .source = "squall: every other host",
                .applies = ON(INCAST)},
        {.key = "receiver",
                .type = KNOB_COUNT,
                .offset = FIELD(receiver),
                .max = LOAD_MAX_HOSTS - 1,
                .def = "0",
                .doc = "The host that all send to.",
                .source = "squall: the first host",
                .applies = ON(INCAST)},
        {.key = "first_host",
                .type = KNOB_COUNT,
                .offset = FIELD(first_host),
                .max = LOAD_MAX_HOSTS - 1,
                .def = "0",
                .doc = "The first host that takes part.",
                .source = "squall: the first host",
                .applies = ROUNDS | ON(POISSON)},
        {.key = "ranks",
                .type = KNOB_COUNT,
                .offset = FIELD(ranks),
                .min = 2,
                .max = LOAD_MAX_HOSTS,
                .def = "all",
                .words = all_ranks,
                .doc = "How many hosts take part, from first_host on.",
                .source = "squall: every host from first_host on",
                .applies = ON(ALL_TO_ALL) | ON(RING) | ON(POISSON)},
        {.key = "qps",
                .type = KNOB_COUNT,
                .offset = FIELD(qps),
                .min = 1,
                .max = LOAD_MAX_QPS,
                .def = "1",
                .doc = "Queue pairs per pair of hosts; round k takes number k mod qps.",
                .source = "NCCL: NCCL_IB_QPS_PER_CONNECTION=1, messages in turn over the QPs",
                .applies = ROUNDS},
        {.key = "priority",
                .type = KNOB_COUNT,
                .offset = FIELD(priority),
                .max = 7,
                .def = "nic",
                .words = of_nic,
                .doc = "Priority of the entry's data.",
                .source = "squall: fabric.nic.priority"},
        {.key = "dscp",
                .type = KNOB_COUNT,
                .offset = FIELD(dscp),
                .max = 63,
                .def = "nic",
                .words = of_nic,
                .doc = "DSCP of the entry's data: a label; the priority decides the class.",
                .source = "squall: fabric.nic.dscp"},
        {.key = "udp_source_port",
                .type = KNOB_COUNT,
                .offset = FIELD(udp_source_port),
                .min = 1,
                .max = 65535,
                .def = "auto",
                .words = per_qp,
                .doc = "One UDP source port for all QPs of the entry, so that ECMP sends them "
                       "the "
                       "same way; auto: each QP has its own.",
                .source = "IBTA annex A17: the source port carries the flow's entropy"},
        {.key = "load",
                .type = KNOB_FRACTION,
                .offset = FIELD(load_q32),
                .min = 1,
                .max = Q32_ONE,
                .doc = "Share of each sender's link rate that its messages fill on average, "
                       "headers "
                       "and gaps included.",
                .note = "Generators that count payload alone send more than they say: 8 % more "
                        "at "
                        "1024 bytes per packet.",
                .applies = ON(POISSON)},
        {.key = "flows",
                .type = KNOB_COUNT,
                .offset = FIELD(flows),
                .max = LOAD_MAX_FLOWS,
                .def = "unlimited",
                .words = no_limit,
                .doc = "The workload ends after this many flows, counted in time over all "
                       "hosts.",
                .source = "squall: until stop.after",
                .applies = ON(POISSON)},
        {.key = "cdf",
                .type = KNOB_TEXT,
                .offset = FIELD(cdf_file),
                .def = "",
                .doc = "Flow sizes: a CDF file (lines `bytes probability`) or a shipped name "
                       "(websearch).",
                .source = "none: a file, a name or points must be given",
                .applies = ON(POISSON)},
        {.key = "cdf",
                .type = KNOB_TABLE,
                .def = "",
                .doc = "Flow sizes: [[bytes, cumulative probability], ...], the last at 1 or "
                       "100 %.",
                .source = "none: a file, a name or points must be given",
                .applies = ON(POISSON)},
        {.key = "file",
                .type = KNOB_TEXT,
                .offset = FIELD(file),
                .def = "",
                .doc = "Flow list: CSV lines src,dst,bytes,start[,priority]; start in us "
                       "unless it "
                       "has a unit.",
                .source = "none: a file or rows must be given",
                .applies = ON(FLOWS)},
        {.key = "flows",
                .type = KNOB_TABLE,
                .def = "",
                .doc = "Flow list: [[src, dst, bytes, start], ...], optionally with a "
                       "priority.",
                .source = "none: a file or rows must be given",
                .applies = ON(FLOWS)},
};

const struct knob_group load_knobs = {
        .path = "workload[]",
        .doc = "What the hosts send; entries run side by side.",
        .rows = rows,
        .n_rows = sizeof(rows) / sizeof(rows[0]),
        .struct_bytes = sizeof(struct load_cfg),
};
