/* SPDX-License-Identifier: Apache-2.0 */
/* What `squall run` is asked for, and the simulation of one scenario as it was asked for. */
#ifndef CLI_RUN_ARGS_H
#define CLI_RUN_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/source.h"
#include "scenarios/run_sim.h"

struct run_args {
	struct source source;
	uint64_t threads;
	const char *out, *fct;
	char *capture; /* measure.capture, as YAML; NULL: as the scenario has it */
	const char *snap;
	bool json, no_report;
	struct scenario_set *what_if; /* borrows from argv */
	uint32_t n_what_if;
	struct world *world; /* NULL: this process is alone */
	struct err *err;
};

/* Simulates s into the folder out, with progress on the terminal. 0 with *o, which borrows from
 * s, or what went wrong with *e. */
NODISCARD int run_simulate(struct run_outcome *o, const struct run_args *a,
        const struct scenario *s, const char *out, struct err *e);

/* On the terminal: expectations that do not hold, reasons why figures are tainted. */
enum cli_exit run_judge(const struct run_args *a, const struct run_outcome *o, const char *out);

#endif
