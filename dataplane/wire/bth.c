/* SPDX-License-Identifier: Apache-2.0 */
/* IBTA volume 1 section 9.2: the base transport header, its contents' lengths, the ICRC. */
#include "dataplane/wire/opcode.h"
#include "dataplane/wire/parse_int.h"

static inline void parse_lengths(struct parse *s, const struct opcode_info *info)
{
	struct frame *f = s->f;
	uint32_t packet_bytes = s->end - f->bth_at;
	uint32_t around_bytes = BTH_BYTES + info->ext_bytes + f->pad + ICRC_BYTES;

	f->payload_at = (uint16_t)(f->bth_at + BTH_BYTES + info->ext_bytes);
	f->trailer_bytes = f->wire_bytes > s->end ? f->wire_bytes - s->end : 0;
	if (UNLIKELY(packet_bytes < around_bytes)) {
		f->faults |= FRAME_BAD_LENGTH;
		return;
	}
	f->payload_bytes = packet_bytes - around_bytes;
	f->icrc_at = s->end - ICRC_BYTES;
	if (UNLIKELY(packet_bytes % 4 ||
	             (f->payload_bytes &&
	                     (info->flags & (OPCODE_KNOWN | OPCODE_PAYLOAD)) == OPCODE_KNOWN)))
		f->faults |= FRAME_BAD_LENGTH;
	if (s->end <= f->cap_bytes && !(f->faults & FRAME_FRAGMENT)) {
		f->icrc = le32(s->p + f->icrc_at);
		f->has |= FRAME_HAS_ICRC;
	}
}

void parse_bth(struct parse *s)
{
	struct frame *f = s->f;
	const struct opcode_info *info;
	const uint8_t *h = s->p + s->at;
	uint32_t word;

	f->bth_at = (uint16_t)s->at;
	if (!parse_need(s, BTH_BYTES))
		return;
	f->has |= FRAME_HAS_BTH;
	word = be32(h);
	f->opcode = h[0];
	f->solicited = word >> 23 & 1;
	f->migreq = word >> 22 & 1;
	f->pad = word >> 20 & 3;
	f->tver = word >> 16 & 15;
	f->pkey = (uint16_t)word;
	word = be32(h + 4);
	f->fecn = word >> 31;
	f->becn = word >> 30 & 1;
	f->dqp = word & 0xffffff;
	word = be32(h + 8);
	f->ack_req = word >> 31;
	f->psn = word & 0xffffff;
	info = &opcode_table[f->opcode];
	if (UNLIKELY(!(info->flags & OPCODE_KNOWN)))
		f->faults |= FRAME_BAD_OPCODE;
	s->at += BTH_BYTES;
	parse_lengths(s, info);
	if (info->n_ext)
		parse_extended(s, info);
}
