/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/scenario_knobs.h"

#include "dataplane/base/units.h"
#include "scenarios/scenario.h"

#define RUN(f)      offsetof(struct run_cfg, f)
#define MEASURE(f)  offsetof(struct measure_cfg, f)
#define OVERRIDE(f) offsetof(struct override_cfg, f)

static const struct knob_word formats[] = {{"1", 1}, {NULL, 0}};
static const struct knob_word never[] = {{"never", TIME_NEVER}, {NULL, 0}};
static const struct knob_word all_messages[] = {{"all", 0}, {NULL, 0}};
static const struct knob_word sample_full[] = {{"full", 0}, {NULL, 0}};
static const struct knob_word capture_off[] = {{"off", 0}, {NULL, 0}};
static const struct knob_word snap_all[] = {{"whole", 0}, {NULL, 0}};
static const struct knob_word psn_random[] = {{"random", -1}, {NULL, 0}};
static const struct knob_word series_off[] = {{"off", MEASURE_SERIES_OFF}, {NULL, 0}};

static const struct knob run_rows[] = {
        {.key = "squall",
                .type = KNOB_WORD,
                .offset = RUN(format),
                .words = formats,
                .doc = "Version of this format."},
        {.key = "name",
                .type = KNOB_TEXT,
                .offset = RUN(name),
                .def = "",
                .doc = "Name of the run in results.",
                .source = "squall: the file's name"},
        {.key = "preset",
                .type = KNOB_TABLE,
                .def = "",
                .doc = "A preset or a list of them: values for documented keys, applied below "
                       "those "
                       "that the file sets; later ones win.",
                .source = "squall: none"},
        {.key = "seed",
                .type = KNOB_COUNT,
                .offset = RUN(seed),
                .min = 0,
                .max = INT64_MAX,
                .def = "1",
                .doc = "Of all random draws: marking, ECMP, arrivals.",
                .source = "squall"},
        {.key = "stop.after",
                .type = KNOB_TIME,
                .offset = RUN(stop_after_ps),
                .min = 1,
                .max = 100 * PS_PER_S,
                .def = "never",
                .words = never,
                .doc = "Ends the run at this time even if the workload has not ended.",
                .source = "squall: when the workload ends"},
        {.key = "stop.on_deadlock",
                .type = KNOB_BOOL,
                .offset = RUN(stop_on_deadlock),
                .max = 1,
                .def = "off",
                .doc = "Ends the run when a deadlock by PFC is seen (every 20us).",
                .source = "squall: flows beside it go on"},
        {.key = "expect",
                .type = KNOB_TABLE,
                .def = "",
                .doc = "Conditions \"KEY OP VALUE\" on keys of summary.json (fct_us.p99 < "
                       "4500); the run "
                       "fails with exit code 1 when one does not hold.",
                .source = "squall: none"},
};

static const struct knob fabric_lists_rows[] = {
        {.key = "overrides",
                .type = KNOB_TABLE,
                .def = "",
                .doc = "Exceptions for some ports: {match: {...}, keys of fabric.switch, link: "
                       "{...}}; "
                       "later ones win.",
                .source = "squall: none"},
};

static const struct knob measure_rows[] = {
        {.key = "series",
                .type = KNOB_TIME,
                .offset = MEASURE(series_ps),
                .min = PS_PER_NS,
                .max = 10 * PS_PER_S,
                .def = "off",
                .words = series_off,
                .doc = "Interval of the time line in series.csv.",
                .source = "squall: recording costs time"},
        {.key = "messages",
                .type = KNOB_COUNT,
                .offset = MEASURE(max_messages),
                .min = 1,
                .max = INT64_C(1) << 40,
                .def = "1000000",
                .words = all_messages,
                .doc = "Messages that are put on record one by one. Of more, messages.csv "
                       "holds a sample, chosen by a hash of source and number, and "
                       "percentiles come from histograms of all.",
                .source = "squall: 100 MB of records"},
        {.key = "sample",
                .type = KNOB_COUNT,
                .offset = MEASURE(sample_messages),
                .min = 1,
                .max = INT64_C(1) << 40,
                .def = "100000",
                .words = sample_full,
                .doc = "Messages in that sample, at most; full: as many as measure.messages.",
                .source = "squall: 10 MB of messages.csv, and quantiles to a percent"},
        {.key = "capture",
                .type = KNOB_TABLE,
                .def = "off",
                .words = capture_off,
                .doc = "Ports whose traffic is written to capture.pcapng: hosts (host0), both "
                       "ends of links (leaf0-host3), one end of them (leaf0->host3), all ports "
                       "of switches (leaf0), hosts for every host, or all.",
                .source = "squall: recording costs time and disk"},
        {.key = "snap",
                .type = KNOB_SIZE,
                .offset = MEASURE(snap_bytes),
                .min = 1,
                .max = 65535,
                .def = "whole",
                .words = snap_all,
                .plain = true,
                .doc = "Bytes of each frame that the capture keeps.",
                .source = "squall: whole frames, so that their ICRC can be checked"},
        {.key = "first_psn",
                .type = KNOB_COUNT,
                .offset = MEASURE(first_psn),
                .max = 0xffffff,
                .def = "random",
                .words = psn_random,
                .doc = "PSN of a QP's first packet in captures. With 0 they are those that "
                       "faults name.",
                .source = "IBTA 9.7.2 and RFC 6528's reasons: each connection starts "
                          "elsewhere, and so late packets and parallel QPs can be told apart"},
        {.key = "percentiles",
                .type = KNOB_TABLE,
                .def = "[50, 90, 99, 99.9, 99.99]",
                .doc = "Percentiles of the table on the terminal; at most 16.",
                .source = "squall: those of summary.json"},
};

static const struct knob_word any_port[] = {{"any", -1}, {NULL, 0}};
static const struct knob_word any_rate[] = {{"any", 0}, {NULL, 0}};
static const struct knob_word unchanged[] = {{"unchanged", -1}, {NULL, 0}};
static const struct knob_word tiers[] = {
        {"any", TIER_ANY},
        {"host", TIER_HOST},
        {"leaf", TIER_LEAF},
        {"spine", TIER_SPINE},
        {"core", TIER_CORE},
        {"edge", TIER_LEAF},
        {"aggregation", TIER_SPINE},
        {NULL, 0},
};

static const struct knob override_rows[] = {
        {.key = "match.node",
                .type = KNOB_TEXT,
                .offset = OVERRIDE(node),
                .def = "",
                .doc = "Ports of this node (leaf0, host3).",
                .source = "squall: any"},
        {.key = "match.port",
                .type = KNOB_COUNT,
                .offset = OVERRIDE(port),
                .min = 0,
                .max = 65535,
                .def = "any",
                .words = any_port,
                .doc = "Ports with this number.",
                .source = "squall: any"},
        {.key = "match.tier",
                .type = KNOB_WORD,
                .offset = OVERRIDE(tier),
                .def = "any",
                .words = tiers,
                .doc = "Ports of hosts or of one tier of switches; the only switch of a star "
                       "is a leaf. A fat-tree's tiers are edge (as leaf), aggregation (as "
                       "spine) and core.",
                .source = "squall: any"},
        {.key = "match.rate",
                .type = KNOB_RATE,
                .offset = OVERRIDE(rate_bps),
                .min = 1,
                .max = TOPO_MAX_RATE_BPS,
                .def = "any",
                .words = any_rate,
                .doc = "Ports of this rate, former overrides included.",
                .source = "squall: any"},
        {.key = "match.link",
                .type = KNOB_TEXT,
                .offset = OVERRIDE(link),
                .def = "",
                .doc = "The two ports of a cable, by the nodes that it joins (leaf0-host3).",
                .source = "squall: any"},
        {.key = "link.rate",
                .type = KNOB_RATE,
                .offset = OVERRIDE(link_rate_bps),
                .min = TOPO_MIN_RATE_BPS,
                .max = TOPO_MAX_RATE_BPS,
                .def = "unchanged",
                .words = unchanged,
                .doc = "New rate of the matched ports' cables, in both directions.",
                .source = "squall: fabric.host_link or fabric.fabric_link"},
        {.key = "link.delay",
                .type = KNOB_TIME,
                .offset = OVERRIDE(link_delay_ps),
                .min = 0,
                .max = TOPO_MAX_DELAY_PS,
                .def = "unchanged",
                .words = unchanged,
                .doc = "New delay of the matched ports' cables.",
                .source = "squall: fabric.host_link or fabric.fabric_link"},
};

const struct knob_group run_knobs = {
        .path = "",
        .doc = "The run.",
        .rows = run_rows,
        .n_rows = sizeof(run_rows) / sizeof(run_rows[0]),
        .struct_bytes = sizeof(struct run_cfg),
};
const struct knob_group fabric_lists_knobs = {
        .path = "fabric",
        .doc = "Lists of the fabric.",
        .rows = fabric_lists_rows,
        .n_rows = sizeof(fabric_lists_rows) / sizeof(fabric_lists_rows[0]),
};
const struct knob_group measure_knobs = {
        .path = "measure",
        .doc = "What is recorded.",
        .rows = measure_rows,
        .n_rows = sizeof(measure_rows) / sizeof(measure_rows[0]),
        .struct_bytes = sizeof(struct measure_cfg),
};
const struct knob_group override_knobs = {
        .path = "fabric.overrides[]",
        .doc = "One exception: all conditions of match must hold. Any key of fabric.switch may "
               "stand "
               "beside match, without that prefix; buffer, cell, latency, forwarding, "
               "load_balancing and flowlet_gap belong to a switch as a whole and need all its "
               "ports matched.",
        .rows = override_rows,
        .n_rows = sizeof(override_rows) / sizeof(override_rows[0]),
        .struct_bytes = sizeof(struct override_cfg),
};
