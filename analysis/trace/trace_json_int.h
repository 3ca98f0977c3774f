/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that write the JSON document. */
#ifndef TRACE_JSON_INT_H
#define TRACE_JSON_INT_H

#include <stdio.h>

#include "analysis/trace/trace_json.h"

void json_ns(FILE *f, int64_t ns); /* TRACE_UNKNOWN: null */

/* Losses, paths; messages and time line where they are asked for. */
void trace_json_lists(
        FILE *f, const struct trace_result *r, const struct trace_json_options *o);

#endif
