/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the data in a capture's page, each a member of the document. */
#ifndef TRACE_REPORT_INT_H
#define TRACE_REPORT_INT_H

#include <stdio.h>

#include "analysis/trace/trace_report.h"

/* How much of what there is a page holds. */
#define REPORT_POINTS     1500
#define REPORT_FLOWS      2000
#define REPORT_RATES      16
#define REPORT_MESSAGES   200
#define REPORT_RECOVERIES 200
#define REPORT_PAUSES     3000
#define REPORT_PAUSERS    400
#define REPORT_HOSTS      48
#define REPORT_INTERFACES 256
#define REPORT_PATHS      400

/* ",value" or without the comma; TRACE_UNKNOWN: null. */
void report_value(FILE *f, int64_t value, int decimals);
void report_next(FILE *f, int64_t value, int decimals);
/* Nanoseconds as microseconds since the first frame. */
void report_since(FILE *f, const struct trace_result *r, int64_t t_ns);

/* The n indices below `of` with the largest values, the largest first, equal ones by index.
 * NULL without memory; free it. */
uint32_t *report_largest(uint32_t *n, uint32_t of,
        uint64_t (*value)(const struct trace_result *r, uint32_t i),
        const struct trace_result *r);

void report_timeline(FILE *f, const struct trace_result *r);
void report_tails(FILE *f, const struct trace_result *r);
NODISCARD int report_flows(FILE *f, const struct trace_result *r);
NODISCARD int report_rates(FILE *f, const struct trace_result *r);
NODISCARD int report_matrix(FILE *f, const struct trace_result *r);
NODISCARD int report_slowest(FILE *f, const struct trace_result *r);
NODISCARD int report_recoveries(FILE *f, const struct trace_result *r);
NODISCARD int report_pause_list(FILE *f, const struct trace_result *r);
void report_interfaces(FILE *f, const struct trace_result *r);
void report_paths(FILE *f, const struct trace_result *r);

#endif
