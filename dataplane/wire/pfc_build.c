/* SPDX-License-Identifier: Apache-2.0 */
/* IEEE 802.3 annex 31B and 31D. */
#include "dataplane/wire/be.h"
#include "dataplane/wire/build.h"

static uint8_t *put_mac_control(uint8_t *p, const uint8_t src_mac[6], uint16_t opcode)
{
	static const uint8_t address[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

	memset(p, 0, PFC_FRAME_BYTES);
	memcpy(p, address, 6);
	memcpy(p + 6, src_mac, 6);
	put_be16(p + 12, 0x8808);
	put_be16(p + 14, opcode);
	return p + 16;
}

void pfc_frame_build(uint8_t out[PFC_FRAME_BYTES], const uint8_t src_mac[6], uint16_t vector,
        const uint16_t quanta[8])
{
	uint8_t *p = put_mac_control(out, src_mac, 0x0101);

	put_be16(p, vector);
	for (int i = 0; i < 8; i++)
		put_be16(p + 2 + 2 * i, quanta[i]);
}

void pause_frame_build(uint8_t out[PFC_FRAME_BYTES], const uint8_t src_mac[6], uint16_t quanta)
{
	put_be16(put_mac_control(out, src_mac, 0x0001), quanta);
}
