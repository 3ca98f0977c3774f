/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where shipped files are: scenarios/ of the sources that the program was built from, or
 * share/squall/scenarios beside an installed program.
 */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"

/* The folder, in a buffer that lasts as long as the program. */
const char *library_folder(void);

struct library_item {
	char *name; /* without .yaml */
	char *path;
	char *about; /* the comment that opens the file, as one line; "" if there is none */
};

struct library {
	struct library_item *item; /* by name */
	uint32_t n;
};

/* Every *.yaml of one folder below the library ("" for scenarios). 0, or an environment error.
 */
NODISCARD int library_read(struct library *l, const char *below, struct err *e);
void library_free(struct library *l);

#endif
