/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cyclic buffer dependencies, found from the routes alone: packets that came over one link wait
 * in a buffer for another link, whose far end may be waiting in turn. Where such waiting can
 * close a circle on one lossless priority, pause frames can lock it up for good (Dally and
 * Seitz, Deadlock-Free Message Routing, IEEE Trans. Comp. 1987; Hu et al., Deadlocks in
 * Datacenter Networks, HotNets 2016). A circle is necessary for a deadlock, not sufficient.
 * Cold.
 */
#ifndef FABRIC_CBD_H
#define FABRIC_CBD_H

#include <stddef.h>

#include "dataplane/base/err.h"
#include "dataplane/fabric/routes.h"
#include "dataplane/fabric/topo.h"

#define CBD_MAX_HOPS 64

/* hop[i] is the egress port of a switch that waits for hop[i + 1], the last one for the first.
 */
struct cbd {
	uint32_t n_hops; /* 0: no circle; more than CBD_MAX_HOPS: the first ones are here */
	uint8_t priority;
	size_t skipped_bytes; /* not looked at, as that would take so much memory; 0: it was */
	struct route_hop hop[CBD_MAX_HOPS];
};

/* A shortest circle of all that the routes between hosts allow. -ENOMEM. */
NODISCARD int cbd_find(
        struct cbd *out, const struct topo *t, const struct routes *r, struct err *e);

/* "sw0-sw1 -> sw1-sw2 -> sw2-sw0 -> sw0-sw1", cut with "..." where it does not fit. */
const char *cbd_text(const struct cbd *c, const struct topo *t, char *buf, size_t len);

#endif
