/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/hex.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

long hex_bytes(uint8_t *out, size_t max, const char *text)
{
	size_t n = 0;

	while (*text) {
		if (*text == ' ') {
			text++;
			continue;
		}
		if (n == max || digit(text[0]) < 0 || digit(text[1]) < 0)
			return -1;
		out[n++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
		text += 2;
	}
	return (long)n;
}

void hex_text(char *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[p[i] >> 4];
		*out++ = digits[p[i] & 15];
	}
	*out = 0;
}
