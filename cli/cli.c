/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/put.h"

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

const char *cli_line(char line[CLI_LINE_BYTES], const char *text)
{
	size_t n = 0;

	for (; text[n] && n + 1 < CLI_LINE_BYTES; n++) {
		line[n] = text[n];
		if (is_control(text[n]))
			line[n] = ' ';
	}
	line[n] = '\0';
	return line;
}

static void print_line(const char *text)
{
	char line[CLI_LINE_BYTES];

	put(stderr, "squall: %s\n", cli_line(line, text));
}

enum cli_exit cli_error(const struct err *e)
{
	print_line(e->msg);
	return cli_exit_of(e);
}

enum cli_exit cli_exit_of(const struct err *e)
{
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
