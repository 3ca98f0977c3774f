/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/coll_spec.h"

#include <assert.h>
#include <stdlib.h>

static int64_t off(int64_t x, int64_t n, int64_t i)
{
	int64_t longer = x % n;

	return i * (x / n) + (i < longer ? i : longer);
}

static int64_t len(int64_t x, int64_t n, int64_t i)
{
	return off(x, n, i + 1) - off(x, n, i);
}

int64_t coll_spec_block_off(const struct coll_case *c, uint32_t rank)
{
	return off(c->bytes, c->n, rank);
}

static void add(struct coll_sends *s, uint32_t to, int64_t o, int64_t l, bool sum)
{
	if (!l)
		return;
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->at = realloc(s->at, s->room * sizeof(*s->at));
		assert(s->at);
	}
	s->at[s->n++] = (struct coll_send){to, o, l, sum};
}

static uint32_t common(uint32_t a, uint32_t b)
{
	return b ? common(b, a % b) : a;
}

/* The step from one position to the next in rank numbers. */
static uint32_t stride(const struct coll_case *c, uint32_t channel)
{
	uint32_t k = 0, s = 1;

	if (c->order == CHANNELS_ALTERNATE)
		return channel % 2 ? c->n - 1 : 1;
	if (c->order == CHANNELS_SAME || c->n == 2)
		return 1;
	while (k < channel) { /* the k-th number below n that shares no divisor with it */
		s = s == c->n - 1 ? 1 : s + 1;
		k += common(s, c->n) == 1;
	}
	return s;
}

static uint32_t rank_at(const struct coll_case *c, uint32_t channel, uint32_t position)
{
	return (uint32_t)((uint64_t)position % c->n * stride(c, channel) % c->n);
}

static uint32_t position_of(const struct coll_case *c, uint32_t channel, uint32_t rank)
{
	uint32_t p = 0;

	while (rank_at(c, channel, p) != rank)
		p++;
	return p;
}

/* The range that piece j is in loop l, in which order the pieces go. */
static void piece(
        const struct coll_case *c, uint32_t ch, int64_t l, uint32_t j, int64_t *o, int64_t *n)
{
	int64_t base = off(c->bytes, c->channels, ch), all = len(c->bytes, c->channels, ch);

	if (c->pattern == LOAD_ALL_REDUCE) {
		int64_t rest = all - l * c->chunk * c->n;
		int64_t region = rest < c->chunk * c->n ? rest : c->chunk * c->n;

		*o = base + l * c->chunk * c->n + off(region, c->n, j);
		*n = len(region, c->n, j);
		return;
	}
	j = rank_at(c, ch, j);
	base = off(c->bytes, c->n, j) + off(len(c->bytes, c->n, j), c->channels, ch);
	all = len(len(c->bytes, c->n, j), c->channels, ch) - l * c->chunk;
	*o = base + l * c->chunk;
	*n = all < 0 ? 0 : all < c->chunk ? all : c->chunk;
}

static void ring(const struct coll_case *c, struct coll_sends *s, uint32_t ch, uint32_t p)
{
	const bool all_reduce = c->pattern == LOAD_ALL_REDUCE;
	const uint32_t steps = all_reduce ? 2 * c->n - 2 : c->n - 1;
	int64_t rest = all_reduce ? len(c->bytes, c->channels, ch)
	                          : len(len(c->bytes, c->n, 0), c->channels, ch);

	for (int64_t l = 0; rest > 0; l++) {
		for (uint32_t t = 0; t < steps; t++) {
			uint32_t first = p + (c->pattern == LOAD_REDUCE_SCATTER ? 3 * c->n - 1
			                                                        : 2 * c->n);
			int64_t o, n, k;

			piece(c, ch, l, (first - t) % c->n, &o, &n);
			k = n / 32768 < c->slices ? n / 32768 : c->slices;
			for (int64_t i = 0; i < (k ? k : 1); i++)
				add(s, rank_at(c, ch, p + 1), o + off(n, k ? k : 1, i),
				        len(n, k ? k : 1, i),
				        c->pattern == LOAD_REDUCE_SCATTER ||
				                (all_reduce && t < c->n - 1));
		}
		rest -= all_reduce ? c->chunk * c->n : c->chunk;
	}
}

/* The trees by a search: symmetric order over 1 .. n - 1, the root of a range the multiple of
 * the largest power of two in it. */
static uint32_t middle(uint32_t lo, uint32_t hi)
{
	for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1)
		if ((lo + bit - 1) / bit * bit <= hi)
			return (lo + bit - 1) / bit * bit;
	return lo;
}

static uint32_t parent(uint32_t n, uint32_t i)
{
	uint32_t lo = 1, hi = n - 1, up = 0;

	for (;;) {
		uint32_t m = middle(lo, hi);

		if (m == i)
			return up;
		up = m;
		if (i < m)
			hi = m - 1;
		else
			lo = m + 1;
	}
}

static uint32_t in_tree(uint32_t n, int which, uint32_t p)
{
	return !which ? p : n % 2 ? (p + n - 1) % n : n - 1 - p;
}

static uint32_t out_of_tree(uint32_t n, int which, uint32_t i)
{
	return !which ? i : n % 2 ? (i + 1) % n : n - 1 - i;
}

static void tree_up(const struct coll_case *c, struct coll_sends *s, uint32_t ch, uint32_t p,
        int which, int64_t base, int64_t all)
{
	uint32_t i = in_tree(c->n, which, p);

	for (int64_t o = 0; i && o < all; o += c->chunk)
		add(s, rank_at(c, ch, out_of_tree(c->n, which, parent(c->n, i))), base + o,
		        all - o < c->chunk ? all - o : c->chunk, true);
}

/* turn: position that stands for 0. */
static void tree_down(const struct coll_case *c, struct coll_sends *s, uint32_t ch, uint32_t p,
        int which, uint32_t turn, int64_t base, int64_t all)
{
	uint32_t i = in_tree(c->n, which, (p + c->n - turn) % c->n);

	for (int64_t o = 0; o < all; o += c->chunk)
		for (uint32_t k = 1; k < c->n; k++)
			if (parent(c->n, k) == i)
				add(s, rank_at(c, ch, out_of_tree(c->n, which, k) + turn),
				        base + o, all - o < c->chunk ? all - o : c->chunk,
				        false);
}

static void chain(const struct coll_case *c, struct coll_sends *s, uint32_t ch, uint32_t p)
{
	int64_t base = off(c->bytes, c->channels, ch), all = len(c->bytes, c->channels, ch);

	if (rank_at(c, ch, p + 1) == c->root)
		return;
	for (int64_t o = 0; o < all; o += c->chunk)
		add(s, rank_at(c, ch, p + 1), base + o, all - o < c->chunk ? all - o : c->chunk,
		        false);
}

static void halving(const struct coll_case *c, struct coll_sends *s, uint32_t ch, uint32_t p)
{
	int64_t base = off(c->bytes, c->channels, ch), all = len(c->bytes, c->channels, ch);
	uint32_t size = 1, folded, id, lo = 0, hi;

	while (2 * size <= c->n)
		size *= 2;
	folded = c->n - size;
	if (p < 2 * folded && p % 2 == 0) {
		add(s, rank_at(c, ch, p + 1), base, all, true);
		return;
	}
	id = p < 2 * folded ? p / 2 : p - folded;
#define AT(i) rank_at(c, ch, (i) < folded ? 2 * (i) + 1 : (i) + folded)
	for (hi = size; hi - lo > 1;) {
		uint32_t half = (hi - lo) / 2, mid = lo + half;
		uint32_t from = id < mid ? mid : lo, to = id < mid ? hi : mid;

		add(s, AT(id ^ half), base + off(all, size, from),
		        off(all, size, to) - off(all, size, from), true);
		lo = id < mid ? lo : mid;
		hi = lo + half;
	}
	for (uint32_t half = 1; half < size; half *= 2) {
		lo = id / half * half;
		add(s, AT(id ^ half), base + off(all, size, lo),
		        off(all, size, lo + half) - off(all, size, lo), false);
	}
#undef AT
	if (p < 2 * folded)
		add(s, rank_at(c, ch, p - 1), base, all, false);
}

struct coll_sends coll_spec(const struct coll_case *c, uint32_t rank, uint32_t lane)
{
	static const uint32_t lanes[] = {1, 2, 4, 1};
	const uint32_t per = c->pattern == LOAD_BROADCAST ? 1 : lanes[c->algorithm];
	const uint32_t ch = lane / per, part = lane % per, p = position_of(c, ch, rank);
	int64_t base = off(c->bytes, c->channels, ch), all = len(c->bytes, c->channels, ch);
	struct coll_sends s = {0};

	if (c->pattern == LOAD_BROADCAST && c->algorithm == ALGORITHM_RING)
		chain(c, &s, ch, p);
	else if (c->pattern == LOAD_BROADCAST)
		tree_down(c, &s, ch, p, 0, position_of(c, ch, c->root), base, all);
	else if (c->algorithm == ALGORITHM_RING)
		ring(c, &s, ch, p);
	else if (c->algorithm == ALGORITHM_HALVING_DOUBLING)
		halving(c, &s, ch, p);
	else {
		if (c->algorithm == ALGORITHM_DOUBLE_TREE) {
			base += off(all, 2, part / 2);
			all = len(all, 2, part / 2);
		}
		if (part % 2)
			tree_down(c, &s, ch, p, part / 2, 0, base, all);
		else
			tree_up(c, &s, ch, p, part / 2, base, all);
	}
	return s;
}
