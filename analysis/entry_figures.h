/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each entry of the workload got out of the run, from the messages on record: all of them,
 * or the sample that messages.csv holds.
 */
#ifndef ANALYSIS_ENTRY_FIGURES_H
#define ANALYSIS_ENTRY_FIGURES_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/stats.h"
#include "dataplane/base/err.h"
#include "dataplane/base/record.h"

struct entry_figures {
	const char *pattern;                        /* "incast"; static */
	int64_t messages, completed, failed, bytes; /* bytes: payload of completed messages */
	int64_t retransmits;
	int64_t first_post_ps, last_done_ps; /* STATS_NULL without completed messages */
	struct dist fct_ps, slowdown_micro;
};

/* *out is malloc'd: one for each of the n entries, whose patterns are named. asked: further
 * percentiles, as for dist_from_samples. */
NODISCARD int entry_figures_make(struct entry_figures **out, const struct run_record *rec,
        const char *const pattern[], uint32_t n, const double *asked, uint32_t n_asked,
        struct err *e);

/* Payload of completed messages over the time from the first post to the last completion. */
int64_t entry_goodput_bps(const struct entry_figures *x);

/* entries.csv */
void entries_csv_write(FILE *f, const struct entry_figures *x, uint32_t n, uint64_t one_in);

#endif
