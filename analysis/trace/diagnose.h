/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong, by the capture alone: findings out of a trace_result. They form trees: what
 * follows from another finding names it. A run without faults has none, whatever its load: a
 * finding needs a fault, and effects are only said where something has caused them. Any thread.
 */
#ifndef TRACE_DIAGNOSE_H
#define TRACE_DIAGNOSE_H

#include <stdio.h>

#include "analysis/trace/finding.h"
#include "analysis/trace/trace_result.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

#define FINDING_TEXT     1024
#define FINDING_LIST_MAX 8

struct finding {
	uint8_t id;        /* enum finding_id */
	uint8_t severity;  /* enum finding_severity; no higher than that of its kind */
	uint8_t caused_by; /* enum finding_id; FINDING_NONE: a root */
	uint8_t depth;     /* below its root */
	char text[FINDING_TEXT];
	uint32_t n_figures, n_packets, n_interfaces, n_flows;
	struct finding_figure {
		const char *name; /* with its unit */
		int64_t value;
	} figure[FINDING_LIST_MAX];
	struct trace_packet packet[FINDING_LIST_MAX]; /* the first that show it */
	uint32_t interface[FINDING_LIST_MAX], flow[FINDING_LIST_MAX];
};

struct diagnosis {
	uint32_t n;
	struct finding finding[FINDINGS]; /* each root, followed by what it caused */
};

/* Of a result that trace_finish returned. On the heap: diagnosis_free; NULL is fine there. */
NODISCARD int diagnose(struct diagnosis **out, const struct trace_result *r, struct err *e);
void diagnosis_free(struct diagnosis *d);

/* The array of the JSON document; r is what the diagnosis is of. */
void diagnosis_json_write(FILE *f, const struct trace_result *r, const struct diagnosis *d);

/* For people: roots first, effects indented below them. */
void diagnosis_table_write(FILE *f, const struct trace_result *r, const struct diagnosis *d);

#endif
