/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a scenario in the simulator and writes its result folder: assembles, and nothing else.
 * One calling thread; the simulator starts its own.
 */
#ifndef RUN_SIM_H
#define RUN_SIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/run_result.h"
#include "analysis/summary.h"
#include "dataplane/base/err.h"
#include "gen/sim/sim.h"
#include "scenarios/net_view.h"
#include "scenarios/scenario.h"

struct run_options {
	uint32_t threads;
	const char *out_dir; /* result folder, made if need be; NULL: no files */
	bool no_page;        /* leave report.html out */
	const char *version;
	struct world
	        *world; /* NULL: one process. Only rank 0 has an outcome and writes files. */
	void (*progress)(void *arg, const struct sim_progress *p); /* may be NULL */
	void *progress_arg;
	/* sim_cfg.tap; one thread then. May be NULL. */
	void (*tap)(void *arg, uint32_t to, const struct desc *d, int64_t start_ps);
	void *tap_arg;
	/* May be set by a signal handler, and is set here when memory runs short; then the run
	 * ends with what there is. */
	atomic_bool *stop;
};

/* What a run leaves behind. Borrows from the scenario, which must outlive it. */
struct run_outcome {
	struct run_record *rec;
	struct run_result result;
	struct run_summary summary;
	const char **node_name;
	uint32_t *first_port, *peer_node;
	struct net_view net;
	struct config_row *config;
	uint32_t n_config;
	const char **fault_name;
	char (*fault_text)[SCENARIO_FAULT_NAME_BYTES];
	struct run_expect *expect;
	struct run_collective *collective;
	struct entry_figures *entry;
	char machine[256], started[32];
	bool out_of_memory;
	double others_cpu_s; /* of the other processes of the run */
	int64_t others_rss_bytes;
};

/* What a scenario says to the simulator, on one thread; borrows from it. */
struct sim_cfg run_sim_cfg(const struct scenario *s);

/* 0 with *o, or -EINVAL / environment. An interrupted run is no error: its result says so. */
NODISCARD int run_sim(struct run_outcome *o, const struct scenario *s,
        const struct run_options *opt, struct err *e);
void run_outcome_fini(struct run_outcome *o);

/* What the run has cost so far, into the result and its summary. */
void run_take_costs(struct run_outcome *o, double start_s);

/* Expectations that do not hold. */
uint32_t run_outcome_failed(const struct run_outcome *o);

#endif
