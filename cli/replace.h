/* SPDX-License-Identifier: Apache-2.0 */
/* What an output may replace: an earlier output of the same kind, and never an input. */
#ifndef CLI_REPLACE_H
#define CLI_REPLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"

/* -EINVAL where path exists and does not begin with this text: it may be an input. */
NODISCARD int replace_check(
        const char *path, const char *begins, const char *kind, struct err *e);

/* The same for an --fct file in lines of text, of which is_line knows one. */
NODISCARD int replace_check_lines(
        const char *path, bool (*is_line)(const char *line), struct err *e);

/* -EINVAL where out (NULL or "-": no file) is one of these inputs, by whatever name: a symbolic
 * or hard link, another path. doing: what is being done to them, such as "analyzed". */
NODISCARD int replace_check_inputs(const char *out, const char *const *in, uint32_t n_in,
        const char *doing, struct err *e);

#endif
