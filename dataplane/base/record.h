/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an engine records about a run, in the order and units that analysis reads. Shared by the
 * simulator and the live workers so that both fill the same struct run_result.
 */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stdint.h>

#include "dataplane/base/hist.h"
#include "dataplane/base/units.h"

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
};

/* Counters of one run; every field is a plain sum over nodes or a maximum. clang-format would
 * lay the list out anew each time. */
/* clang-format off */
#define RUN_COUNTERS(X)                                                                        \
	X(packet_hops) X(events) X(data_packets_sent) X(data_packets_delivered)                \
	X(payload_delivered_bytes) X(ecn_eligible_packets) X(ecn_marked_packets)               \
	X(cnp_sent) X(cnp_received) X(rate_cuts) X(rate_increases) X(pause_frames)             \
	X(resume_frames) X(drops_lossless) X(drops_lossy) X(drops_host)                        \
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

enum run_end {
	RUN_WORKLOAD_DONE, /* every program ended and every message finished */
	RUN_TIME_UP,       /* stop.after */
	RUN_STALLED,       /* nothing can happen any more though messages are unfinished */
	RUN_INTERRUPTED,   /* the caller asked to stop: results so far */
	RUN_OUT_OF_TIME,   /* virtual time goes no further, and no stop.after was given */
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
	struct series_row *row;
	uint64_t n_row;
	struct queue_record *queue; /* deepest first, at most RUN_TOP_QUEUES */
	uint64_t n_queue;
	struct pause_record *pause; /* by (node, port, priority), only where there was any */
	uint64_t n_pause;
	struct headroom_violation
	        *violation; /* the first RUN_VIOLATIONS_KEPT in (t, node, port) order */
	uint64_t n_violation;
	uint32_t threads;
};

#define RUN_TOP_QUEUES      16
#define RUN_VIOLATIONS_KEPT 1000

void run_record_free(struct run_record *r); /* frees the arrays and the record; NULL is fine */

#endif
