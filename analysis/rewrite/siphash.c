/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rewrite/siphash.h"

#include <string.h>

static inline uint64_t rotated(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotated(v[1], 13) ^ v[0];
	v[0] = rotated(v[0], 32);
	v[2] += v[3];
	v[3] = rotated(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotated(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotated(v[1], 17) ^ v[2];
	v[2] = rotated(v[2], 32);
}

static inline void take(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

uint64_t siphash(const struct sip_key *key, const void *data, size_t n)
{
	uint64_t v[4] = {key->k0 ^ UINT64_C(0x736f6d6570736575),
	        key->k1 ^ UINT64_C(0x646f72616e646f6d), key->k0 ^ UINT64_C(0x6c7967656e657261),
	        key->k1 ^ UINT64_C(0x7465646279746573)};
	const uint8_t *p = data;
	uint64_t word, last = (uint64_t)n << 56;
	size_t left = n;

	for (; left >= 8; left -= 8, p += 8) {
		memcpy(&word, p, 8);
		take(v, word);
	}
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)p[i] << 8 * i;
	take(v, last);
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
