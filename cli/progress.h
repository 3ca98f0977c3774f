/* SPDX-License-Identifier: Apache-2.0 */
/* How far a run is, on stderr: one line that is redrawn on a terminal, a plain line every few
 * seconds elsewhere. Called by the simulating thread only. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/sim/sim.h"

struct progress {
	bool is_terminal, drawn;
	double start_s, shown_s;
	int64_t stop_ps;         /* TIME_NEVER: unknown */
	uint64_t total_messages; /* 0: unknown */
};

void progress_start(struct progress *p, int64_t stop_ps, uint64_t total_messages);
void progress_show(void *progress, const struct sim_progress *now);
void progress_end(struct progress *p); /* clears the line */

/* Share done, 0..1: the further of time and messages; negative when neither end is known. */
double progress_share(const struct progress *p, const struct sim_progress *now);

#endif
