/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary min-heap of uint64_t keys over caller-provided storage; the caller guarantees room.
 * Keys are unique or interchangeable, so the order of equal keys does not matter.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdint.h>

#include "dataplane/base/compiler.h"

static ALWAYS_INLINE void heap_sift_down(uint64_t *h, uint32_t n, uint32_t i, uint64_t key)
{
	for (;;) {
		uint32_t c = 2 * i + 1;

		if (c >= n)
			break;
		if (c + 1 < n && h[c + 1] < h[c])
			c++;
		if (h[c] >= key)
			break;
		h[i] = h[c];
		i = c;
	}
	h[i] = key;
}

static ALWAYS_INLINE void heap_push(uint64_t *h, uint32_t *n, uint64_t key)
{
	uint32_t i = (*n)++;

	while (i) {
		uint32_t p = (i - 1) / 2;

		if (h[p] <= key)
			break;
		h[i] = h[p];
		i = p;
	}
	h[i] = key;
}

static ALWAYS_INLINE void heap_replace_top(uint64_t *h, uint32_t n, uint64_t key)
{
	heap_sift_down(h, n, 0, key);
}

static ALWAYS_INLINE uint64_t heap_pop(uint64_t *h, uint32_t *n)
{
	uint64_t top = h[0];

	if (--*n)
		heap_sift_down(h, *n, 0, h[*n]);
	return top;
}

#endif
