/* SPDX-License-Identifier: Apache-2.0 */
/* The result for people: what matters first, nothing about what was not there. Errors stay in
 * the stream. */
#ifndef TRACE_TABLE_H
#define TRACE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/trace/trace_result.h"

struct trace_table_options {
	bool timeline; /* and the time line */
	bool flows;    /* every flow, not only the largest */
	bool only_qp;
	uint32_t qp;
};

void trace_table_write(
        FILE *f, const struct trace_result *r, const struct trace_table_options *o);

#endif
