/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary min-heap of uint64_t keys over caller-provided storage; the caller guarantees room.
 * Keys are unique or interchangeable, so the order of equal keys does not matter.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdint.h>

#include "dataplane/base/compiler.h"

/* Puts key at the hole i or as far above it, up to top, as its parents are larger. */
static ALWAYS_INLINE void heap_rise(uint64_t *h, uint32_t top, uint32_t i, uint64_t key)
{
	while (i > top) {
		uint32_t p = (i - 1) / 2;

		if (h[p] <= key)
			break;
		h[i] = h[p];
		i = p;
	}
	h[i] = key;
}

/* Moves the hole at i to the bottom along the smaller children, without a branch to mispredict,
 * and lets the key rise from there: a key that replaces the top usually belongs far down. */
static ALWAYS_INLINE void heap_sift_down(uint64_t *h, uint32_t n, uint32_t i, uint64_t key)
{
	const uint32_t top = i;
	uint32_t c = 2 * i + 1;

	while (c + 1 < n) {
		c += (uint32_t)(h[c + 1] < h[c]);
		h[i] = h[c];
		i = c;
		c = 2 * i + 1;
	}
	if (c < n) {
		h[i] = h[c];
		i = c;
	}
	heap_rise(h, top, i, key);
}

static ALWAYS_INLINE void heap_push(uint64_t *h, uint32_t *n, uint64_t key)
{
	heap_rise(h, 0, (*n)++, key);
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
