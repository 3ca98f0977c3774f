/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of all result files, and whether a folder is free for them: they go over those of
 * an earlier run of this program, never over somebody's own files and never through a symbolic
 * link. Pure but for the folder; any thread.
 */
#ifndef ANALYSIS_RESULT_FOLDER_H
#define ANALYSIS_RESULT_FOLDER_H

#include <stdbool.h>

#include "dataplane/base/err.h"

enum result_kind {
	RESULTS_OF_RUN,
	RESULTS_OF_QUALIFY,
	RESULTS_PAGE, /* report.html alone, made again from report.json */
};

enum result_name {
	RESULT_NAME_SUMMARY,
	RESULT_NAME_RUN,
	RESULT_NAME_MESSAGES,
	RESULT_NAME_SERIES,
	RESULT_NAME_PORTS,
	RESULT_NAME_PFC,
	RESULT_NAME_FAULTS,
	RESULT_NAME_COLLECTIVES,
	RESULT_NAME_ENTRIES,
	RESULT_NAME_REPORT,
	RESULT_NAME_PAGE,
	RESULT_NAME_CAPTURE,
	RESULT_NAME_SCENARIO,
	RESULT_NAME_TOPOLOGY,
	RESULT_NAME_FLOWS,    /* one for each entry that has some: '#' is its number */
	RESULT_NAME_SCHEDULE, /* likewise */
	RESULT_NAME_REPLAY,   /* likewise */
	RESULT_NAME_VERDICT,
	RESULT_NAME_JUNIT,
	RESULT_NAME_EVIDENCE, /* a folder */
	RESULT_NAMES,
};

/* "summary.json"; those with a number as "workload-#.csv". */
const char *result_name(enum result_name f);

#define RESULT_NAME_BYTES 48
/* With the number n in place of '#'; returns buf. */
const char *result_name_numbered(char buf[RESULT_NAME_BYTES], enum result_name f, unsigned n);

/* Is this, without folder, the name of a result of that kind? */
bool result_name_is(enum result_kind kind, const char *name);

/* Whether results of that kind can be written into dir, which may be still to come. -EINVAL
 * names the file that would be replaced and says what to do. */
NODISCARD int result_folder_check(const char *dir, enum result_kind kind, struct err *e);

#endif
