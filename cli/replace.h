/* SPDX-License-Identifier: Apache-2.0 */
/* What --output may replace: an earlier output of the same kind, and nothing else. */
#ifndef CLI_REPLACE_H
#define CLI_REPLACE_H

#include "dataplane/base/err.h"

/* -EINVAL where path exists and does not begin with this text: it may be an input. */
NODISCARD int replace_check(
        const char *path, const char *begins, const char *kind, struct err *e);

#endif
