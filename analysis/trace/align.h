/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clocks of several captures against each other, from packets that two of them show. A
 * packet that goes from a to b gives t_b - t_a = offset + latency, one that goes back offset -
 * latency: so the least of the one and the greatest of the other enclose the offset, and their
 * middle is it if both directions have the same least latency. Half their distance is the
 * residual that is stated.
 */
#ifndef TRACE_ALIGN_H
#define TRACE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

/* To be added to a stamp: offset + drift * (t - reference). */
struct clock_fix {
	bool estimated; /* else there were no packets in common */
	int64_t offset_ns, drift_ppb, residual_ns, reference_ns;
};

static inline int64_t clock_fixed(const struct clock_fix *c, int64_t t_ns)
{
	int64_t far_us = (t_ns - c->reference_ns) / 1000;

	return t_ns + c->offset_ns + (c->drift_ppb ? c->drift_ppb * (far_us / 1000) / 1000 : 0);
}

/* The fix of every file onto the clock of the first; files that cannot be read twice have none.
 * Reads the files once more. */
NODISCARD int align_files(
        struct clock_fix *fix, const char *const path[], uint32_t n, struct err *e);

/* The heart, for tests: d = t_b - t_a of a packet at time t of a. */
struct align_match {
	int64_t t_ns, d_ns;
	uint32_t group; /* pair of hosts */
	bool dir;       /* which of them sends */
};
/* matches are sorted in place. */
struct clock_fix align_matches(struct align_match *m, uint32_t n);
/* b, onto the clock of a so far, onto that which a is fixed onto. */
void align_chain(struct clock_fix *b, const struct clock_fix *a);

#endif
