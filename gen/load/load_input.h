/* SPDX-License-Identifier: Apache-2.0 */
/* What flow lists and CDF files share when they are found and read. */
#ifndef LOAD_INPUT_H
#define LOAD_INPUT_H

#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/base/units.h"

#define LOAD_PATH_BYTES 4096

/* file below base_dir, unless file is absolute or base_dir is NULL. */
NODISCARD int load_path(
        char path[LOAD_PATH_BYTES], const char *base_dir, const char *file, struct err *e);

/* Takes the next one off a list of whole numbers and ranges, "0-7,16": first = last for a
 * number. What is beyond any host number comes out as such. */
NODISCARD int load_next_range(const char **at, int64_t *first, int64_t *last);

/* unit_parse, but a number without a unit gets this one. */
NODISCARD int load_quantity(
        int64_t *out, enum unit_kind kind, const char *text, const char *unit, struct err *e);

#endif
