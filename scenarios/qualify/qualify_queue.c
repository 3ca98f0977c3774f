/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "scenarios/qualify/qualify_figures.h"

/* A packet's arrival at the switch. */
struct come {
	int64_t t_ps;
	int64_t bytes;
};

static int by_time(const void *a, const void *b)
{
	const struct come *x = a, *y = b;

	return (x->t_ps > y->t_ps) - (x->t_ps < y->t_ps);
}

static bool is_of(const struct qstream *s, uint32_t port, uint8_t priority)
{
	return s->to == port && s->priority == priority;
}

/* What it takes of the buffer, which is what the thresholds count. */
static int64_t stored_bytes(const struct qrun *r, const struct qstream *s)
{
	const struct topo *t = r->scenario->topo;
	const int64_t cell = t->profile[t->node[t->n_hosts].profile].cell_bytes;

	return cell > 1 ? (s->frame_bytes + cell - 1) / cell * cell : s->frame_bytes;
}

/* Those that also left, by the time at which the switch has them whole. */
static uint64_t arrivals(struct come *c, const struct qrun *r, uint32_t port, uint8_t priority)
{
	const struct topo *t = r->scenario->topo;
	const int64_t latency_ps = t->profile[t->node[t->n_hosts].profile].latency_ps;
	uint64_t n = 0;

	for (uint32_t i = 0; i < r->c->n_streams; i++) {
		const struct qstream *s = &r->c->stream[i];
		const int64_t rate_bps = r->c->rate_bps[s->from];
		const int64_t in_ps =
		        (int64_t)((__int128)s->wire_bytes * 8 * PS_PER_S / rate_bps) +
		        qualify_delay_ps(r) + latency_ps;

		for (int64_t k = 0; is_of(s, port, priority) && k < s->packets; k++)
			if (r->cap.packet[i][k].sent_ps >= 0)
				c[n++] = (struct come){
				        .t_ps = r->cap.packet[i][k].sent_ps + in_ps,
				        .bytes = stored_bytes(r, s)};
	}
	if (n)
		qsort(c, n, sizeof(*c), by_time);
	return n;
}

int qualify_queue(struct qdeparture **out, uint64_t *n, const struct qrun *r, uint32_t port,
        uint8_t priority, struct err *e)
{
	const struct qport *p = &r->cap.port[port];
	struct qdeparture *d = malloc((p->n_in + 1) * sizeof(*d));
	uint64_t room = 1, n_come, next = 0;
	int64_t queued = 0;
	struct come *c;

	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (is_of(&r->c->stream[i], port, priority))
			room += (uint64_t)r->c->stream[i].packets;
	c = malloc(room * sizeof(*c));
	*out = d;
	*n = 0;
	if (!c || !d) {
		free(c);
		free(d);
		*out = NULL;
		return err_set(e, -ENOMEM, "%s: not enough memory", r->c->name);
	}
	n_come = arrivals(c, r, port, priority);
	for (uint64_t i = 0; i < p->n_in; i++) {
		const struct qarrival *a = &p->in[i];
		const int64_t bytes = stored_bytes(r, &r->c->stream[a->stream]);

		if (a->priority != priority)
			continue;
		for (; next < n_come && c[next].t_ps < a->start_ps; next++)
			queued += c[next].bytes;
		queued -= bytes;
		d[(*n)++] = (struct qdeparture){.start_ps = a->start_ps,
		        .behind_bytes = queued > 0 ? queued : 0,
		        .frame_bytes = bytes,
		        .marked = a->marked};
		/* one that goes straight through comes and leaves at the same time */
		if (queued < 0) {
			queued = 0;
			next += next < n_come;
		}
	}
	free(c);
	return 0;
}
