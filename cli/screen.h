/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A screen on the terminal that is drawn again and again; the text before it comes back when it
 * ends. Keys are read without Enter. Belongs to one thread; one at a time.
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct screen {
	bool on, keys;
	struct termios before;
};

/* False where standard output is no terminal. */
bool screen_begin(struct screen *s);

/* Lines that end with a newline, no more and no wider than screen_size says. */
void screen_draw(const struct screen *s, const char *text, size_t len);
void screen_size(uint32_t *rows, uint32_t *columns);

/* Whether q was typed. Does not wait. */
bool screen_quit(const struct screen *s);

bool screen_is_utf8(void);

/* Harmless where it did not begin. */
void screen_end(struct screen *s);

#endif
