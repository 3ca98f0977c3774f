/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which host is which rank of an entry. Patterns count in ranks and ask here for hosts; the
 * tables are made once, in prepare. gen/load's own.
 */
#ifndef LOAD_PLACE_H
#define LOAD_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/load/load.h"

/*
 * Draws `want` hosts by cfg.hosts, first_host, placement and share, without the n_barred hosts
 * from host number `barred` on (an incast's receivers). want 0: all that there are; key names
 * what asked for them.
 */
NODISCARD int place_ranks(struct load_entry *en, const char *key, int64_t want, uint32_t barred,
        uint32_t n_barred, struct err *e);
void place_fini(struct load_entry *en);

static inline bool place_has_list(const struct load_cfg *c)
{
	return c->hosts && *c->hosts;
}

static inline uint32_t place_host(const struct load_entry *en, uint32_t rank)
{
	return en->ranks.host ? en->ranks.host[rank] : en->ranks.first + rank;
}

static inline bool place_has(const struct load_entry *en, uint32_t host)
{
	if (en->ranks.rank)
		return en->ranks.rank[host] != PLACE_NOBODY;
	return host >= en->ranks.first && host - en->ranks.first < en->ranks.n;
}

/* Of a host that takes part. */
static inline uint32_t place_rank(const struct load_entry *en, uint32_t host)
{
	return en->ranks.rank ? en->ranks.rank[host] : host - en->ranks.first;
}

#endif
