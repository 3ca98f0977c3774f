/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats that `squall import` knows: each is one struct in the table of import_source.c,
 * recognised by what is in the file. One thread.
 */
#ifndef SCENARIO_IMPORT_SOURCE_H
#define SCENARIO_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/imports/import_draft.h"

#define IMPORT_HEAD_BYTES 65536

struct import_source {
	const char *name;
	const char *doc; /* what is read, as in "3 files: NCCL debug log" */
	/* Is it this? head: the first IMPORT_HEAD_BYTES of a file, and a NUL after them. */
	bool (*is_it)(const char *head, size_t len);
	NODISCARD int (*read)(
	        struct import_draft *d, const struct import_job *job, struct err *e);
};

extern const struct import_source *const import_sources[]; /* NULL at the end */

/* name NULL: by the first file's content. -EINVAL names what is known. */
NODISCARD int import_source_find(
        const struct import_source **out, const char *name, const char *path, struct err *e);

extern const struct import_source import_goal, import_flows;

#endif
