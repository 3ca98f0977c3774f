/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of the result as CSV files in one folder. */
#ifndef TRACE_CSV_H
#define TRACE_CSV_H

#include "analysis/out_file.h"
#include "analysis/trace/trace_result.h"

/* flows.csv, messages.csv, pauses.csv, recoveries.csv, timeline.csv. */
NODISCARD int trace_csv_write(
        struct out_set *set, const char *folder, const struct trace_result *r, struct err *e);

#endif
