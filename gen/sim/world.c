/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/world.h"

#include <string.h>

#include "dataplane/base/check.h"

/* The same block to every other rank. */
static void tell_all(struct world *w, const void *data, size_t len, struct world_block *in)
{
	struct world_block out[WORLD_MAX_RANKS] = {{0}};

	for (uint32_t r = 0; r < w->n_ranks; r++)
		if (r != w->rank)
			out[r] = (struct world_block){data, len};
	w->ops->exchange(w, out, in);
}

int world_agree(struct world *w, int rc, struct err *e)
{
	struct err mine = {0};
	struct world_block in[WORLD_MAX_RANKS];
	const struct err *first = NULL;

	if (!w)
		return rc;
	if (rc && e)
		mine = *e;
	mine.code = rc;
	tell_all(w, &mine, sizeof(mine), in);
	for (uint32_t r = 0; r < w->n_ranks && !first; r++) {
		const struct err *theirs = r == w->rank ? &mine : in[r].data;

		if (theirs->code)
			first = theirs;
	}
	if (!first)
		return 0;
	if (e)
		*e = *first;
	return first->code;
}

uint64_t world_of_first(struct world *w, uint64_t value)
{
	struct world_block in[WORLD_MAX_RANKS];

	if (!w)
		return value;
	tell_all(w, &value, sizeof(value), in);
	if (w->rank)
		memcpy(&value, in[0].data, sizeof(value));
	return value;
}

static int64_t combine(struct world *w, int64_t value, int64_t (*of)(int64_t a, int64_t b))
{
	struct world_block in[WORLD_MAX_RANKS];
	int64_t all = value, theirs;

	if (!w)
		return value;
	tell_all(w, &value, sizeof(value), in);
	for (uint32_t r = 0; r < w->n_ranks; r++) {
		if (r == w->rank)
			continue;
		CHECK(in[r].len == sizeof(theirs));
		memcpy(&theirs, in[r].data, sizeof(theirs));
		all = of(all, theirs);
	}
	return all;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t sum(int64_t a, int64_t b)
{
	return a + b;
}

int64_t world_max(struct world *w, int64_t value)
{
	return combine(w, value, larger);
}

int64_t world_sum(struct world *w, int64_t value)
{
	return combine(w, value, sum);
}
