/* SPDX-License-Identifier: Apache-2.0 */
/* A file in parts, for parsers that take it as it comes. Any thread. */
#ifndef SCENARIO_FILE_PARTS_H
#define SCENARIO_FILE_PARTS_H

#include <stddef.h>

#include "dataplane/base/err.h"

/* Calls take for one part after the other until it returns not 0, and with n = 0 at the end.
 * -EINVAL for what is not there or no regular file. */
NODISCARD int file_parts_read(const char *path,
        int (*take)(void *arg, const char *part, size_t n), void *arg, struct err *e);

#endif
