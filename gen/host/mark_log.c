/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/host/mark_log.h"

#include <stdlib.h>

static bool append(struct mark_log *log, const struct iteration_mark *m)
{
	if (log->n == log->cap) {
		uint64_t cap = log->cap ? log->cap * 2 : 64;
		void *p = reallocarray(log->mark, cap, sizeof(*log->mark));

		if (!p)
			return false;
		log->mark = p;
		log->cap = cap;
	}
	log->mark[log->n++] = *m;
	return true;
}

bool mark_log_add(struct mark_log *log, const struct iteration_mark *m)
{
	struct iteration_mark *to;
	uint64_t *at;

	if (m->iteration >= MARK_LOG_ITERATIONS)
		return true;
	at = keymap_at(&log->at, UINT64_C(1) << 63 | (uint64_t)m->entry << 48 |
	                                 (uint64_t)m->part << 32 | m->iteration);
	if (!at)
		return false;
	if (!*at) {
		if (!append(log, m))
			return false;
		*at = log->n;
		return true;
	}
	to = &log->mark[*at - 1];
	if (m->begun && m->begin_ps < to->begin_ps)
		to->begin_ps = m->begin_ps;
	if (m->ended &&
	        (!to->ended || m->end_ps > to->end_ps ||
	                (m->end_ps == to->end_ps && m->slowest_host < to->slowest_host))) {
		to->end_ps = m->end_ps;
		to->slowest_host = m->slowest_host;
	}
	to->begun += m->begun;
	to->ended += m->ended;
	return true;
}

void mark_log_fini(struct mark_log *log)
{
	keymap_fini(&log->at);
	free(log->mark);
	*log = (struct mark_log){0};
}
