/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that write tables for people. */
#ifndef TRACE_TABLE_INT_H
#define TRACE_TABLE_INT_H

#include "analysis/human.h"
#include "analysis/trace/trace_table.h"

/* "unknown" for TRACE_UNKNOWN. */
const char *table_time(char buf[HUMAN_LEN], int64_t ns);
/* A name out of a file: nothing in it moves the cursor. "(no name)" for none. */
#define TABLE_NAME_LEN 72
const char *table_name(char buf[TABLE_NAME_LEN], const char *name);
double table_percent(uint64_t n, uint64_t of);

/* A table of bins; what is silent for long takes one line. */
void table_timeline(FILE *f, const struct trace_result *r);

/* All there is on the flows of one queue pair number. */
void table_qp(FILE *f, const struct trace_result *r, uint32_t qp);

#endif
