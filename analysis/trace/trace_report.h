/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What captures show, as one HTML file that needs no other and no network: the page of the run
 * report, with the data of a capture. Whatever the size of the capture the page stays small: a
 * long time line is reduced, of flows, messages, recoveries and pauses it holds the largest or
 * longest, of hosts those with most traffic, and says so. Errors stay in the stream.
 */
#ifndef TRACE_REPORT_H
#define TRACE_REPORT_H

#include <stdio.h>

#include "analysis/trace/trace_result.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct trace_report_options {
	const char *title;
	/* Writes the array of findings, "[...]"; NULL: not looked for. */
	void (*findings)(FILE *f, const struct trace_result *r, const void *arg);
	const void *findings_arg;
};

/* -ENOMEM only. */
NODISCARD int trace_report_write(FILE *f, const struct trace_result *r,
        const struct trace_report_options *o, struct err *e);

#endif
