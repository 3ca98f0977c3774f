/* SPDX-License-Identifier: Apache-2.0 */
/* ERF records (Endace, "ERF types"): 16 bytes of header, extension headers, the packet. */
#include "dataplane/wire/parse_int.h"

#define ERF_BYTES           16
#define ERF_EXTENSION_BYTES 8
#define ERF_MAX_EXTENSIONS  16
#define ERF_ETHERNET_PAD    2

enum {
	ERF_ETHERNET = 2,
	ERF_COLOR_ETHERNET = 11,
	ERF_DSM_ETHERNET = 16,
	ERF_COLOR_HASH_ETHERNET = 20,
	ERF_INFINIBAND = 21,
	ERF_IPV4 = 22,
	ERF_IPV6 = 23,
};

static bool skip_extensions(struct parse *s, uint8_t type)
{
	for (int i = 0; type & 0x80; i++) {
		if (i == ERF_MAX_EXTENSIONS) {
			s->f->faults |= FRAME_BAD_LENGTH;
			return false;
		}
		if (!parse_need(s, ERF_EXTENSION_BYTES))
			return false;
		type = s->p[s->at];
		s->at += ERF_EXTENSION_BYTES;
	}
	return true;
}

/* The record says itself how long the packet was on the wire. */
static void set_wire_bytes(struct parse *s, uint32_t wire_bytes)
{
	struct frame *f = s->f;

	f->wire_bytes = s->at + wire_bytes;
	if (f->wire_bytes < f->cap_bytes)
		f->cap_bytes = f->wire_bytes; /* the record is padded to eight bytes */
	else if (f->wire_bytes > f->cap_bytes)
		f->faults |= FRAME_TRUNCATED;
	parse_set_end(s, f->wire_bytes);
}

void parse_erf(struct parse *s)
{
	const uint8_t *h = s->p + s->at;
	uint32_t record_bytes;

	if (!parse_need(s, ERF_BYTES))
		return;
	record_bytes = be16(h + 10);
	if (record_bytes < ERF_BYTES || record_bytes > s->end)
		s->f->faults |= FRAME_BAD_LENGTH;
	s->at += ERF_BYTES;
	if (!skip_extensions(s, h[8]))
		return;
	switch (h[8] & 0x7f) {
	case ERF_ETHERNET:
	case ERF_COLOR_ETHERNET:
	case ERF_DSM_ETHERNET:
	case ERF_COLOR_HASH_ETHERNET:
		if (!parse_need(s, ERF_ETHERNET_PAD))
			return;
		s->at += ERF_ETHERNET_PAD;
		set_wire_bytes(s, be16(h + 14));
		parse_ethernet(s);
		break;
	case ERF_INFINIBAND:
		set_wire_bytes(s, be16(h + 14));
		parse_infiniband(s);
		break;
	case ERF_IPV4:
	case ERF_IPV6:
		set_wire_bytes(s, be16(h + 14));
		parse_ip(s);
		break;
	default:
		break;
	}
}
