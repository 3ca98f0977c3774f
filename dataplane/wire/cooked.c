/* SPDX-License-Identifier: Apache-2.0 */
/* Link layers of captures that hold no Ethernet header (tcpdump.org/linktypes.html). */
#include "dataplane/wire/parse_int.h"

#define SLL_BYTES  16
#define SLL2_BYTES 20

/* AF_INET is 2 everywhere; AF_INET6 is each system's own. */
static void parse_family(struct parse *s, uint32_t family)
{
	switch (family) {
	case 2:
		parse_ipv4(s);
		break;
	case 10: /* Linux */
	case 24: /* NetBSD, OpenBSD */
	case 28: /* FreeBSD */
	case 30: /* Darwin */
		parse_ipv6(s);
		break;
	default:
		break;
	}
}

void parse_null(struct parse *s, bool network_order)
{
	uint32_t family;

	if (!parse_need(s, 4))
		return;
	family = be32(s->p + s->at);
	/* The order of the machine that captured: families are small numbers. */
	if (!network_order && family > 0xffff)
		family = __builtin_bswap32(family);
	s->at += 4;
	parse_family(s, family);
}

void parse_sll(struct parse *s)
{
	uint16_t type;

	if (!parse_need(s, SLL_BYTES))
		return;
	type = be16(s->p + s->at + 14);
	s->at += SLL_BYTES;
	parse_ethertype(s, type);
}

void parse_sll2(struct parse *s)
{
	uint16_t type;

	if (!parse_need(s, SLL2_BYTES))
		return;
	type = be16(s->p + s->at);
	s->at += SLL2_BYTES;
	parse_ethertype(s, type);
}
