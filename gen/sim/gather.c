/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After a run on several processes: rank 0 takes in what the others found. Fixed parts are
 * added up or compared, arrays put one behind the other; their order is made later, as it is
 * for threads. All ranks are the same program, so structs travel as they are.
 */
#include <errno.h>
#include <stddef.h>

#include "gen/sim/ranks.h"

/* The arrays of a record; a new one is a row here. */
static const struct array {
	size_t at, n, item;
} arrays[] = {
#define ARRAY(field, count)                                                                    \
	{                                                                                      \
		offsetof(struct run_record, field), offsetof(struct run_record, count),        \
		        sizeof(*((struct run_record *)NULL)->field)                            \
	}
        ARRAY(pair, n_pair),
        ARRAY(queue, n_queue),
        ARRAY(pause, n_pause),
        ARRAY(violation, n_violation),
        ARRAY(port, n_port),
        ARRAY(pfc, n_pfc),
        ARRAY(edge, n_edge),
        ARRAY(fault, n_fault),
        ARRAY(watchdog, n_watchdog),
        ARRAY(deadlock, n_deadlock),
#undef ARRAY
};

#define N_ARRAYS (sizeof(arrays) / sizeof(arrays[0]))

/* What is not in arrays. */
struct fixed {
	struct run_counters n;
	int64_t data_packets_left, max_shared_bytes, max_headroom_bytes;
	uint64_t log_added, log_n;
	uint32_t log_shift;
	bool log_has_rest;
	struct hist latency_ps, queue_bytes;
};

static uint64_t *count_of(struct run_record *r, const struct array *a)
{
	return (uint64_t *)((char *)r + a->n);
}

static void **items_of(struct run_record *r, const struct array *a)
{
	return (void **)((char *)r + a->at);
}

static void write_record(
        struct bytes *to, struct run_record *r, const struct msg_log *log, struct fixed *f)
{
	memset(f, 0, sizeof(*f));
	f->n = r->n;
	f->data_packets_left = r->data_packets_left;
	f->max_shared_bytes = r->max_shared_bytes;
	f->max_headroom_bytes = r->max_headroom_bytes;
	f->log_added = log->added;
	f->log_n = log->n;
	f->log_shift = log->shift;
	f->log_has_rest = log->rest != NULL;
	f->latency_ps = r->latency_ps;
	f->queue_bytes = r->queue_bytes;
	bytes_add(to, f, sizeof(*f));
	bytes_add(to, &r->n_row, sizeof(r->n_row));
	bytes_add(to, r->row, r->n_row * sizeof(*r->row));
	for (size_t i = 0; i < N_ARRAYS; i++) {
		uint64_t n = *count_of(r, &arrays[i]);

		bytes_add(to, &n, sizeof(n));
		bytes_add(to, *items_of(r, &arrays[i]), n * arrays[i].item);
	}
	if (log->rest)
		bytes_add(to, log->rest, sizeof(*log->rest));
	bytes_add(to, log->rec, log->n * sizeof(*log->rec));
}

/* What hosts marked is not an iteration before it is all together. */
static void write_marks(struct bytes *to, const struct sim *s)
{
	uint64_t n = 0;

	for (uint32_t t = 0; t < s->n_threads; t++)
		n += s->thread[t]->marks.n;
	bytes_add(to, &n, sizeof(n));
	for (uint32_t t = 0; t < s->n_threads; t++)
		bytes_add(to, s->thread[t]->marks.mark,
		        s->thread[t]->marks.n * sizeof(*s->thread[t]->marks.mark));
}

/* Where a block has been read up to. */
struct reader {
	const char *at, *end;
};

static const void *take(struct reader *rd, size_t len)
{
	const void *p = rd->at;

	CHECK((size_t)(rd->end - rd->at) >= len);
	rd->at += len;
	return p;
}

static uint64_t take_count(struct reader *rd)
{
	uint64_t n;

	memcpy(&n, take(rd, sizeof(n)), sizeof(n));
	return n;
}

static void read_fixed(struct run_record *r, const struct fixed *f)
{
	sim_counters_add(&r->n, &f->n);
	r->data_packets_left += f->data_packets_left;
	if (f->max_shared_bytes > r->max_shared_bytes)
		r->max_shared_bytes = f->max_shared_bytes;
	if (f->max_headroom_bytes > r->max_headroom_bytes)
		r->max_headroom_bytes = f->max_headroom_bytes;
	hist_merge(&r->latency_ps, &f->latency_ps);
	hist_merge(&r->queue_bytes, &f->queue_bytes);
}

/* The sums that a row's mean latency is made of. */
static void write_latencies(struct bytes *to, const struct sim *s, uint64_t n_row)
{
	for (uint64_t i = 0; i < n_row; i++) {
		struct row_latency sum = {0};

		for (uint32_t t = 0; t < s->n_threads; t++) {
			sum.sum_ps += s->thread[t]->row_latency[i].sum_ps;
			sum.packets += s->thread[t]->row_latency[i].packets;
		}
		bytes_add(to, &sum, sizeof(sum));
	}
}

static void read_latencies(const struct sim *s, struct reader *rd, uint64_t n_row)
{
	for (uint64_t i = 0; i < n_row; i++) {
		struct row_latency sum;

		memcpy(&sum, take(rd, sizeof(sum)), sizeof(sum));
		s->thread[0]->row_latency[i].sum_ps += sum.sum_ps;
		s->thread[0]->row_latency[i].packets += sum.packets;
	}
}

/* All ranks went through the same windows, so they have the same rows. */
static void read_rows(struct run_record *r, struct reader *rd)
{
	uint64_t n = take_count(rd);

	CHECK(n == r->n_row);
	for (uint64_t i = 0; i < n; i++) {
		struct series_row row;

		memcpy(&row, take(rd, sizeof(row)), sizeof(row));
		sim_series_add(&r->row[i], &row);
	}
}

static int read_array(struct run_record *r, struct reader *rd, const struct array *a)
{
	uint64_t *have = count_of(r, a), n = take_count(rd);
	const void *theirs = take(rd, n * a->item);
	void *at;

	if (!n)
		return 0;
	at = reallocarray(*items_of(r, a), *have + n, a->item);
	if (!at)
		return -ENOMEM;
	*items_of(r, a) = at;
	memcpy((char *)at + *have * a->item, theirs, n * a->item);
	*have += n;
	return 0;
}

static int read_log(struct msg_log *log, struct reader *rd, const struct fixed *f)
{
	struct msg_log from = {.limit = log->limit,
	        .sample = log->sample,
	        .n = f->log_n,
	        .cap = f->log_n,
	        .added = f->log_added,
	        .shift = f->log_shift};
	int rc = 0;

	from.rec = malloc((f->log_n + 1) * sizeof(*from.rec));
	if (f->log_has_rest)
		from.rest = malloc(sizeof(*from.rest));
	if (!from.rec || (f->log_has_rest && !from.rest))
		rc = -ENOMEM;
	if (!rc && from.rest)
		memcpy(from.rest, take(rd, sizeof(*from.rest)), sizeof(*from.rest));
	if (!rc && from.n)
		memcpy(from.rec, take(rd, from.n * sizeof(*from.rec)),
		        from.n * sizeof(*from.rec));
	if (!rc)
		rc = msg_log_merge(log, &from);
	msg_log_fini(&from);
	return rc;
}

static int read_marks(struct mark_log *marks, struct reader *rd)
{
	uint64_t n = take_count(rd);
	struct iteration_mark m;

	while (n--) {
		memcpy(&m, take(rd, sizeof(m)), sizeof(m));
		if (!mark_log_add(marks, &m))
			return -ENOMEM;
	}
	return 0;
}

static int read_record(struct sim *s, struct run_record *r, struct msg_log *log,
        const struct world_block *b, struct fixed *f)
{
	struct reader rd = {b->data, (const char *)b->data + b->len};
	int rc = 0;

	memcpy(f, take(&rd, sizeof(*f)), sizeof(*f));
	read_fixed(r, f);
	read_rows(r, &rd);
	for (size_t i = 0; i < N_ARRAYS && !rc; i++)
		rc = read_array(r, &rd, &arrays[i]);
	if (!rc)
		rc = read_log(log, &rd, f);
	if (!rc)
		rc = read_marks(&s->thread[0]->marks, &rd);
	if (!rc)
		read_latencies(s, &rd, r->n_row);
	return rc;
}

int ranks_gather(struct sim *s, struct run_record *r, struct msg_log *log, struct err *e)
{
	struct world *w = s->ranks->world;
	struct world_block *out = calloc(2 * (size_t)w->n_ranks, sizeof(*out));
	struct fixed *f = malloc(sizeof(*f));
	struct bytes mine = {0};
	int rc = out && f ? 0 : err_set(e, -ENOMEM, "no memory for the results");

	rc = world_agree(w, rc, e);
	if (!rc && w->rank) {
		write_record(&mine, r, log, f);
		write_marks(&mine, s);
		write_latencies(&mine, s, r->n_row);
		out[0] = (struct world_block){mine.at, mine.len};
	}
	if (!rc)
		w->ops->exchange(w, out, out + w->n_ranks);
	for (uint32_t k = 1; !rc && !w->rank && k < w->n_ranks; k++) {
		rc = read_record(s, r, log, &out[w->n_ranks + k], f);
		if (rc)
			(void)err_set(e, rc, "no memory for the results of %u processes",
			        w->n_ranks); /* rc is returned below */
	}
	bytes_fini(&mine);
	free(out);
	free(f);
	return world_agree(w, rc, e);
}
