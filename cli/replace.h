/* SPDX-License-Identifier: Apache-2.0 */
/* What --output may replace: an earlier output of the same kind, and nothing else. */
#ifndef CLI_REPLACE_H
#define CLI_REPLACE_H

#include <stdbool.h>

#include "dataplane/base/err.h"

/* -EINVAL where path exists and does not begin with this text: it may be an input. */
NODISCARD int replace_check(
        const char *path, const char *begins, const char *kind, struct err *e);

/* The same for an --fct file in lines of text, of which is_line knows one. */
NODISCARD int replace_check_lines(
        const char *path, bool (*is_line)(const char *line), struct err *e);

#endif
