/* SPDX-License-Identifier: Apache-2.0 */
/* Every object of the analysis in JSON, as trace_json*.c and finding_write.c write them. */
#include "analysis/trace/trace_schema_int.h"

static const struct schema_member document[] = {
        {"format", SCHEMA_WORD, 0, "squall.analysis/1", NULL},
        {"frames", SCHEMA_WHOLE, 0, NULL, "All frames of all files or of the interface"},
        {"other_frames", SCHEMA_WHOLE, 0, NULL, "Neither RoCE nor pause frames"},
        {"unfollowed_packets", SCHEMA_WHOLE, 0, NULL, "Of flows beyond the first million"},
        {"stopped", SCHEMA_FLAG, 0, NULL, "A signal ended the reading"},
        {"roce", SCHEMA_OBJECT, 0, "counts",
                "Each packet once, however many interfaces show it"},
        {"pfc", SCHEMA_OBJECT, 0, "pfc", NULL},
        {"cnp", SCHEMA_OBJECT, 0, "cnp", NULL},
        {"first_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Stamp of the first frame, from 1970"},
        {"last_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Stamp of the last frame"},
        {"clock", SCHEMA_OBJECT, SCHEMA_NULL, "clock", "The first interface's"},
        {"ack_rtt_ns", SCHEMA_OBJECT, 0, "distribution",
                "From a packet to the acknowledgement that covers it"},
        {"net_fct_ns", SCHEMA_OBJECT, 0, "distribution",
                "From the first packet of a message to the acknowledgement of its last"},
        {"latency_ns", SCHEMA_OBJECT, 0, "distribution",
                "One way, between interfaces that show the same packet"},
        {"message_bytes", SCHEMA_OBJECT, 0, "distribution", NULL},
        {"files", SCHEMA_LIST, 0, "file", NULL},
        {"interfaces", SCHEMA_LIST, 0, "interface", NULL},
        {"flows", SCHEMA_LIST, 0, "flow", NULL},
        {"matrix", SCHEMA_LIST, 0, "cell", "Who sent how much to whom"},
        {"hosts", SCHEMA_LIST, 0, "host", NULL},
        {"paths", SCHEMA_LIST, 0, "path", "Pairs of interfaces that show the same packets"},
        {"recoveries", SCHEMA_OBJECT, 0, "recoveries", NULL},
        {"messages", SCHEMA_OBJECT, SCHEMA_OPTIONAL, "messages", "With --messages"},
        {"timeline", SCHEMA_OBJECT, SCHEMA_OPTIONAL, "timeline", "With --timeline"},
        {"findings", SCHEMA_LIST, 0, "finding",
                "What is wrong; each root is followed by what it caused"},
};

static const struct schema_member counts[] = {
        {"packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"data_packets", SCHEMA_WHOLE, 0, NULL, "Requests and READ responses"},
        {"acks", SCHEMA_WHOLE, 0, NULL, NULL},
        {"naks", SCHEMA_WHOLE, 0, NULL, NULL},
        {"rnr_naks", SCHEMA_WHOLE, 0, NULL, NULL},
        {"cnps", SCHEMA_WHOLE, 0, NULL, NULL},
        {"becn_acks", SCHEMA_WHOLE, 0, NULL, "Acknowledgements with the BECN bit"},
        {"ce_packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"ect_packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"not_ect_packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"retransmitted_packets", SCHEMA_WHOLE, 0, NULL,
                "Data packets whose PSN has been shown already"},
        {"retransmitted_bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"missing_psns", SCHEMA_WHOLE, 0, NULL, "Not shown before a later one"},
        {"unfilled_psns", SCHEMA_WHOLE, 0, NULL, "Of those, never shown"},
        {"reordered_packets", SCHEMA_WHOLE, 0, NULL,
                "Fills a gap, alone, without a NAK, within 1 ms"},
        {"duplicated_packets", SCHEMA_WHOLE, 0, NULL,
                "The packet before once more, with its IP identification"},
        {"icrc_checked", SCHEMA_WHOLE, 0, NULL, "Whole packets"},
        {"icrc_bad", SCHEMA_WHOLE, 0, NULL, NULL},
        {"messages", SCHEMA_WHOLE, 0, NULL, NULL},
        {"payload_bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"wire_bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"truncated_packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"malformed_packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"naks_by_reason", SCHEMA_FIGURES, 0, NULL, "By the name of the syndrome"},
};

static const struct schema_member pfc[] = {
        {"xoff_frames", SCHEMA_WHOLE, 0, NULL, NULL},
        {"xon_frames", SCHEMA_WHOLE, 0, NULL, NULL},
        {"paused_ns_by_priority", SCHEMA_WHOLES, 0, NULL,
                "From the reception of XOFF to XON or the end of its quanta; null: no speed is "
                "known"},
        {"episodes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"pause_frames", SCHEMA_WHOLE, 0, NULL, "802.3x"},
        {"paused_all_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "By 802.3x"},
};

static const struct schema_member cnp[] = {
        {"interarrival_min_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Of one queue pair"},
        {"interarrival_min_per_destination_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"interarrival_min_per_source_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"ce_to_cnp_ns", SCHEMA_OBJECT, 0, "distribution", NULL},
        {"without_ce", SCHEMA_WHOLE, 0, NULL, NULL},
        {"to_cut_ns", SCHEMA_OBJECT, 0, "distribution", "Until the sender sends slower"},
};

static const struct schema_member distribution[] = {
        {"min", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"p50", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"p99", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"max", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"samples", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member span[] = {
        {"min", SCHEMA_WHOLE, 0, NULL, NULL},
        {"mean", SCHEMA_WHOLE, 0, NULL, NULL},
        {"max", SCHEMA_WHOLE, 0, NULL, NULL},
        {"samples", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member clock[] = {
        {"name", SCHEMA_TEXT, SCHEMA_NULL, NULL, NULL},
        {"kind", SCHEMA_TEXT, 0, NULL, NULL},
        {"timescale", SCHEMA_WORD, 0, "unknown|utc|tai|virtual", NULL},
        {"resolution_ps", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
};

static const struct schema_member file[] = {
        {"path", SCHEMA_TEXT, 0, NULL, NULL},
        {"format", SCHEMA_TEXT, 0, NULL, NULL},
        {"frames", SCHEMA_WHOLE, 0, NULL, NULL},
        {"cut", SCHEMA_FLAG, 0, NULL, "It ends within a packet"},
        {"error", SCHEMA_TEXT, SCHEMA_NULL, NULL, "Where it is damaged"},
};

static const struct schema_member interface[] = {
        {"name", SCHEMA_TEXT, SCHEMA_NULL, NULL, NULL},
        {"file", SCHEMA_WHOLE, 0, NULL, "Index into files"},
        {"frames", SCHEMA_WHOLE, 0, NULL, NULL},
        {"first_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"last_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"speed_bps", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"speed_from", SCHEMA_WORD, 0, "unknown|file|given|inferred", NULL},
        {"clock", SCHEMA_TEXT, 0, NULL, NULL},
        {"dropped_by_interface", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"dropped_by_os", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"xoff_frames", SCHEMA_WHOLE, 0, NULL, NULL},
        {"xon_frames", SCHEMA_WHOLE, 0, NULL, NULL},
        {"paused_ns_by_priority", SCHEMA_WHOLES, 0, NULL, "By frames that arrive here"},
        {"asked_ns_by_priority", SCHEMA_WHOLES, 0, NULL,
                "Asked of the other end of the link, by frames that leave"},
        {"bursts", SCHEMA_OBJECT, 0, "bursts", NULL},
        {"clock_correction", SCHEMA_OBJECT, SCHEMA_NULL, "clock_correction",
                "What was taken from the stamps of this file to align it"},
};

static const struct schema_member bursts[] = {
        {"count", SCHEMA_WHOLE, 0, NULL, NULL},
        {"longest_ns", SCHEMA_WHOLE, 0, NULL, NULL},
        {"largest_bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"peak_bps", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member clock_correction[] = {
        {"offset_ns", SCHEMA_WHOLE, 0, NULL, NULL},
        {"drift_ppb", SCHEMA_WHOLE, 0, NULL, NULL},
        {"residual_ns", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member flow[] = {
        {"id", SCHEMA_WHOLE, 0, NULL, NULL},
        {"src", SCHEMA_TEXT, 0, NULL, NULL},
        {"dst", SCHEMA_TEXT, 0, NULL, NULL},
        {"dqp", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Destination queue pair"},
        {"peer_qp", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Queue pair of the sender"},
        {"peer_flow", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Index of the other direction"},
        {"paired_by", SCHEMA_TEXT, 0, NULL, NULL},
        {"transport", SCHEMA_TEXT, 0, NULL, NULL},
        {"udp_source_port", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Null without UDP"},
        {"udp_source_ports", SCHEMA_WHOLE, 0, NULL, NULL},
        {"first_psn", SCHEMA_WHOLE, SCHEMA_NULL, NULL, "Null without data packets"},
        {"last_psn", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"dscp", SCHEMA_WHOLE, 0, NULL, NULL},
        {"path_mtu", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"pcp", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"first_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"last_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"goodput_bps", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"retransmitted_by_cause", SCHEMA_OBJECT, 0, "causes", NULL},
        {"ce_to_cnp_ns", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"cnp_interarrival_ns", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"cnp_to_cut_ns", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"rate_after_cut_permille", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"rate_of_model_permille", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"ack_rtt_ns", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"latency_ns", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"net_fct_ns", SCHEMA_OBJECT, SCHEMA_NULL, "span", NULL},
        {"cnps_from_ce", SCHEMA_WHOLE, 0, NULL, NULL},
        {"cnps_from_loss", SCHEMA_WHOLE, 0, NULL, NULL},
        {"cnps_unexplained", SCHEMA_WHOLE, 0, NULL, NULL},
        {"max_reorder_psns", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member causes[] = {
        {"nak", SCHEMA_OBJECT, 0, "cause", NULL},
        {"rnr", SCHEMA_OBJECT, 0, "cause", NULL},
        {"timeout", SCHEMA_OBJECT, 0, "cause", NULL},
        {"unknown", SCHEMA_OBJECT, 0, "cause", NULL},
};

static const struct schema_member cause[] = {
        {"events", SCHEMA_WHOLE, 0, NULL, NULL},
        {"packets", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member cell[] = {
        {"src", SCHEMA_TEXT, 0, NULL, NULL},
        {"dst", SCHEMA_TEXT, 0, NULL, NULL},
        {"payload_bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"messages", SCHEMA_OBJECT, 0, "sizes", NULL},
};

static const struct schema_member sizes[] = {
        {"le_4KiB", SCHEMA_WHOLE, 0, NULL, NULL},
        {"le_64KiB", SCHEMA_WHOLE, 0, NULL, NULL},
        {"le_1MiB", SCHEMA_WHOLE, 0, NULL, NULL},
        {"le_16MiB", SCHEMA_WHOLE, 0, NULL, NULL},
        {"gt_16MiB", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member host[] = {
        {"address", SCHEMA_TEXT, 0, NULL, NULL},
        {"flows_in", SCHEMA_WHOLE, 0, NULL, NULL},
        {"flows_out", SCHEMA_WHOLE, 0, NULL, NULL},
        {"incast_degree", SCHEMA_WHOLE, 0, NULL,
                "Most sources with an open message to it at once"},
        {"incast_at_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"udp_source_ports", SCHEMA_WHOLE, 0, NULL, NULL},
        {"udp_source_port_entropy_bits", SCHEMA_NUMBER, 0, NULL, NULL},
};

static const struct schema_member path[] = {
        {"from", SCHEMA_WHOLE, 0, NULL, NULL},
        {"to", SCHEMA_WHOLE, 0, NULL, NULL},
        {"matched", SCHEMA_WHOLE, 0, NULL, NULL},
        {"lost", SCHEMA_WHOLE, 0, NULL, NULL},
        {"latency_ns", SCHEMA_OBJECT, 0, "path_latency", NULL},
        {"clock", SCHEMA_WORD, 0, "common|estimated", NULL},
};

static const struct schema_member path_latency[] = {
        {"min", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"mean", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"max", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
};

static const struct schema_member recoveries[] = {
        {"all", SCHEMA_WHOLE, 0, NULL, NULL},
        {"listed", SCHEMA_LIST, 0, "recovery", NULL},
};

static const struct schema_member recovery[] = {
        {"flow", SCHEMA_WHOLE, 0, NULL, NULL},
        {"interface", SCHEMA_WHOLE, 0, NULL, NULL},
        {"cause", SCHEMA_WORD, 0, "nak|rnr|timeout|unknown", NULL},
        {"first_psn", SCHEMA_WHOLE, 0, NULL, NULL},
        {"last_psn", SCHEMA_WHOLE, 0, NULL, NULL},
        {"packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"missing", SCHEMA_WHOLE, 0, NULL, NULL},
        {"before_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"nak_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"resend_ns", SCHEMA_WHOLE, 0, NULL, NULL},
        {"lost_after_interface", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"lost_before_interface", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"frame", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member messages[] = {
        {"all", SCHEMA_WHOLE, 0, NULL, NULL},
        {"listed", SCHEMA_LIST, 0, "message", NULL},
};

static const struct schema_member message[] = {
        {"flow", SCHEMA_WHOLE, 0, NULL, NULL},
        {"interface", SCHEMA_WHOLE, 0, NULL, NULL},
        {"verb", SCHEMA_TEXT, 0, NULL, NULL},
        {"bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"first_psn", SCHEMA_WHOLE, 0, NULL, NULL},
        {"last_psn", SCHEMA_WHOLE, 0, NULL, NULL},
        {"first_ns", SCHEMA_WHOLE, 0, NULL, NULL},
        {"last_ns", SCHEMA_WHOLE, 0, NULL, NULL},
        {"acked_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"complete", SCHEMA_FLAG, 0, NULL, NULL},
        {"retransmitted", SCHEMA_FLAG, 0, NULL, NULL},
        {"frame", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member timeline[] = {
        {"start_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"width_ns", SCHEMA_WHOLE, 0, NULL, NULL},
        {"bins", SCHEMA_LIST, 0, "bin", NULL},
};

static const struct schema_member bin[] = {
        {"payload_bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"wire_bytes", SCHEMA_WHOLE, 0, NULL, NULL},
        {"data_packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"ce_packets", SCHEMA_WHOLE, 0, NULL, NULL},
        {"cnps", SCHEMA_WHOLE, 0, NULL, NULL},
        {"acks", SCHEMA_WHOLE, 0, NULL, NULL},
        {"naks", SCHEMA_WHOLE, 0, NULL, NULL},
        {"retransmitted", SCHEMA_WHOLE, 0, NULL, NULL},
        {"paused_ns_by_priority", SCHEMA_WHOLES, 0, NULL, NULL},
        {"rtt_mean_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"rtt_max_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"latency_mean_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"latency_max_ns", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
        {"model_rate_bps", SCHEMA_WHOLE, SCHEMA_NULL, NULL, NULL},
};

static const struct schema_member finding[] = {
        {"name", SCHEMA_TEXT, 0, NULL, NULL},
        {"title", SCHEMA_TEXT, 0, NULL, NULL},
        {"severity", SCHEMA_WORD, 0, "info|warning|error", NULL},
        {"caused_by", SCHEMA_TEXT, SCHEMA_NULL, NULL, "Name of another finding"},
        {"evidence", SCHEMA_OBJECT, 0, "evidence", NULL},
        {"advice", SCHEMA_TEXT, 0, NULL, NULL},
};

static const struct schema_member evidence[] = {
        {"text", SCHEMA_TEXT, 0, NULL, NULL},
        {"figures", SCHEMA_FIGURES, 0, NULL, NULL},
        {"interfaces", SCHEMA_LIST, 0, "interface_named", NULL},
        {"flows", SCHEMA_LIST, 0, "flow_named", NULL},
        {"packets", SCHEMA_LIST, 0, "packet", NULL},
};

static const struct schema_member interface_named[] = {
        {"index", SCHEMA_WHOLE, 0, NULL, NULL},
        {"name", SCHEMA_TEXT, SCHEMA_NULL, NULL, NULL},
};

static const struct schema_member flow_named[] = {
        {"index", SCHEMA_WHOLE, 0, NULL, NULL},
        {"src", SCHEMA_TEXT, 0, NULL, NULL},
        {"dst", SCHEMA_TEXT, 0, NULL, NULL},
        {"dqp", SCHEMA_WHOLE, 0, NULL, NULL},
};

static const struct schema_member packet[] = {
        {"file", SCHEMA_TEXT, SCHEMA_NULL, NULL, NULL},
        {"number", SCHEMA_WHOLE, 0, NULL, NULL},
        {"t_ns", SCHEMA_WHOLE, 0, NULL, NULL},
        {"interface", SCHEMA_WHOLE, 0, NULL, NULL},
        {"flow", SCHEMA_WHOLE, SCHEMA_OPTIONAL, NULL, NULL},
        {"psn", SCHEMA_WHOLE, SCHEMA_OPTIONAL, NULL, NULL},
};

#define OBJECT(name, counts)                                                                   \
	{                                                                                      \
#name, name, sizeof(name) / sizeof(*(name)), counts                            \
	}

const struct schema_object trace_schema_objects[] = {
        OBJECT(document, false),
        OBJECT(counts, false),
        OBJECT(pfc, false),
        OBJECT(cnp, false),
        OBJECT(distribution, false),
        OBJECT(span, false),
        OBJECT(clock, false),
        OBJECT(file, false),
        OBJECT(interface, true),
        OBJECT(bursts, false),
        OBJECT(clock_correction, false),
        OBJECT(flow, true),
        OBJECT(causes, false),
        OBJECT(cause, false),
        OBJECT(cell, false),
        OBJECT(sizes, false),
        OBJECT(host, false),
        OBJECT(path, false),
        OBJECT(path_latency, false),
        OBJECT(recoveries, false),
        OBJECT(recovery, false),
        OBJECT(messages, false),
        OBJECT(message, false),
        OBJECT(timeline, false),
        OBJECT(bin, false),
        OBJECT(finding, false),
        OBJECT(evidence, false),
        OBJECT(interface_named, false),
        OBJECT(flow_named, false),
        OBJECT(packet, false),
};

const size_t n_trace_schema_objects =
        sizeof(trace_schema_objects) / sizeof(*trace_schema_objects);
