/* SPDX-License-Identifier: Apache-2.0 */
/* Writes summary.json or run.json from the table of keys. Errors stay in the stream. */
#ifndef ANALYSIS_SUMMARY_JSON_H
#define ANALYSIS_SUMMARY_JSON_H

#include <stdio.h>

#include "analysis/summary_keys.h"

void summary_json_write(FILE *f, enum result_file which, const struct run_summary *s,
        const struct run_result *r);

#endif
