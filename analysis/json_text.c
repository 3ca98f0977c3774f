/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/json_text.h"

#include <stddef.h>
#include <stdint.h>

#include "analysis/put.h"

/* Length of the well-formed UTF-8 sequence at p (Unicode 15, table 3-7), 0 if there is none. */
static size_t utf8_len(const unsigned char *p)
{
	size_t n = p[0] < 0x80                    ? 1
	           : p[0] >= 0xc2 && p[0] <= 0xdf ? 2
	           : p[0] >= 0xe0 && p[0] <= 0xef ? 3
	           : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
	                                          : 0;

	for (size_t i = 1; i < n; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* Of the character at p, if it stands for itself. */
static size_t plain_len(const unsigned char *p)
{
	return *p < 0x20 || *p == '"' || *p == '\\' ? 0 : utf8_len(p);
}

static void put_special(FILE *f, unsigned char c)
{
	if (c == '"' || c == '\\')
		put(f, "\\%c", c);
	else if (c < 0x20)
		put(f, "\\u%04x", c);
	else /* no UTF-8 */
		put_text("\\ufffd", f);
}

void json_text(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	if (!s) {
		put_text("null", f);
		return;
	}
	put_char('"', f);
	while (*p) {
		const unsigned char *plain = p;
		size_t n;

		while ((n = plain_len(p)) != 0)
			p += n;
		put_bytes(plain, (size_t)(p - plain), f);
		if (*p)
			put_special(f, *p++);
	}
	put_char('"', f);
}
