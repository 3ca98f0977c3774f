/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of a file into nanoseconds: a count of ticks, each 10^-n or 2^-n of a second, from an
 * offset in whole seconds (if_tsresol and if_tsoffset of pcapng; 32.32 fixed point is 2^-32).
 * Parts of a nanosecond are cut off; what does not fit in int64_t (the years 1677 to 2262)
 * stops at its limit.
 */
#ifndef CAPTURE_TICK_H
#define CAPTURE_TICK_H

#include <stdint.h>

struct tick {
	uint64_t multiply, divide; /* ns = ticks * multiply / divide >> shift + offset */
	uint32_t shift;
	int64_t offset_s;
};

/* tsresol: n, with bit 7 for powers of two. */
struct tick tick_make(uint8_t tsresol, int64_t offset_s);
int64_t tick_resolution_ps(uint8_t tsresol); /* 0: finer than 1 ps */

static inline int64_t tick_ns(const struct tick *t, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks * t->multiply >> t->shift;
	__int128 sum;

	if (t->divide != 1) /* only where multiply is 1 */
		ns = (uint64_t)ns / t->divide;
	sum = (__int128)ns + (__int128)t->offset_s * 1000000000;
	if (sum > INT64_MAX)
		return INT64_MAX;
	return sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
}

#endif
