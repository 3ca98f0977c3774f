/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest-path ECMP. Destinations are grouped by edge switch, the switch that a host hangs on:
 * one word per (switch, edge switch) either is the egress port or names a set of ports in a
 * pool where equal sets are kept once. Built before the run and constant during it, so any
 * thread reads it; routes_free frees.
 */
#ifndef FABRIC_ROUTES_H
#define FABRIC_ROUTES_H

#include <stdint.h>

#include "dataplane/base/check.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"
#include "dataplane/fabric/topo.h"

#define ROUTE_COUNT_BITS                                                                       \
	11 /* number of next hops - 1; 0: the rest of the word is the port itself */
#define ROUTE_LOCAL (((UINT32_C(1) << 21) - 1) << ROUTE_COUNT_BITS) /* the host hangs here */
#define ROUTE_NONE  (ROUTE_LOCAL - (UINT32_C(1) << ROUTE_COUNT_BITS))

_Static_assert(TOPO_MAX_SWITCH_PORTS == 1 << ROUTE_COUNT_BITS, "a set may hold every port");

struct route_host {
	uint16_t edge; /* which edge switch it hangs on */
	uint16_t port; /* of that switch */
};

struct routes {
	uint32_t n_hosts, n_switches, n_edges;
	struct route_host *host; /* [n_hosts] */
	uint32_t *set;  /* [n_switches][n_edges]: port or pool offset << 11 | count - 1 */
	uint32_t *seed; /* [n_switches] */
	uint16_t *pool; /* sets of ports in ascending order, one after the other */
	uint32_t n_pool;
};

/* One egress on a path. */
struct route_hop {
	uint32_t node;
	uint16_t port;
};

/* Every switch hashes with its own seed, derived from (seed, node): equal hashes on successive
 * tiers would leave links unused (polarisation). A host that another cannot reach is an error.
 */
NODISCARD int routes_build(
        struct routes **out, const struct topo *t, uint64_t seed, struct err *e);

/*
 * The same around links that are down: down[] by index in topo.port, not 0 at both ends of such
 * a link. Sets of next hops shrink, the topology's own routes hold where they use other links.
 * A switch that has no way left keeps what it has in `usual`.
 */
NODISCARD int routes_build_without(struct routes **out, const struct topo *t, uint64_t seed,
        const uint8_t *down, const struct routes *usual, struct err *e);
void routes_free(struct routes *r);

/*
 * The switches that a packet crosses from host src to host dst: hop[0] is the sender's own
 * port, then one egress per switch, the last one towards dst. Returns how many, or 0 if that is
 * more than max; n_switches + 1 always suffices.
 */
uint32_t routes_path(const struct routes *r, const struct topo *t, uint32_t src, uint32_t dst,
        uint16_t entropy, struct route_hop *hop, uint32_t max);

/* A bijection of 32 bits in which every input bit moves every output bit: "lowbias32" of
 * C. Wellons' hash prospector (bias 0.174). */
static ALWAYS_INLINE uint32_t route_mix(uint32_t x)
{
	x ^= x >> 16;
	x *= UINT32_C(0x7feb352d);
	x ^= x >> 15;
	x *= UINT32_C(0x846ca68b);
	return x ^ (x >> 16);
}

/* The egress port of a switch (node number as in topo) for a packet to a host. */
static ALWAYS_INLINE uint16_t routes_port(
        const struct routes *r, uint32_t node, uint16_t dst_host, uint16_t entropy)
{
	struct route_host h = r->host[dst_host];
	uint32_t sw = node - r->n_hosts;
	uint32_t s = r->set[(size_t)sw * r->n_edges + h.edge];
	uint32_t last = s & ((UINT32_C(1) << ROUTE_COUNT_BITS) - 1);
	uint32_t at = s >> ROUTE_COUNT_BITS;

	ASSERT(s != ROUTE_NONE);
	if (last)
		return r->pool[at +
		               (((uint64_t)route_mix(entropy ^ r->seed[sw]) * (last + 1)) >>
		                       32)];
	return s == ROUTE_LOCAL ? h.port : (uint16_t)at;
}

/* All egress ports of a switch towards a host, in ascending order; *one is scratch that the
 * answer may point to. Returns how many, 0 if the host cannot be reached from there. */
static inline uint32_t routes_ports(const struct routes *r, uint32_t node, uint16_t dst_host,
        const uint16_t **port, uint16_t *one)
{
	struct route_host h = r->host[dst_host];
	uint32_t s = r->set[(size_t)(node - r->n_hosts) * r->n_edges + h.edge];
	uint32_t last = s & ((UINT32_C(1) << ROUTE_COUNT_BITS) - 1);

	if (s == ROUTE_NONE)
		return 0;
	*one = s == ROUTE_LOCAL ? h.port : (uint16_t)(s >> ROUTE_COUNT_BITS);
	*port = last ? &r->pool[s >> ROUTE_COUNT_BITS] : one;
	return last + 1;
}

#endif
