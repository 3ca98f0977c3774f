/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of fabric.overrides: what it says, and which ports it matches. Cold, one thread. */
#ifndef SCENARIO_OVERRIDE_H
#define SCENARIO_OVERRIDE_H

#include "scenarios/scenario_int.h"

#define OVERRIDE_MAX_ROWS 64 /* of fabric.switch and of one override */

struct override {
	const struct yaml_node *node; /* of the entry */
	char shown[32];               /* "fabric.overrides[3]" */
	struct override_cfg cfg;
	struct switch_cfg value;        /* where is_set */
	bool is_set[OVERRIDE_MAX_ROWS]; /* by row of switch_knobs */
	bool sets_switch;               /* any of them */
	uint32_t match_node;            /* UINT32_MAX: any */
	uint32_t link_a, link_b;        /* UINT32_MAX: any */
};

/* Reads the entry and resolves its names. */
NODISCARD int override_read(struct override *o, const struct scenario *s,
        const struct yaml_node *node, uint32_t index, struct err *e);

/* Does it match this port of this node, as links are now? */
bool override_matches(
        const struct override *o, const struct topo *t, uint32_t node, uint16_t port);

/* Keys of the switch itself, which all its ports share: fabric_cfg.h keeps them in front. */
static inline bool override_row_is_of_node(const struct knob *row)
{
	return row->offset < offsetof(struct switch_cfg, ecn_enabled);
}

/* Copies the values that are set into cfg. */
void override_put(const struct override *o, struct switch_cfg *cfg, bool with_node_keys);

/* Where this override writes a key of fabric.switch. */
const struct yaml_node *override_value_node(const struct override *o, const struct knob *row);

#endif
