/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs from other programs' files: `squall run --import FORMAT PATH`. A format is one struct in
 * the table of import.c; the command line knows no format by name. One thread.
 */
#ifndef SCENARIO_IMPORT_H
#define SCENARIO_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "scenarios/scenario.h"

#define IMPORT_NOTES_MAX 32

/* What a person should know about an import that went well: keys that had no effect and the
 * like. Plain memory of the caller. */
struct import_notes {
	uint32_t n;    /* lines in text */
	uint32_t more; /* that found no room */
	char text[IMPORT_NOTES_MAX][240];
};

void import_note(struct import_notes *notes, const char *fmt, ...) PRINTF_LIKE(2, 3);

struct import_format {
	const char *name;
	const char *doc; /* one sentence: what is read */
	/* A finished scenario from path, set and seed as in scenario_load. */
	int (*load)(struct scenario **out, const char *path, const struct scenario_set *set,
	        uint32_t n_set, const uint64_t *seed, struct import_notes *notes,
	        struct err *e);
};

extern const struct import_format *const import_formats[]; /* NULL at the end */

/* Is this a folder that one of them reads? */
bool import_is_folder(const char *path);

/* By name; -EINVAL names those there are. */
NODISCARD int import_find(const struct import_format **out, const char *name, struct err *e);

#endif
