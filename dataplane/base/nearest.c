/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/nearest.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define NEAREST_MAX_LEN 64

void nearest_init(struct nearest *n, const char *want)
{
	*n = (struct nearest){.want = want, .best_distance = UINT32_MAX};
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	uint32_t distance = nearest_distance(n->want, candidate);

	if (distance < n->best_distance) {
		n->best = candidate;
		n->best_distance = distance;
	}
}

const char *nearest_get(const struct nearest *n)
{
	size_t len = strlen(n->want);

	/* One slip in three letters, two in a short word, a third of a long one: farther is
	 * another word. */
	if (!n->best ||
	        n->best_distance > (len < 4          ? 1
	                                   : len < 6 ? 2
	                                             : len / 3) ||
	        n->best_distance >= len)
		return NULL;
	return n->best;
}

static size_t capped_len(const char *s)
{
	return strnlen(s, NEAREST_MAX_LEN);
}

static char fold(char c)
{
	return (char)tolower((unsigned char)c);
}

uint32_t nearest_distance(const char *a, const char *b)
{
	uint32_t row[3][NEAREST_MAX_LEN + 1];
	uint32_t *before = row[0], *last = row[1], *now = row[2];
	size_t na = capped_len(a), nb = capped_len(b);

	for (size_t j = 0; j <= nb; j++)
		last[j] = (uint32_t)j;
	for (size_t i = 1; i <= na; i++) {
		uint32_t *spare = before;

		now[0] = (uint32_t)i;
		for (size_t j = 1; j <= nb; j++) {
			uint32_t d = last[j - 1] + (fold(a[i - 1]) != fold(b[j - 1]));

			if (last[j] + 1 < d)
				d = last[j] + 1;
			if (now[j - 1] + 1 < d)
				d = now[j - 1] + 1;
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			        fold(a[i - 2]) == fold(b[j - 1]) && before[j - 2] + 1 < d)
				d = before[j - 2] + 1;
			now[j] = d;
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}
