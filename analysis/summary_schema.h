/* SPDX-License-Identifier: Apache-2.0 */
/* The table of result keys as a JSON Schema (2020-12) and as the table of docs/results.md. */
#ifndef ANALYSIS_SUMMARY_SCHEMA_H
#define ANALYSIS_SUMMARY_SCHEMA_H

#include <stdio.h>

#include "analysis/summary_keys.h"

void summary_schema_write(FILE *f, enum result_file which);

/* Between these lines of docs/results.md stands what summary_markdown_write writes; a test
 * compares. */
#define SUMMARY_MARKDOWN_BEGIN                                                                 \
	"<!-- keys: begin, written by `squall explain --results --markdown` -->\n"
#define SUMMARY_MARKDOWN_END "<!-- keys: end -->\n"

void summary_markdown_write(FILE *f);

/* One key for `squall explain`. */
void summary_explain(FILE *f, const struct summary_key *k);

#endif
