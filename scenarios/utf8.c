/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/utf8.h"

#include <stdint.h>
#include <string.h>

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the sequence at p, or 0. RFC 3629 section 4, the table of well-formed sequences. */
static size_t sequence(const unsigned char *p, size_t len)
{
	uint32_t code;

	if (p[0] < 0x80)
		return (p[0] >= 0x20 && p[0] != 0x7f) || p[0] == '\t' || p[0] == '\n' ||
		       p[0] == '\r';
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		return len >= 2 && is_tail(p[1]) && !(p[0] == 0xc2 && p[1] < 0xa0) ? 2 : 0;
	if (p[0] >= 0xe0 && p[0] <= 0xef) {
		if (len < 3 || !is_tail(p[1]) || !is_tail(p[2]))
			return 0;
		code = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
		return code >= 0x800 && (code < 0xd800 || code > 0xdfff) && code < 0xfffe ? 3
		                                                                          : 0;
	}
	if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		if (len < 4 || !is_tail(p[1]) || !is_tail(p[2]) || !is_tail(p[3]))
			return 0;
		code = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 |
		       (p[3] & 0x3fu);
		return code >= 0x10000 && code <= 0x10ffff ? 4 : 0;
	}
	return 0;
}

size_t utf8_good_prefix(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t i = 0;

	while (i < len) {
		size_t n = sequence(p + i, len - i);

		if (!n)
			break;
		i += n;
	}
	return i;
}

/* UAX #9, table of explicit directional characters: U+202A to U+202E, U+2066 to U+2069. */
static bool turns(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return u[0] == 0xe2 && ((u[1] == 0x80 && u[2] >= 0xaa && u[2] <= 0xae) ||
	                               (u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9));
}

bool utf8_is_shown(const char *text)
{
	const size_t len = strlen(text);

	for (const char *p = text; *p; p++)
		if (turns(p))
			return false;
	return utf8_good_prefix(text, len) == len;
}
