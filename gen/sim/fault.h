/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault as the simulator takes it: what happens, when, where, and to which frames. Filled
 * from the rows of faults[] (fault_cfg.h) once names are resolved; constant during the run.
 * docs/faults.md says what each one models.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* one_source_port: which one it is matters to nobody. */
#define FAULT_ONE_PORT 49152

enum fault_kind {
	/* to single frames on a link */
	FAULT_DROP,
	FAULT_CORRUPT, /* as drop, but the frame reaches the far end, whose FCS check fails */
	FAULT_MARK,    /* CE */
	FAULT_HOLD,    /* arrives later; the next ones overtake it */
	/* to a link */
	FAULT_LINK_DOWN,
	FAULT_LINK_RATE,
	FAULT_LINK_DELAY,
	/* to a host, or to a port of a switch */
	FAULT_PFC_STORM,
	/* to a host */
	FAULT_SLOW_RECEIVER,
	FAULT_PFC_IGNORED,
	FAULT_PFC_LATE,
	FAULT_DATA_PRIORITY,
	FAULT_CNP_PRIORITY,
	FAULT_CNP_THROTTLED,
	FAULT_ONE_SOURCE_PORT,
	/* to a switch */
	FAULT_ECN_OFF,
	FAULT_KINDS
};

/* Which frames: all conditions must hold. */
enum fault_frames {
	FAULT_FRAMES_DATA = 1 << 0,
	FAULT_FRAMES_ACK = 1 << 1, /* and NAK */
	FAULT_FRAMES_CNP = 1 << 2,
	FAULT_FRAMES_PFC = 1 << 3,
	FAULT_FRAMES_ALL = 15,
};

enum fault_sent {
	FAULT_SENT_AUTO = -1, /* first with psn, else any */
	FAULT_SENT_ANY,
	FAULT_SENT_FIRST, /* not sent before */
	FAULT_SENT_AGAIN, /* retransmissions */
};

#define FAULT_ANY_QP    UINT32_MAX
#define FAULT_ANY_HOST  UINT32_MAX
#define FAULT_MAX_PSNS  256
#define FAULT_NO_LIMIT  INT64_MAX
#define FAULT_MAX_DELAY (INT64_C(1000000000)) /* ps: added to a link, or to a frame */

struct fault_psns {
	uint32_t first, last; /* of the wire's 24 bits, inclusive */
};

struct fault_filter {
	uint32_t src, dst; /* of the connection: hosts, or FAULT_ANY_HOST */
	uint32_t qp;       /* the sender's number, as in messages.csv */
	const struct fault_psns *psn;
	uint32_t n_psn;          /* 0: any */
	uint8_t frames;          /* enum fault_frames */
	uint8_t sent;            /* enum fault_sent, not AUTO */
	int64_t every;           /* of those that match, the n-th each time; 1: all */
	int64_t probability_q32; /* of each of these */
	int64_t count;           /* at each place at most so many */
};

/* Where: for frames and links the sending end of a direction, else a node (port 0). */
struct fault_place {
	uint32_t node;
	uint16_t port;
};

struct sim_fault {
	enum fault_kind kind;
	int64_t from_ps, until_ps; /* until: exclusive; TIME_NEVER: to the end */
	const struct fault_place *place;
	uint32_t n_places;
	struct fault_filter filter; /* of the first four kinds */
	int64_t rate_bps;           /* LINK_RATE, SLOW_RECEIVER */
	int64_t delay_ps;           /* HOLD, LINK_DELAY, PFC_LATE: added */
	int64_t reroute_ps;         /* LINK_DOWN: until routes follow, TIME_NEVER: never */
	int64_t interval_ps;        /* PFC_STORM, CNP_THROTTLED */
	int64_t quanta;             /* PFC_STORM; 0: frames that resume */
	uint8_t priorities;         /* PFC_STORM, a mask; *_PRIORITY: the number */
	uint8_t form;               /* PFC_STORM: enum pfc_form */
};

#endif
