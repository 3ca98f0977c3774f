/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reliable connection: the requester half belongs to the source host's thread, the responder
 * half to the destination's. They sit on different cache lines and meet only through packets.
 * PSNs are extended to 32 bits; the wire carries the low 24.
 */
#ifndef RNIC_CONN_H
#define RNIC_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "gen/cc/dcqcn_rp.h"

/* A posted message; packet k of it has PSN psn0 + k. */
struct qp_msg {
	int64_t bytes;
	int64_t post_ps, first_ps;
	uint32_t psn0, psn_end;
	uint32_t seq, tag;
	uint32_t retransmits;
	uint16_t program; /* of the host: who posted it */
	/* What held it up, msg_record's; the clocks of class and QP stood at *_from at its
	 * post.
	 */
	int64_t paused_from_ps, limited_from_ps, recovery_from_ps;
	int64_t paused_ps, limited_ps, recovery_ps;
};

/* FIFO of messages: [una, tail) unfinished, una <= cur <= tail. Room for one inline. */
struct qp_msgs {
	struct qp_msg *ring;
	uint32_t mask;
	uint32_t una, cur, tail; /* absolute */
	struct qp_msg one;
};

enum qp_transport { QP_RC, QP_UC, QP_UD };

enum qp_state {
	QP_IDLE,   /* nothing to send */
	QP_READY,  /* in the ready set: may send when the port is free */
	QP_PACED,  /* in the pacing heap until next_ps */
	QP_WINDOW, /* window full: an ACK wakes it */
	QP_FAILED, /* retries exhausted */
	QP_RNR,    /* the receiver had no receive posted: the timer wakes it */
};

struct qp_req {
	/* the first two lines hold what every packet touches */
	int64_t next_ps;                             /* earliest start of the next packet */
	uint32_t snd_nxt, snd_una, snd_max, psn_end; /* snd_max: highest sent + 1 */
	int64_t pace_carry;                          /* numerator left over by the last gap */
	int64_t pace_num;     /* of the gap that runs: wire bytes * 8e12 + carry */
	int64_t pace_bps;     /* rate that next_ps was computed with */
	int64_t sent_ps;      /* start of the last packet */
	int64_t deadline_ps;  /* retransmission; TIME_NEVER: nothing outstanding */
	int64_t window_bytes; /* base; <= 0: none */
	uint32_t slot;        /* host-local number */
	uint16_t dst, entropy;
	uint8_t priority, state;
	union { /* without progress; an ACK clears both at once */
		struct {
			uint8_t retries, rnr_retries;
		};
		uint16_t all_retries;
	};
	uint32_t conn;      /* own index */
	int64_t limited_ps; /* waited for its rate in all, beyond the time of its frames */
	struct dcqcn_rp rp;
	uint32_t renewed_psn; /* where its present flow began: CNPs for earlier ones are stale
	                       */
	uint16_t entry;       /* workload entry */
	uint16_t stream;      /* of that entry, for its receiver */
	struct qp_msgs msgs;
	int64_t armed_ps;   /* the timer heap entry that counts; TIME_NEVER: none */
	uint32_t next_free; /* conn + 1 of the next finished fresh QP for the same peer, 0: none
	                     */
	uint16_t own_entropy; /* entropy and priority unless the NIC misbehaves */
	uint8_t own_priority;
	uint8_t transport;     /* enum qp_transport */
	bool fresh;            /* one message, then free for reuse */
	int64_t recovering_ps; /* a loss was noticed then, and is not made up for; TIME_NEVER */
	int64_t recovered_ps;  /* so long in all, before that */
	struct sr_tx *recovery; /* selective repeat: NULL while all arrives in order */
};

struct qp_rsp {
	uint32_t epsn;
	uint32_t unacked; /* in-order packets since the last ACK */
	int64_t last_cnp_ps;
	int64_t last_nak_ps;
	uint32_t nak_psn; /* epsn at the last NAK */
	bool nak_sent;
	bool echo;           /* a mark waits for the next ACK (np.carrier: ack) */
	bool special;        /* responder_special.c takes all its packets */
	bool rnr;            /* answered with RNR NAK: what follows is dropped in silence */
	bool dropping;       /* UC: the rest of a message that has lost a packet */
	uint8_t transport;   /* as at the sender */
	int64_t whole_bytes; /* UC, UD: of the message that is arriving */
	int64_t app_free_ps; /* when the application has posted all its receives again */
	struct sr_rx *gap;   /* selective repeat: NULL while all arrives in order */
};

struct conn {
	_Alignas(CACHE_LINE) struct qp_req req;
	_Alignas(CACHE_LINE) struct qp_rsp rsp;
	uint16_t src;
	bool told; /* the requester is another process, which has told its half */
};

#endif
