/* SPDX-License-Identifier: Apache-2.0 */
/* Where a fault happens: names of hosts, switches and links to ports of the topology. */
#ifndef SCENARIO_FAULT_PLACE_H
#define SCENARIO_FAULT_PLACE_H

#include "gen/sim/fault.h"
#include "scenarios/arena.h"
#include "scenarios/yaml_tree.h"

struct topo;

struct fault_places {
	struct fault_place *at;
	uint32_t n;
};

/* What a name may mean; several bits: one of them. */
enum fault_target {
	FAULT_TARGET_HOST = 1 << 0,      /* host3; all: every host */
	FAULT_TARGET_SWITCH = 1 << 1,    /* leaf0; all: every switch */
	FAULT_TARGET_LINK = 1 << 2,      /* leaf0-host3, both directions; leaf0->host3; all */
	FAULT_TARGET_DIRECTION = 1 << 3, /* leaf0->leaf1 alone: its sending end */
};

/* Resolves text, which stands at node n as key (for messages). */
NODISCARD int fault_places_find(struct fault_places *out, const struct topo *t,
        const char *text, unsigned targets, const struct yaml_node *n, const char *key,
        struct arena *arena, struct err *e);

#endif
