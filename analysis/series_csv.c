/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/series_csv.h"

#include "analysis/csv_line.h"
#include "analysis/put.h"
#include "analysis/stats.h"

static void write_row(FILE *f, struct csv_line *l, const struct series_row *s)
{
	csv_fixed(l, s->t_ps, 6);
	csv_whole(l, s->delivered_bytes);
	csv_whole(l, s->max_queue_bytes);
	csv_whole(l, s->max_shared_bytes);
	csv_whole(l, s->ecn_marked);
	csv_whole(l, s->cnp_received);
	csv_whole(l, s->rate_cuts);
	csv_whole(l, s->pause_frames);
	csv_whole(l, s->resume_frames);
	csv_whole(l, s->paused_ports);
	csv_whole(l, s->drops);
	csv_whole(l, s->retransmits);
	csv_whole(l, s->active_qps);
	csv_whole(l, s->mean_rate_bps);
	csv_fixed(l,
	        (int64_t)(((__int128)s->mean_alpha_q32 * 1000000000 + Q32_ONE / 2) / Q32_ONE),
	        9);
	csv_whole(l, s->queue_bytes_at_t);
	csv_fixed(l, s->mean_latency_ps ? s->mean_latency_ps : STATS_NULL, 6);
	csv_fixed(l, s->max_latency_ps ? s->max_latency_ps : STATS_NULL, 6);
	csv_end(l, f);
}

void series_csv_write(FILE *f, const struct run_record *r)
{
	struct csv_line l = {0};

	put_text("t_us,delivered_bytes,max_queue_bytes,max_shared_bytes,ecn_marked_packets,"
	         "cnp_received,rate_cuts,pause_frames,resume_frames,paused_ports,drops,"
	         "retransmits,"
	         "active_qps,mean_rate_bps,mean_alpha,queue_bytes,mean_latency_us,max_latency_"
	         "us\n",
	        f);
	for (uint64_t i = 0; i < r->n_row; i++)
		write_row(f, &l, &r->row[i]);
}
