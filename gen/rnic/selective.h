/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selective repeat: what each half of a QP remembers while packets are missing. Both live in a
 * chunk of the thread's pool, and only as long as they are needed.
 */
#ifndef RNIC_SELECTIVE_H
#define RNIC_SELECTIVE_H

#include <stdint.h>

#include "dataplane/base/fifo.h"

#define PSN_MAP_BITS     2048 /* the largest nic.reorder_window */
#define RNIC_MAX_REORDER 4096 /* QPs of one NIC that may have a gap at a time */

struct psn_map {
	uint64_t w[PSN_MAP_BITS / 64];
};

/* The responder's: packets beyond the one that is missing. */
struct sr_rx {
	struct psn_map here, last; /* arrived; last of a message */
	uint32_t n;
};

/* The requester's. */
struct sr_tx {
	struct psn_map sacked;
	uint32_t clean;    /* bits below it are not valid any more */
	uint32_t high;     /* highest PSN that arrived out of order */
	uint32_t next;     /* what was lost below it has been sent again */
	uint32_t mark;     /* snd_max when a packet was last sent again */
	uint32_t lost_end; /* after a timeout: all below it that did not arrive is lost */
};

_Static_assert(sizeof(struct sr_rx) <= sizeof(struct chunk) &&
                       sizeof(struct sr_tx) <= sizeof(struct chunk),
        "kept in a chunk");

static inline int psn_map_get(const struct psn_map *m, uint32_t psn)
{
	return m->w[psn % PSN_MAP_BITS / 64] >> (psn % 64) & 1;
}

static inline void psn_map_set(struct psn_map *m, uint32_t psn)
{
	m->w[psn % PSN_MAP_BITS / 64] |= UINT64_C(1) << (psn % 64);
}

static inline void psn_map_clear(struct psn_map *m, uint32_t psn)
{
	m->w[psn % PSN_MAP_BITS / 64] &= ~(UINT64_C(1) << (psn % 64));
}

#endif
