/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* One line whatever the text: it may quote a hostile file. */
static void print_line(const char *text)
{
	char line[sizeof(((struct err *)0)->msg)];
	size_t n = 0;

	for (; text[n] && n + 1 < sizeof(line); n++)
		line[n] = (unsigned char)text[n] < 0x20 || text[n] == 0x7f ? ' ' : text[n];
	line[n] = '\0';
	fprintf(stderr, "squall: %s\n", line);
}

enum cli_exit cli_error(const struct err *e)
{
	print_line(e->msg);
	return e->code == -EINVAL ? CLI_BAD_INPUT : CLI_ENVIRONMENT;
}

void cli_note(const char *fmt, ...)
{
	char text[sizeof(((struct err *)0)->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a long note may be cut */
	va_end(ap);
	print_line(text);
}
