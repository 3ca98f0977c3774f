/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an import is about to leave behind is looked at before any of it has its name: whether
 * it replaces what must stay, and whether it is a scenario. One thread.
 */
#ifndef SCENARIO_IMPORT_CHECK_H
#define SCENARIO_IMPORT_CHECK_H

#include <stdbool.h>

#include "analysis/out_file.h"
#include "scenarios/imports/import_draft.h"
#include "scenarios/scenario.h"

/* The largest message of the scenario that is written. */
int64_t import_max_bytes(void);

/* Is the file one of what is imported, under whatever name, or in the folder that is? */
bool import_is_input(const struct import_job *job, const char *path);

/* Neither an input nor, unless the job says so, a file that is there. */
NODISCARD int import_check_target(
        const struct import_job *job, const char *path, struct err *e);

/* Writes a scenario with the files that it needs, of which none may replace what must stay. */
NODISCARD int import_write_resolved(const struct scenario *s, const struct import_job *job,
        const char *path, struct err *e);

/* A key of the scenario names a file that is to be read from `at` for now. */
struct import_list {
	const char *key, *at;
};

/* The scenario in the last file of the set, flushed, with up to IMPORT_MAX_BESIDE lists.
 * Messages are about the input. */
NODISCARD int import_check_made(struct scenario **made, const struct out_set *set,
        const struct import_job *job, const struct import_list *list, uint32_t n_lists,
        struct err *e);

#endif
