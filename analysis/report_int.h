/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of report.json, each a member of the document. 0 or -ENOMEM. */
#ifndef ANALYSIS_REPORT_INT_H
#define ANALYSIS_REPORT_INT_H

#include <stdio.h>

#include "analysis/run_result.h"
#include "analysis/summary.h"

/* How much of what there is a page holds. */
#define REPORT_SERIES_POINTS 1500
#define REPORT_PORTS         160 /* deepest queues, and as many longest pauses */
#define REPORT_EDGES         400
#define REPORT_SLOWEST       24
#define REPORT_ENTRIES       8
#define REPORT_EVENTS        400
#define REPORT_ITERATIONS    2000

/* A number of fixed point, or null. */
void report_number(FILE *f, int64_t value, int decimals);
/* "key": value */
void report_member(FILE *f, const char *key, int64_t value, int decimals);

void report_series(FILE *f, const struct run_record *r);
NODISCARD int report_messages(FILE *f, const struct run_result *r);
NODISCARD int report_map(FILE *f, const struct run_result *r);
NODISCARD int report_ports(FILE *f, const struct run_result *r);
NODISCARD int report_pauses(FILE *f, const struct run_result *r);
void report_events(FILE *f, const struct run_result *r);
void report_iterations(FILE *f, const struct run_result *r);

#endif
