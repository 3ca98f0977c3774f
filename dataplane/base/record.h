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
	int64_t post_ps;      /* intended send time */
	int64_t first_ps;     /* first packet starts on the sender's port */
	int64_t done_ps;      /* last ACK arrived at the sender's port */
	int64_t alone_ps;     /* FCT of the same message alone on its path */
	int64_t bytes;
	uint32_t src, dst;    /* hosts */
	uint32_t conn;        /* sender-local QP number */
	uint32_t seq;         /* order of posting at the sender, for a total order of records */
	uint32_t tag;         /* of the workload: flow index where the flows come from a list */
	uint16_t entry;       /* index in workload[] */
	uint8_t priority;
	uint8_t status;       /* enum msg_status */
	uint32_t retransmits; /* packets of this message sent again */
};

/* Counters of one run; every field is a plain sum over nodes or a maximum. */
#define RUN_COUNTERS(X)                                                                        \
	X(packet_hops) X(events) X(data_packets_sent) X(data_packets_delivered) X(payload_delivered_bytes) \
	X(ecn_eligible_packets) X(ecn_marked_packets)                                          \
	X(cnp_sent) X(cnp_received) X(rate_cuts) X(rate_increases)                             \
	X(pause_frames) X(resume_frames)                                                       \
	X(drops_lossless) X(drops_lossy) X(drops_host) X(headroom_violations) X(headroom_missing_bytes)         \
	X(retransmitted_packets) X(naks) X(timeouts) X(messages_started) X(messages_failed)

struct run_counters {
#define X(name) int64_t name;
	RUN_COUNTERS(X)
#undef X
};

/* One row of the time line: sums and maxima over the interval that ends at t_ps. */
struct series_row {
	int64_t t_ps;
	int64_t delivered_bytes;     /* payload accepted by receivers */
	int64_t max_queue_bytes;     /* deepest egress queue */
	int64_t max_shared_bytes;    /* fullest shared pool */
	int64_t ecn_marked, cnp_received, pause_frames, resume_frames, drops, retransmits;
	int64_t rate_cuts;
	int64_t paused_ports;        /* (port, priority) pairs blocked at t_ps */
	int64_t active_qps;          /* with data to send at t_ps */
	int64_t mean_rate_bps;       /* of those, 0 if none */
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

#endif
