/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tick.h"

#define POWER_OF_TWO 0x80
#define NS_PER_S     UINT64_C(1000000000)

static uint64_t power_of_ten(uint32_t n)
{
	uint64_t v = 1;

	while (n--)
		v *= 10;
	return v;
}

struct tick tick_make(uint8_t tsresol, int64_t offset_s)
{
	struct tick t = {.multiply = 1, .divide = 1, .offset_s = offset_s};
	uint32_t n = tsresol & 0x7f;

	if (tsresol & POWER_OF_TWO) {
		t.multiply = NS_PER_S;
		t.shift =
		        n; /* the product has 94 bits, so larger shifts give 0 as they should */
	} else if (n <= 9) {
		t.multiply = power_of_ten(9 - n);
	} else if (n - 9 <= 19) {
		t.divide = power_of_ten(n - 9);
	} else {
		t.multiply = 0; /* 2^64 such ticks are less than a nanosecond */
	}
	return t;
}

int64_t tick_resolution_ps(uint8_t tsresol)
{
	uint32_t n = tsresol & 0x7f;

	if (!(tsresol & POWER_OF_TWO))
		return n <= 12 ? (int64_t)power_of_ten(12 - n) : 0;
	if (n > 40)
		return 0;
	return (int64_t)((UINT64_C(1000) * NS_PER_S + ((UINT64_C(1) << n) >> 1)) >> n);
}
