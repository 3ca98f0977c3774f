/* SPDX-License-Identifier: Apache-2.0 */
/* The result as one JSON document with stable keys (docs/analyze.md). Errors stay in the
 * stream.
 */
#ifndef TRACE_JSON_H
#define TRACE_JSON_H

#include <stdio.h>

#include "analysis/trace/trace_result.h"

struct trace_json_options {
	bool messages, timeline; /* also those lists */
	/* Writes the array of findings, "[...]"; NULL: an empty one. */
	void (*findings)(FILE *f, const struct trace_result *r, const void *arg);
	const void *findings_arg;
};

void trace_json_write(
        FILE *f, const struct trace_result *r, const struct trace_json_options *o);

#endif
