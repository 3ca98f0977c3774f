/* SPDX-License-Identifier: Apache-2.0 */
/* Native InfiniBand: IBTA volume 1 section 7.7, the local route header. */
#include "dataplane/wire/parse_int.h"

enum { NEXT_RAW = 0, NEXT_RAW_IPV6 = 1, NEXT_BTH = 2, NEXT_GRH = 3 };

void parse_infiniband(struct parse *s)
{
	struct frame *f = s->f;
	const uint8_t *h = s->p + s->at;
	uint32_t packet_bytes;

	f->l2_at = (uint16_t)s->at;
	if (!parse_need(s, LRH_BYTES))
		return;
	f->has |= FRAME_HAS_LRH;
	f->vl = h[0] >> 4;
	f->sl = h[1] >> 4;
	f->dlid = be16(h + 2);
	f->slid = be16(h + 6);
	/* In words from the LRH to the ICRC; the VCRC of two bytes comes behind it. */
	packet_bytes = (be16(h + 4) & 0x7ffu) * 4;
	if (packet_bytes < LRH_BYTES || s->at + packet_bytes > s->end) {
		f->faults |= FRAME_BAD_LENGTH;
		if (packet_bytes < LRH_BYTES)
			return;
	}
	parse_set_end(s, s->at + packet_bytes);
	s->at += LRH_BYTES;
	if ((h[1] & 3) == NEXT_BTH)
		parse_bth(s);
	else if ((h[1] & 3) == NEXT_GRH)
		parse_grh(s);
	else if ((h[1] & 3) == NEXT_RAW_IPV6)
		parse_ipv6(s);
	if (f->has & FRAME_HAS_BTH && f->kind == FRAME_OTHER)
		f->kind = FRAME_IB;
}
