/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/collectives_csv.h"

#include "analysis/collective.h"
#include "analysis/csv_line.h"
#include "analysis/put.h"
#include "analysis/stats.h"

static const struct run_collective *find(
        const struct run_result *r, const struct iteration_record *it)
{
	for (uint32_t i = 0; i < r->n_collective; i++)
		if (r->collective[i].entry == it->entry && r->collective[i].part == it->part)
			return &r->collective[i];
	return NULL;
}

static void write_iteration(FILE *f, struct csv_line *l, const struct run_result *r,
        const struct iteration_record *it)
{
	const struct run_collective *c = find(r, it);
	bool ended = it->end_ps != TIME_NEVER;
	int64_t time_ps = ended ? it->end_ps - it->start_ps : STATS_NULL;

	csv_whole(l, it->entry);
	csv_whole(l, it->iteration);
	csv_whole(l, it->part);
	csv_word(l, c ? c->name : "iteration");
	csv_fixed(l, c ? c->ranks : STATS_NULL, 0);
	csv_fixed(l, c ? c->bytes : STATS_NULL, 0);
	csv_fixed(l, it->start_ps, 6);
	csv_fixed(l, ended ? it->end_ps : STATS_NULL, 6);
	csv_fixed(l, time_ps, 6);
	csv_fixed(l, c && ended ? collective_algbw_micro(c->bytes, time_ps) : STATS_NULL, 6);
	csv_fixed(l, c && ended ? collective_busbw_micro(c, c->bytes, time_ps) : STATS_NULL, 6);
	csv_fixed(l, ended ? it->slowest_host : STATS_NULL, 0);
	csv_end(l, f);
}

void collectives_csv_write(FILE *f, const struct run_result *r)
{
	struct csv_line l = {0};

	put_text("entry,iteration,part,what,ranks,bytes,start_us,end_us,time_us,algbw_gbps,"
	         "busbw_gbps,slowest_host\n",
	        f);
	for (uint64_t i = 0; i < r->rec->n_iteration; i++)
		write_iteration(f, &l, r, &r->rec->iteration[i]);
}
