/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods behind crc_update. Those for vectors take a mask as well: byte i of the data is
 * ored with mask[i] for i < CRC_MASK_BYTES, so that variant fields of a packet become ones on
 * their way into the register. The second half of a mask is zeros.
 */
#ifndef WIRE_CRC_INT_H
#define WIRE_CRC_INT_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/wire/icrc.h"

#define CRC_POLYNOMIAL 0xedb88320u /* 0x04c11db7 reflected */
#define CRC_MASK_BYTES 64

struct crc_mask {
	uint8_t ones[2 * CRC_MASK_BYTES];
};

extern const uint32_t crc_table[16][256];
extern const struct crc_mask crc_no_mask;

uint32_t crc_bitwise(uint32_t crc, const uint8_t *p, size_t n);
uint32_t crc_slicing(uint32_t crc, const uint8_t *p, size_t n);
uint32_t crc_pclmul(uint32_t crc, const uint8_t *p, size_t n, const struct crc_mask *mask);
uint32_t crc_avx512(uint32_t crc, const uint8_t *p, size_t n, const struct crc_mask *mask);

/* crc_update_by over bytes under a mask. */
uint32_t crc_masked_by(enum crc_method m, uint32_t crc, const uint8_t *p, size_t n,
        const struct crc_mask *mask);

#endif
