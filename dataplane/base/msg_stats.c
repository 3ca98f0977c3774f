/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/msg_stats.h"

#include <string.h>

/* Up to here a time in ps, taken a million times and rounded, fits 64 bits: a division of 128
 * bits costs several times as much. */
#define SHORT_PS (INT64_MAX / 1000000 / 2)

void msg_stats_init(struct msg_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->first_post_ps = TIME_NEVER;
	hist_init(&s->fct_ps);
	hist_init(&s->net_fct_ps);
	hist_init(&s->slowdown_micro);
}

int64_t msg_slowdown_micro(const struct msg_record *m)
{
	int64_t fct_ps = m->done_ps - m->post_ps;

	if (m->status != MSG_COMPLETED || m->alone_ps <= 0 || m->alone_ps == TIME_NEVER)
		return -1;
	if (LIKELY(fct_ps < SHORT_PS && m->alone_ps < SHORT_PS))
		return (fct_ps * 1000000 + m->alone_ps / 2) / m->alone_ps;
	return (int64_t)(((__int128)fct_ps * 1000000 + m->alone_ps / 2) / m->alone_ps);
}

static void add_completed(struct msg_stats *s, const struct msg_record *m)
{
	int64_t slowdown_micro = msg_slowdown_micro(m);

	s->completed++;
	s->bytes += m->bytes;
	if (m->post_ps < s->first_post_ps)
		s->first_post_ps = m->post_ps;
	if (m->done_ps > s->last_done_ps)
		s->last_done_ps = m->done_ps;
	hist_add(&s->fct_ps, m->done_ps - m->post_ps);
	if (m->first_ps != TIME_NEVER)
		hist_add(&s->net_fct_ps, m->done_ps - m->first_ps);
	if (slowdown_micro >= 0)
		hist_add(&s->slowdown_micro, slowdown_micro);
}

void msg_stats_add(struct msg_stats *s, const struct msg_record *m)
{
	if (LIKELY(m->status == MSG_COMPLETED))
		add_completed(s, m);
	s->failed += m->status == MSG_FAILED;
	s->unfinished += m->status == MSG_UNFINISHED;
	s->retransmits += m->retransmits;
	s->paused_ps += m->paused_ps;
	s->limited_ps += m->limited_ps;
	s->recovery_ps += m->recovery_ps;
}

void msg_stats_merge(struct msg_stats *into, const struct msg_stats *from)
{
	into->completed += from->completed;
	into->failed += from->failed;
	into->unfinished += from->unfinished;
	into->bytes += from->bytes;
	if (from->first_post_ps < into->first_post_ps)
		into->first_post_ps = from->first_post_ps;
	if (from->last_done_ps > into->last_done_ps)
		into->last_done_ps = from->last_done_ps;
	into->retransmits += from->retransmits;
	into->paused_ps += from->paused_ps;
	into->limited_ps += from->limited_ps;
	into->recovery_ps += from->recovery_ps;
	hist_merge(&into->fct_ps, &from->fct_ps);
	hist_merge(&into->net_fct_ps, &from->net_fct_ps);
	hist_merge(&into->slowdown_micro, &from->slowdown_micro);
}
