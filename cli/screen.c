/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/screen.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/put.h"
#include "cli/stop.h"

/* Xterm's other screen, and no cursor. */
#define ENTER      "\033[?1049h\033[?25l"
#define HOME       "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_REST "\033[J"

bool screen_begin(struct screen *s)
{
	struct termios t;

	*s = (struct screen){.on = isatty(STDOUT_FILENO)};
	if (!s->on)
		return false;
	if (isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &s->before)) {
		t = s->before;
		t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		t.c_cc[VMIN] = 0;
		t.c_cc[VTIME] = 0;
		s->keys = !tcsetattr(STDIN_FILENO, TCSANOW, &t);
	}
	stop_restores(true, s->keys ? &s->before : NULL);
	put_text(ENTER, stdout);
	(void)fflush(stdout); /* a terminal that went away is found out at the end */
	return true;
}

void screen_size(uint32_t *rows, uint32_t *columns)
{
	struct winsize w;

	*rows = 24;
	*columns = 80;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_row && w.ws_col) {
		*rows = w.ws_row;
		*columns = w.ws_col;
	}
}

/* No newline after the last line, which would scroll a full screen. */
void screen_draw(const struct screen *s, const char *text, size_t len)
{
	const char *end = text + len, *next;

	if (!s->on)
		return;
	put_text(HOME, stdout);
	for (; text < end; text = next) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		next = newline ? newline + 1 : end;
		put_bytes(text, (size_t)((newline ? newline : end) - text), stdout);
		put_text(next < end ? CLEAR_LINE "\n" : CLEAR_LINE, stdout);
	}
	put_text(CLEAR_REST, stdout);
	(void)fflush(stdout);
}

bool screen_quit(const struct screen *s)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	char keys[64];
	ssize_t n;

	if (!s->keys || poll(&p, 1, 0) <= 0 || !(p.revents & POLLIN))
		return false;
	n = read(STDIN_FILENO, keys, sizeof(keys));
	for (ssize_t i = 0; i < n; i++)
		if (keys[i] == 'q' || keys[i] == 'Q')
			return true;
	return false;
}

bool screen_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (int i = 0; i < 3; i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
	}
	return false;
}

void screen_end(struct screen *s)
{
	if (!s->on)
		return;
	put_text(STOP_LEAVE_SCREEN, stdout);
	(void)fflush(stdout);
	if (s->keys)
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &s->before); /* worked at the begin */
	stop_restores(false, NULL);
	s->on = false;
}
