/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one packet parser: any bytes, any length, any link type in; struct frame out. It reads
 * only bytes that were captured, allocates nothing, never fails: what cannot be read is absent,
 * what contradicts itself is said in `faults`. The frame refers to the caller's bytes (data),
 * which must outlive it. Any thread.
 *
 * Sources: IEEE 802.3 (Ethernet, MAC control annex 31B, 31D), 802.1Q, RFC 791, RFC 8200, RFC
 * 768, IBTA architecture specification volume 1 (chapters 7, 8, 9 and annexes A16 and A17).
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* Link types as pcap numbers them (tcpdump.org/linktypes.html); others are parsed as OTHER. */
enum frame_link {
	FRAME_LINK_NULL = 0, /* BSD loopback: 4 bytes of address family, either byte order */
	FRAME_LINK_ETHERNET = 1,
	FRAME_LINK_RAW_12 = 12, /* raw IP by one of its other numbers */
	FRAME_LINK_RAW = 101,   /* raw IPv4 or IPv6 */
	FRAME_LINK_LOOP = 108,  /* OpenBSD loopback: network byte order */
	FRAME_LINK_SLL = 113,   /* Linux cooked */
	FRAME_LINK_ERF = 197,   /* an ERF record with its header */
	FRAME_LINK_IPV4 = 228,
	FRAME_LINK_IPV6 = 229,
	FRAME_LINK_INFINIBAND = 247, /* from the LRH on */
	FRAME_LINK_SLL2 = 276,
};

enum frame_kind {
	FRAME_OTHER,       /* nothing of ours; the addresses are there where there are any */
	FRAME_ROCE_V2,     /* Ethernet / IPv4 or IPv6 / UDP 4791 / BTH */
	FRAME_ROCE_V1,     /* Ethernet 0x8915 / GRH / BTH */
	FRAME_IB,          /* native InfiniBand: LRH / [GRH] / BTH */
	FRAME_PFC,         /* MAC control 0x0101 */
	FRAME_PAUSE,       /* MAC control 0x0001: 802.3x */
	FRAME_MAC_CONTROL, /* 0x8808 with another opcode */
	FRAME_LLDP,
	FRAME_ARP,
};

/* Which headers were read whole. A field is valid only where its bit is set. */
enum frame_has {
	FRAME_HAS_ETH = 1 << 0,
	FRAME_HAS_IPV4 = 1 << 1,
	FRAME_HAS_IPV6 = 1 << 2, /* also the GRH of RoCEv1 and InfiniBand */
	FRAME_HAS_UDP = 1 << 3,
	FRAME_HAS_BTH = 1 << 4,
	FRAME_HAS_RETH = 1 << 5,
	FRAME_HAS_AETH = 1 << 6,
	FRAME_HAS_DETH = 1 << 7,
	FRAME_HAS_ATOMIC_ETH = 1 << 8,
	FRAME_HAS_ATOMIC_ACK_ETH = 1 << 9,
	FRAME_HAS_IMM = 1 << 10,
	FRAME_HAS_IETH = 1 << 11,
	FRAME_HAS_XRCETH = 1 << 12,
	FRAME_HAS_RDETH = 1 << 13,
	FRAME_HAS_ICRC =
	        1 << 14, /* all bytes that the ICRC covers, and itself, were captured */
	FRAME_HAS_LRH = 1 << 15,
	FRAME_HAS_PAUSE_TIMES = 1 << 16, /* PFC: all of vector and times; PAUSE: its time */
	FRAME_HAS_FETH = 1 << 17,        /* FLUSH */
};

/* What contradicts itself. TRUNCATED alone is no fault of the sender. */
enum frame_fault {
	FRAME_TRUNCATED = 1 << 0, /* the capture holds less than was on the wire */
	FRAME_BAD_LENGTH =
	        1 << 1, /* a length field that does not fit, or too short for its opcode */
	FRAME_FRAGMENT = 1 << 2,    /* IPv4 fragment: its ICRC cannot be checked alone */
	FRAME_BAD_VERSION = 1 << 3, /* IP version or header length that cannot be */
	FRAME_BAD_OPCODE = 1 << 4,  /* BTH opcode that is reserved */
	FRAME_BAD_IP_CHECKSUM = 1 << 5,
	FRAME_BAD_PFC_ADDRESS = 1 << 6, /* MAC control not sent to 01-80-C2-00-00-01 */
	FRAME_BAD_PFC_VECTOR = 1 << 7,  /* high byte not zero */
};

/* What is captured of a longer packet beyond this is not looked at. */
#define FRAME_MAX_BYTES (1u << 24)

struct frame {
	const uint8_t *data;
	uint32_t cap_bytes, wire_bytes; /* captured; on the wire (without FCS as a rule) */
	uint8_t kind;                   /* enum frame_kind */
	uint8_t faults;                 /* enum frame_fault */
	uint8_t n_vlan;                 /* tags seen; the outer two are kept */
	uint8_t ip_version;             /* 4, 6 (also a GRH) or 0 */
	uint32_t has;                   /* enum frame_has */

	/* Offsets into data; 0 where the header is absent (payload: where it would begin). */
	uint16_t l2_at, l3_at, udp_at, bth_at, payload_at;
	uint32_t icrc_at;
	uint16_t ethertype; /* the innermost */
	struct frame_vlan {
		uint16_t tpid, tci; /* tci: PCP 3, DEI 1, VID 12 bits */
	} vlan[2];

	/* IPv4 and IPv6: network order, IPv4 in the first four bytes, the rest zero. */
	uint8_t src[16], dst[16];
	uint8_t dscp, ecn, ttl, protocol;
	uint16_t ip_id;
	uint16_t sport, dport;
	uint32_t flow_label;

	/* BTH. */
	uint8_t opcode;
	uint8_t pad, tver;
	bool solicited, migreq, fecn, becn, ack_req;
	uint16_t pkey;
	uint32_t dqp, psn;
	uint32_t payload_bytes; /* by the length fields, whether captured or not */
	uint32_t trailer_bytes; /* after the packet: Ethernet padding, a kept FCS */
	uint32_t icrc;          /* as in the four bytes read little-endian */

	/* Extended headers. */
	uint64_t reth_va;
	uint32_t reth_rkey, reth_bytes;
	uint8_t aeth_syndrome;
	uint32_t aeth_msn;
	uint32_t deth_qkey, deth_src_qp;
	uint64_t atomic_va, atomic_swap_add, atomic_compare; /* rkey: reth_rkey */
	uint64_t atomic_ack;                                 /* original remote data */
	uint32_t imm, ieth_rkey, xrceth_srq, rdeth_eecn, feth;

	/* MAC control. PAUSE: quanta[0]. */
	uint16_t pfc_vector, quanta[8];
	uint16_t mac_control_opcode;

	/* Native InfiniBand. */
	uint16_t slid, dlid;
	uint8_t vl, sl;
};

/* wire_bytes of 0: what was captured is all there was. */
void frame_parse(struct frame *f, uint32_t link, const uint8_t *data, uint32_t cap_bytes,
        uint32_t wire_bytes);

/* The same where RoCEv2 is also what goes to this UDP port, as some programs have it. */
void frame_parse_port(struct frame *f, uint32_t link, const uint8_t *data, uint32_t cap_bytes,
        uint32_t wire_bytes, uint16_t udp_port);

enum icrc_verdict { ICRC_NOT_CHECKABLE, ICRC_GOOD, ICRC_BAD };

/* Of a RoCE or InfiniBand frame; NOT_CHECKABLE where bytes are missing or it is a fragment. */
enum icrc_verdict frame_icrc(const struct frame *f);

/* What a frame is to the control loop. */
static inline bool frame_is_roce(const struct frame *f)
{
	return (f->has & FRAME_HAS_BTH) != 0;
}

#endif
