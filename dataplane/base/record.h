/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an engine records about a run, in the order and units that analysis reads. Shared by the
 * simulator and the live workers so that both fill the same struct run_result.
 */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/hist.h"
#include "dataplane/base/units.h"

struct msg_stats; /* msg_stats.h */

enum msg_status { MSG_COMPLETED, MSG_FAILED, MSG_UNFINISHED };

/* One message. Times are ps since run start, TIME_NEVER where it did not happen. */
struct msg_record {
	int64_t post_ps;  /* intended send time */
	int64_t first_ps; /* first packet starts on the sender's port */
	int64_t done_ps;  /* last ACK arrived at the sender's port */
	int64_t alone_ps; /* FCT of the same message alone on its path */
	int64_t bytes;
	uint32_t src, dst; /* hosts */
	uint32_t conn;     /* sender-local QP number */
	uint32_t seq;      /* order of posting at the sender, for a total order of records */
	uint32_t tag;      /* of the workload: flow index where the flows come from a list */
	uint16_t entry;    /* index in workload[] */
	uint8_t priority;
	uint8_t status;       /* enum msg_status */
	uint32_t retransmits; /* packets of this message sent again */
	bool unacknowledged;  /* uc, ud: completed says that it was sent, not that it arrived */
	/* What held its packets up at the sender; the rest of done_ps - post_ps - alone_ps is
	 * queueing in the NIC and the fabric. */
	int64_t paused_ps;   /* its class was paused at the sender's port */
	int64_t limited_ps;  /* its QP waited for congestion control, beyond line rate */
	int64_t recovery_ps; /* from a loss noticed to the point where it had been */
};

/* Counters of one run; every field is a plain sum over nodes or a maximum. clang-format would
 * lay the list out anew each time. */
/* clang-format off */
#define RUN_COUNTERS(X)                                                                        \
	X(packet_hops) X(events) X(data_packets_sent) X(data_packets_delivered)                \
	X(payload_delivered_bytes) X(ecn_eligible_packets) X(ecn_marked_packets)               \
	X(cnp_sent) X(cnp_received) X(rate_cuts) X(rate_increases) X(pause_frames)             \
	X(resume_frames) X(drops_lossless) X(drops_lossy) X(drops_host)                        \
	X(sacks) X(rnr_naks) X(unacknowledged_sent) X(unacknowledged_arrived)               \
	X(unacknowledged_sent_bytes) X(unacknowledged_arrived_bytes) X(lossless_lost)       \
	X(drops_fault) X(drops_corrupt) X(drops_watchdog) X(drops_wred) X(watchdog_storms)  \
	X(watchdog_restores)                                                                \
	X(data_packets_dropped) X(headroom_violations) X(headroom_missing_bytes)               \
	X(retransmitted_packets) X(naks) X(timeouts) X(messages_started)                       \
	X(messages_failed)
/* clang-format on */

struct run_counters {
#define X(name) int64_t name;
	RUN_COUNTERS(X)
#undef X
};

/* One row of the time line: sums and maxima over the interval that ends at t_ps. */
struct series_row {
	int64_t t_ps;
	int64_t delivered_bytes;  /* payload accepted by receivers */
	int64_t max_queue_bytes;  /* deepest egress queue */
	int64_t max_shared_bytes; /* fullest shared pool */
	int64_t ecn_marked, cnp_received, pause_frames, resume_frames, drops, retransmits;
	int64_t rate_cuts;
	int64_t paused_ports;     /* (port, priority) pairs blocked at t_ps */
	int64_t active_qps;       /* with data to send at t_ps */
	int64_t mean_rate_bps;    /* of those, 0 if none */
	int64_t mean_alpha_q32;   /* DCQCN alpha of those at t_ps, 0 if none */
	int64_t queue_bytes_at_t; /* the deepest egress queue at t_ps itself */
	int64_t mean_latency_ps,
	        max_latency_ps; /* of data packets that arrived; 0 if none did */
};

/* A lossless drop with its place. */
struct headroom_violation {
	int64_t t_ps;
	uint32_t node;
	uint16_t port;
	uint8_t priority;
	int64_t missing_bytes;
};

/* The deepest queue of a port and priority. */
struct queue_record {
	uint32_t node;
	uint16_t port;
	uint8_t priority;
	int64_t max_bytes;
};

/* Pause of one receiving port and priority (node may be a host). */
struct pause_record {
	uint32_t node;
	uint16_t port;
	uint8_t priority;
	int64_t paused_ps;
	uint64_t episodes;
};

/* What one egress queue of a switch port, or one class of a host port, did in the whole run. */
struct port_record {
	uint32_t node;
	uint16_t port;
	uint8_t priority;
	int64_t tx_packets, tx_bytes; /* wire bytes */
	int64_t max_queue_bytes;
	int64_t marked_packets;
	int64_t dropped_packets;
	int64_t paused_ps;       /* told not to send, and obeying */
	uint64_t pause_episodes; /* of that */
	int64_t xoff_frames;     /* sent from this port for its own ingress, or by a storm */
	int64_t pfc_received; /* valid pause frames naming this priority, XON too; switches */
};

/* What one host completed towards another, where its messages are not all on record. */
struct pair_record {
	int64_t bytes;
	int64_t first_post_ps, last_done_ps;
	uint32_t src, dst;
};

enum pfc_event_kind { PFC_EVENT_XOFF, PFC_EVENT_REFRESH, PFC_EVENT_XON };

/* A PFC decision of one ingress (a host's receive side too). cause_port is the egress for which
 * most of what it holds is waiting; was that paused meanwhile, this pause propagates that one,
 * else the congestion begins here. */
struct pfc_event {
	int64_t t_ps;
	uint32_t node;
	uint16_t port; /* the ingress: its peer is told */
	uint16_t cause_port;
	uint8_t priority;
	uint8_t kind; /* enum pfc_event_kind */
	bool cause_paused;
	bool injected; /* by a fault, not by a queue */
};

/* All XOFFs of one ingress and priority that had the same cause. */
struct pause_edge {
	uint32_t node;
	uint16_t port, cause_port;
	uint8_t priority;
	bool cause_paused, injected;
	uint64_t xoffs;
	int64_t first_ps;
	int64_t held_ps; /* from each XOFF to its XON, or to the end of the run; of a storm to
	                    its last frame */
};

/* One iteration of a collective or training entry, over all its ranks. */
struct iteration_record {
	int64_t start_ps,
	        end_ps; /* first rank to begin, last rank to end; TIME_NEVER: not ended */
	uint32_t iteration;
	uint32_t slowest_host; /* the last to end */
	uint16_t entry;
	uint16_t part; /* a training iteration has several collectives, from 1; 0: the whole */
};

/* What a fault of the scenario did. */
struct fault_record {
	uint32_t fault;            /* index in faults[] */
	int64_t first_ps, last_ps; /* of what it did; TIME_NEVER: it touched nothing */
	int64_t packets;           /* touched: dropped, marked, delayed, paused ... */
};

enum watchdog_kind { WATCHDOG_STORM, WATCHDOG_RESTORED };

struct watchdog_event {
	int64_t t_ps;
	uint32_t node;
	uint16_t port;
	uint8_t priority;
	uint8_t kind;            /* enum watchdog_kind */
	int64_t paused_since_ps; /* STORM: since when the queue could not send */
	int64_t dropped_packets; /* RESTORED: by its action since the storm */
};

#define DEADLOCK_MAX_HOPS 64

/* A cycle of pauses, each waiting for the next: port of node is paused by its peer, which
 * cannot drain because of the next hop. */
struct deadlock_record {
	int64_t t_ps; /* when it was seen */
	uint32_t n_hops;
	struct pause_hop {
		uint32_t node;
		uint16_t port;
		uint8_t priority;
	} hop[DEADLOCK_MAX_HOPS];
};

enum run_end {
	RUN_WORKLOAD_DONE, /* every program ended and every message finished */
	RUN_TIME_UP,       /* stop.after */
	RUN_STALLED,       /* nothing can happen any more though messages are unfinished */
	RUN_INTERRUPTED,   /* the caller asked to stop: results so far */
	RUN_OUT_OF_TIME,   /* virtual time goes no further, and no stop.after was given */
	RUN_DEADLOCKED,    /* stop.on_deadlock */
};

/* Everything one run leaves behind. Arrays are malloc'd and owned by the record. */
struct run_record {
	enum run_end end;
	int64_t t_end_ps; /* last completion, or the time at which the run stopped */
	struct run_counters n;
	int64_t data_packets_left; /* in queues and on links when the run ended: what was sent
	                              = delivered + dropped + left */
	struct hist latency_ps;    /* one way, data packets: start of the transmission (of this
	                              copy) to arrival at the receiver */
	struct hist queue_bytes; /* egress queue after each packet that is queued; those that go
	                            straight through are not counted */
	int64_t max_queue_bytes, max_shared_bytes, max_headroom_bytes;
	struct msg_record *msg; /* sorted by (done_ps, src, seq); unfinished last */
	uint64_t n_msg;
	/* Where msg is a sample, one message in sample_one_in: all of them, those on record
	 * included, and what each pair completed by (src, dst). Else NULL, 1 and none. */
	struct msg_stats *all;
	uint64_t sample_one_in;
	struct pair_record *pair;
	uint64_t n_pair;
	struct series_row *row;
	uint64_t n_row;
	struct queue_record *queue; /* deepest first, at most RUN_TOP_QUEUES */
	uint64_t n_queue;
	struct pause_record *pause; /* by (node, port, priority), only where there was any */
	uint64_t n_pause;
	struct headroom_violation
	        *violation; /* the first RUN_VIOLATIONS_KEPT in (t, node, port) order */
	uint64_t n_violation;
	struct port_record *port; /* by (node, port, priority), only those that did something */
	uint64_t n_port;
	struct pfc_event *pfc; /* the first RUN_PFC_EVENTS_KEPT by (t, node, port, priority) */
	uint64_t n_pfc;
	struct pause_edge *edge; /* by (node, port, priority, cause), complete */
	uint64_t n_edge;
	struct iteration_record *iteration; /* by (entry, iteration, part) */
	uint64_t n_iteration;
	struct fault_record *fault; /* by index */
	uint64_t n_fault;
	struct watchdog_event *watchdog; /* the first RUN_WATCHDOG_KEPT by (t, node, port) */
	uint64_t n_watchdog;
	struct deadlock_record *deadlock; /* by time */
	uint64_t n_deadlock;
	uint32_t threads, ranks;
};

#define RUN_TOP_QUEUES      16
#define RUN_VIOLATIONS_KEPT 1000
#define RUN_PFC_EVENTS_KEPT 100000
#define RUN_WATCHDOG_KEPT   10000

void run_record_free(struct run_record *r); /* frees the arrays and the record; NULL is fine */

#endif
