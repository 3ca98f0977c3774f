/* SPDX-License-Identifier: Apache-2.0 */
/* What `squall capture` says on stderr: how it begins, once a second, and how it ended. */
#ifndef CLI_CAPTURE_SHOW_H
#define CLI_CAPTURE_SHOW_H

#include <stdbool.h>

#include "capture/live.h"

struct capture_show {
	const char *out;
	bool quiet;
	uint64_t packets; /* at the line before */
	int64_t elapsed_ns;
};

void capture_show_begun(void *show, const struct capture_interface *i, uint32_t n_queues);
void capture_show_progress(void *show, const struct live_progress *p);
void capture_show_end(const struct live_result *r, const char *out);

#endif
