/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/skew.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/units.h"
#include "gen/load/load_int.h"
#include "gen/load/perm.h"

typedef unsigned __int128 u128;

#define ONE_Q62   (UINT64_C(1) << 62)
#define LOG_BITS  40
#define MAX_SHIFT 62

/* log2 with LOG_BITS bits behind the point, by squaring. */
static uint64_t log2_fixed(uint32_t x)
{
	const uint32_t whole = 31 - (uint32_t)__builtin_clz(x);
	u128 m = (u128)x << (62 - whole);
	uint64_t out = whole;

	for (int i = 0; i < LOG_BITS; i++) {
		m = m * m >> 62;
		out = out << 1 | (m >= 2 * (u128)ONE_Q62);
		m >>= out & 1;
	}
	return out;
}

static uint64_t root(u128 x)
{
	u128 r = 0;

	for (u128 bit = (u128)1 << 62; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= x)
			r += bit;
	return (uint64_t)r;
}

/* 2^-y, y with LOG_BITS bits behind the point. */
static uint64_t exp2_minus_q62(u128 y)
{
	uint64_t out = ONE_Q62, factor = ONE_Q62 / 2;

	if (y >> LOG_BITS >= MAX_SHIFT)
		return 0;
	for (int i = LOG_BITS - 1; i >= 0; i--) {
		factor = root((u128)factor << 62); /* 2^-1/2, 2^-1/4 ... */
		if (y >> i & 1)
			out = (uint64_t)((u128)out * factor >> 62);
	}
	return out >> (uint32_t)(y >> LOG_BITS);
}

uint64_t skew_zipf_q32(uint32_t k, int64_t s_q32)
{
	u128 y = (u128)log2_fixed(k) * (uint64_t)s_q32 >> 32;

	return exp2_minus_q62(y) >> 30;
}

/* Of the k-th most popular, from 0. */
static uint64_t weight(const struct load_entry *en, uint32_t k)
{
	const struct load_cfg *c = &en->cfg;
	const uint64_t n = en->ranks.n, hot = (uint64_t)c->hot_ranks;
	uint64_t w;

	if (c->skew == SKEW_ZIPF)
		w = skew_zipf_q32(k + 1, c->zipf_q32);
	else if (k < hot)
		w = (uint64_t)c->hot_share_q32 * (n - hot);
	else
		w = (uint64_t)(Q32_ONE - c->hot_share_q32) * hot;
	return w ? w : 1;
}

static int weigh(struct skew *k, const struct load_entry *en, struct err *e)
{
	const uint32_t n = en->ranks.n;

	k->cumulative = calloc((size_t)n + 1, sizeof(*k->cumulative));
	if (!k->cumulative)
		return err_set(e, -ENOMEM, "workload[%u]: no memory for the shares of %u ranks",
		        en->index, n);
	for (uint32_t i = 0; i < n; i++)
		k->cumulative[i + 1] = k->cumulative[i] + weight(en, i);
	return 0;
}

static int64_t share(const struct skew *k, uint32_t n, uint32_t popularity)
{
	const uint64_t *c = k->cumulative;
	int64_t bytes = c ? (int64_t)((u128)k->bytes * c[popularity + 1] / c[n]) -
	                                (int64_t)((u128)k->bytes * c[popularity] / c[n])
	                  : (k->bytes + popularity) / n; /* the rest to the last ones */

	return bytes ? bytes : 1;
}

int skew_prepare(struct load_entry *en, const char *key, int64_t bytes, struct err *e)
{
	struct skew *k = calloc(1, sizeof(*k));
	int rc = 0;

	if (!k)
		return err_set(e, -ENOMEM, "workload[%u]: no memory", en->index);
	k->bytes = bytes;
	en->shared = k;
	if (en->cfg.skew == SKEW_HOT)
		rc = load_check_hot(en, e);
	if (!rc && en->cfg.skew != SKEW_NONE)
		rc = weigh(k, en, e);
	if (!rc)
		rc = load_check_bytes(
		        en, key, share(k, en->ranks.n, k->cumulative ? 0 : en->ranks.n - 1), e);
	return rc;
}

void skew_fini(struct load_entry *en)
{
	struct skew *k = en->shared;

	if (k)
		free(k->cumulative);
	free(k);
	en->shared = NULL;
}

int64_t skew_bytes(
        const struct skew *k, const struct load_entry *en, uint64_t round, uint32_t rank)
{
	uint32_t popularity = rank;

	if (k->cumulative) {
		struct perm p = perm_make(
		        load_draw(en, en->cfg.reshuffle ? round : 0, LOAD_DRAW_POPULARITY),
		        en->ranks.n);

		popularity = perm_at(&p, rank);
	}
	return share(k, en->ranks.n, popularity);
}
