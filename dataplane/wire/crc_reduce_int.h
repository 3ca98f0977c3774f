/* SPDX-License-Identifier: Apache-2.0 */
/* The end of both ways of folding: 128 bits to the register, by Barrett (source: crc_pclmul.c).
 */
#ifndef WIRE_CRC_REDUCE_INT_H
#define WIRE_CRC_REDUCE_INT_H

#include <stdint.h>

#include "dataplane/base/compiler.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("pclmul,sse4.1"))) static ALWAYS_INLINE uint32_t crc_reduce(__m128i x)
{
	const __m128i k128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
	const __m128i k64 = _mm_set_epi64x(0, 0x163cd6124);
	const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);
	const __m128i low32 = _mm_set_epi64x(0, 0xffffffff);
	__m128i t;

	x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, k128, 0x10));
	t = _mm_clmulepi64_si128(_mm_and_si128(x, low32), k64, 0x00);
	x = _mm_xor_si128(_mm_srli_si128(x, 4), t);
	t = _mm_clmulepi64_si128(_mm_and_si128(x, low32), barrett, 0x10);
	t = _mm_clmulepi64_si128(_mm_and_si128(t, low32), barrett, 0x00);
	return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, t), 1);
}

#endif

#endif
