/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/markup_text.h"

#include <stdbool.h>
#include <stdint.h>

#include "analysis/put.h"

/* One character at *p, which moves on; U+FFFD for bytes that are no UTF-8. */
static uint32_t next_char(const unsigned char **p)
{
	const unsigned char *s = *p;
	unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = n < 2 ? s[0] : s[0] & (0x7fu >> n);

	*p = s + 1;
	if (n < 2)
		return n ? c : 0xfffd;
	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0xfffd;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0xfffd;
	*p = s + n;
	return c;
}

static void put_utf8(FILE *f, uint32_t c)
{
	if (c < 0x80) {
		put_char((char)c, f);
		return;
	}
	if (c < 0x800) {
		put_char((char)(0xc0 | c >> 6), f);
	} else {
		if (c < 0x10000) {
			put_char((char)(0xe0 | c >> 12), f);
		} else {
			put_char((char)(0xf0 | c >> 18), f);
			put_char((char)(0x80 | (c >> 12 & 0x3f)), f);
		}
		put_char((char)(0x80 | (c >> 6 & 0x3f)), f);
	}
	put_char((char)(0x80 | (c & 0x3f)), f);
}

/* XML 1.0, production 2 */
static bool is_xml(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' ||
	       (c >= 0x20 && c != 0xfffe && c != 0xffff && !(c >= 0x7f && c < 0xa0));
}

void markup_text(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)(s ? s : "");

	while (*p) {
		uint32_t c = next_char(&p);

		switch (c) {
		case '&':
			put_text("&amp;", f);
			break;
		case '<':
			put_text("&lt;", f);
			break;
		case '>':
			put_text("&gt;", f);
			break;
		case '"':
			put_text("&quot;", f);
			break;
		case '\'':
			put_text("&#39;", f);
			break;
		case '\n':
		case '\t':
		case '\r': /* an attribute would have blanks instead */
			put(f, "&#%u;", c);
			break;
		default:
			put_utf8(f, is_xml(c) ? c : 0xfffd);
		}
	}
}
