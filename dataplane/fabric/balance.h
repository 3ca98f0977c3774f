/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several equal next hops a data packet takes where a switch does not keep each flow
 * on one (routes.h does that, ECMP):
 * - spray: any, each packet by a draw of its own (random packet spraying: Dixit et al., On the
 *   Impact of Packet Spraying in Data Center Networks, INFOCOM 2013);
 * - adaptive: the one with the shortest queue of the packet's priority, where there is none one
 *   that is not sending, those under pause last, a draw among equal ones (per-packet DLB of
 * switch ASICs; DRILL, SIGCOMM 2017, with all ports looked at). With a flowlet gap a flow keeps
 * its port while its packets follow each other sooner than that (CONGA, SIGCOMM 2014). A draw
 * is a hash of (seed, node, number of the draw). ACKs, NAKs and CNPs stay with ECMP: they are
 * few, and their order means something. One thread per switch; no clock, no allocation after
 * opening.
 */
#ifndef FABRIC_BALANCE_H
#define FABRIC_BALANCE_H

#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/base/rng.h"
#include "dataplane/fabric/fswitch.h"
#include "dataplane/fabric/routes.h"

#define BALANCE_FLOWLETS 4096 /* entries of the table; flows that share one share its port */

struct flowlet {
	int64_t last_ps; /* of its latest packet; TIME_NEVER: none yet */
	uint16_t port;
};

struct balance {
	bool adaptive;
	struct rng draw;
	int64_t flowlet_gap_ps;  /* 0: packet by packet */
	struct flowlet *flowlet; /* [BALANCE_FLOWLETS] with a gap */
};

/* *out is NULL for a switch that balances by ECMP. */
NODISCARD int balance_open(struct balance **out, const struct switch_cfg *cfg, uint32_t node,
        uint64_t seed, struct err *e);
void balance_close(struct balance *b); /* NULL is fine */

/* The egress port for d, which arrives at now_ps. */
uint16_t balance_port(
        const struct fsw *sw, const struct routes *r, const struct desc *d, int64_t now_ps);

#endif
