/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The averaged queue length of RED (Floyd and Jacobson, Random Early Detection Gateways for
 * Congestion Avoidance, ToN 1993, section IV): at each arrival avg = (1 - w) avg + w q, and
 * where the queue is empty and the link idle avg = (1 - w)^m avg, m being how many small frames
 * the link could have sent since its last one. Integer arithmetic: bytes in Q16, w in Q32,
 * rounded down. One thread.
 */
#ifndef FABRIC_ECN_AVERAGE_H
#define FABRIC_ECN_AVERAGE_H

#include <stdint.h>

#include "dataplane/base/units.h"

#define ECN_AVERAGE_SHIFT 16

/* The next average. idle_frames < 0: the queue is not empty or the link is busy. */
static inline int64_t ecn_average_next(
        int64_t avg_q16, int64_t queue_bytes, int64_t weight_q32, int64_t idle_frames)
{
	uint64_t keep_q32 = (uint64_t)(Q32_ONE - weight_q32), power_q32 = Q32_ONE;

	if (idle_frames < 0)
		return avg_q16 +
		       (int64_t)(((__int128)((queue_bytes << ECN_AVERAGE_SHIFT) - avg_q16) *
		                         weight_q32) >>
		                 32);
	/* by squares; 1 - w is below 2^32, as w is not 0 */
	for (uint64_t m = (uint64_t)idle_frames; m && power_q32; m >>= 1) {
		if (m & 1)
			power_q32 = (power_q32 * keep_q32) >> 32;
		keep_q32 = (keep_q32 * keep_q32) >> 32;
	}
	return (int64_t)(((__int128)avg_q16 * (int64_t)power_q32) >> 32);
}

#endif
