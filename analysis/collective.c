/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/collective.h"

#include "analysis/stats.h"

/* 1 Gbit/s is a bit per nanosecond: 8e9 / 1e6 * bytes / ps millionths. */
static int64_t bandwidth(__int128 bytes, int64_t time_ps, uint32_t num, uint32_t den)
{
	__int128 over = (__int128)time_ps * den;

	if (time_ps <= 0)
		return STATS_NULL;
	return (int64_t)((bytes * 8 * num * 1000000000 + over / 2) / over);
}

int64_t collective_algbw_micro(__int128 bytes, int64_t time_ps)
{
	return bandwidth(bytes, time_ps, 1, 1);
}

int64_t collective_busbw_micro(const struct run_collective *c, __int128 bytes, int64_t time_ps)
{
	return bandwidth(bytes, time_ps, c->bus_num, c->bus_den);
}

/* Iterations of one entry and part stand in the order of their beginnings. */
void collective_speed(struct collective_speed *out, const struct run_record *rec,
        const struct run_collective *c)
{
	int64_t until_ps = INT64_MIN;

	*out = (struct collective_speed){0};
	for (uint64_t i = 0; i < rec->n_iteration; i++) {
		const struct iteration_record *it = &rec->iteration[i];

		if (it->entry != c->entry || it->part != c->part || it->end_ps == TIME_NEVER)
			continue;
		out->iterations++;
		if (it->end_ps > until_ps) {
			out->busy_ps += it->end_ps -
			                (it->start_ps > until_ps ? it->start_ps : until_ps);
			until_ps = it->end_ps;
		}
	}
	out->algbw_gbps_micro = out->busbw_gbps_micro = STATS_NULL;
	if (!out->iterations)
		return;
	out->algbw_gbps_micro =
	        collective_algbw_micro((__int128)c->bytes * out->iterations, out->busy_ps);
	out->busbw_gbps_micro =
	        collective_busbw_micro(c, (__int128)c->bytes * out->iterations, out->busy_ps);
}

void collective_slowest(
        int64_t *algbw_gbps_micro, int64_t *busbw_gbps_micro, const struct run_result *r)
{
	*algbw_gbps_micro = *busbw_gbps_micro = STATS_NULL;
	for (uint32_t i = 0; i < r->n_collective; i++) {
		struct collective_speed s;

		collective_speed(&s, r->rec, &r->collective[i]);
		if (s.busbw_gbps_micro == STATS_NULL ||
		        (*busbw_gbps_micro != STATS_NULL &&
		                s.busbw_gbps_micro >= *busbw_gbps_micro))
			continue;
		*algbw_gbps_micro = s.algbw_gbps_micro;
		*busbw_gbps_micro = s.busbw_gbps_micro;
	}
}
