/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential draws in integer arithmetic, so that every compiler draws the same. Pure. */
#ifndef LOAD_EXPONENTIAL_H
#define LOAD_EXPONENTIAL_H

#include <stdint.h>

#include "dataplane/base/rng.h"

/* log2(x) of x >= 1 in Q32: the true value rounded down; exact for powers of two. */
uint64_t log2_q32(uint64_t x);

/* -ln((r + 1) / 2^64) in Q32, within 1.2 * 2^-32 of the true value; 0 .. 44.4. */
uint64_t neg_ln_q32(uint64_t r);

/* The time to the next event of a Poisson process with this mean, rounded to the nearest
 * picosecond and at least 1, so that time moves on. mean_q16: picoseconds in Q16.
 */
int64_t exponential_ps(struct rng *r, int64_t mean_q16);

#endif
