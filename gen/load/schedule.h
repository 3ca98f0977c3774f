/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of the program may ask about an entry with pattern schedule. Cold path. */
#ifndef LOAD_SCHEDULE_H
#define LOAD_SCHEDULE_H

#include <stdio.h>

#include "gen/load/load.h"

/* The text that the entry was made from, read again, into f, which keeps errors of writing.
 * -EIO if the file is not what it was. */
NODISCARD int schedule_copy(FILE *f, const struct load_entry *en, struct err *e);

#endif
