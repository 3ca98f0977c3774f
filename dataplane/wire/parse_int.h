/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the bytes of one packet: `at` is where the next header begins, `end` where the
 * enclosing header says that its contents end, `limit` how far of that can be read. Each
 * function reads one header and hands on to the next.
 */
#ifndef WIRE_PARSE_INT_H
#define WIRE_PARSE_INT_H

#include "dataplane/base/compiler.h"
#include "dataplane/wire/be.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"

#define ETHERTYPE_IPV4        0x0800
#define ETHERTYPE_ARP         0x0806
#define ETHERTYPE_VLAN        0x8100
#define ETHERTYPE_IPV6        0x86dd
#define ETHERTYPE_MAC_CONTROL 0x8808
#define ETHERTYPE_SERVICE_TAG 0x88a8
#define ETHERTYPE_ROCE_V1     0x8915
#define ETHERTYPE_LLDP        0x88cc
#define ETHERTYPE_OLD_QINQ    0x9100

#define ETH_BYTES      14
#define VLAN_BYTES     4
#define IPV4_MIN_BYTES 20
#define IPV6_BYTES     40
#define UDP_BYTES      8
#define BTH_BYTES      12
#define ICRC_BYTES     4
#define LRH_BYTES      8

#define IP_PROTOCOL_UDP 17
#define GRH_NEXT_IB     0x1b
#define ROCE_PORT       4791

#define IPV4_MORE_FRAGMENTS 0x2000
#define IPV4_OFFSET_MASK    0x1fff

struct parse {
	struct frame *f;
	const uint8_t *p;
	uint32_t at, end, limit;
	uint16_t port; /* of RoCEv2, besides its own; 0: none */
};

/* Says why n bytes at `at` cannot be read: the length fields, or the capture. */
COLD bool parse_short(struct parse *s, uint32_t n);

static inline bool parse_need(struct parse *s, uint32_t n)
{
	return LIKELY(s->at + n <= s->limit) || parse_short(s, n);
}

static inline void parse_set_end(struct parse *s, uint32_t end)
{
	s->end = end;
	if (end < s->limit)
		s->limit = end;
}

void parse_ethernet(struct parse *s);
void parse_ethertype(struct parse *s, uint16_t type); /* what follows the type: tags as well */
void parse_ipv4(struct parse *s);
void parse_ipv6(struct parse *s);
void parse_ip(struct parse *s); /* by the version nibble */
void parse_udp(struct parse *s);
void parse_grh(struct parse *s);
void parse_bth(struct parse *s);
void parse_mac_control(struct parse *s);
void parse_infiniband(struct parse *s);
void parse_null(struct parse *s, bool network_order);
void parse_sll(struct parse *s);
void parse_sll2(struct parse *s);
void parse_erf(struct parse *s);
void parse_extended(struct parse *s, const struct opcode_info *info);

#endif
