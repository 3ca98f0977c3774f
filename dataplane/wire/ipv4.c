/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 791 with the DSCP and ECN fields of RFC 2474 and RFC 3168. */
#include "dataplane/wire/parse_int.h"

/* The ones' complement sum (RFC 1071) does not depend on byte order. */
static inline bool checksum_good(const uint8_t *p, uint32_t bytes)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < bytes; i += 4)
		sum += le32(p + i);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/* Where the datagram ends by its own account; a contradiction is noted. */
static inline uint32_t datagram_end(struct parse *s, uint32_t header_bytes)
{
	uint32_t total_bytes = be16(s->p + s->at + 2);
	uint32_t end = s->at + total_bytes;

	if (LIKELY(end <= s->end && total_bytes >= header_bytes))
		return end;
	s->f->faults |= FRAME_BAD_LENGTH;
	/* A sending host's segmentation offload leaves zero: the datagram is all there is. */
	return total_bytes ? end : s->end;
}

void parse_ipv4(struct parse *s)
{
	struct frame *f = s->f;
	uint32_t header_bytes, fragment;
	const uint8_t *h = s->p + s->at;

	f->l3_at = (uint16_t)s->at;
	if (!parse_need(s, IPV4_MIN_BYTES))
		return;
	header_bytes = (h[0] & 15u) * 4;
	if (UNLIKELY(h[0] >> 4 != 4 || header_bytes < IPV4_MIN_BYTES)) {
		f->faults |= FRAME_BAD_VERSION;
		return;
	}
	if (!parse_need(s, header_bytes))
		return;
	f->has |= FRAME_HAS_IPV4;
	f->ip_version = 4;
	f->dscp = h[1] >> 2;
	f->ecn = h[1] & 3;
	f->ip_id = be16(h + 4);
	f->ttl = h[8];
	f->protocol = h[9];
	memcpy(f->src, h + 12, 4);
	memcpy(f->dst, h + 16, 4);
	if (UNLIKELY(!checksum_good(h, header_bytes)))
		f->faults |= FRAME_BAD_IP_CHECKSUM;
	parse_set_end(s, datagram_end(s, header_bytes));
	s->at += header_bytes;
	fragment = be16(h + 6);
	if (UNLIKELY(fragment & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET_MASK))) {
		f->faults |= FRAME_FRAGMENT;
		if (fragment & IPV4_OFFSET_MASK)
			return;
	}
	if (LIKELY(f->protocol == IP_PROTOCOL_UDP))
		parse_udp(s);
}

void parse_ip(struct parse *s)
{
	s->f->l3_at = (uint16_t)s->at;
	if (!parse_need(s, 1))
		return;
	if (s->p[s->at] >> 4 == 4)
		parse_ipv4(s);
	else if (s->p[s->at] >> 4 == 6)
		parse_ipv6(s);
	else
		s->f->faults |= FRAME_BAD_VERSION;
}
