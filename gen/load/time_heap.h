/* SPDX-License-Identifier: Apache-2.0 */
/* Min-heap of (time, order) over the caller's storage: merges streams in time, ties by order.
 */
#ifndef LOAD_TIME_HEAP_H
#define LOAD_TIME_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct timed {
	int64_t t_ps;
	uint64_t order; /* unique among equal times */
};

static inline bool timed_before(struct timed a, struct timed b)
{
	return a.t_ps != b.t_ps ? a.t_ps < b.t_ps : a.order < b.order;
}

static inline void time_heap_sift_down(struct timed *h, uint32_t n, struct timed key)
{
	uint32_t i = 0;

	for (;;) {
		uint32_t c = 2 * i + 1;

		if (c >= n)
			break;
		if (c + 1 < n && timed_before(h[c + 1], h[c]))
			c++;
		if (timed_before(key, h[c]))
			break;
		h[i] = h[c];
		i = c;
	}
	h[i] = key;
}

static inline void time_heap_push(struct timed *h, uint32_t *n, struct timed key)
{
	uint32_t i = (*n)++;

	while (i && timed_before(key, h[(i - 1) / 2])) {
		h[i] = h[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h[i] = key;
}

static inline struct timed time_heap_pop(struct timed *h, uint32_t *n)
{
	struct timed top = h[0];

	if (--*n)
		time_heap_sift_down(h, *n, h[*n]);
	return top;
}

#endif
