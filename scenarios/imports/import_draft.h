/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an import makes of other programs' files: the beginnings of a scenario that a person is
 * going to edit, files beside it, and what was found, could not be known and was assumed.
 * import_draft_fini frees; all zero is empty. One thread.
 */
#ifndef SCENARIO_IMPORT_DRAFT_H
#define SCENARIO_IMPORT_DRAFT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/err.h"
#include "gen/load/sched.h"

#define IMPORT_MAX_LINES  400
#define IMPORT_MAX_BESIDE 4
#define IMPORT_RATE_BPS   INT64_C(100000000000) /* where nothing says it */

/* What the command line asks for. */
struct import_job {
	const char *const *path;
	uint32_t n_paths;
	int64_t buffer_bytes; /* of a collective; 0: not given */
	int64_t rate_bps;     /* of a host link; 0: not given */
	const char *stem;     /* files beside the scenario begin with it: "mine" */
	const char *fabric;   /* a scenario whose fabric is taken; NULL: none */
	bool force;           /* files that are there may be replaced, inputs never */
};

enum import_line_kind { IMPORT_FOUND, IMPORT_UNKNOWN, IMPORT_ASSUMED, IMPORT_LINE_KINDS };

struct import_lines {
	char **at;
	uint32_t n, more; /* more: had no room */
};

struct import_draft {
	struct import_lines line[IMPORT_LINE_KINDS];
	/* fabric.topology */
	uint32_t n_hosts;      /* star */
	uint32_t nodes, rails; /* rails > 1: a rail fabric of nodes * rails hosts */
	int64_t rate_bps;      /* host links; 0: the default, which is then said */
	/* workload: one of these */
	struct sched sched; /* n_ranks > 0: STEM.goal */
	struct sched other; /* the same work another way: STEM-NAME.goal, commented out */
	const char *other_name;
	const char *other_why;
	const char *collective;   /* what both carry out, as the key's word; NULL: several */
	int64_t collective_bytes; /* 0: then collective does not count */
	const char *calc_unit;    /* of both; NULL: the default */
	struct load_flow *flow;   /* STEM.csv; malloc'd */
	int64_t n_flows;
	bool input_serves; /* the input is a schedule or list that a scenario can name */
	char *workload;    /* entries as text, instead; malloc'd */
	char *fabric;      /* sections of the scenario before the workload as text, instead of
	                      topology and rate; malloc'd */
	struct import_beside {
		char suffix[24]; /* STEM and this */
		const char *key; /* of the scenario that names it: "workload[0].file" */
		char *text;      /* malloc'd */
		size_t len;
	} beside[IMPORT_MAX_BESIDE];
	uint32_t n_beside;
};

void import_draft_fini(struct import_draft *d);

/* One fact, for the head of the scenario. */
void import_say(struct import_draft *d, enum import_line_kind kind, const char *fmt, ...)
        PRINTF_LIKE(3, 4);

/* Writes the scenario and the files beside it, once they were read back as *made, which the
 * caller frees; all appear or none. source is what it was made from: "3 files of NCCL's debug
 * log". */
struct scenario;
NODISCARD int import_draft_write(struct scenario **made, struct import_draft *d,
        const struct import_job *job, const char *source, const char *out_path, struct err *e);

#endif
