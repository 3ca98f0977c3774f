/* SPDX-License-Identifier: Apache-2.0 */
/* faults[]: from mappings to what the simulator takes. Cold, one thread. */
#ifndef SCENARIO_FAULTS_H
#define SCENARIO_FAULTS_H

#include <stdio.h>

#include "dataplane/base/err.h"
#include "gen/sim/fault_cfg.h"

struct scenario;

/* One entry: as written, and resolved. Texts and arrays live with the scenario's document. */
struct scenario_fault {
	enum fault_kind kind;
	struct fault_cfg cfg;
	const char *target; /* "host3", "leaf0-spine1", as written */
};

/* Reads all entries; after the topology is built. */
NODISCARD int scenario_build_faults(struct scenario *s, struct err *e);

/* The section of a resolved scenario. */
void scenario_emit_faults(FILE *f, const struct scenario *s);

/* "pfc_storm host7", for tables. */
#define SCENARIO_FAULT_NAME_BYTES 96
const char *scenario_fault_name(
        char buf[SCENARIO_FAULT_NAME_BYTES], const struct scenario *s, uint32_t index);

#endif
