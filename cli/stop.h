/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C: the first SIGINT or SIGTERM asks the run to end at its next window, so that the
 * results so far are written; the second kills (the same signal again: mpirun turns one Ctrl-C
 * into a SIGINT and a SIGTERM). What the handlers share is the program's only mutable state.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdatomic.h>

/* Installs the handlers and returns the flag. */
atomic_bool *stop_on_signals(void);

/* Another process of the same run says that it stops. */
void stop_silently(void);

#endif
