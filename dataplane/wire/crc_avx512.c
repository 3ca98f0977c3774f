/* SPDX-License-Identifier: Apache-2.0 */
/* The folding of crc_pclmul.c, four times 512 bits at once (VPCLMULQDQ). */
#include "dataplane/wire/crc_int.h"
#include "dataplane/wire/crc_reduce_int.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET                                                                                 \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi2,vpclmulqdq,"     \
	                      "pclmul,sse4.1")))
#define FOLD TARGET static ALWAYS_INLINE __m512i

FOLD load(const uint8_t *p)
{
	return _mm512_loadu_si512(p);
}

FOLD load_masked(const uint8_t *p, const struct crc_mask *mask, size_t at)
{
	return _mm512_or_si512(load(p + at), load(mask->ones + at));
}

/* The first r bytes as the last ones of a register; the bytes before them are not touched. */
FOLD load_up(__mmask64 keep, const uint8_t *p, size_t r)
{
	return _mm512_maskz_loadu_epi8(keep, (const void *)((uintptr_t)p + r - 64));
}

FOLD xor3(__m512i a, __m512i b, __m512i c)
{
	return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

FOLD fold(__m512i x, __m512i k, __m512i next)
{
	return xor3(next, _mm512_clmulepi64_epi128(x, k, 0x00),
	        _mm512_clmulepi64_epi128(x, k, 0x11));
}

FOLD constant(long long high, long long low)
{
	return _mm512_broadcast_i64x2(_mm_set_epi64x(high, low));
}

/* Each lane has its own way to the last one, whose constants are zero. */
TARGET static ALWAYS_INLINE uint32_t reduce(__m512i x)
{
	const __m512i k = _mm512_set_epi64(0, 0, 0x0ccaa009e, 0x1751997d0, 0x15a546366,
	        0x0f1da05aa, 0x174359406, 0x03db1ecdc);
	__m512i last = _mm512_maskz_mov_epi64(0xc0, x);
	__m256i half;

	x = fold(x, k, last);
	half = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
	return crc_reduce(
	        _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
}

TARGET uint32_t crc_avx512(
        uint32_t crc, const uint8_t *p, size_t n, const struct crc_mask *mask)
{
	const __m512i k512 = constant(0x1c6e41596, 0x154442bd4);
	size_t r = n & 63, blocks = n >> 6;
	__mmask64 keep = r ? ~0ull << (64 - r) : 0;
	__m512i start = _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc));
	__m512i x, spill;

	x = xor3(_mm512_or_si512(load_up(keep, p, r), load_up(keep, mask->ones, r)),
	        _mm512_maskz_expand_epi8(keep, start), _mm512_setzero_si512());
	if (!blocks)
		return reduce(x);
	/* With less than four odd bytes a part of the register goes into the next block. */
	spill = _mm512_zextsi128_si512(
	        _mm_cvtsi32_si128(r < 4 ? (int)(uint32_t)((uint64_t)crc >> (8 * r)) : 0));
	x = fold(x, k512, _mm512_xor_si512(load_masked(p, mask, r), spill));
	p += r + 64;
	blocks--;
	if (blocks >= 7) {
		const __m512i k1024 = constant(0x14a7fe880, 0x1e88ef372);
		const __m512i k1536 = constant(0x12e958ac4, 0x1821d8bc0);
		const __m512i k2048 = constant(0x1322d1430, 0x11542778a);
		__m512i b = load(p), c = load(p + 64), d = load(p + 128);

		for (p += 192, blocks -= 3; blocks >= 4; blocks -= 4, p += 256) {
			x = fold(x, k2048, load(p));
			b = fold(b, k2048, load(p + 64));
			c = fold(c, k2048, load(p + 128));
			d = fold(d, k2048, load(p + 192));
		}
		d = fold(c, k512, d);
		x = _mm512_xor_si512(fold(b, k1024, d), fold(x, k1536, _mm512_setzero_si512()));
	}
	for (; blocks; blocks--, p += 64)
		x = fold(x, k512, load(p));
	return reduce(x);
}
#else
uint32_t crc_avx512(uint32_t crc, const uint8_t *p, size_t n, const struct crc_mask *mask)
{
	return crc_masked_by(CRC_SLICING, crc, p, n, mask);
}
#endif
