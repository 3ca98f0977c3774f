/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An analysis that goes on, for people: what happened between two looks at a growing result, as
 * a screen of so many lines and columns, or as one line. Belongs to one thread.
 */
#ifndef TRACE_LIVE_H
#define TRACE_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/trace/diagnose.h"
#include "analysis/trace/trace_result.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct trace_live;

/* What the source says of itself. */
struct trace_live_source {
	const char *name, *filter; /* filter: NULL: everything */
	char clock[128];
	int64_t speed_bps;          /* 0: unknown */
	uint64_t packets;           /* given to the analysis */
	uint64_t lost;              /* ring full */
	uint64_t lost_by_interface; /* CAPTURE_NO_COUNT: it does not say */
};

NODISCARD int trace_live_open(struct trace_live **l, struct err *e);
void trace_live_close(struct trace_live *l); /* NULL is fine */

/* r at now_ns of a steady clock; the first look begins. d, what is wrong so far, is shown where
 * two looks in a row find it: a judgement may wait for packets that are on their way. */
NODISCARD int trace_live_look(struct trace_live *l, const struct trace_result *r,
        const struct diagnosis *d, const struct trace_live_source *s, int64_t now_ns,
        struct err *e);

/* Of the last look, with the result that it was of. At most so many lines and columns. */
void trace_live_screen(const struct trace_live *l, FILE *f, const struct trace_result *r,
        uint32_t rows, uint32_t columns, bool utf8);
void trace_live_line(const struct trace_live *l, FILE *f);

#endif
