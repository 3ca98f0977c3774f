/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the analysis needs of one packet, taken out of its bytes by any thread: parsed, ICRC
 * checked, addresses hashed. What follows (flow state) is done in order by one thread.
 */
#ifndef TRACE_OBS_H
#define TRACE_OBS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/packet.h"
#include "dataplane/wire/frame.h"

enum obs_what { OBS_OTHER, OBS_ROCE, OBS_PFC, OBS_PAUSE };

enum obs_flag {
	OBS_TRUNCATED = 1 << 0,
	OBS_MALFORMED = 1 << 1,
	OBS_ACK_REQ = 1 << 2,
	OBS_AETH = 1 << 3,
	OBS_RETH = 1 << 4,
	OBS_CM = 1 << 5, /* a CM message that names a QP: cm_* */
	OBS_BECN = 1 << 6,
	OBS_ROUTED = 1 << 7, /* its hop limit is none that a sender begins with */
};

enum obs_cm { OBS_CM_REQUEST, OBS_CM_REPLY };

#define OBS_UNTAGGED 255

struct obs {
	int64_t t_ns;
	uint64_t hash;   /* of addresses, dqp and src_qp */
	uint64_t number; /* in its file, from 1 */
	uint32_t interface;
	uint32_t wire_bytes; /* frame + 24 */
	uint32_t dqp, psn, payload_bytes;
	uint32_t src_qp; /* DETH; 0: none */
	uint32_t reth_bytes;
	uint32_t aeth_msn;
	uint32_t cm_qpn, cm_id; /* the QP that the message announces; the requester's comm id */
	uint16_t sport, ip_id;
	uint8_t what, kind; /* enum obs_what, enum frame_kind */
	uint8_t opcode, flags, dscp, ecn, pcp, syndrome;
	uint8_t icrc; /* enum icrc_verdict */
	uint8_t addr_kind, direction, cm;
	uint8_t mac[6]; /* of RoCE with a direction: of the interface that shows it; or 0 */
	union {
		struct {
			uint8_t src[16], dst[16];
		} ip;
		struct {
			uint8_t mac[6];
			uint16_t vector, quanta[8];
		} pfc;
	} u;
};

struct obs_options {
	bool no_icrc;
	uint16_t udp_port; /* of RoCEv2 besides 4791; 0: none */
};

void obs_of(struct obs *o, const struct packet *p, uint32_t link, uint64_t number,
        const struct obs_options *opt);

#endif
