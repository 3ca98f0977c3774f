/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bandwidths of collectives as nccl-tests defines them (its doc/PERFORMANCE.md): algbw is the
 * size over the time, busbw that times a factor which makes it comparable with the speed of a
 * link whatever the number of ranks. Here from iterations as all ranks saw them.
 */
#ifndef ANALYSIS_COLLECTIVE_H
#define ANALYSIS_COLLECTIVE_H

#include <stdint.h>

#include "analysis/run_result.h"

struct collective_speed {
	uint64_t iterations;                        /* finished */
	int64_t busy_ps;                            /* time in which one of them was running */
	int64_t algbw_gbps_micro, busbw_gbps_micro; /* STATS_NULL: none finished */
};

/* Bandwidths of so many bytes in so much time, in millionths of Gbit/s. */
int64_t collective_algbw_micro(__int128 bytes, int64_t time_ps);
int64_t collective_busbw_micro(const struct run_collective *c, __int128 bytes, int64_t time_ps);

/* Over all iterations of one collective. */
void collective_speed(struct collective_speed *out, const struct run_record *rec,
        const struct run_collective *c);

/* Of all collectives of a run the one with the lowest bus bandwidth. */
void collective_slowest(
        int64_t *algbw_gbps_micro, int64_t *busbw_gbps_micro, const struct run_result *r);

#endif
