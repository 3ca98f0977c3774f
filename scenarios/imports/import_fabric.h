/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric of a scenario for an import that has none of its own (--fabric). One thread. */
#ifndef SCENARIO_IMPORT_FABRIC_H
#define SCENARIO_IMPORT_FABRIC_H

#include "scenarios/imports/import_draft.h"
#include "scenarios/scenario.h"

/* Loads job->fabric and puts its fabric, with every key, into the draft; the caller frees *s.
 */
NODISCARD int import_fabric(struct import_draft *d, struct scenario **s,
        const struct import_job *job, struct err *e);

#endif
