/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two digits before p: half as many divisions, each of which waits for the one before. */
static inline char *pair(char *p, uint64_t below_100)
{
	static const char digits[] = "00010203040506070809101112131415161718192021222324"
	                             "25262728293031323334353637383940414243444546474849"
	                             "50515253545556575859606162636465666768697071727374"
	                             "75767778798081828384858687888990919293949596979899";

	return memcpy(p - 2, &digits[2 * below_100], 2);
}

size_t number_put(char *to, int64_t value, int decimals)
{
	uint64_t u = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char buf[NUMBER_LEN], *p = buf + NUMBER_LEN;
	int left = decimals;
	bool fraction;
	size_t len;

	while (left > 0 && u % 10 == 0) {
		u /= 10;
		left--;
	}
	fraction = left > 0;
	for (; left >= 2; left -= 2, u /= 100)
		p = pair(p, u % 100);
	if (left) {
		*--p = (char)('0' + u % 10);
		u /= 10;
	}
	if (fraction)
		*--p = '.';
	for (; u >= 100; u /= 100)
		p = pair(p, u % 100);
	if (u >= 10)
		p = pair(p, u);
	else
		*--p = (char)('0' + u);
	if (value < 0)
		*--p = '-';
	len = (size_t)(buf + NUMBER_LEN - p);
	memcpy(to, p, len);
	return len;
}

const char *number_fixed(char buf[NUMBER_LEN], int64_t value, int decimals)
{
	buf[number_put(buf, value, decimals)] = '\0';
	return buf;
}

const char *number_double(char buf[NUMBER_LEN], double value)
{
	if (!isfinite(value))
		return memcpy(buf, "null", sizeof("null")); /* JSON has no infinity */
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(
		        buf, NUMBER_LEN, "%.*g", digits, value); /* 24 characters at most */
		if (strtod(buf, NULL) == value)
			break;
	}
	return buf;
}

const char *number_grouped(char buf[NUMBER_LEN], int64_t value)
{
	char digits[NUMBER_LEN];
	char *to = buf;

	number_fixed(digits, value, 0);
	for (const char *p = digits; *p; p++) {
		*to++ = *p;
		if (*p != '-' && p[1] && strlen(p + 1) % 3 == 0)
			*to++ = ' ';
	}
	*to = '\0';
	return buf;
}
