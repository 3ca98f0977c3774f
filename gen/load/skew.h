/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a rank's bytes spread over the others, for all-to-all and mixture-of-experts traffic: by
 * popularity, which is even, falls as 1 / k^s (Zipf), or is that of a few hot ones. Who is how
 * popular is drawn, once or for every round; all senders see it alike. gen/load's own.
 */
#ifndef LOAD_SKEW_H
#define LOAD_SKEW_H

#include <stdint.h>

#include "gen/load/load.h"

struct skew {
	uint64_t *cumulative; /* [n + 1] of weights by popularity; NULL: even */
	int64_t bytes;        /* of one sender to all ranks, itself included */
};

/* Makes en->shared, which skew_fini frees. -EINVAL where a share could not be sent as one
 * message, which `key` is then to blame for. */
NODISCARD int skew_prepare(
        struct load_entry *en, const char *key, int64_t bytes, struct err *e);
void skew_fini(struct load_entry *en); /* also where nothing was prepared */

/* What each sender has for this rank, at least 1. */
int64_t skew_bytes(
        const struct skew *k, const struct load_entry *en, uint64_t round, uint32_t rank);

/* k^-s in Q32, s in Q32, within 2^-31 of the true value. */
uint64_t skew_zipf_q32(uint32_t k, int64_t s_q32);

#endif
