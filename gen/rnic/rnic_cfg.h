/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoint's parameters in canonical units, filled through the rows of rnic_knobs.c. */
#ifndef RNIC_CFG_H
#define RNIC_CFG_H

#include <stdint.h>

#include "dataplane/base/knob.h"
#include "gen/cc/dcqcn_cfg.h"

/* What a change of rate does to a packet that waits for its time. */
enum nic_pacing { NIC_PACING_FOLLOWS_RATE, NIC_PACING_FIXED };
enum nic_cc { NIC_CC_DCQCN, NIC_CC_NONE };
enum nic_retransmit { NIC_GO_BACK_N, NIC_SELECTIVE_REPEAT, NIC_RETRANSMIT_NONE };

#define NIC_RETRY_UNLIMITED  INT64_MAX
#define NIC_PRIORITY_SAME    (-1)      /* ACKs ride the data's own class */
#define NIC_RECEIVE_WIRE     INT64_MAX /* the host takes packets as fast as they come */
#define NIC_RECEIVE_AUTO     (-1)
#define NIC_RECEIVE_NO_LIMIT 0
#define NIC_RNR_UNLIMITED    7 /* IBTA 9.7.5.2.8 */
#define NIC_PFC_AS_SWITCH    (-1)
#define NIC_WINDOW_OFF       (-1)
#define NIC_WINDOW_BDP       (-2) /* largest base round trip of the fabric times the NIC rate */

/* fabric.nic */
struct rnic_cfg {
	int64_t cc;         /* enum nic_cc */
	int64_t retransmit; /* enum nic_retransmit */
	int64_t ack_every;  /* packets per ACK; the last of a message is always acknowledged */
	int64_t nak_interval_ps; /* an unanswered NAK is repeated after this; 0: only on
	                            progress */
	int64_t ack_duplicates; /* 1: a duplicate request is acknowledged again (IBTA 9.7.5.1.2)
	                         */
	int64_t retransmit_timeout_ps; /* 0: no timer */
	int64_t retransmit_backoff;    /* 1: the timeout doubles on each retry */
	int64_t retry_limit;  /* timeouts or NAKs without progress before the QP fails, or
	                         NIC_RETRY_UNLIMITED */
	int64_t window_bytes; /* payload in flight, or NIC_WINDOW_* */
	int64_t window_scales_with_rate;
	int64_t pacing; /* enum nic_pacing */
	int64_t priority, dscp;
	int64_t ect;          /* 0: not ECN-capable, 1: ECT(0), 2: ECT(1) */
	int64_t ack_priority; /* or NIC_PRIORITY_SAME */
	int64_t ack_ect;      /* 1: ACKs are ECN-capable too */
	int64_t cnp_priority, cnp_dscp;
	int64_t ack_obeys_pause;      /* 1: the NIC holds ACKs while their class is paused */
	int64_t receive_rate_bps;     /* what the host takes, wire bytes; 0: nothing */
	int64_t receive_buffer_bytes; /* of each priority, or NIC_RECEIVE_AUTO */
	int64_t receive_queue;        /* receives posted per QP, or NIC_RECEIVE_NO_LIMIT */
	int64_t receive_time_ps;      /* of the application, to post one again */
	int64_t rnr_timer_ps, rnr_retry;
	int64_t reorder_window;       /* packets that a receiver keeps ahead of a gap */
	int64_t reorder_threshold;    /* a packet is lost when one so many + 1 ahead is there */
	int64_t pfc_priorities;       /* that the NIC pauses, or NIC_PFC_AS_SWITCH */
	int64_t pfc_xoff_bytes;       /* or NIC_RECEIVE_AUTO */
	int64_t pfc_xon_offset_bytes; /* or NIC_RECEIVE_AUTO: one full frame */
};

extern const struct knob_group nic_knobs;

#endif
