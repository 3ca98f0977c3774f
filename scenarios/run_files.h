/* SPDX-License-Identifier: Apache-2.0 */
/* The result folder of a run: all of its files or none. */
#ifndef SCENARIOS_RUN_FILES_H
#define SCENARIOS_RUN_FILES_H

#include "scenarios/run_sim.h"

NODISCARD int run_files_write(struct run_outcome *o, const struct scenario *s,
        const struct run_options *opt, double start_s, struct err *e);

#endif
