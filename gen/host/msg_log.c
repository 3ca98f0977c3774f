/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/host/msg_log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"

static bool kept(const struct msg_record *r, uint32_t shift)
{
	return !shift || hash_combine(r->src, r->seq) >> (64 - shift) == 0;
}

static int need_rest(struct msg_log *log)
{
	if (log->rest)
		return 0;
	log->rest = malloc(sizeof(*log->rest));
	if (!log->rest)
		return -ENOMEM;
	msg_stats_init(log->rest);
	return 0;
}

/* From now on it is a sample. Memory that cannot be given back is kept. */
static void become_sample(struct msg_log *log)
{
	void *at;

	if (!log->limit || !log->sample)
		return;
	if (log->sample < log->limit)
		log->limit = log->sample;
	if (log->n > log->limit || log->cap <= log->limit)
		return;
	at = reallocarray(log->rec, log->limit, sizeof(*log->rec));
	if (!at)
		return;
	log->rec = at;
	log->cap = log->limit;
}

int msg_log_thin(struct msg_log *log, uint32_t shift)
{
	uint64_t n = 0;

	if (shift <= log->shift)
		return 0;
	if (need_rest(log))
		return -ENOMEM;
	for (uint64_t i = 0; i < log->n; i++) {
		if (kept(&log->rec[i], shift))
			log->rec[n++] = log->rec[i];
		else
			msg_stats_add(log->rest, &log->rec[i]);
	}
	log->n = n;
	log->shift = shift;
	become_sample(log);
	return 0;
}

static int reserve(struct msg_log *log, uint64_t n)
{
	uint64_t cap = log->cap ? log->cap : 64;
	void *at;

	if (n <= log->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	if (log->limit && cap > log->limit && n <= log->limit)
		cap = log->limit;
	at = reallocarray(log->rec, cap, sizeof(*log->rec));
	if (!at)
		return -ENOMEM;
	log->rec = at;
	log->cap = cap;
	return 0;
}

static int make_room(struct msg_log *log, const struct msg_record *r)
{
	while (log->limit &&
	        (log->n > log->limit || (log->n == log->limit && kept(r, log->shift))))
		if (msg_log_thin(log, log->shift + 1))
			return -ENOMEM;
	return kept(r, log->shift) ? reserve(log, log->n + 1) : 0;
}

int msg_log_add(struct msg_log *log, const struct msg_record *r)
{
	if (UNLIKELY(log->n == log->cap || log->n == log->limit) && make_room(log, r))
		return -ENOMEM;
	log->added++;
	if (UNLIKELY(log->shift) && !kept(r, log->shift))
		msg_stats_add(log->rest, r);
	else
		log->rec[log->n++] = *r;
	return 0;
}

int msg_log_merge(struct msg_log *into, struct msg_log *from)
{
	uint32_t shift = into->shift > from->shift ? into->shift : from->shift;

	if (msg_log_thin(into, shift) || msg_log_thin(from, shift))
		return -ENOMEM;
	while (into->limit && into->n + from->n > into->limit) {
		shift++;
		if (msg_log_thin(into, shift) || msg_log_thin(from, shift))
			return -ENOMEM;
	}
	if (!into->n) { /* the usual case takes the records over */
		free(into->rec);
		into->rec = from->rec;
		into->cap = from->cap;
		from->rec = NULL;
	} else if (from->n) {
		if (reserve(into, into->n + from->n))
			return -ENOMEM;
		memcpy(&into->rec[into->n], from->rec, from->n * sizeof(*from->rec));
	}
	into->n += from->n;
	into->added += from->added;
	if (from->rest)
		msg_stats_merge(into->rest, from->rest);
	msg_log_fini(from);
	return 0;
}

void msg_log_fini(struct msg_log *log)
{
	free(log->rec);
	free(log->rest);
	*log = (struct msg_log){.limit = log->limit, .sample = log->sample};
}
