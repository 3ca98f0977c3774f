/* SPDX-License-Identifier: Apache-2.0 */
/* What the entries of a workload say about their iterations to those who report. */
#ifndef RUN_COLLECTIVES_H
#define RUN_COLLECTIVES_H

#include "analysis/run_result.h"
#include "scenarios/scenario.h"

/* The collectives of all entries by (entry, part), malloc'd. */
NODISCARD int run_collectives(struct run_collective **out, uint32_t *n,
        const struct load_entry *entry, uint32_t n_entries, struct err *e);

#endif
