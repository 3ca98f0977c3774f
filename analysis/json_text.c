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

void json_text(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	if (!s) {
		put_text("null", f);
		return;
	}
	put_char('"', f);
	while (*p) {
		size_t n = utf8_len(p);

		if (!n) {
			put_text("\\ufffd", f);
			n = 1;
		} else if (*p == '"' || *p == '\\') {
			put(f, "\\%c", *p);
		} else if (*p < 0x20) {
			put(f, "\\u%04x", *p);
		} else {
			(void)fwrite(p, 1, n, f); /* the stream keeps the error */
		}
		p += n;
	}
	put_char('"', f);
}
