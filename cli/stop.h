/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C: the first SIGINT or SIGTERM asks the run to end at its next window, so that the
 * results so far are written; the second kills (the same signal again: mpirun turns one Ctrl-C
 * into a SIGINT and a SIGTERM). What the handlers share is the program's only mutable state.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <termios.h>

/* Installs the handlers and returns the flag. */
atomic_bool *stop_on_signals(void);

/* Another process of the same run says that it stops. */
void stop_silently(void);

/* A screen is on the terminal: the first signal says nothing, and before the second kills it is
 * left, and the terminal's settings (NULL: none were changed) are put back. */
#define STOP_LEAVE_SCREEN "\033[?25h\033[?1049l"
void stop_restores(bool screen, const struct termios *before);

#endif
