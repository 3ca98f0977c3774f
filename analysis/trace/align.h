/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clocks of several captures against each other, from packets that two of them show. A
 * packet that goes from a to b gives t_b - t_a = distance + latency, one that goes back
 * distance
 * - latency: so the distance, a line over time if one clock is faster, lies below the one and
 * above the other. The line in the middle of the widest room between both is taken; it is right
 * if both directions have the same least latency. Half that room is the residual that is
 * stated.
 */
#ifndef TRACE_ALIGN_H
#define TRACE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

/* To be added to a stamp of this clock: offset + drift * (t - reference). */
struct clock_fix {
	bool estimated; /* else there were no packets in common */
	int64_t offset_ns, residual_ns, reference_ns;
	int64_t drift_ppt; /* 1e-12: over a day a tenth of a microsecond */
};

static inline int64_t clock_fixed(const struct clock_fix *c, int64_t t_ns)
{
	int64_t far_ns = t_ns - c->reference_ns;
	int64_t whole_s = far_ns / 1000000000, rest_ns = far_ns % 1000000000;

	return t_ns + c->offset_ns +
	       (c->drift_ppt * whole_s + c->drift_ppt * rest_ns / 1000000000) / 1000;
}

static inline int64_t clock_fix_ppb(const struct clock_fix *c)
{
	return (c->drift_ppt + (c->drift_ppt < 0 ? -500 : 500)) / 1000;
}

/* The fix of every file onto the clock of the first; files that cannot be read twice have none.
 * Reads the files once more. */
NODISCARD int align_files(
        struct clock_fix *fix, const char *const path[], uint32_t n, struct err *e);

/* The heart, for tests: d = t_b - t_a of a packet that b shows at t. The fix is for b. */
struct align_match {
	int64_t t_ns, d_ns;
	uint32_t group; /* pair of hosts */
	bool dir;       /* which of them sends */
};
/* Reorders m. */
struct clock_fix align_matches(struct align_match *m, uint32_t n);
/* b, onto the clock of a so far, onto that which a is fixed onto. */
void align_chain(struct clock_fix *b, const struct clock_fix *a);

#endif
