/* SPDX-License-Identifier: Apache-2.0 */
/* How evenly source-destination pairs were served. */
#ifndef ANALYSIS_FAIRNESS_H
#define ANALYSIS_FAIRNESS_H

#include <stdint.h>

#include "dataplane/base/record.h"

/*
 * Jain's index over the goodput of every (source, destination) pair that completed a message:
 * the payload that it completed over the time from its first post to its last completion. In
 * 1e-9; STATS_NULL without such a pair. 0 or -ENOMEM.
 */
int fairness_jain_nano(int64_t *out, const struct run_record *rec);

#endif
