/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UDP source ports in captures. The simulated fabric hashes 16 bits of entropy, a port has 14
 * that are free: the port of a QP is one that, given to it as workload[].udp_source_port, takes
 * the same path there and back, so that what a capture shows can be run again. One thread.
 */
#ifndef SCENARIOS_TAP_PORTS_H
#define SCENARIOS_TAP_PORTS_H

#include <stdint.h>

#include "dataplane/fabric/routes.h"

struct tap_ports {
	const struct topo *topo;
	struct routes *routes;
	uint64_t seed;
};

NODISCARD int tap_ports_init(
        struct tap_ports *p, const struct topo *t, uint64_t seed, struct err *e);
void tap_ports_fini(struct tap_ports *p);

uint16_t tap_ports_find(
        const struct tap_ports *p, uint32_t src, uint32_t dst, uint16_t entropy);

#endif
