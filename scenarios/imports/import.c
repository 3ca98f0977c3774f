/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "scenarios/imports/import_hpcc.h"

const struct import_format *const import_formats[] = {&import_hpcc, NULL};

int import_find(const struct import_format **out, const char *name, struct err *e)
{
	char known[200] = "";

	for (size_t i = 0; import_formats[i]; i++) {
		size_t len = strlen(known);

		if (!strcmp(import_formats[i]->name, name)) {
			*out = import_formats[i];
			return 0;
		}
		(void)snprintf(known + len, sizeof(known) - len, "%s%s", len ? ", " : "",
		        import_formats[i]->name);
	}
	return err_set(e, -EINVAL, "--import %.40s: no such format; known: %s", name, known);
}

bool import_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

void import_note(struct import_notes *notes, const char *fmt, ...)
{
	va_list ap;

	if (notes->n == IMPORT_NOTES_MAX) {
		notes->more++;
		return;
	}
	va_start(ap, fmt);
	(void)vsnprintf(notes->text[notes->n], sizeof(notes->text[0]), fmt, ap);
	va_end(ap);
	notes->n++;
}
