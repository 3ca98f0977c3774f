/* SPDX-License-Identifier: Apache-2.0 */
/* Network byte order in any alignment. */
#ifndef WIRE_BE_H
#define WIRE_BE_H

#include <stdint.h>
#include <string.h>

static inline uint16_t be16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

static inline uint32_t be32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline uint32_t be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | be16(p + 1);
}

static inline uint64_t be64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

static inline uint32_t le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void put_be16(uint8_t *p, uint16_t v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	put_be16(p + 1, (uint16_t)v);
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be64(uint8_t *p, uint64_t v)
{
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_le32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

_Static_assert(
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a big-endian machine needs other copies");

#endif
