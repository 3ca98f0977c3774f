/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the analysis of captures found: the one thing that tables, JSON, reports, diagnosis and
 * importers read. Owned by a struct trace (trace.h), valid until it is fed again or closed,
 * read only. Times are capture times (ns since 1970 in the clock of the interface; of several
 * files, shifted onto the clock of the first). A figure that cannot be known is TRACE_UNKNOWN.
 *
 * A flow is one direction: (source, destination, destination QP); of datagrams the source QP as
 * well. Its `peer` is the flow of the other direction of the same pair of QPs. A view is a flow
 * at one interface. A transmission that several interfaces show is counted once in flows and
 * totals, where it was seen first; retransmissions and missing PSNs are judged per view; CE
 * counts as the last interface shows it.
 */
#ifndef TRACE_RESULT_H
#define TRACE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/packet.h"
#include "dataplane/base/hist.h"

#define TRACE_UNKNOWN    INT64_MIN
#define TRACE_NONE       UINT32_MAX /* no such flow, view, interface, host */
#define TRACE_PRIORITIES 8

/* An end of a flow. */
enum trace_addr_kind { TRACE_ADDR_IPV4 = 4, TRACE_ADDR_IPV6 = 6, TRACE_ADDR_LID = 1 };

struct trace_addr {
	uint8_t kind;   /* enum trace_addr_kind */
	uint8_t ip[16]; /* network order; LID in the first two bytes */
};

#define TRACE_ADDR_LEN 48
const char *trace_addr_text(char buf[TRACE_ADDR_LEN], const struct trace_addr *a);

enum trace_nak {
	TRACE_NAK_SEQUENCE,
	TRACE_NAK_INVALID_REQUEST,
	TRACE_NAK_REMOTE_ACCESS,
	TRACE_NAK_REMOTE_OPERATION,
	TRACE_NAK_INVALID_RD,
	TRACE_NAK_RESERVED,
	TRACE_NAKS
};
const char *trace_nak_name(enum trace_nak n); /* "PSN sequence error" ... */

/* Of a flow, a view, an interface, or everything. */
struct trace_counts {
	uint64_t packets;      /* RoCE packets of any kind */
	uint64_t data_packets; /* requests and READ responses, retransmitted ones too */
	uint64_t acks, naks;   /* naks: AETH code 011; by reason in nak[] */
	uint64_t rnr_naks;     /* AETH code 001 */
	uint64_t nak[TRACE_NAKS];
	uint64_t cnps, cnps_without_ce;
	uint64_t becn_acks;       /* acknowledgements with BECN: notifications without a CNP */
	uint64_t ce_packets;      /* but for CNPs */
	uint64_t ect_packets;     /* data packets with ECT(0), ECT(1) or CE */
	uint64_t not_ect_packets; /* data packets without */
	uint64_t retransmitted_packets; /* data with a PSN that was shown before */
	uint64_t retransmitted_bytes;   /* their payload */
	uint64_t missing_psns;          /* not shown before a later one; filled or not */
	uint64_t unfilled_psns;         /* of these, never shown at all */
	uint64_t reordered_packets;     /* came late without having been sent again */
	uint64_t duplicated_packets;    /* of the retransmitted: copies made by the network */
	uint64_t icrc_checked, icrc_bad;
	uint64_t messages;             /* of which the last packet was shown */
	uint64_t payload_bytes;        /* of all data packets */
	uint64_t wire_bytes;           /* of all RoCE packets: frame + 24 */
	uint64_t truncated, malformed; /* packets cut by the capture; with a fault */
};

/* Exact count, minimum, maximum and sum; a distribution without buckets. */
struct trace_span {
	uint64_t n;
	int64_t min, max;
	__int128 sum;
};

enum trace_speed_source {
	TRACE_SPEED_UNKNOWN,
	TRACE_SPEED_FILE,
	TRACE_SPEED_GIVEN,
	TRACE_SPEED_INFERRED
};

/* A run of 10 us slots that are used at 90 % or more of the speed. */
struct trace_bursts {
	uint64_t n;
	int64_t longest_ns, longest_at_ns; /* its begin */
	uint64_t largest_bytes;            /* wire bytes of the largest */
	int64_t peak_bps;                  /* busiest slot */
	int64_t peak_at_ns;
};

/* One bin of a time line. */
struct trace_bin {
	uint64_t payload_bytes, wire_bytes;
	uint32_t data_packets, ce_packets, cnps, naks, retransmitted, acks;
	int64_t paused_ns[TRACE_PRIORITIES];    /* sum over ports */
	int64_t rtt_sum_ns, rtt_max_ns;         /* ACK round trips */
	int64_t latency_sum_ns, latency_max_ns; /* one way, by the first stamp */
	uint32_t rtt_n, latency_n;
	int64_t model_bps; /* rate of the DCQCN model at its end; of one QP alone, else 0 */
};

/* Bins of one width from start_ns on. Automatic widths are powers of two in us. */
struct trace_timeline {
	int64_t start_ns, width_ns;
	uint32_t n;
	struct trace_bin *bin;
};

/* What a sender put on the wire next to what its model allows, from its first CNP on. */
#define TRACE_RATES     64 /* the first flows that got a CNP */
#define TRACE_RATE_BINS 512
struct trace_rate_bin {
	uint64_t wire_bytes;
	int64_t model_bps; /* at its end; 0: neither packet nor CNP in it */
};
struct trace_rate {
	uint32_t flow, interface;
	int64_t start_ns, width_ns;
	uint32_t n;
	struct trace_rate_bin *bin;
};

struct trace_interface {
	struct capture_interface capture; /* name, link, clock, drops as the file has them */
	uint32_t file;                    /* index of the input */
	uint64_t frames, first_number;    /* every frame; number of the first in its file */
	int64_t first_ns, last_ns;
	uint8_t mac[6]; /* of all that it sends and of all that is sent to it */
	bool mac_known; /* there is one such, and nothing that it sends was routed before */
	struct trace_counts counts;                     /* as this interface alone shows it */
	uint64_t xoff_frames, xon_frames, pause_frames; /* pause: 802.3x */
	int64_t paused_ns[TRACE_PRIORITIES];            /* TRACE_UNKNOWN without a speed */
	int64_t paused_all_ns;                          /* by 802.3x */
	int64_t asked_ns[TRACE_PRIORITIES]; /* pauses of the other end, by what is sent here */
	int64_t speed_bps;                  /* 0: unknown */
	uint8_t speed_source;               /* enum trace_speed_source */
	struct trace_bursts bursts;
	struct trace_timeline timeline;
	/* This clock against that of the first file: to be added to its stamp reference_ns. */
	int64_t offset_ns, drift_ppb, residual_ns; /* residual: TRACE_UNKNOWN: not estimated */
	int64_t reference_ns;
};

/* How the other direction was found. */
enum trace_pairing {
	TRACE_PAIR_NONE,
	TRACE_PAIR_CM,   /* the connection was set up in the capture */
	TRACE_PAIR_DETH, /* datagrams name their source QP */
	TRACE_PAIR_PSN,  /* acknowledgements fit the PSNs of one flow alone */
	TRACE_PAIR_PORT, /* several fit; one has the same UDP source port */
	TRACE_PAIR_ONLY, /* the only two flows between the addresses */
};
const char *trace_pairing_name(enum trace_pairing p);

/* A QP's control loop, of the sender whose data packets the flow holds. */
struct trace_loop {
	struct trace_span ce_to_cnp_ns;  /* of the CNPs for this flow */
	struct trace_span cnp_gap_ns;    /* between CNPs for this flow */
	struct trace_span cnp_to_cut_ns; /* CNP to the first packet that is spaced wider */
	struct trace_span cut_permille;  /* rate after, of the rate before */
	/* Rate over 32 packets within a message, in 1/1000 of what DCQCN as given would have.
	 */
	struct trace_span of_model_permille;
	uint64_t cnps_ce, cnps_loss, cnps_unexplained; /* by cause */
	uint64_t watches; /* times that a cut was looked for behind a CNP */
};

enum trace_transport { TRACE_RC, TRACE_UC, TRACE_RD, TRACE_UD, TRACE_XRC, TRACE_OTHER };
const char *trace_transport_name(enum trace_transport t);

struct trace_flow {
	struct trace_addr src, dst;
	uint32_t dqp, src_qp; /* src_qp: of the peer or DETH; TRACE_NONE: unknown */
	uint32_t peer;        /* flow; TRACE_NONE */
	uint8_t pairing;      /* enum trace_pairing */
	uint8_t transport;    /* enum trace_transport */
	uint8_t kind;         /* enum frame_kind */
	uint16_t sport;       /* of the first packet with data, else of the first */
	uint16_t n_sports;    /* different ones, up to 255 */
	uint8_t dscp, pcp; /* of the first data packet (else of the first); pcp 255: untagged */
	uint8_t ack_dscp, cnp_dscp, cnp_pcp; /* 255: none seen */
	uint64_t dscps;                      /* bit per DSCP seen on data packets */
	bool has_psns;                       /* any data packet */
	uint32_t first_psn, last_psn; /* of the requests, or of the READ responses alone */
	uint32_t mtu_bytes;        /* path MTU: the payload of FIRST and MIDDLE; 0: unknown */
	int64_t first_ns, last_ns; /* any packet */
	int64_t first_data_ns, last_data_ns; /* TRACE_UNKNOWN without data */
	struct trace_counts counts;
	struct trace_loop loop;
	struct trace_span rtt_ns, latency_ns, net_fct_ns;
	int64_t goodput_bps;     /* new payload from first to last data packet; TRACE_UNKNOWN */
	uint64_t retransmits[4]; /* packets, by enum trace_cause */
	uint64_t loss_events[4]; /* by enum trace_cause */
	uint32_t max_reorder_psns; /* how far behind the latest PSN */
	uint32_t src_host, dst_host;
	uint32_t first_view, n_views; /* views by trace_view.next */
};

/* A flow as one interface shows it. */
struct trace_view {
	uint32_t flow, interface, next; /* next view of the flow, in path order; TRACE_NONE */
	uint8_t direction;              /* enum capture_direction, of its first packet */
	struct trace_counts counts;
	struct trace_span rtt_ns;
	uint64_t lost_after; /* transmissions that no later interface of the path shows */
	int64_t ce_since_ns; /* the first CE after the last CNP for it; TRACE_UNKNOWN: none */
};

/* Why packets were sent again. */
enum trace_cause { TRACE_CAUSE_NAK, TRACE_CAUSE_RNR, TRACE_CAUSE_TIMEOUT, TRACE_CAUSE_UNKNOWN };
const char *trace_cause_name(enum trace_cause c);

/* One recovery: packets sent again, from one PSN on, for one cause. */
struct trace_loss {
	uint32_t flow, interface;
	uint8_t cause; /* enum trace_cause */
	uint32_t first_psn, last_psn;
	uint32_t packets;  /* sent again, those that fill a gap included */
	uint32_t missing;  /* of these, PSNs that this interface had not shown */
	int64_t before_ns; /* the last packet before the pause or NAK */
	int64_t nak_ns;    /* TRACE_UNKNOWN but for NAK and RNR */
	int64_t resend_ns, end_ns;
	uint64_t number; /* of the first packet that was sent again, in its file */
	/* With several interfaces: between which two; TRACE_NONE where unknown. */
	uint32_t after_interface, before_interface;
};

enum trace_verb { TRACE_SEND, TRACE_WRITE, TRACE_READ, TRACE_ATOMIC, TRACE_FLUSH };
const char *trace_verb_name(enum trace_verb v);

struct trace_message {
	uint32_t flow;      /* that carries the payload: of a READ, the responses */
	uint32_t interface; /* whose stamps these are: the nearest to the sender */
	uint8_t verb;       /* enum trace_verb */
	bool has_imm, retransmitted,
	        complete; /* complete: acknowledged, or no acknowledgement is due */
	uint32_t first_psn, last_psn;
	uint16_t sport;     /* of its first packet (READ: of the first response) */
	uint64_t bytes;     /* by RETH, else what was seen */
	int64_t first_ns;   /* first packet (READ: request) */
	int64_t last_ns;    /* last packet, first time shown */
	int64_t arrived_ns; /* last packet at the interface farthest from the sender;
	                       TRACE_UNKNOWN: no other shows it */
	int64_t acked_ns;   /* ACK that covers it (READ: last response); TRACE_UNKNOWN */
	uint64_t number;    /* of its first packet in its file */
};

/* A pause that a port was put under. */
struct trace_pause {
	uint32_t interface;
	uint8_t mac[6];   /* who sent the XOFF */
	uint8_t priority; /* 8: 802.3x, all of them */
	bool expired;     /* ended by its quanta, not by XON */
	bool open;        /* still paused at the end of the capture */
	int64_t begin_ns, end_ns;
	uint32_t xoffs;  /* first and refreshes */
	uint64_t number; /* of the first frame in its file */
};

/* Who asks whom to pause: one sender of MAC control frames at one interface. */
struct trace_pauser {
	uint32_t interface;
	uint8_t mac[6];
	uint8_t direction; /* enum capture_direction */
	bool repeated;     /* the same frames are seen nearer to the paused port: not counted */
	uint64_t xoff_frames, xon_frames, pause_frames;
	int64_t paused_ns[TRACE_PRIORITIES + 1], longest_ns[TRACE_PRIORITIES + 1];
	uint64_t episodes[TRACE_PRIORITIES + 1], expired[TRACE_PRIORITIES + 1];
	/* Packets that the port sent although it was paused for longer than 802.3 leaves it to
	 * react, and the longest that it sent them after the XOFF. */
	uint64_t late_packets[TRACE_PRIORITIES + 1];
	int64_t late_ns[TRACE_PRIORITIES + 1];
	int64_t first_ns, last_ns;
};

#define TRACE_GAPS 36
struct trace_host {
	struct trace_addr addr;
	uint32_t flows_in, flows_out; /* with data */
	uint32_t incast_degree;       /* most sources with an open message to it at once */
	int64_t incast_at_ns;
	int64_t cnp_gap_ns; /* least between two CNPs from it; TRACE_UNKNOWN */
	/* Its CNPs by the time since the one before it: 2^i ns up to twice that. */
	uint32_t cnp_gaps[TRACE_GAPS];
	uint32_t sports_out, sport_bits_milli; /* UDP source ports of its data flows: different
	                                          ones, entropy in 1/1000 bit */
};

/* Message sizes: up to 4 KiB, 64 KiB, 1 MiB, 16 MiB, and more. */
#define TRACE_SIZE_CLASSES 5
extern const char *const trace_size_class[TRACE_SIZE_CLASSES]; /* "le_4KiB" ... */

struct trace_cell {
	uint32_t src, dst; /* hosts */
	uint64_t payload_bytes, messages[TRACE_SIZE_CLASSES];
};

/* Between two interfaces that show the same packets. */
struct trace_path {
	uint32_t from, to;                    /* interfaces */
	uint8_t from_direction, to_direction; /* enum capture_direction */
	uint64_t matched, lost;               /* transmissions */
	struct trace_span latency_ns;         /* after the clock correction */
	bool common_clock; /* one clock, or a PTP-steered one; else estimated */
};

/* Packets that stand for a kind of event: the first TRACE_EVIDENCE_MAX of each. */
#define TRACE_EVIDENCE_MAX 8
enum trace_event {
	TRACE_EV_CE,
	TRACE_EV_CNP,
	TRACE_EV_CNP_WITHOUT_CE,
	TRACE_EV_NAK_SEQUENCE,
	TRACE_EV_NAK_OTHER,
	TRACE_EV_RNR,
	TRACE_EV_RETRANSMIT,
	TRACE_EV_TIMEOUT,
	TRACE_EV_MISSING, /* the packet after the gap */
	TRACE_EV_REORDERED,
	TRACE_EV_ICRC_BAD,
	TRACE_EV_NOT_ECT,
	TRACE_EV_XOFF,
	TRACE_EV_PAUSE, /* 802.3x */
	TRACE_EV_MALFORMED,
	TRACE_EVENTS
};
const char *trace_event_name(enum trace_event e);

struct trace_packet {
	uint64_t number; /* in its file, from 1 */
	uint32_t file, interface, flow;
	uint32_t psn;
	uint8_t opcode, priority;
	int64_t t_ns;
};

/* What came first on the whole capture, by priority (PCP, or DSCP / 8 where untagged). */
struct trace_priority {
	uint64_t data_packets, acks, cnps, ce_packets, not_ect_packets, missing_psns,
	        wire_bytes;
	int64_t first_ce_ns, first_pause_ns; /* TRACE_UNKNOWN: never */
};

struct trace_result {
	uint32_t n_files;
	struct trace_file {
		const char *path;
		char format[40]; /* "pcapng+zstd" */
		bool cut;        /* ends within a packet */
		char error[200]; /* "": read to its end */
		uint64_t frames;
	} * file;
	bool stopped; /* by the caller, before the end */

	uint64_t frames, other_frames; /* other: neither RoCE nor pause */
	uint64_t unfollowed_packets; /* RoCE, of flows beyond the first million: in no count */
	int64_t first_ns, last_ns;   /* TRACE_UNKNOWN of an empty capture */
	struct trace_counts roce;
	uint64_t xoff_frames, xon_frames, pause_frames;
	int64_t paused_ns[TRACE_PRIORITIES], paused_all_ns;
	struct trace_priority priority[TRACE_PRIORITIES];
	uint64_t dscp_packets[64]; /* data packets */

	/* Distributions over everything. */
	struct hist *ce_to_cnp_ns, *cnp_to_cut_ns, *rtt_ns, *net_fct_ns, *latency_ns,
	        *message_bytes;
	int64_t cnp_gap_qp_ns;   /* smallest CNP interarrival of a QP; TRACE_UNKNOWN */
	int64_t cnp_gap_ip_ns;   /* of CNPs for one address */
	int64_t cnp_gap_port_ns; /* of CNPs from one address */

	uint32_t n_interfaces, n_flows, n_views, n_hosts, n_cells, n_pausers, n_paths;
	struct trace_interface *interface;
	struct trace_flow *flow; /* in order of appearance */
	struct trace_view *view;
	struct trace_host *host;
	struct trace_cell *cell;
	struct trace_pauser *pauser;
	struct trace_path *path;

	/* Bounded lists: the first so many; `all` counts those beyond as well. */
	uint32_t n_losses, n_messages, n_pauses;
	uint64_t all_losses, all_messages, all_pauses;
	struct trace_loss *loss;
	struct trace_message *message; /* in the order in which they completed */
	struct trace_pause *pause;     /* in the order in which they ended */
	uint32_t n_rates;
	struct trace_rate rate[TRACE_RATES];
	uint32_t n_event[TRACE_EVENTS];
	struct trace_packet event[TRACE_EVENTS][TRACE_EVIDENCE_MAX];

	struct trace_timeline timeline; /* transmissions once, pauses as in paused_ns */
};

static inline int64_t trace_span_mean(const struct trace_span *s)
{
	return s->n ? (int64_t)(s->sum / (__int128)s->n) : TRACE_UNKNOWN;
}

#endif
