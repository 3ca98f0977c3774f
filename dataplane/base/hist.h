/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log-linear histogram of non-negative int64 values: exact below 256, then 128 sub-buckets per
 * octave, so any reported value is at most 1/128 (0.8 %) above the true one; minimum, maximum,
 * sum and count are exact. One writer thread; histograms are merged after the run.
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdint.h>

#include "dataplane/base/compiler.h"

#define HIST_SUB_BITS           7
#define HIST_BUCKETS            ((64 - HIST_SUB_BITS) << HIST_SUB_BITS)
#define HIST_MAX_RELATIVE_ERROR (1.0 / (1 << HIST_SUB_BITS))

struct hist {
	uint64_t count;
	int64_t min, max;
	__int128 sum;
	uint64_t bucket[HIST_BUCKETS];
};

void hist_init(struct hist *h);

static ALWAYS_INLINE uint32_t hist_index(int64_t v)
{
	uint64_t u = (uint64_t)v;
	uint32_t shift;

	if (u < (1u << (HIST_SUB_BITS + 1)))
		return (uint32_t)u;
	shift = 63u - (uint32_t)__builtin_clzll(u) - HIST_SUB_BITS;
	return (shift << HIST_SUB_BITS) + (uint32_t)(u >> shift);
}

static ALWAYS_INLINE void hist_add(struct hist *h, int64_t v)
{
	h->bucket[hist_index(v)]++;
	h->count++;
	h->sum += v;
	if (v > h->max)
		h->max = v;
	if (v < h->min)
		h->min = v;
}

void hist_merge(struct hist *into, const struct hist *from);

/* 1-based rank of percentile p among n > 0 samples: ceil(p/100 * n), without the floating
 * rounding that would make 99.9 % of 1000 samples the last one. */
uint64_t hist_rank(uint64_t n, double p);

/* Nearest-rank percentile, 0 < p <= 100: the upper bound of the bucket that holds the sample of
 * rank hist_rank(count, p), never above the exact maximum. 0 when empty. */
int64_t hist_percentile(const struct hist *h, double p);

/* The largest value that a bucket may hold, never above the exact maximum. */
int64_t hist_bucket_top(const struct hist *h, uint32_t bucket);

double hist_mean(const struct hist *h);

#endif
