/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/transfers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"

#define NONE       UINT32_MAX
#define NEWS_BYTES 8
#define NEWS_TAG   UINT32_C(0x80000000)

void transfers_fini(struct transfers *t)
{
	free(t->at);
	free(t->dep);
	*t = (struct transfers){0};
}

static int no_memory(const struct transfers *t, struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for %u transfers", t->n);
}

int transfers_add(
        struct transfers *t, const struct transfer *add, uint32_t *index, struct err *e)
{
	if (t->n == TRANSFERS_MAX)
		return err_set(e, -EINVAL,
		        "more than %u transfers: import fewer collectives or channels",
		        TRANSFERS_MAX);
	if (t->n == t->room) {
		uint32_t room = t->room ? 2 * t->room : 64;
		void *at = realloc(t->at, room * sizeof(*t->at));

		if (!at)
			return no_memory(t, e);
		t->at = at;
		t->room = room;
	}
	t->at[t->n] = *add;
	t->at[t->n].first_dep = t->n_deps;
	t->at[t->n].n_deps = 0;
	if (index)
		*index = t->n;
	t->n++;
	return 0;
}

int transfers_wait(struct transfers *t, uint32_t on, uint32_t lag, struct err *e)
{
	if (t->n_deps == t->room_deps) {
		uint32_t room = t->room_deps ? 2 * t->room_deps : 64;
		void *at = realloc(t->dep, room * sizeof(*t->dep));

		if (!at)
			return no_memory(t, e);
		t->dep = at;
		t->room_deps = room;
	}
	t->dep[t->n_deps++] = (struct transfer_dep){on, lag};
	t->at[t->n - 1].n_deps++;
	return 0;
}

int64_t transfer_bytes(const struct transfer *t, uint32_t k)
{
	const __int128 bytes = t->bytes;
	uint32_t part = k;

	if (!t->in_order)
		part = (t->position + t->parts - k % t->parts) % t->parts;
	return (int64_t)(bytes * (part + 1) / t->parts - bytes * part / t->parts);
}

/* Where the data arrives at another host than the one that goes on with it. */
static int add_news(struct transfers *t, struct err *e)
{
	const uint32_t n = t->n;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < t->at[i].n_deps; k++) {
			const uint32_t d = t->at[i].first_dep + k;
			struct transfer_dep dep = t->dep[d];
			const struct transfer *on = &t->at[dep.on];
			struct transfer news = {
			        .src = on->dst,
			        .dst = t->at[i].src,
			        .tag = NEWS_TAG | d,
			        .n = t->at[i].n > dep.lag ? t->at[i].n - dep.lag : 0,
			        .bytes = INT64_MAX,
			        .step = t->at[i].step,
			};
			uint32_t index;
			int rc;

			if (news.n > on->n)
				news.n = on->n;
			if (on->dst == t->at[i].src || !news.n)
				continue;
			rc = transfers_add(t, &news, &index, e);
			if (!rc)
				rc = transfers_wait(t, dep.on, 0, e);
			if (rc)
				return rc;
			t->dep[d].on = index;
		}
	return 0;
}

struct build {
	struct sched *s;
	struct transfers *t;
	uint32_t *by_host;    /* transfers that arrive at or start from a host, by step */
	uint32_t *first_host; /* [n_hosts + 1] */
	uint32_t *recv;       /* [transfers]: the first receive, on the host being built */
	uint32_t done;        /* what the host's next step waits for; NONE: nothing */
	uint32_t *end;        /* operations that end the step */
	uint32_t n_end;
	bool ends_with_sends; /* nothing arrives in this step */
};

static int by_step(const void *a, const void *b, void *arg)
{
	const struct transfer *at = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (at[i].step != at[j].step)
		return at[i].step < at[j].step ? -1 : 1;
	return (i > j) - (i < j);
}

static int sort_by_host(struct build *b, uint32_t n_hosts, struct err *e)
{
	const struct transfers *t = b->t;

	b->by_host = malloc((2 * (size_t)t->n + 1) * sizeof(*b->by_host));
	b->first_host = calloc((size_t)n_hosts + 2, sizeof(*b->first_host));
	b->recv = malloc(((size_t)t->n + 1) * sizeof(*b->recv));
	b->end = malloc((2 * (size_t)t->n + 1) * sizeof(*b->end));
	if (!b->by_host || !b->first_host || !b->recv || !b->end)
		return no_memory(t, e);
	for (uint32_t i = 0; i < t->n; i++) {
		b->first_host[t->at[i].src + 2]++;
		b->first_host[t->at[i].dst + 2]++;
	}
	for (uint32_t h = 0; h < n_hosts; h++)
		b->first_host[h + 2] += b->first_host[h + 1];
	for (uint32_t i = 0; i < t->n; i++) {
		b->by_host[b->first_host[t->at[i].src + 1]++] = i;
		b->by_host[b->first_host[t->at[i].dst + 1]++] = i;
	}
	for (uint32_t h = 0; h < n_hosts; h++)
		qsort_r(b->by_host + b->first_host[h], b->first_host[h + 1] - b->first_host[h],
		        sizeof(*b->by_host), by_step, t->at);
	return 0;
}

static int64_t bytes_of(const struct transfer *t, uint32_t k)
{
	return t->tag & NEWS_TAG ? NEWS_BYTES : transfer_bytes(t, k);
}

/* A row of receives: messages of one edge arrive in order, so each waits for the one before. */
static int add_receives(struct build *b, uint32_t i, struct err *e)
{
	const struct transfer *t = &b->t->at[i];
	uint32_t op = NONE;
	int rc = 0;

	for (uint32_t k = 0; k < t->n && !rc; k++) {
		const uint32_t before = k ? op : b->done;
		struct sched_op o = {.kind = SCHED_RECV,
		        .value = bytes_of(t, k),
		        .peer = t->src,
		        .tag = t->tag};

		rc = sched_add(b->s, &o, &op, e);
		if (!k)
			b->recv[i] = op;
		if (!rc && before != NONE)
			rc = sched_wait(b->s, op, before, false, e);
	}
	b->end[b->n_end++] = op;
	return rc;
}

static int add_sends(struct build *b, uint32_t i, struct err *e)
{
	const struct transfer *t = &b->t->at[i];
	uint32_t op = NONE;
	int rc = 0;

	for (uint32_t k = 0; k < t->n && !rc; k++) {
		const uint32_t before = op;
		struct sched_op o = {.kind = SCHED_SEND,
		        .value = bytes_of(t, k),
		        .peer = t->dst,
		        .tag = t->tag};

		rc = sched_add(b->s, &o, &op, e);
		if (!rc && k)
			rc = sched_wait(b->s, op, before, true, e);
		else if (!rc && b->done != NONE)
			rc = sched_wait(b->s, op, b->done, false, e);
		for (uint32_t d = t->first_dep; d < t->first_dep + t->n_deps && !rc; d++) {
			const struct transfer_dep *dep = &b->t->dep[d];
			const struct transfer *on = &b->t->at[dep->on];
			/* news begins with the first message that is waited for */
			const uint32_t lag = dep->lag;

			if (k < lag || k - lag >= on->n)
				continue;
			rc = sched_wait(b->s, op, b->recv[dep->on] + (k - lag), false, e);
		}
	}
	if (!rc && b->ends_with_sends)
		b->end[b->n_end++] = op;
	return rc;
}

/* All of one step at one host, then one operation that waits for all that arrived. */
static int add_step(
        struct build *b, uint32_t host, uint32_t from, uint32_t to, bool is_last, struct err *e)
{
	const struct transfer *at = b->t->at;
	int rc = 0;

	b->n_end = 0;
	for (uint32_t i = from; i < to && !rc; i++)
		if (at[b->by_host[i]].dst == host && at[b->by_host[i]].n)
			rc = add_receives(b, b->by_host[i], e);
	b->ends_with_sends = !b->n_end;
	for (uint32_t i = from; i < to && !rc; i++)
		if (at[b->by_host[i]].src == host && at[b->by_host[i]].n)
			rc = add_sends(b, b->by_host[i], e);
	if (rc || is_last || !b->n_end)
		return rc;
	if (b->n_end == 1) {
		b->done = b->end[0];
		return 0;
	}
	rc = sched_add(b->s, &(struct sched_op){.kind = SCHED_CALC}, &b->done, e);
	for (uint32_t i = 0; i < b->n_end && !rc; i++)
		rc = sched_wait(b->s, b->done, b->end[i], false, e);
	return rc;
}

static int add_host(struct build *b, uint32_t host, struct err *e)
{
	const uint32_t end = b->first_host[host + 1];
	uint32_t from = b->first_host[host], to;
	int rc = sched_rank(b->s, host, e);

	b->done = NONE;
	for (; from < end && !rc; from = to) {
		const uint32_t step = b->t->at[b->by_host[from]].step;

		for (to = from; to < end && b->t->at[b->by_host[to]].step == step;)
			to++;
		rc = add_step(b, host, from, to, to == end, e);
	}
	return rc;
}

int transfers_schedule(struct sched *out, struct transfers *t, const char *name,
        uint32_t n_hosts, struct err *e)
{
	struct build b = {.s = out, .t = t};
	int rc = add_news(t, e);

	if (!rc)
		rc = sched_init(out, name, n_hosts, e);
	if (!rc)
		rc = sort_by_host(&b, n_hosts, e);
	for (uint32_t h = 0; h < n_hosts && !rc; h++)
		rc = add_host(&b, h, e);
	free(b.by_host);
	free(b.first_host);
	free(b.recv);
	free(b.end);
	return rc ? rc : sched_finish(out, e);
}
