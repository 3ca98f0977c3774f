/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariant CRC of RoCE and InfiniBand: CRC-32 (polynomial 0x04c11db7, reflected) over
 * eight bytes of ones and the packet with its variant fields set to ones (IBTA volume 1
 * section 7.8.1, annex A17.4.5.3). All methods give the same value; the fastest one that the
 * CPU has is chosen at the first call. crc values here are the raw register (not inverted)
 * unless a name says `value`.
 */
#ifndef WIRE_ICRC_H
#define WIRE_ICRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/wire/frame.h"

enum crc_method { CRC_BITWISE, CRC_SLICING, CRC_PCLMUL, CRC_AVX512, CRC_METHODS };

const char *crc_method_name(enum crc_method m);
bool crc_method_here(enum crc_method m); /* whether this CPU has it */
enum crc_method crc_method_best(void);

/* Goes on with a register over bytes. */
uint32_t crc_update_by(enum crc_method m, uint32_t crc, const void *data, size_t n);
uint32_t crc_update(uint32_t crc, const void *data, size_t n); /* by the best */

/* The register after n further zero bytes: what joins the CRC of a header to that of a constant
 * payload: crc(a || b) = crc_shift(crc(a), |b|) ^ crc_of(b starting from 0). */
struct crc_shift {
	uint32_t table[4][256];
};
void crc_shift_init(struct crc_shift *s, size_t n_bytes);
static inline uint32_t crc_shift(const struct crc_shift *s, uint32_t crc)
{
	return s->table[0][crc & 255] ^ s->table[1][crc >> 8 & 255] ^
	       s->table[2][crc >> 16 & 255] ^ s->table[3][crc >> 24];
}

/* frame_icrc and the value that it compares with (as struct frame's icrc), by a method. The
 * frame needs FRAME_HAS_ICRC for the value. */
enum icrc_verdict frame_icrc_by(enum crc_method m, const struct frame *f);
uint32_t frame_icrc_value_by(enum crc_method m, const struct frame *f);

#endif
