/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding by carry-less multiplication (Gopal and others, "Fast CRC computation for generic
 * polynomials using PCLMULQDQ instruction", Intel 2009): four times 128 bits at once, and a
 * Barrett reduction at the end. The odd bytes are taken first, in front of which zeros do not
 * change a register of zero, so that no tail is left. A constant that moves a half by D bits is
 * x^(D + 32) mod P for the low and x^(D - 32) mod P for the high one, reflected, shifted by 1.
 */
#include "dataplane/wire/crc_int.h"
#include "dataplane/wire/crc_reduce_int.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("pclmul,sse4.1,ssse3")))
#define FOLD   TARGET static ALWAYS_INLINE __m128i

/* Moves bytes up by 16 - r: the r first ones become the last. From `16 - r` behind the start.
 */
static const uint8_t move_up[32] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
        15};

FOLD load(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

FOLD load_masked(const uint8_t *p, const struct crc_mask *mask, size_t at)
{
	return _mm_or_si128(load(p + at), load(mask->ones + at));
}

FOLD fold(__m128i x, __m128i k, __m128i next)
{
	return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(x, k, 0x00),
	                                   _mm_clmulepi64_si128(x, k, 0x11)));
}

TARGET uint32_t crc_pclmul(
        uint32_t crc, const uint8_t *p, size_t n, const struct crc_mask *mask)
{
	const __m128i k128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
	const __m128i k512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
	size_t r = n & 15, blocks = n >> 4;
	__m128i up = load(move_up + r);
	__m128i x = _mm_shuffle_epi8(load_masked(p, mask, 0), up);
	__m128i start = _mm_cvtsi32_si128((int)crc);
	/* With less than four odd bytes a part of the register goes into the next block. */
	__m128i spill =
	        _mm_cvtsi32_si128(r < 4 ? (int)(uint32_t)((uint64_t)crc >> (8 * r)) : 0);
	size_t at = r;

	x = _mm_xor_si128(x, _mm_shuffle_epi8(start, up));
	if (blocks >= 4) {
		__m128i a = load_masked(p, mask, at), b = load_masked(p, mask, at + 16);
		__m128i c = load_masked(p, mask, at + 32), d = load_masked(p, mask, at + 48);

		a = fold(x, k128, _mm_xor_si128(a, spill));
		for (p += at + 64, blocks -= 4; blocks >= 4; blocks -= 4, p += 64) {
			a = fold(a, k512, load(p));
			b = fold(b, k512, load(p + 16));
			c = fold(c, k512, load(p + 32));
			d = fold(d, k512, load(p + 48));
		}
		x = fold(fold(fold(a, k128, b), k128, c), k128, d);
		for (; blocks; blocks--, p += 16)
			x = fold(x, k128, load(p));
		return crc_reduce(x);
	}
	for (; blocks; blocks--, at += 16, spill = _mm_setzero_si128())
		x = fold(x, k128, _mm_xor_si128(load_masked(p, mask, at), spill));
	return crc_reduce(x);
}
#else
uint32_t crc_pclmul(uint32_t crc, const uint8_t *p, size_t n, const struct crc_mask *mask)
{
	return crc_masked_by(CRC_SLICING, crc, p, n, mask);
}
#endif
