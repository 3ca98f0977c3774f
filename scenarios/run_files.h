/* SPDX-License-Identifier: Apache-2.0 */
/* The result folder of a run: all of its files or none. */
#ifndef SCENARIOS_RUN_FILES_H
#define SCENARIOS_RUN_FILES_H

#include "analysis/out_file.h"
#include "scenarios/run_sim.h"

/* set may hold files already; all of it gets its names here, unless there is an error. */
NODISCARD int run_files_write(struct run_outcome *o, const struct scenario *s,
        const struct run_options *opt, double start_s, struct out_set *set, struct err *e);

#endif
