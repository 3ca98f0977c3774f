/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet descriptor that all engines share: 32 bytes of host-order facts about one frame.
 * The simulator carries it as it is; the live workers turn it into bytes through templates.
 * Whoever holds a descriptor owns it; it is copied, never referenced.
 */
#ifndef BASE_DESC_H
#define BASE_DESC_H

#include <stdint.h>

enum desc_kind {
	DESC_DATA,    /* RC request packet; flags say first/last */
	DESC_ACK,     /* psn: last PSN acknowledged (cumulative) */
	DESC_NAK,     /* psn: PSN expected by the responder (sequence error) */
	DESC_CNP,     /* psn: of the marked packet (the wire carries 0) */
	DESC_PFC,     /* psn: class-enable vector; sent_unit: those that stop; conn: pause time
	                 in quanta; entropy: enum pfc_form */
	DESC_RNR_NAK, /* psn: PSN to send again after nic.rnr_timer */
	DESC_SACK,    /* selective repeat. psn: PSN expected; sent_unit: the PSN that has just
	                 arrived    ahead of it (IRN, SIGCOMM 2018, section 3.1) */
};

/* MAC control frames that one may meet where PFC is expected. */
enum pfc_form {
	PFC_VALID,
	PFC_GLOBAL_PAUSE, /* IEEE 802.3 annex 31B */
	PFC_BAD_OPCODE,   /* neither that nor PFC */
	PFC_SHORT,        /* truncated within the pause times */
	PFC_ZERO_VECTOR,  /* enables no class */
	PFC_ZERO_SOURCE,  /* valid, but for a source address of zero */
};

enum desc_flag {
	DESC_FIRST = 1 << 0, /* first packet of its message */
	DESC_LAST = 1 << 1,  /* last packet of its message: asks for an ACK */
	DESC_ECT = 1 << 2,   /* ECN-capable */
	DESC_CE = 1 << 3,    /* congestion experienced */
	DESC_CNP_ECHO =
	        1 << 4, /* this ACK/NAK carries a congestion notification (np.carrier: ack) */
	DESC_RETRANSMIT = 1 << 5, /* sent before */
	DESC_ACK_REQ = 1 << 6,    /* asks for an ACK (BTH AckReq), as DESC_LAST does */
	DESC_CORRUPT =
	        1 << 7, /* damaged on a link: the ICRC or FCS of the receiver rejects it */
};

/* send_unit: the time at which a data packet was sent, or sent again, in units of
 * 2^DESC_SENT_SHIFT ps modulo 2^32 (range 274 ms, resolution 64 ps); one-way latency is
 * measured from it. Answers but for DESC_SACK: when they were made; tells them apart. */
#define DESC_SENT_SHIFT 6

struct desc {
	int64_t t_ps;  /* when it arrives at the next node */
	uint32_t conn; /* connection index; DESC_PFC: quanta */
	uint32_t psn;  /* extended to 32 bits; the wire carries the low 24 */
	uint32_t sent_unit;
	uint16_t dst;         /* destination host */
	uint16_t frame_bytes; /* Ethernet header to the last byte before the FCS */
	uint16_t payload_bytes;
	uint16_t entropy;     /* of the 5-tuple, for ECMP */
	uint16_t in_port;     /* port of the node that it arrives at */
	uint8_t kind : 4;     /* enum desc_kind */
	uint8_t priority : 4; /* 0..7 */
	uint8_t flags;        /* enum desc_flag */
};

_Static_assert(sizeof(struct desc) == 32, "two descriptors per cache line");

#endif
