/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/messages_csv.h"

#include "analysis/csv_line.h"
#include "analysis/put.h"
#include "analysis/summary.h"

static const char *const status_name[] = {
        [MSG_COMPLETED] = "completed",
        [MSG_FAILED] = "failed",
        [MSG_UNFINISHED] = "unfinished",
};

static int64_t time_or_null(int64_t t_ps)
{
	return t_ps == TIME_NEVER ? STATS_NULL : t_ps;
}

static int64_t since(int64_t from_ps, int64_t to_ps)
{
	return from_ps == TIME_NEVER || to_ps == TIME_NEVER ? STATS_NULL : to_ps - from_ps;
}

/* Where the time went; what is left is queueing. Causes may overlap: never below 0. */
static void write_delays(struct csv_line *l, const struct msg_record *m)
{
	int64_t rest_ps = m->done_ps - m->post_ps - m->alone_ps - m->paused_ps - m->limited_ps -
	                  m->recovery_ps;
	const bool done = m->status == MSG_COMPLETED;

	csv_fixed(l, done ? m->paused_ps : STATS_NULL, 6);
	csv_fixed(l, done ? m->limited_ps : STATS_NULL, 6);
	csv_fixed(l, done ? m->recovery_ps : STATS_NULL, 6);
	csv_fixed(l, !done ? STATS_NULL : rest_ps > 0 ? rest_ps : 0, 6);
}

static void write_message(
        FILE *f, struct csv_line *l, const struct msg_record *m, const struct run_record *r)
{
	int64_t done_ps = m->status == MSG_COMPLETED ? m->done_ps : TIME_NEVER;

	csv_whole(l, m->entry);
	csv_whole(l, m->src);
	csv_whole(l, m->dst);
	csv_whole(l, m->conn);
	csv_whole(l, m->seq);
	csv_whole(l, m->tag);
	csv_whole(l, m->priority);
	csv_whole(l, m->bytes);
	csv_fixed(l, time_or_null(m->post_ps), 6);
	csv_fixed(l, time_or_null(m->first_ps), 6);
	csv_fixed(l, time_or_null(done_ps), 6);
	csv_fixed(l, since(m->post_ps, done_ps), 6);
	csv_fixed(l, since(m->first_ps, done_ps), 6);
	csv_fixed(l, time_or_null(m->alone_ps), 6);
	csv_fixed(l, summary_slowdown_micro(m), 6);
	csv_whole(l, m->retransmits);
	csv_word(l, m->unacknowledged && m->status == MSG_COMPLETED ? "sent"
	                                                            : status_name[m->status]);
	write_delays(l, m);
	if (r->all)
		csv_whole(l, (int64_t)r->sample_one_in);
	csv_end(l, f);
}

void messages_csv_write(FILE *f, const struct run_record *r)
{
	struct csv_line l = {0};

	put_text("entry,src,dst,qp,seq,tag,priority,bytes,post_us,first_us,done_us,fct_us,"
	         "net_fct_us,alone_us,slowdown,retransmits,status,paused_us,limited_us,"
	         "recovery_us,"
	         "queued_us",
	        f);
	put_text(r->all ? ",one_in\n" : "\n", f);
	for (uint64_t i = 0; i < r->n_msg; i++)
		write_message(f, &l, &r->msg[i], r);
}
