/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/wrap_text.h"

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/put.h"

#define COLUMNS_PLAIN 100
#define COLUMNS_LEAST 60

int wrap_columns(FILE *f)
{
	struct winsize w;

	if (!isatty(fileno(f)) || ioctl(fileno(f), TIOCGWINSZ, &w) || !w.ws_col)
		return COLUMNS_PLAIN;
	return w.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : w.ws_col;
}

/* Columns of a word: bytes that begin a character of UTF-8. */
static int width_of(const char *word, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)word[i] & 0xc0) != 0x80;
	return n;
}

void wrap_text(FILE *f, const char *text, int at, int indent, int columns)
{
	bool first = true; /* of its line */

	while (*(text += strspn(text, " "))) {
		const size_t len = strcspn(text, " ");
		const int width = width_of(text, len);

		if (!first && at + 1 + width > columns) {
			put(f, "\n%*s", indent, "");
			at = indent;
			first = true;
		}
		put(f, "%s%.*s", first ? "" : " ", (int)len, text);
		at += width + !first;
		first = false;
		text += len;
	}
	put(f, "\n");
}
