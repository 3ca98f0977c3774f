/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random permutations of 0 .. n - 1 without a table: a balanced Feistel network over the next
 * power of four, walked until the value lies below n (Black, Rogaway, "Ciphers with arbitrary
 * finite domains", CT-RSA 2002). At most four tries on average. gen/load's own.
 */
#ifndef LOAD_PERM_H
#define LOAD_PERM_H

#include <stdint.h>

#include "dataplane/base/rng.h"

#define PERM_ROUNDS 4

struct perm {
	uint64_t key;
	uint32_t n, half_bits;
};

static inline struct perm perm_make(uint64_t key, uint32_t n)
{
	struct perm p = {key, n, 1};

	while (p.half_bits < 16 && UINT64_C(1) << (2 * p.half_bits) < n)
		p.half_bits++;
	return p;
}

static inline uint32_t perm_mix(const struct perm *p, uint32_t round, uint32_t x)
{
	return (uint32_t)hash64(p->key + round * UINT64_C(0x9e3779b97f4a7c15) + x) &
	       ((1u << p->half_bits) - 1);
}

static inline uint32_t perm_at(const struct perm *p, uint32_t i)
{
	do {
		uint32_t l = i >> p->half_bits, r = i & ((1u << p->half_bits) - 1);

		for (uint32_t k = 0; k < PERM_ROUNDS; k++) {
			uint32_t t = l ^ perm_mix(p, k, r);

			l = r;
			r = t;
		}
		i = l << p->half_bits | r;
	} while (i >= p->n);
	return i;
}

/* perm_inverse(p, perm_at(p, i)) = i */
static inline uint32_t perm_inverse(const struct perm *p, uint32_t i)
{
	do {
		uint32_t l = i >> p->half_bits, r = i & ((1u << p->half_bits) - 1);

		for (uint32_t k = PERM_ROUNDS; k-- > 0;) {
			uint32_t t = r ^ perm_mix(p, k, l);

			r = l;
			l = t;
		}
		i = l << p->half_bits | r;
	} while (i >= p->n);
	return i;
}

/* Whom i stands before when all stand in one random circle: nobody before himself, and each
 * before somebody else. */
static inline uint32_t perm_next(const struct perm *p, uint32_t i)
{
	uint32_t at = perm_inverse(p, i) + 1;

	return perm_at(p, at < p->n ? at : 0);
}

#endif
