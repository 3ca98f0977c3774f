/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the connection manager (IBTA volume 1 chapter 12), sent to queue pair 1: which
 * queue pairs form a connection, and between which addresses. Reads captured bytes alone,
 * allocates nothing. Any thread.
 */
#ifndef WIRE_CM_MAD_H
#define WIRE_CM_MAD_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/wire/frame.h"

/* By attribute ID. */
enum cm_kind {
	CM_REQ = 0x10,
	CM_MRA = 0x11,
	CM_REJ = 0x12,
	CM_REP = 0x13,
	CM_RTU = 0x14,
	CM_DREQ = 0x15,
	CM_DREP = 0x16,
	CM_SIDR_REQ = 0x17,
	CM_SIDR_REP = 0x18,
	CM_LAP = 0x19,
	CM_APR = 0x1a,
};

/* What a message of its kind holds, else zero. */
struct cm_mad {
	uint8_t kind;               /* enum cm_kind */
	bool has_ip;                /* REQ and SIDR_REQ of the RDMA IP CM service (annex A11) */
	uint8_t ip_version;         /* of src_ip and dst_ip */
	uint16_t ip_port, src_port; /* with has_ip: of the listener; of the caller */
	uint16_t reject_reason;     /* REJ */
	uint64_t transaction;       /* of the MAD's header */
	uint32_t local_id;          /* the sender's communication ID */
	uint32_t remote_id;         /* the receiver's; all but REQ, SIDR_REQ */
	uint64_t service_id;        /* REQ, SIDR_REQ */
	uint32_t qpn;               /* REQ, REP: the sender's; SIDR_REP: that of the service */
	uint32_t remote_qpn;        /* DREQ: the receiver's */
	uint32_t psn;               /* REQ, REP: what the sender begins with */
	uint32_t qkey;              /* SIDR_REP */
	uint8_t transport;          /* REQ: 0 RC, 1 UC, 2 RD, 3 extended (XRC) */
	uint8_t mtu;                /* REQ: 1 to 5 are 256 to 4096 bytes */
	uint8_t ack_timeout;        /* REQ: 4.096 us * 2^this */
	uint8_t retries;            /* REQ */
	uint8_t rnr_retries;        /* REQ, REP */
	bool has_gids;              /* REQ */
	uint8_t src_gid[16], dst_gid[16];
	uint8_t src_ip[16], dst_ip[16]; /* IPv4 in the first four bytes, as in struct frame */
};

/* Of a frame to queue pair 1; false: it holds no CM message, or its fixed part was not captured
 * whole. */
bool cm_mad_parse(struct cm_mad *m, const struct frame *f);

#endif
