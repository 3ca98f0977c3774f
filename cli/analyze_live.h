/* SPDX-License-Identifier: Apache-2.0 */
/* squall analyze -i IF: packets of an interface into an analysis, and what it shows meanwhile.
 */
#ifndef CLI_ANALYZE_LIVE_H
#define CLI_ANALYZE_LIVE_H

#include "analysis/trace/trace.h"
#include "cli/analyze_options.h"

/*
 * Until it is stopped, by time, count, signal or q. 0 with all that was seen in t, also where
 * the source went away: *gone says so. A negative errno where nothing was begun.
 */
NODISCARD int analyze_live(
        const struct analyze_args *a, struct trace *t, struct err *gone, struct err *e);

#endif
