/* SPDX-License-Identifier: Apache-2.0 */
/* What every report reads: the record of a run and what it was a run of. */
#ifndef ANALYSIS_RUN_RESULT_H
#define ANALYSIS_RUN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/entry_figures.h"
#include "analysis/net_view.h"
#include "dataplane/base/record.h"

struct run_expect {
	const char *text; /* "fct_us.p99 < 4500" */
	bool holds;
	bool has_value; /* false: the key is null in this run */
	double value;
};

/* What an iteration (or a part of it) of a workload entry does, where it is a collective. */
struct run_collective {
	uint16_t entry, part;
	const char *name; /* "all-reduce" */
	uint32_t ranks;
	int64_t bytes;             /* algbw = bytes / time */
	uint32_t bus_num, bus_den; /* busbw = algbw * bus_num / bus_den */
};

/* A key of the scenario with its value in effect. */
struct config_row {
	char *key, *value, *usual; /* usual: the default; NULL: it has none */
	const char *source;        /* of the default */
	bool differs;
};

struct run_result {
	const struct run_record *rec;
	const char *engine;   /* "sim" ... */
	const char *scenario; /* its name */
	uint64_t seed;
	uint32_t n_hosts;
	const char *const *node_name; /* [nodes] for tables */
	/* Who is at the other end of port p of a node: peer_node[first_port[node] + p]. May be
	 * NULL. */
	const uint32_t *first_port, *peer_node;
	const struct net_view *net;    /* may be NULL */
	const char *const *fault_name; /* [rec->n_fault] "pfc_storm host7"; NULL without */
	const double *percentile;      /* measure.percentiles, only for the terminal table */
	uint32_t n_percentile;
	const char *tainted[16]; /* reasons; static or owned by the caller */
	uint32_t n_tainted;
	const struct run_collective *collective; /* by (entry, part) */
	uint32_t n_collective;
	const struct entry_figures *entry; /* of the workload */
	uint32_t n_entries;
	const struct config_row *config;
	uint32_t n_config;
	struct run_expect *expect;
	uint32_t n_expect;
	/* run.json only */
	double wall_s, cpu_s;
	int64_t rss_bytes;
	const char *version, *machine, *started;
};

/* Whether expectations say something: what was found so far may yet change. */
static inline bool run_judged(const struct run_result *r)
{
	return r->rec->end != RUN_INTERRUPTED;
}

#endif
