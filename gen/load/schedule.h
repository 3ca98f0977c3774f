/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of the program may ask about an entry with pattern schedule. Cold path. */
#ifndef LOAD_SCHEDULE_H
#define LOAD_SCHEDULE_H

#include <stddef.h>

#include "gen/load/load.h"

/* The text that the entry was made from, read again; the caller frees it. -EIO if the file is
 * not what it was. */
NODISCARD int schedule_text(
        const struct load_entry *en, char **text, size_t *len, struct err *e);

#endif
