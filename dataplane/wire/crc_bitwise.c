/* SPDX-License-Identifier: Apache-2.0 */
/* The definition, one bit at a time: what the other methods are proven against. */
#include "dataplane/wire/crc_int.h"

uint32_t crc_bitwise(uint32_t crc, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
	}
	return crc;
}
