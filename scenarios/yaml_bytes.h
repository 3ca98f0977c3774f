/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused before the YAML library sees it: too much, or bytes that are no text. */
#ifndef SCENARIO_YAML_BYTES_H
#define SCENARIO_YAML_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "dataplane/base/err.h"

/* name is the file's, or with is_value the whole place in messages. */
NODISCARD int yaml_check_bytes(
        const char *text, size_t len, const char *name, bool is_value, struct err *e);

int yaml_too_many(const char *name, struct err *e);

#endif
