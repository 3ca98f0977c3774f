/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/exponential.h"

#define FRACTION_BITS 32
#define LN2_Q64       UINT64_C(0xb17217f7d1cf79ab)
#define LOG2_OF_2_64  ((UINT64_C(64)) << FRACTION_BITS)

typedef unsigned __int128 u128;

/*
 * One bit of the fraction per squaring (Knuth, TAOCP 1, section 1.2.2): log2(m^2) = 2 log2(m),
 * so m^2 >= 2 exactly when the next bit is 1. The mantissa is Q63; the k-th squaring is cut by
 * less than 2^-63, which counts 2^-k in the result, in all below 2^-61. So the result is the
 * true value rounded down to 2^-32, except where that lies within 2^-61 above a step.
 */
uint64_t log2_q32(uint64_t x)
{
	unsigned shift = (unsigned)__builtin_clzll(x);
	uint64_t m = x << shift;
	uint64_t whole = 63 - shift, fraction = 0;

	for (int bit = 0; bit < FRACTION_BITS; bit++) {
		u128 square = (u128)m * m; /* Q126, in [1, 4) */

		fraction <<= 1;
		if (square >> 127) {
			fraction |= 1;
			m = (uint64_t)(square >> 64);
		} else {
			m = (uint64_t)(square >> 63);
		}
	}
	return whole << FRACTION_BITS | fraction;
}

uint64_t neg_ln_q32(uint64_t r)
{
	uint64_t log2 = r == UINT64_MAX ? LOG2_OF_2_64 : log2_q32(r + 1);

	/* The logarithm is rounded down by up to 1 step: times ln 2, plus half a step here. */
	return (uint64_t)(((u128)(LOG2_OF_2_64 - log2) * LN2_Q64 + (UINT64_C(1) << 63)) >> 64);
}

int64_t exponential_ps(struct rng *r, int64_t mean_q16)
{
	u128 gap_q48 = (u128)mean_q16 * neg_ln_q32(rng_next(r));
	u128 gap_ps = (gap_q48 + (UINT64_C(1) << 47)) >> 48;

	return gap_ps ? (int64_t)gap_ps : 1;
}
