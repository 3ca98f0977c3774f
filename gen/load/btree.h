/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary trees over 0 .. n - 1 in symmetric order: 0 is the root with one child, the others
 * form a tree in which whoever's lowest set bit is 2^k stands k levels above the leaves, its
 * children 2^(k-1) to either side. Two of them, one shifted or mirrored, make each node but
 * two a leaf of one and inner in the other: Sanders, Speck, Traeff, "Two-tree algorithms for
 * full bandwidth broadcast, reduction and scan", Parallel Computing 35 (2009); NCCL builds the
 * same pair (trees.cc). gen/load's own.
 */
#ifndef LOAD_BTREE_H
#define LOAD_BTREE_H

#include <stdint.h>

#define BTREE_NONE UINT32_MAX

struct btree_node {
	uint32_t up, down[2]; /* BTREE_NONE: none */
};

static inline uint32_t btree_up(uint32_t n, uint32_t i)
{
	uint32_t bit = i & -i, up = (i ^ bit) | bit << 1;

	if (!i)
		return BTREE_NONE;
	return up < n ? up : i ^ bit;
}

static inline struct btree_node btree_at(uint32_t n, uint32_t i)
{
	struct btree_node t = {btree_up(n, i), {BTREE_NONE, BTREE_NONE}};
	uint32_t low = (i & -i) >> 1;

	if (!i) {
		for (low = 1; low < n; low <<= 1)
			;
		if (n > 1)
			t.down[1] = low >> 1;
		return t;
	}
	if (!low)
		return t;
	t.down[0] = i - low;
	while (low && i + low >= n)
		low >>= 1;
	if (low)
		t.down[1] = i + low;
	return t;
}

/* The other tree of the pair: mirrored if n is even, else shifted by one. */
static inline uint32_t btree_other(uint32_t n, uint32_t i)
{
	if (i == BTREE_NONE)
		return i;
	return n % 2 ? (i + 1) % n : n - 1 - i;
}

static inline struct btree_node btree_pair_at(uint32_t n, uint32_t which, uint32_t i)
{
	struct btree_node t;

	if (!which)
		return btree_at(n, i);
	t = btree_at(n, n % 2 ? (i + n - 1) % n : n - 1 - i);
	return (struct btree_node){
	        btree_other(n, t.up), {btree_other(n, t.down[0]), btree_other(n, t.down[1])}};
}

#endif
