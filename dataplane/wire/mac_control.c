/* SPDX-License-Identifier: Apache-2.0 */
/* IEEE 802.3 clause 31, annex 31B (PAUSE) and 31D (priority-based flow control). */
#include "dataplane/wire/parse_int.h"

static const uint8_t pause_address[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

enum { MAC_PAUSE = 0x0001, MAC_PFC = 0x0101 };

static void parse_pfc(struct parse *s)
{
	struct frame *f = s->f;
	const uint8_t *h = s->p + s->at;

	f->kind = FRAME_PFC;
	if (!parse_need(s, 2 + 8 * 2))
		return;
	f->pfc_vector = be16(h);
	for (int i = 0; i < 8; i++)
		f->quanta[i] = be16(h + 2 + 2 * i);
	if (f->pfc_vector >> 8)
		f->faults |= FRAME_BAD_PFC_VECTOR;
	f->has |= FRAME_HAS_PAUSE_TIMES;
}

static void parse_pause(struct parse *s)
{
	s->f->kind = FRAME_PAUSE;
	if (!parse_need(s, 2))
		return;
	s->f->quanta[0] = be16(s->p + s->at);
	s->f->has |= FRAME_HAS_PAUSE_TIMES;
}

void parse_mac_control(struct parse *s)
{
	struct frame *f = s->f;

	f->l3_at = (uint16_t)s->at;
	f->kind = FRAME_MAC_CONTROL;
	if (f->has & FRAME_HAS_ETH && memcmp(s->p + f->l2_at, pause_address, 6) != 0)
		f->faults |= FRAME_BAD_PFC_ADDRESS;
	if (!parse_need(s, 2))
		return;
	f->mac_control_opcode = be16(s->p + s->at);
	s->at += 2;
	if (f->mac_control_opcode == MAC_PFC)
		parse_pfc(s);
	else if (f->mac_control_opcode == MAC_PAUSE)
		parse_pause(s);
}
