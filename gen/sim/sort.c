/* SPDX-License-Identifier: Apache-2.0 */
/* One pass into buckets of equal width, then insertion: arrivals are spread evenly over a
 * window and each sender's are in order already, so the insertion has next to nothing to do. */
#include "gen/sim/sort.h"

#include <stdlib.h>
#include <string.h>

#define INSERTION_ALONE 12
#define MAX_BUCKETS     2048

static ALWAYS_INLINE void insertion(uint64_t *key, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint64_t k = key[i];
		uint32_t j = i;

		if (LIKELY(key[j - 1] <= k))
			continue;
		do {
			key[j] = key[j - 1];
			j--;
		} while (j && key[j - 1] > k);
		key[j] = k;
	}
}

static ALWAYS_INLINE uint64_t make_key(const struct desc *d, uint32_t i, int64_t start_ps)
{
	return (uint64_t)(d->t_ps - start_ps) << (SORT_INDEX_BITS + SORT_PORT_BITS) |
	       (uint64_t)d->in_port << SORT_INDEX_BITS | i;
}

static NOINLINE void keys_reserve(struct sim_thread *th, uint32_t n)
{
	th->cap_key = n * 2;
	th->key = reallocarray(th->key, th->cap_key, sizeof(*th->key));
	th->key2 = reallocarray(th->key2, th->cap_key, sizeof(*th->key2));
	CHECK(th->key && th->key2);
}

static void by_bucket(struct sim_thread *th, const struct inbox *b)
{
	uint32_t count[MAX_BUCKETS];
	const uint32_t n = b->n;
	uint32_t bits = 33u - (uint32_t)__builtin_clz(n); /* two to four buckets for each */
	uint32_t n_buckets, sum = 0;
	uint64_t scale;

	if (bits > 11)
		bits = 11;
	n_buckets = 1u << bits;
	/* bucket = floor(t * scale / 2^32) < n_buckets for t < window */
	scale = ((uint64_t)n_buckets << 32) / (uint64_t)th->sim->window_ps;
	memset(count, 0, n_buckets * sizeof(count[0]));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t k = make_key(&b->d[i], i, th->start_ps);

		th->key2[i] = k;
		count[((k >> (SORT_INDEX_BITS + SORT_PORT_BITS)) * scale) >> 32]++;
	}
	for (uint32_t i = 0; i < n_buckets; i++) {
		uint32_t c = count[i];

		count[i] = sum;
		sum += c;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t k = th->key2[i];

		th->key[count[((k >> (SORT_INDEX_BITS + SORT_PORT_BITS)) * scale) >> 32]++] = k;
	}
}

void sim_sort_arrivals(struct sim_thread *th, const struct inbox *b)
{
	CHECK(b->n < 1u << SORT_INDEX_BITS);
	if (UNLIKELY(b->n > th->cap_key))
		keys_reserve(th, b->n);
	if (b->n <= INSERTION_ALONE)
		for (uint32_t i = 0; i < b->n; i++)
			th->key[i] = make_key(&b->d[i], i, th->start_ps);
	else
		by_bucket(th, b);
	insertion(th->key, b->n);
}
