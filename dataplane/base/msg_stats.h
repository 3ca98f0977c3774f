/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of messages whose records are not kept one by one: counts, sums and histograms
 * that can be merged. A run of hundreds of millions of messages is summed up by it. One writer
 * thread; merged after the run.
 */
#ifndef BASE_MSG_STATS_H
#define BASE_MSG_STATS_H

#include <stdint.h>

#include "dataplane/base/hist.h"
#include "dataplane/base/record.h"

struct msg_stats {
	uint64_t completed, failed, unfinished;
	int64_t bytes;                                  /* of the completed ones */
	int64_t first_post_ps;                          /* of those; TIME_NEVER without any */
	int64_t last_done_ps;                           /* of those; 0 without any */
	int64_t retransmits;                            /* of all */
	__int128 paused_ps, limited_ps, recovery_ps;    /* of all: struct msg_record */
	struct hist fct_ps, net_fct_ps, slowdown_micro; /* of the completed ones */
};

void msg_stats_init(struct msg_stats *s);
void msg_stats_add(struct msg_stats *s, const struct msg_record *m);
void msg_stats_merge(struct msg_stats *into, const struct msg_stats *from);

/* FCT over that of the same message alone, in millionths, rounded; negative where there is
 * none: not completed, or not known how long it takes alone. */
int64_t msg_slowdown_micro(const struct msg_record *m);

#endif
