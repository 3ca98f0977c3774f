/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SipHash-2-4 (Aumasson and Bernstein: "SipHash: a fast short-input PRF", INDOCRYPT 2012): who
 * does not know the key cannot tell its values from random ones. Any thread.
 */
#ifndef REWRITE_SIPHASH_H
#define REWRITE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct sip_key {
	uint64_t k0, k1;
};

uint64_t siphash(const struct sip_key *key, const void *data, size_t n);

#endif
