/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/hist.h"

#include <math.h>
#include <string.h>

void hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = INT64_MAX;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (!from->count)
		return;
	into->count += from->count;
	into->sum += from->sum;
	if (from->max > into->max)
		into->max = from->max;
	if (from->min < into->min)
		into->min = from->min;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

static int64_t bucket_top(uint32_t index)
{
	uint32_t shift;

	if (index < (1u << (HIST_SUB_BITS + 1)))
		return (int64_t)index;
	shift = (index >> HIST_SUB_BITS) - 1;
	return (int64_t)((((uint64_t)index - ((uint64_t)shift << HIST_SUB_BITS) + 1) << shift) -
	                 1);
}

uint64_t hist_rank(uint64_t n, double p)
{
	/* p in millionths of a percent: every percentile that people write is whole in it. */
	uint64_t p_e6 = (uint64_t)llround(p * 1e6);
	uint64_t rank = (uint64_t)(((unsigned __int128)p_e6 * n + 99999999) / 100000000);

	return rank < 1 ? 1 : rank > n ? n : rank;
}

int64_t hist_percentile(const struct hist *h, double p)
{
	uint64_t rank, seen = 0;

	if (!h->count)
		return 0;
	rank = hist_rank(h->count, p);
	if (rank == h->count)
		return h->max;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank) {
			int64_t top = bucket_top(i);

			return top > h->max ? h->max : top < h->min ? h->min : top;
		}
	}
	return h->max;
}

int64_t hist_bucket_top(const struct hist *h, uint32_t bucket)
{
	const int64_t top = bucket_top(bucket);

	return top > h->max ? h->max : top;
}

double hist_mean(const struct hist *h)
{
	return h->count ? (double)h->sum / (double)h->count : 0.0;
}
