/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Did you mean": offer candidates one after the other, then ask for the one closest to what
 * was written. Keeps pointers to the candidates, owns nothing.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdint.h>

struct nearest {
	const char *want;
	const char *best;
	uint32_t best_distance;
};

void nearest_init(struct nearest *n, const char *want);
void nearest_offer(struct nearest *n, const char *candidate);

/* The best candidate, or NULL if none is close enough to be what was meant. */
const char *nearest_get(const struct nearest *n);

/* Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment), case
 * ignored; capped at 64 characters. */
uint32_t nearest_distance(const char *a, const char *b);

#endif
