/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 8200, and the GRH of InfiniBand, which has its form (IBTA volume 1 section 8.3). */
#include "dataplane/wire/parse_int.h"

#define MAX_EXTENSIONS 8 /* each at most 2048 bytes, so that offsets stay small */

enum {
	NEXT_HOP_BY_HOP = 0,
	NEXT_ROUTING = 43,
	NEXT_FRAGMENT = 44,
	NEXT_AUTHENTICATION = 51,
	NEXT_DESTINATION = 60,
	NEXT_MOBILITY = 135,
	NEXT_HIP = 139,
	NEXT_SHIM6 = 140,
};

static bool is_extension(uint8_t next)
{
	switch (next) {
	case NEXT_HOP_BY_HOP:
	case NEXT_ROUTING:
	case NEXT_FRAGMENT:
	case NEXT_AUTHENTICATION:
	case NEXT_DESTINATION:
	case NEXT_MOBILITY:
	case NEXT_HIP:
	case NEXT_SHIM6:
		return true;
	default:
		return false;
	}
}

static uint32_t extension_bytes(uint8_t next, uint8_t length)
{
	if (next == NEXT_FRAGMENT)
		return 8;
	if (next == NEXT_AUTHENTICATION) /* RFC 4302: in units of four */
		return (length + 2u) * 4;
	return (length + 1u) * 8;
}

/* Leaves `at` behind the extension headers and the protocol in f; false: it cannot be reached.
 */
static NOINLINE bool parse_extensions(struct parse *s)
{
	struct frame *f = s->f;

	for (int i = 0; is_extension(f->protocol); i++) {
		const uint8_t *h = s->p + s->at;

		if (i == MAX_EXTENSIONS) {
			f->faults |= FRAME_BAD_LENGTH;
			return false;
		}
		if (!parse_need(s, 8) || !parse_need(s, extension_bytes(f->protocol, h[1])))
			return false;
		if (f->protocol == NEXT_FRAGMENT && be16(h + 2) & 0xfff9) {
			f->faults |= FRAME_FRAGMENT;
			if (be16(h + 2) & 0xfff8)
				return false;
		}
		s->at += extension_bytes(f->protocol, h[1]);
		f->protocol = h[0];
	}
	return true;
}

/* The 40 bytes that both have; false: they are not there. */
static inline bool parse_fixed(struct parse *s)
{
	struct frame *f = s->f;
	const uint8_t *h = s->p + s->at;
	uint32_t word, payload_bytes, end;

	f->l3_at = (uint16_t)s->at;
	if (!parse_need(s, IPV6_BYTES))
		return false;
	word = be32(h);
	if (UNLIKELY(word >> 28 != 6)) {
		f->faults |= FRAME_BAD_VERSION;
		return false;
	}
	f->has |= FRAME_HAS_IPV6;
	f->ip_version = 6;
	f->dscp = word >> 22 & 63;
	f->ecn = word >> 20 & 3;
	f->flow_label = word & 0xfffff;
	f->protocol = h[6];
	f->ttl = h[7];
	memcpy(f->src, h + 8, 16);
	memcpy(f->dst, h + 24, 16);
	s->at += IPV6_BYTES;
	payload_bytes = be16(h + 4);
	end = s->at + payload_bytes;
	if (UNLIKELY(end > s->end || payload_bytes == 0)) {
		f->faults |= FRAME_BAD_LENGTH;
		if (payload_bytes == 0)
			end = s->end;
	}
	parse_set_end(s, end);
	return true;
}

void parse_ipv6(struct parse *s)
{
	if (!parse_fixed(s))
		return;
	if (UNLIKELY(s->f->protocol != IP_PROTOCOL_UDP) && !parse_extensions(s))
		return;
	if (s->f->protocol == IP_PROTOCOL_UDP)
		parse_udp(s);
}

void parse_grh(struct parse *s)
{
	if (parse_fixed(s) && s->f->protocol == GRH_NEXT_IB)
		parse_bth(s);
}
