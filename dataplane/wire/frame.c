/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/wire/frame.h"

#include "dataplane/wire/parse_int.h"

bool parse_short(struct parse *s, uint32_t n)
{
	s->f->faults |= s->at + n > s->end ? FRAME_BAD_LENGTH : FRAME_TRUNCATED;
	return false;
}

static COLD void parse_rare_link(struct parse *s, uint32_t link)
{
	switch (link) {
	case FRAME_LINK_NULL:
		parse_null(s, false);
		break;
	case FRAME_LINK_LOOP:
		parse_null(s, true);
		break;
	case FRAME_LINK_RAW_12:
	case FRAME_LINK_RAW:
		parse_ip(s);
		break;
	case FRAME_LINK_IPV4:
		parse_ipv4(s);
		break;
	case FRAME_LINK_IPV6:
		parse_ipv6(s);
		break;
	case FRAME_LINK_SLL:
		parse_sll(s);
		break;
	case FRAME_LINK_SLL2:
		parse_sll2(s);
		break;
	case FRAME_LINK_ERF:
		parse_erf(s);
		break;
	case FRAME_LINK_INFINIBAND:
		parse_infiniband(s);
		break;
	default:
		break;
	}
}

/* Of a size that the compiler knows gcc makes `rep stos`, which takes longer than all the rest
 * of the parser; the library's memset is told by the size at run time. */
static inline void frame_clear(struct frame *f)
{
	size_t bytes = sizeof(*f);

	__asm__("" : "+r"(bytes));
	memset(f, 0, bytes);
}

static ALWAYS_INLINE void parse_frame(struct frame *f, uint32_t link, const uint8_t *data,
        uint32_t cap_bytes, uint32_t wire_bytes, uint16_t udp_port)
{
	struct parse s = {.f = f, .p = data, .port = udp_port};

	frame_clear(f);
	if (UNLIKELY(cap_bytes > FRAME_MAX_BYTES))
		cap_bytes = FRAME_MAX_BYTES;
	if (wire_bytes < cap_bytes)
		wire_bytes = cap_bytes;
	f->data = data;
	f->cap_bytes = cap_bytes;
	f->wire_bytes = wire_bytes;
	if (cap_bytes < wire_bytes)
		f->faults = FRAME_TRUNCATED;
	s.end = wire_bytes;
	s.limit = cap_bytes;
	if (LIKELY(link == FRAME_LINK_ETHERNET))
		parse_ethernet(&s);
	else
		parse_rare_link(&s, link);
}

void frame_parse(struct frame *f, uint32_t link, const uint8_t *data, uint32_t cap_bytes,
        uint32_t wire_bytes)
{
	parse_frame(f, link, data, cap_bytes, wire_bytes, 0);
}

void frame_parse_port(struct frame *f, uint32_t link, const uint8_t *data, uint32_t cap_bytes,
        uint32_t wire_bytes, uint16_t udp_port)
{
	parse_frame(f, link, data, cap_bytes, wire_bytes, udp_port);
}
