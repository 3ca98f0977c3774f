/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of topology and links. `applies` of the topology's rows holds bit (1 << kind). */
#include "dataplane/base/units.h"
#include "dataplane/fabric/fabric_cfg.h"
#include "dataplane/fabric/topo.h"

#define ON(kind) (1u << TOPO_##kind)
#define TOPO(f)  offsetof(struct topo_cfg, f)

static const struct knob_word kinds[] = {
        {"star", TOPO_STAR},
        {"dumbbell", TOPO_DUMBBELL},
        {"leaf-spine", TOPO_LEAF_SPINE},
        {"fat-tree", TOPO_FAT_TREE},
        {"rail", TOPO_RAIL},
        {"file", TOPO_FILE},
        {NULL, 0},
};
static const struct knob_word auto_count[] = {{"auto", TOPO_AUTO}, {NULL, 0}};
static const struct knob_word auto_ratio[] = {{"auto", TOPO_RATIO_AUTO}, {NULL, 0}};
static const struct knob_word as_fabric[] = {{"same", TOPO_AS_FABRIC}, {NULL, 0}};

static const struct knob topo_rows[] = {
        {.key = "kind",
                .type = KNOB_WORD,
                .offset = TOPO(kind),
                .words = kinds,
                .doc = "Shape of the network: one switch, two switches with one link between "
                       "them, "
                       "two tiers in full mesh, three tiers in pods, rails (one leaf per NIC "
                       "of "
                       "a node), or as a topology file says."},
        {.key = "hosts",
                .type = KNOB_COUNT,
                .offset = TOPO(hosts),
                .min = 2,
                .max = TOPO_MAX_HOSTS,
                .doc = "Hosts in all, named host0 and up. dumbbell: the first half hangs on "
                       "sw0. "
                       "leaf-spine: a multiple of leaves, spread over them in blocks.",
                .applies = ON(STAR) | ON(DUMBBELL) | ON(LEAF_SPINE)},
        {.key = "leaves",
                .type = KNOB_COUNT,
                .offset = TOPO(leaves),
                .min = 1,
                .max = TOPO_MAX_SWITCH_PORTS,
                .doc = "Switches that hosts hang on, named leaf0 and up.",
                .applies = ON(LEAF_SPINE)},
        {.key = "spines",
                .type = KNOB_COUNT,
                .offset = TOPO(spines),
                .min = 1,
                .max = TOPO_MAX_SWITCH_PORTS - 1,
                .def = "auto",
                .words = auto_count,
                .doc = "Switches that join the leaves, each linked to every leaf; named spine0 "
                       "and up. auto: as many as the oversubscription asks for.",
                .source = "squall: from oversubscription",
                .applies = ON(LEAF_SPINE) | ON(RAIL)},
        {.key = "k",
                .type = KNOB_COUNT,
                .offset = TOPO(k),
                .min = 2,
                .max = 62,
                .def = "auto",
                .words = auto_count,
                .doc = "Ports of every switch of a regular fat-tree: k pods, each of k/2 edge "
                       "and k/2 aggregation switches and k*k/4 hosts, and k*k/4 core switches; "
                       "gives all counts by itself.",
                .source = "squall: the counts below say it; k as in Al-Fares et al., A "
                          "Scalable, Commodity Data Center Network Architecture (SIGCOMM 2008)",
                .applies = ON(FAT_TREE)},
        {.key = "pods",
                .type = KNOB_COUNT,
                .offset = TOPO(pods),
                .min = 1,
                .max = TOPO_MAX_PODS,
                .def = "auto",
                .words = auto_count,
                .doc = "Pods of a fat-tree. Hosts are numbered pod by pod.",
                .source = "squall: from k",
                .applies = ON(FAT_TREE)},
        {.key = "hosts_per_pod",
                .type = KNOB_COUNT,
                .offset = TOPO(hosts_per_pod),
                .min = 1,
                .max = TOPO_MAX_HOSTS,
                .def = "auto",
                .words = auto_count,
                .doc = "Hosts of a pod, a multiple of edges_per_pod, spread over its edge "
                       "switches in blocks.",
                .source = "squall: from k",
                .applies = ON(FAT_TREE)},
        {.key = "edges_per_pod",
                .type = KNOB_COUNT,
                .offset = TOPO(edges_per_pod),
                .min = 1,
                .max = TOPO_MAX_SWITCH_PORTS,
                .def = "auto",
                .words = auto_count,
                .doc = "Edge switches of a pod, which hosts hang on: pod0-edge0 and up; tier "
                       "leaf in overrides.",
                .source = "squall: from k",
                .applies = ON(FAT_TREE)},
        {.key = "aggregations_per_pod",
                .type = KNOB_COUNT,
                .offset = TOPO(aggregations_per_pod),
                .min = 1,
                .max = TOPO_MAX_SWITCH_PORTS,
                .def = "auto",
                .words = auto_count,
                .doc = "Aggregation switches of a pod, each linked to every edge switch of it: "
                       "pod0-agg0 and up; tier spine in overrides. auto: as many as the "
                       "oversubscription asks for.",
                .source = "squall: from oversubscription or k",
                .applies = ON(FAT_TREE)},
        {.key = "cores",
                .type = KNOB_COUNT,
                .offset = TOPO(cores),
                .min = 1,
                .max = TOPO_MAX_SWITCHES,
                .def = "auto",
                .words = auto_count,
                .doc = "Core switches in all, named core0 and up: a multiple of "
                       "aggregations_per_pod. The n-th aggregation switch of every pod is "
                       "linked "
                       "to every core switch of the n-th block. auto: as many as "
                       "core_oversubscription asks for.",
                .source = "squall: from core_oversubscription or k",
                .applies = ON(FAT_TREE)},
        {.key = "nodes",
                .type = KNOB_COUNT,
                .offset = TOPO(nodes),
                .min = 1,
                .max = TOPO_MAX_HOSTS,
                .doc = "Machines of a rail-optimised fabric, each with one host (GPU and NIC) "
                       "per "
                       "rail: NIC r of node n is host n * rails + r.",
                .applies = ON(RAIL)},
        {.key = "rails",
                .type = KNOB_COUNT,
                .offset = TOPO(rails),
                .min = 1,
                .max = TOPO_MAX_RAILS,
                .def = "8",
                .doc = "NICs of a node, each on a leaf of its own: NIC R of the nodes of unit "
                       "U "
                       "hangs on leaf railR-leafU.",
                .source = "NVIDIA DGX SuperPOD reference architecture (DGX H100): 8 rails",
                .applies = ON(RAIL)},
        {.key = "nodes_per_unit",
                .type = KNOB_COUNT,
                .offset = TOPO(nodes_per_unit),
                .min = 1,
                .max = TOPO_MAX_HOSTS,
                .def = "auto",
                .words = auto_count,
                .doc = "Nodes of a scalable unit, which share one leaf per rail; nodes is a "
                       "multiple. auto: all.",
                .source = "squall: one unit; a DGX H100 SuperPOD has 32",
                .applies = ON(RAIL)},
        {.key = "oversubscription",
                .type = KNOB_FRACTION,
                .offset = TOPO(oversubscription_q32),
                .min = Q32_ONE / 64,
                .max = 1024 * Q32_ONE,
                .def = "auto",
                .words = auto_ratio,
                .doc = "What the hosts of a leaf or edge switch can send over what its uplinks "
                       "can carry, such as 2:1. It gives the number of spines or aggregation "
                       "switches, or, where that is given, of parallel links to each. auto: "
                       "what the counts make, and 1:1 where they leave it open.",
                .source = "squall: as the counts say",
                .applies = ON(LEAF_SPINE) | ON(FAT_TREE) | ON(RAIL)},
        {.key = "core_oversubscription",
                .type = KNOB_FRACTION,
                .offset = TOPO(core_oversubscription_q32),
                .min = Q32_ONE / 64,
                .max = 1024 * Q32_ONE,
                .def = "auto",
                .words = auto_ratio,
                .doc = "The same from the aggregation switches of a fat-tree to its core.",
                .source = "squall: as the counts say",
                .applies = ON(FAT_TREE)},
        {.key = "file",
                .type = KNOB_TEXT,
                .offset = TOPO(file),
                .doc = "Topology file, relative to the scenario: lines `host NAME`, `switch "
                       "NAME "
                       "[TIER]`, `link A B RATE DELAY`, `route SWITCH TO VIA`.",
                .applies = ON(FILE)},
};

#define LINK_ROWS(rate_field, delay_field, between)                                            \
	{                                                                                      \
		{.key = "rate",                                                                \
		        .type = KNOB_RATE,                                                     \
		        .offset = TOPO(rate_field),                                            \
		        .min = TOPO_MIN_RATE_BPS,                                              \
		        .max = TOPO_MAX_RATE_BPS,                                              \
		        .def = "100Gbps",                                                      \
		        .doc = "Rate of the links between " between                            \
		               ", each way, counted in wire "                                  \
		               "bytes (frame, FCS, preamble and gap).",                        \
		        .source = "IEEE 802.3 100GBASE-R: the rate of HPCC's fabrics "         \
		                  "(SIGCOMM 2019)"},                                           \
		        {.key = "delay",                                                       \
		                .type = KNOB_TIME,                                             \
		                .offset = TOPO(delay_field),                                   \
		                .max = TOPO_MAX_DELAY_PS,                                      \
		                .def = "1us",                                                  \
		                .doc = "Propagation delay of the links between " between       \
		                       ", one way; "                                           \
		                       "5 ns per metre of fibre.",                             \
		                .source = "HPCC (SIGCOMM 2019) section 5.1: 1 us, cable and "  \
		                          "PHYs"},                                             \
	}

static const struct knob host_link_rows[] =
        LINK_ROWS(host_rate_bps, host_delay_ps, "hosts and switches");
static const struct knob fabric_link_rows[] =
        LINK_ROWS(fabric_rate_bps, fabric_delay_ps, "switches");
static const struct knob core_link_rows[] = {
        {.key = "rate",
                .type = KNOB_RATE,
                .offset = TOPO(core_rate_bps),
                .min = TOPO_MIN_RATE_BPS,
                .max = TOPO_MAX_RATE_BPS,
                .def = "same",
                .words = as_fabric,
                .doc = "Rate of the links to the core switches of a fat-tree; same: that of "
                       "fabric_link.",
                .source = "Al-Fares et al. (SIGCOMM 2008): equal links everywhere"},
        {.key = "delay",
                .type = KNOB_TIME,
                .offset = TOPO(core_delay_ps),
                .max = TOPO_MAX_DELAY_PS,
                .def = "same",
                .words = as_fabric,
                .doc = "Propagation delay of these links; same: that of fabric_link.",
                .source = "Al-Fares et al. (SIGCOMM 2008): equal links everywhere"},
};

const struct knob_group topo_knobs = {.path = "fabric.topology",
        .doc = "The graph of hosts and switches.",
        .rows = KNOB_ROWS(topo_rows),
        .struct_bytes = sizeof(struct topo_cfg)};
const struct knob_group host_link_knobs = {.path = "fabric.host_link",
        .doc = "Links between hosts and switches.",
        .rows = KNOB_ROWS(host_link_rows),
        .struct_bytes = sizeof(struct topo_cfg)};
const struct knob_group fabric_link_knobs = {.path = "fabric.fabric_link",
        .doc = "Links between switches.",
        .rows = KNOB_ROWS(fabric_link_rows),
        .struct_bytes = sizeof(struct topo_cfg)};
const struct knob_group core_link_knobs = {.path = "fabric.core_link",
        .doc = "Links between aggregation and core switches of a fat-tree.",
        .rows = KNOB_ROWS(core_link_rows),
        .struct_bytes = sizeof(struct topo_cfg)};
