/* SPDX-License-Identifier: Apache-2.0 */
/* Pause frames, and those that one may meet in their place (enum pfc_form). */
#include <string.h>

#include "scenarios/tap_frames.h"

#define OPCODE_AT      14 /* after the Ethernet header */
#define TIME_AT        16 /* of 802.3x; of PFC the vector stands here */
#define SHORT_BYTES    26 /* ends behind the fourth of eight times */
#define OPCODE_PAUSE   1
#define OPCODE_NONE    0x0102
#define QUANTA_FOREVER 65535 /* what a switch sends that never lets its pause run out */

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

uint32_t tap_pause_frame(
        uint8_t out[TAP_FRAME_MAX_BYTES], const uint8_t src_mac[6], const struct desc *d)
{
	static const uint8_t zero[6];
	const uint16_t time =
	        (uint16_t)(d->conn && d->conn < QUANTA_FOREVER ? d->conn : QUANTA_FOREVER);
	uint16_t quanta[8];

	for (int i = 0; i < 8; i++)
		quanta[i] = d->sent_unit >> i & 1 ? time : 0;
	if (d->entropy == PFC_ZERO_VECTOR)
		for (int i = 0; i < 8; i++)
			quanta[i] = time;
	pfc_frame_build(out, d->entropy == PFC_ZERO_SOURCE ? zero : src_mac,
	        d->entropy == PFC_ZERO_VECTOR ? 0 : (uint16_t)d->psn, quanta);
	switch (d->entropy) {
	case PFC_GLOBAL_PAUSE:
		memset(out + OPCODE_AT, 0, PFC_FRAME_BYTES - OPCODE_AT);
		put16(out + OPCODE_AT, OPCODE_PAUSE);
		put16(out + TIME_AT, d->conn);
		break;
	case PFC_BAD_OPCODE:
		put16(out + OPCODE_AT, OPCODE_NONE);
		break;
	case PFC_SHORT:
		return SHORT_BYTES;
	default:
		break;
	}
	return PFC_FRAME_BYTES;
}
