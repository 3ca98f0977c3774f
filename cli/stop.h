/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C: the first SIGINT or SIGTERM asks the run to end at its next window, so that the
 * results so far are written; the second kills. The flag is the program's only mutable global.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdatomic.h>

/* Installs the handlers and returns the flag. */
atomic_bool *stop_on_signals(void);

#endif
