/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Randomness without shared streams: every stream derives its own generator from (seed, node,
 * purpose). Integer arithmetic only, so draws are identical on every compiler.
 * Generator: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
 * OOPSLA 2014); its output function doubles as the hash.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t hash64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline uint64_t hash_combine(uint64_t a, uint64_t b)
{
	return hash64(a ^ (hash64(b + UINT64_C(0x9e3779b97f4a7c15))));
}

enum rng_purpose {
	RNG_ECN = 1,
	RNG_ECMP = 2,
	RNG_LOAD = 3,
	RNG_PORT = 4,
	RNG_FAULT = 5,
	RNG_BALANCE = 6,
};

static inline struct rng rng_make(uint64_t seed, uint64_t node, enum rng_purpose purpose)
{
	return (struct rng){hash_combine(hash_combine(seed, node), (uint64_t)purpose)};
}

static inline uint64_t rng_next(struct rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return hash64(r->state);
}

/* Uniform in [0, n), n > 0, by multiplication; the bias is below n / 2^64. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}

#endif
