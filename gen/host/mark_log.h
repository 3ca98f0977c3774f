/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When iterations began and ended: what LOAD_MARK leaves behind, one log per thread. Adding up
 * logs gives the same for any distribution of hosts over threads.
 */
#ifndef HOST_MARK_LOG_H
#define HOST_MARK_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/host/keymap.h"

/* Later iterations of an entry leave no record, so that an endless load has an end in memory.
 */
#define MARK_LOG_ITERATIONS 100000

struct iteration_mark {
	int64_t begin_ps, end_ps; /* first to begin, last to end */
	uint64_t begun, ended;    /* programs */
	uint32_t iteration;
	uint32_t slowest_host; /* the last to end, of several the first by number */
	uint16_t entry, part;
};

struct mark_log {
	struct keymap at; /* (entry, part, iteration) -> index + 1 */
	struct iteration_mark *mark;
	uint64_t n, cap;
};

/* False without memory. */
bool mark_log_add(struct mark_log *log, const struct iteration_mark *m);
void mark_log_fini(struct mark_log *log);

#endif
