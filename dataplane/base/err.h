/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cold-path errors: a function returns 0 or a negative errno and writes the message once, where
 * the failure is known, into a struct err on the caller's stack (NULL is allowed). Callers pass
 * it up untouched; only cli/ prints it. Codes used across the project: -EINVAL bad input (exit
 * code 2), everything else environment (exit code 3).
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "dataplane/base/compiler.h"

struct err {
	int code;
	char msg[1000];
};

/* Fills e (if not NULL) and returns code, so that `return err_set(...)` reads well. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Puts "prefix: " before the message that is already there; returns the stored code. */
int err_prefix(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
