/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as a GOAL schedule. A program posts its messages in order, so each waits for the
 * start of the one before it; one with a time of its own waits for a calculation of that
 * length.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "gen/load/goal.h"
#include "gen/load/schedule.h"
#include "scenarios/export.h"
#include "scenarios/export_messages.h"

#define NONE UINT32_MAX

struct build {
	const struct export_messages *m;
	struct sched s;
	uint32_t *by_rank,
	        *first;        /* messages that start or end at a rank, in the plan's order */
	uint32_t *send, *recv; /* operation of a message, at the rank being built */
	uint32_t *last;        /* [n_entries]: the last send of each entry's program here */
	bool *one_lane;        /* [n_entries] */
	uint64_t rounded;
};

static int sort_by_rank(struct build *b, uint32_t n_hosts)
{
	const struct export_messages *m = b->m;

	b->first = calloc((size_t)n_hosts + 2, sizeof(*b->first));
	b->by_rank = malloc((2 * m->n + 1) * sizeof(*b->by_rank));
	b->send = malloc((m->n + 1) * sizeof(*b->send));
	b->recv = malloc((m->n + 1) * sizeof(*b->recv));
	b->last = malloc((m->s->n_entries + 1) * sizeof(*b->last));
	b->one_lane = calloc(m->s->n_entries + 1, sizeof(*b->one_lane));
	if (!b->first || !b->by_rank || !b->send || !b->recv || !b->last || !b->one_lane)
		return -ENOMEM;
	for (uint64_t i = 0; i < m->n; i++) {
		b->first[m->at[i].src + 2]++;
		b->first[m->at[i].dst + 2]++;
	}
	for (uint32_t h = 0; h < n_hosts; h++)
		b->first[h + 2] += b->first[h + 1];
	for (uint64_t i = 0; i < m->n; i++) {
		b->by_rank[b->first[m->at[i].src + 1]++] = (uint32_t)i;
		b->by_rank[b->first[m->at[i].dst + 1]++] = (uint32_t)i;
	}
	for (uint32_t k = 0; k < m->s->n_entries; k++)
		b->one_lane[k] = !m->s->entry[k].ops->lanes;
	return 0;
}

static int add_recv(struct build *b, uint32_t i, struct err *e)
{
	const struct export_message *x = &b->m->at[i];

	return sched_add(&b->s,
	        &(struct sched_op){
	                .kind = SCHED_RECV, .value = x->bytes, .peer = x->src, .tag = x->entry},
	        &b->recv[i], e);
}

static int wait_for(struct build *b, uint32_t i, struct err *e)
{
	const struct export_message *x = &b->m->at[i];
	int rc = 0;

	for (uint64_t k = x->first_dep; k < x->first_dep + x->n_deps; k++) {
		const struct plan_dep *d = &b->m->dep[k];

		for (uint64_t seq = d->first; seq <= d->last && !rc; seq++) {
			const uint32_t on = export_message_find(b->m, x->entry, d->src, seq);

			if (on == NONE)
				continue;
			rc = sched_wait(&b->s, b->send[i],
			        d->kind == PLAN_COMPLETED ? b->send[on] : b->recv[on], false,
			        e);
		}
	}
	return rc;
}

static int add_send(struct build *b, uint32_t i, struct err *e)
{
	const struct export_message *x = &b->m->at[i];
	uint32_t delay = NONE;
	int rc = 0;

	if (x->start_ps && (x->intended || !x->n_deps)) {
		b->rounded += x->start_ps % 1000 != 0;
		rc = sched_add(&b->s,
		        &(struct sched_op){.kind = SCHED_CALC, .value = x->start_ps / 1000},
		        &delay, e);
	}
	if (!rc)
		rc = sched_add(&b->s,
		        &(struct sched_op){.kind = SCHED_SEND,
		                .value = x->bytes,
		                .peer = x->dst,
		                .tag = x->entry},
		        &b->send[i], e);
	if (!rc && delay != NONE)
		rc = sched_wait(&b->s, b->send[i], delay, false, e);
	if (!rc && b->one_lane[x->entry] && b->last[x->entry] != NONE)
		rc = sched_wait(&b->s, b->send[i], b->last[x->entry], true, e);
	b->last[x->entry] = b->send[i];
	return rc ? rc : wait_for(b, i, e);
}

static int add_rank(struct build *b, uint32_t rank, struct err *e)
{
	int rc = sched_rank(&b->s, rank, e);

	memset(b->last, 0xff, b->m->s->n_entries * sizeof(*b->last));
	for (uint32_t k = b->first[rank]; k < b->first[rank + 1] && !rc; k++)
		rc = b->m->at[b->by_rank[k]].dst == rank ? add_recv(b, b->by_rank[k], e)
		                                         : add_send(b, b->by_rank[k], e);
	return rc;
}

/* A schedule is written as it came. */
static int copy(FILE *f, const struct load_entry *en, struct err *e)
{
	char *text;
	size_t len;
	int rc = schedule_text(en, &text, &len, e);

	if (rc)
		return rc;
	(void)fwrite(text, 1, len, f); /* an error stays in the stream */
	free(text);
	return 0;
}

int export_goal(
        FILE *f, const struct scenario *s, uint64_t limit, char note[240], struct err *e)
{
	struct export_messages m;
	struct build b = {.m = &m};
	int rc;

	if (s->n_entries == 1 && s->entry[0].cfg.pattern == LOAD_SCHEDULE)
		return copy(f, &s->entry[0], e);
	rc = export_messages_init(&m, s, limit, e);
	if (rc)
		return rc;
	rc = sched_init(&b.s, s->path, s->topo->n_hosts, e);
	if (!rc && sort_by_rank(&b, s->topo->n_hosts))
		rc = err_set(e, -ENOMEM, "%s: no memory for its messages", s->path);
	for (uint32_t r = 0; r < s->topo->n_hosts && !rc; r++)
		rc = add_rank(&b, r, e);
	if (!rc)
		rc = sched_finish(&b.s, e);
	if (!rc)
		goal_write(f, &b.s);
	if (!rc && m.cut)
		(void)snprintf(note, 240, "cut after %" PRIu64 " messages", m.n);
	else if (!rc && b.rounded)
		(void)snprintf(note, 240, "%" PRIu64 " starts are rounded down to nanoseconds",
		        b.rounded);
	sched_fini(&b.s);
	free(b.first);
	free(b.by_rank);
	free(b.send);
	free(b.recv);
	free(b.last);
	free(b.one_lane);
	export_messages_fini(&m);
	return rc;
}
