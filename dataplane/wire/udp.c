/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 768, and what makes it RoCEv2: port 4791 (IBTA annex A17). */
#include "dataplane/wire/parse_int.h"

void parse_udp(struct parse *s)
{
	struct frame *f = s->f;
	const uint8_t *h = s->p + s->at;
	uint32_t bytes, end;

	f->udp_at = (uint16_t)s->at;
	if (!parse_need(s, UDP_BYTES))
		return;
	f->has |= FRAME_HAS_UDP;
	f->sport = be16(h);
	f->dport = be16(h + 2);
	bytes = be16(h + 4);
	end = s->at + bytes;
	if (UNLIKELY(end != s->end)) {
		if (f->faults & FRAME_FRAGMENT && end > s->end)
			; /* the rest is in other fragments */
		else
			f->faults |= FRAME_BAD_LENGTH;
		/* What both lengths allow is the packet. */
		if (bytes < UDP_BYTES || (end > s->end && !(f->faults & FRAME_FRAGMENT)))
			end = s->end;
		parse_set_end(s, end);
	}
	s->at += UDP_BYTES;
	if (UNLIKELY(f->dport != ROCE_PORT) && (f->dport != s->port || !s->port))
		return;
	parse_bth(s);
	if (f->has & FRAME_HAS_BTH)
		f->kind = FRAME_ROCE_V2;
}
