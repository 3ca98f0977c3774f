/* SPDX-License-Identifier: Apache-2.0 */
/* Chakra execution traces; what the importer and its tests share. */
#ifndef SCENARIO_IMPORT_CHAKRA_H
#define SCENARIO_IMPORT_CHAKRA_H

#include "scenarios/imports/chakra_trace.h"
#include "scenarios/imports/import_source.h"

extern const struct import_source import_chakra;

/* Traces of all ranks become d->sched, finished. */
NODISCARD int chakra_schedule(struct import_draft *d, const struct chakra_trace *trace,
        uint32_t n_ranks, struct err *e);

#endif
