/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --set changes base values; where an override still decides the same key on some matched port
 * the user would get less than was asked for, so the run is refused and the override named.
 * Only keys that --set gave are followed. Cold, one thread.
 */
#ifndef SCENARIO_OVERRIDE_CONFLICT_H
#define SCENARIO_OVERRIDE_CONFLICT_H

#include "scenarios/override.h"

struct override_conflict {
	const struct yaml_node *base; /* the --set value */
	const struct knob *row;       /* of switch_knobs or override_knobs (link.rate ...) */
	bool is_link, of_hosts; /* link keys: of host links, or of those between switches */
	uint16_t *last;         /* [n_ports] which override decided it; 0xffff: none */
};

struct override_conflicts {
	struct override_conflict *c;
	uint32_t n;
};

NODISCARD int override_conflicts_init(
        struct override_conflicts *cs, const struct scenario *s, struct err *e);

/* Override number i has just been applied to the matched ports. */
void override_conflicts_note(struct override_conflicts *cs, const struct topo *t,
        const struct override *o, uint32_t i, const bool *matched);

NODISCARD int override_conflicts_check(const struct override_conflicts *cs,
        const struct topo *t, const struct override *o, struct err *e);
void override_conflicts_fini(struct override_conflicts *cs);

#endif
