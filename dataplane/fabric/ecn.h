/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RED-style ECN marking, by the instantaneous queue (DCQCN, SIGCOMM 2015, section 3.1) or its
 * average (ecn_average.h): never at or below Kmin, always above Kmax, and with probability Pmax
 * (q - Kmin) / (Kmax - Kmin) between. The random draw is a hash of (port, number of the draw on
 * that port), so that it depends on nothing but the port's own history.
 */
#ifndef FABRIC_ECN_H
#define FABRIC_ECN_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"

struct ecn_marker {
	int64_t kmin_bytes, kmax_bytes;
	int64_t pmax_q32;
	int64_t looks_above_bytes; /* Kmin, or less than any queue under an average */
	bool on_enqueue;
	uint8_t special; /* priorities without this profile, or all under an average */
	uint8_t drops;   /* priorities that drop what is not ECN-capable */
};

/* For a queue above Kmin. */
static ALWAYS_INLINE bool ecn_marks_above(
        const struct ecn_marker *k, int64_t queue_bytes, uint64_t *draw_state)
{
	uint64_t p_q32;

	if (queue_bytes > k->kmax_bytes)
		return true;
	p_q32 = (uint64_t)k->pmax_q32 * (uint64_t)(queue_bytes - k->kmin_bytes) /
	        (uint64_t)(k->kmax_bytes - k->kmin_bytes);
	*draw_state += UINT64_C(0x9e3779b97f4a7c15);
	return (hash64(*draw_state) >> 32) < p_q32;
}

static ALWAYS_INLINE bool ecn_marks(
        const struct ecn_marker *k, int64_t queue_bytes, uint64_t *draw_state)
{
	return queue_bytes > k->kmin_bytes && ecn_marks_above(k, queue_bytes, draw_state);
}

#endif
