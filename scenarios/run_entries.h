/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of each workload entry, under the names of their patterns. */
#ifndef RUN_ENTRIES_H
#define RUN_ENTRIES_H

#include "analysis/entry_figures.h"
#include "scenarios/scenario.h"

/* *out is malloc'd, one for each entry of the scenario. */
NODISCARD int run_entries(struct entry_figures **out, const struct run_record *rec,
        const struct scenario *s, struct err *e);

#endif
