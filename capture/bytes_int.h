/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers out of file bytes, in the byte order of the file. */
#ifndef CAPTURE_BYTES_INT_H
#define CAPTURE_BYTES_INT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dataplane/base/compiler.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "swap means big-endian file");

static ALWAYS_INLINE uint16_t bytes_u16(const uint8_t *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static ALWAYS_INLINE uint32_t bytes_u32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static ALWAYS_INLINE uint64_t bytes_u64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

#endif
