/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the scenario's own keys: run, measure, and what an entry of fabric.overrides holds.
 */
#ifndef SCENARIO_KNOBS_H
#define SCENARIO_KNOBS_H

#include <stdint.h>

#include "dataplane/base/knob.h"

enum override_tier {
	TIER_ANY = -1,
	TIER_HOST = 0,
	TIER_LEAF = 1,
	TIER_SPINE = 2,
	TIER_CORE = 3
};

/* fabric.overrides[]: which ports, and what changes on their cables. */
struct override_cfg {
	const char *node;                     /* a name or empty: any */
	int64_t port;                         /* -1: any */
	int64_t tier;                         /* enum override_tier */
	int64_t rate_bps;                     /* 0: any */
	const char *link;                     /* "leaf0-host3" or empty: any */
	int64_t link_rate_bps, link_delay_ps; /* -1: as it is */
};

extern const struct knob_group run_knobs, fabric_lists_knobs, measure_knobs, override_knobs;

#endif
