/* SPDX-License-Identifier: Apache-2.0 */
/* How far a qualification is, on stderr: a bar that is redrawn on a terminal, a plain line for
 * each case elsewhere. Called by one thread at a time. */
#ifndef CLI_QUALIFY_PROGRESS_H
#define CLI_QUALIFY_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/verdict.h"

struct qualify_progress {
	bool is_terminal, drawn;
	double start_s;
	uint32_t bad;
};

void qualify_progress_start(struct qualify_progress *p);
void qualify_progress_show(
        void *progress, const struct verdict_case *c, uint32_t n_done, uint32_t n);
void qualify_progress_end(struct qualify_progress *p); /* clears the bar */

#endif
