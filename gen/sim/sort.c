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

static ALWAYS_INLINE uint64_t make_key(const struct desc *d, uint32_t i, uint64_t start_key)
{
	return sort_key_limit(sim_key(d->t_ps, SIM_ARRIVAL, d->in_port), start_key) | i;
}

static NOINLINE void keys_reserve(struct sim_thread *th, uint32_t n)
{
	th->cap_key = (n + 1) * 2;
	th->key = reallocarray(th->key, th->cap_key, sizeof(*th->key));
	th->key2 = reallocarray(th->key2, th->cap_key, sizeof(*th->key2));
	CHECK(th->key && th->key2);
}

static void by_bucket(struct sim_thread *th, const struct inbox *b, uint64_t start_key)
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
		uint64_t k = make_key(&b->d[i], i, start_key);

		th->key2[i] = k;
		count[((k >> SORT_TIME_SHIFT) * scale) >> 32]++;
	}
	for (uint32_t i = 0; i < n_buckets; i++) {
		uint32_t c = count[i];

		count[i] = sum;
		sum += c;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t k = th->key2[i];

		th->key[count[((k >> SORT_TIME_SHIFT) * scale) >> 32]++] = k;
	}
}

void sim_sort_arrivals(struct sim_thread *th, const struct inbox *b)
{
	const uint64_t start_key = sim_key(th->start_ps, SIM_FAULT, 0);

	CHECK(b->n < SORT_MAX);
	if (UNLIKELY(b->n >= th->cap_key))
		keys_reserve(th, b->n);
	if (b->n <= INSERTION_ALONE)
		for (uint32_t i = 0; i < b->n; i++)
			th->key[i] = make_key(&b->d[i], i, start_key);
	else
		by_bucket(th, b, start_key);
	insertion(th->key, b->n);
	th->key[b->n] = UINT64_MAX;
}

void sim_sort_inbox(struct inbox *b)
{
	for (uint32_t i = 1; i < b->n; i++) {
		struct desc d = b->d[i];
		uint32_t j = i;

		for (; j && b->d[j - 1].t_ps > d.t_ps; j--)
			b->d[j] = b->d[j - 1];
		b->d[j] = d;
	}
}
