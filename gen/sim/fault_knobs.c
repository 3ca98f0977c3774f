/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of one entry of faults[]: one key names the kind and the place, others say how much.
 */
#include <string.h>

#include "dataplane/base/desc.h"
#include "dataplane/base/pause.h"
#include "dataplane/base/units.h"
#include "dataplane/fabric/topo.h"
#include "gen/sim/fault_cfg.h"
#include "gen/sim/order.h"

#define FIELD(f)       offsetof(struct fault_cfg, f)
#define IN(kind, f)    (FIELD(frames) + (kind) * sizeof(struct fault_frames_cfg) + FRAMES(f))
#define FRAMES(f)      offsetof(struct fault_frames_cfg, f)
#define ALL_DAY        (100 * PS_PER_S)
#define SHORTEST_STORM (10 * PS_PER_NS)

static const struct knob_word to_the_end[] = {{"end", TIME_NEVER}, {NULL, 0}};
static const struct knob_word never[] = {{"never", TIME_NEVER}, {NULL, 0}};
static const struct knob_word any_qp[] = {{"any", FAULT_ANY}, {NULL, 0}};
static const struct knob_word forms[] = {{"valid", PFC_VALID},
        {"global-pause", PFC_GLOBAL_PAUSE}, {"bad-opcode", PFC_BAD_OPCODE},
        {"short", PFC_SHORT}, {"zero-vector", PFC_ZERO_VECTOR},
        {"zero-source", PFC_ZERO_SOURCE}, {NULL, 0}};
static const struct knob_word unlimited[] = {{"unlimited", FAULT_NO_LIMIT}, {NULL, 0}};
static const struct knob_word none[] = {{"none", FAULT_ANY}, {NULL, 0}};
static const struct knob_word automatic[] = {{"auto", FAULT_INTERVAL_AUTO}, {NULL, 0}};
static const struct knob_word frame_kinds[] = {{"auto", 0}, {"all", FAULT_FRAMES_ALL},
        {"data", FAULT_FRAMES_DATA}, {"ack", FAULT_FRAMES_ACK}, {"cnp", FAULT_FRAMES_CNP},
        {"pfc", FAULT_FRAMES_PFC}, {NULL, 0}};
static const struct knob_word sendings[] = {{"auto", FAULT_SENT_AUTO}, {"any", FAULT_SENT_ANY},
        {"first", FAULT_SENT_FIRST}, {"again", FAULT_SENT_AGAIN}, {NULL, 0}};

/* Which frames of which link: the same keys for each of the four kinds. */
#define FRAME_ROWS(name, kind, what)                                                           \
	{.key = name ".link",                                                                  \
	        .type = KNOB_TEXT,                                                             \
	        .offset = IN(kind, link),                                                      \
	        .def = "",                                                                     \
	        .doc = what                                                                    \
	        " on this link: leaf0-host3 (both directions), leaf0->host3 or all; "          \
	        "may be left out where qp.src says the host, whose own link it is then.",      \
	        .source = "squall: the link of qp.src"},                                       \
	        {.key = name ".probability",                                                   \
	                .type = KNOB_FRACTION,                                                 \
	                .offset = IN(kind, probability_q32),                                   \
	                .max = Q32_ONE,                                                        \
	                .def = "100%",                                                         \
	                .doc = "Chance of each frame that the other keys match.",              \
	                .source = "squall: all of them"},                                      \
	        {.key = name ".every",                                                         \
	                .type = KNOB_COUNT,                                                    \
	                .offset = IN(kind, every),                                             \
	                .min = 1,                                                              \
	                .max = INT64_C(1) << 40,                                               \
	                .def = "1",                                                            \
	                .doc = "Of the frames that match and of each direction only every "    \
	                       "n-th.",                                                        \
	                .source = "squall: all of them"},                                      \
	        {.key = name ".count",                                                         \
	                .type = KNOB_COUNT,                                                    \
	                .offset = IN(kind, count),                                             \
	                .min = 1,                                                              \
	                .max = INT64_C(1) << 40,                                               \
	                .def = "unlimited",                                                    \
	                .words = unlimited,                                                    \
	                .doc = "At most so many frames of each direction.",                    \
	                .source = "squall: no limit"},                                         \
	        {.key = name ".frames",                                                        \
	                .type = KNOB_WORD,                                                     \
	                .offset = IN(kind, frames),                                            \
	                .def = "auto",                                                         \
	                .words = frame_kinds,                                                  \
	                .doc = "Which kind of frames; auto: data with psn, qp or mark, else "  \
	                       "all. ack holds NAKs as well.",                                 \
	                .source = "squall: bit errors do not choose"},                         \
	        {.key = name ".sent",                                                          \
	                .type = KNOB_WORD,                                                     \
	                .offset = IN(kind, sent),                                              \
	                .def = "auto",                                                         \
	                .words = sendings,                                                     \
	                .doc = "Packets sent for the first time, or again, or both; auto: "    \
	                       "first with psn, so that the retransmission passes, else any.", \
	                .source = "squall: one loss per PSN"},                                 \
	        {.key = name ".psn",                                                           \
	                .type = KNOB_TEXT,                                                     \
	                .offset = IN(kind, psn),                                               \
	                .def = "",                                                             \
	                .doc = "Packets with this PSN, such as 5 or 10-19; each QP starts at " \
	                       "0.",                                                           \
	                .source = "squall: any"},                                              \
	        {.key = name ".psn",                                                           \
	                .type = KNOB_TABLE,                                                    \
	                .def = "",                                                             \
	                .doc = "The same as a list, such as [5, 10-19].",                      \
	                .source = "squall: any"},                                              \
	        {.key = name ".qp.src",                                                        \
	                .type = KNOB_TEXT,                                                     \
	                .offset = IN(kind, src),                                               \
	                .def = "",                                                             \
	                .doc = "Frames of connections from this host, answers included.",      \
	                .source = "squall: any"},                                              \
	        {.key = name ".qp.dst",                                                        \
	                .type = KNOB_TEXT,                                                     \
	                .offset = IN(kind, dst),                                               \
	                .def = "",                                                             \
	                .doc = "Frames of connections to this host, answers included.",        \
	                .source = "squall: any"},                                              \
	{                                                                                      \
		.key = name ".qp.number", .type = KNOB_COUNT, .offset = IN(kind, qp),          \
		.max = INT32_MAX, .def = "any", .words = any_qp,                               \
		.doc = "The connection's number at its sender, as in messages.csv (qp).",      \
		.source = "squall: any"                                                        \
	}

#define PLACE_ROW(name, kind, what)                                                            \
	{                                                                                      \
		.key = name, .type = KNOB_TEXT,                                                \
		.offset = FIELD(target) + (kind) * sizeof(char *), .def = "", .doc = what,     \
		.source = "squall: none"                                                       \
	}

static const struct knob rows[] = {
        {.key = "at",
                .type = KNOB_TIME,
                .offset = FIELD(at_ps),
                .max = ALL_DAY,
                .def = "0us",
                .doc = "When the fault begins.",
                .source = "squall: with the run"},
        {.key = "for",
                .type = KNOB_TIME,
                .offset = FIELD(for_ps),
                .min = 1,
                .max = ALL_DAY,
                .def = "end",
                .words = to_the_end,
                .doc = "How long it lasts.",
                .source = "squall: to the end of the run"},
        FRAME_ROWS("drop", FAULT_DROP, "Frames are lost"),
        FRAME_ROWS("corrupt", FAULT_CORRUPT,
                "Frames are damaged, so that the FCS check at the far end rejects them,"),
        FRAME_ROWS("mark", FAULT_MARK, "ECN-capable data packets get CE"),
        FRAME_ROWS("hold", FAULT_HOLD, "Frames arrive late and are overtaken"),
        {.key = "hold.time",
                .type = KNOB_TIME,
                .offset = IN(FAULT_HOLD, time_ps),
                .min = 1,
                .max = FAULT_MAX_DELAY,
                .def = "10us",
                .doc = "By how much.",
                .source = "squall: a few windows of a data centre's round trip"},
        PLACE_ROW("link_down", FAULT_LINK_DOWN,
                "A link (leaf0-spine1) loses its signal: what is on it or queued for it is "
                "lost, "
                "both ends forget pauses, NICs hold their packets."),
        PLACE_ROW("link_rate", FAULT_LINK_RATE,
                "A link (leaf0-spine1) runs at `rate`, as after lanes were lost."),
        PLACE_ROW("link_delay", FAULT_LINK_DELAY,
                "A link (leaf0-spine1) is longer by `delay`; frames keep their order."),
        PLACE_ROW("pfc_storm", FAULT_PFC_STORM,
                "A host, or one direction of a link (leaf0->leaf1), sends PFC pause frames "
                "without need."),
        PLACE_ROW("slow_receiver", FAULT_SLOW_RECEIVER,
                "A host takes packets from its NIC's receive buffer at `rate`, so that the NIC "
                "has to send PFC, or to drop."),
        PLACE_ROW("pfc_ignored", FAULT_PFC_IGNORED, "A host's NIC does not obey PFC."),
        PLACE_ROW("pfc_late", FAULT_PFC_LATE,
                "A host's NIC takes `delay` longer than its response time to obey PFC."),
        PLACE_ROW("data_priority", FAULT_DATA_PRIORITY,
                "A host sends its data in the class `priority`."),
        PLACE_ROW("cnp_priority", FAULT_CNP_PRIORITY,
                "A host sends its CNPs in the class `priority`."),
        PLACE_ROW("cnp_throttled", FAULT_CNP_THROTTLED,
                "A host sends at most one CNP per `interval` in its np.scope."),
        PLACE_ROW("one_source_port", FAULT_ONE_SOURCE_PORT,
                "A host (or all) uses one UDP source port for all its QPs, so that ECMP tells "
                "them apart by addresses alone."),
        PLACE_ROW("ecn_off", FAULT_ECN_OFF, "A switch does not mark."),
        {.key = "rate",
                .type = KNOB_RATE,
                .offset = FIELD(rate_bps),
                .min = TOPO_MIN_RATE_BPS,
                .max = TOPO_MAX_RATE_BPS,
                .def = "1Gbps",
                .doc = "Of link_rate: the new rate; of slow_receiver: what the host takes; "
                       "required.",
                .source = "squall: required"},
        {.key = "delay",
                .type = KNOB_TIME,
                .offset = FIELD(delay_ps),
                .min = 1,
                .max = FAULT_MAX_DELAY,
                .def = "1us",
                .doc = "Of link_delay: added in each direction; of pfc_late: added to the "
                       "response time; required.",
                .source = "squall: required"},
        {.key = "reroute",
                .type = KNOB_TIME,
                .offset = FIELD(reroute_ps),
                .max = ALL_DAY,
                .def = "never",
                .words = never,
                .doc = "Of link_down: how long after the link went down all switches use "
                       "routes without it, and after it came up those with it again; never: "
                       "routes stay.",
                .source = "squall: a failure without its repair"},
        {.key = "interval",
                .type = KNOB_TIME,
                .offset = FIELD(interval_ps),
                .min = SHORTEST_STORM,
                .max = PS_PER_S,
                .def = "auto",
                .words = automatic,
                .doc = "Of pfc_storm: between two pause frames; auto: half the time that one "
                       "pauses. Of cnp_throttled: between two CNPs; required.",
                .source = "Guo et al., SIGCOMM 2016, 4.3: the peer stays paused without end"},
        {.key = "quanta",
                .type = KNOB_COUNT,
                .offset = FIELD(quanta),
                .min = 0,
                .max = 65535,
                .def = "65535",
                .doc = "Of pfc_storm: pause time in each frame, in 512 bit times; 0: frames "
                       "that "
                       "resume.",
                .source = "IEEE 802.1Q: the longest pause"},
        {.key = "priority",
                .type = KNOB_COUNT,
                .offset = FIELD(priority),
                .max = 7,
                .def = "none",
                .words = none,
                .doc = "Of pfc_storm: the priority that is paused, instead of `priorities`; of "
                       "data_priority and cnp_priority: the class; required.",
                .source = "squall: see priorities"},
        {.key = "priorities",
                .type = KNOB_PRIORITIES,
                .offset = FIELD(priorities),
                .def = "[3]",
                .doc = "Of pfc_storm: the priorities that are paused.",
                .source = "Guo et al., SIGCOMM 2016: the lossless class"},
        {.key = "frame",
                .type = KNOB_WORD,
                .offset = FIELD(form),
                .def = "valid",
                .words = forms,
                .doc = "Of pfc_storm: what is sent: PFC, or what may be mistaken for it: an "
                       "802.3x pause, a frame with a wrong opcode, a truncated one, one that "
                       "enables no class; or PFC whose source address is zero.",
                .source = "IEEE 802.1Q clause 36: PFC"},
};

const struct knob_group fault_knobs = {
        .path = "faults[]",
        .doc = "What goes wrong, each entry with one of the kinds drop, corrupt, mark, hold, "
               "link_down, link_rate, link_delay, pfc_storm, slow_receiver, pfc_ignored, "
               "pfc_late, data_priority, cnp_priority, cnp_throttled, one_source_port, "
               "ecn_off. See "
               "[faults.md](faults.md).",
        .rows = rows,
        .n_rows = sizeof(rows) / sizeof(rows[0]),
        .struct_bytes = sizeof(struct fault_cfg),
};

static const char *const kind_name[FAULT_KINDS] = {
        [FAULT_DROP] = "drop",
        [FAULT_CORRUPT] = "corrupt",
        [FAULT_MARK] = "mark",
        [FAULT_HOLD] = "hold",
        [FAULT_LINK_DOWN] = "link_down",
        [FAULT_LINK_RATE] = "link_rate",
        [FAULT_LINK_DELAY] = "link_delay",
        [FAULT_PFC_STORM] = "pfc_storm",
        [FAULT_SLOW_RECEIVER] = "slow_receiver",
        [FAULT_PFC_IGNORED] = "pfc_ignored",
        [FAULT_PFC_LATE] = "pfc_late",
        [FAULT_DATA_PRIORITY] = "data_priority",
        [FAULT_CNP_PRIORITY] = "cnp_priority",
        [FAULT_CNP_THROTTLED] = "cnp_throttled",
        [FAULT_ONE_SOURCE_PORT] = "one_source_port",
        [FAULT_ECN_OFF] = "ecn_off",
};

/* Keys that several kinds share. */
static const struct {
	const char *key;
	unsigned kinds, required;
} shared[] = {
        {"at", ~0u, 0},
        {"for", ~0u, 0},
        {"rate", 1u << FAULT_LINK_RATE | 1u << FAULT_SLOW_RECEIVER, ~0u},
        {"delay", 1u << FAULT_LINK_DELAY | 1u << FAULT_PFC_LATE, ~0u},
        {"reroute", 1u << FAULT_LINK_DOWN, 0},
        {"interval", 1u << FAULT_PFC_STORM | 1u << FAULT_CNP_THROTTLED,
                1u << FAULT_CNP_THROTTLED},
        {"quanta", 1u << FAULT_PFC_STORM, 0},
        {"priority",
                1u << FAULT_PFC_STORM | 1u << FAULT_DATA_PRIORITY | 1u << FAULT_CNP_PRIORITY,
                1u << FAULT_DATA_PRIORITY | 1u << FAULT_CNP_PRIORITY},
        {"priorities", 1u << FAULT_PFC_STORM, 0},
        {"frame", 1u << FAULT_PFC_STORM, 0},
};

#define N_SHARED (sizeof(shared) / sizeof(shared[0]))

const char *fault_kind_name(enum fault_kind kind)
{
	return kind_name[kind];
}

enum fault_kind fault_row_kind(const struct knob *row)
{
	const size_t len = strcspn(row->key, ".");

	for (int k = 0; k < FAULT_KINDS; k++)
		if (strlen(kind_name[k]) == len && !memcmp(kind_name[k], row->key, len))
			return (enum fault_kind)k;
	return FAULT_KINDS;
}

bool fault_row_applies(const struct knob *row, enum fault_kind kind)
{
	if (fault_row_kind(row) != FAULT_KINDS)
		return fault_row_kind(row) == kind;
	for (size_t i = 0; i < N_SHARED; i++)
		if (!strcmp(shared[i].key, row->key))
			return shared[i].kinds >> kind & 1;
	return false;
}

bool fault_row_required(const struct knob *row, enum fault_kind kind)
{
	for (size_t i = 0; i < N_SHARED; i++)
		if (!strcmp(shared[i].key, row->key))
			return shared[i].kinds >> kind & shared[i].required >> kind & 1;
	return false;
}
