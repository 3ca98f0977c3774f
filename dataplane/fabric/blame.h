/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an ingress has to stop its peer: the egress for which most of what it holds is waiting,
 * and whether that one was itself kept from sending while this piled up. The frame that tips
 * the ingress says little: it may be bound for a port that is free. Asked when an XOFF is
 * decided, by the switch's thread.
 */
#ifndef FABRIC_BLAME_H
#define FABRIC_BLAME_H

#include "dataplane/fabric/fswitch.h"

struct blame {
	uint16_t port;
	bool paused; /* now, or at some time since the oldest of these packets came */
};

/* Of ingress d->in_port and class d->priority, as d arrives, bound for out. */
struct blame fsw_blame(const struct fsw *sw, uint16_t out, const struct desc *d);

#endif
