/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that differ from one another in little: the ICRC is linear, so what a changed field
 * adds to it is looked up and the rest is not read again. Two kinds:
 *   frame_template   the whole frame is constant but for the PSN: three lookups a packet
 *   payload_template the headers differ, the payload is constant (and may be where no CPU
 *                    reads, as in a GPU): the headers are computed, the payload joined
 * After init both are constant; any number of threads may use one.
 */
#ifndef WIRE_TEMPLATE_H
#define WIRE_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/wire/be.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/icrc.h"

struct frame_template {
	uint32_t psn_at, icrc_at;
	uint32_t icrc; /* with PSN 0 */
	uint32_t psn_adds[3][256];
};

/* Of a built or captured frame, whose own PSN and ICRC do not matter; false: it has no BTH or
 * is not whole. */
NODISCARD bool frame_template_init(struct frame_template *t, const struct frame *f);

/* Writes PSN and ICRC into a copy of that frame. */
static inline void frame_template_psn(
        const struct frame_template *t, uint8_t *bytes, uint32_t psn)
{
	uint32_t icrc = t->icrc ^ t->psn_adds[0][psn >> 16 & 255] ^
	                t->psn_adds[1][psn >> 8 & 255] ^ t->psn_adds[2][psn & 255];

	put_be24(bytes + t->psn_at, psn);
	put_le32(bytes + t->icrc_at, icrc);
}

struct payload_template {
	struct crc_shift shift; /* over payload and padding */
	uint32_t crc;           /* of payload and padding, from a register of zero */
	uint32_t bytes;         /* payload and padding */
};

/* Any payload, from zero bytes on; padding to four bytes is added as zeros. */
void payload_template_init(struct payload_template *t, const uint8_t *payload, uint32_t bytes);

/* The ICRC, as put into the frame little-endian, of a frame whose bytes from payload_at on need
 * not be there: f's offsets and the bytes before payload_at are used. */
uint32_t payload_template_icrc(const struct payload_template *t, const struct frame *f);

#endif
