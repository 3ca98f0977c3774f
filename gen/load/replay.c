/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as a capture showed them: each at its time, on the queue pair and with the UDP
 * source port that it had, or after messages that it followed. A queue pair on which something
 * waits is a lane of its own; all others of a host are one lane, by time.
 */
#include "gen/load/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "gen/load/load_input.h"
#include "gen/load/load_int.h"
#include "gen/load/replay_csv.h"

enum { W_AT, W_END, W_FIRST, W_STAGE }; /* words of struct load_state; places in order[] */

#define NONE UINT32_MAX

struct pair { /* one queue pair */
	uint32_t src, qp, dst;
	uint32_t first, n; /* in by_pair[] */
	uint16_t stream;   /* 0: nobody waits for its messages to arrive */
	bool waits;        /* some of its messages are after others */
};

struct replay {
	struct replay_rows rows;
	struct pair *pair; /* by (src, qp) */
	uint32_t n_pairs;
	uint32_t *by_pair;    /* [rows]: rows by pair, in their order */
	uint32_t *order;      /* [rows]: rows by lane */
	uint32_t *lane_end;   /* [lanes]: in order[]; a lane begins where the former ends */
	uint32_t *first_lane; /* [n_hosts + 1] */
	uint32_t *pair_of;    /* [rows] */
};

static int row_err(const struct load_entry *en, const struct replay_row *w, struct err *e,
        const char *what)
{
	return load_key_err(en, e, "file", "%s:%" PRIu32 ": %s", en->cfg.file, w->line, what);
}

static int no_memory(const struct load_entry *en, struct err *e)
{
	return err_set(e, -ENOMEM, "workload[%u]: no memory for its messages", en->index);
}

static int read_file(struct load_entry *en, struct err *e)
{
	struct replay *rp = en->shared;
	char path[LOAD_PATH_BYTES], *text;
	size_t len;
	int rc;

	if (!en->cfg.file || !en->cfg.file[0])
		return load_key_err(en, e, "file",
		        "no messages: give a CSV file of src,dst,bytes,start,qp,port,priority,"
		        "after lines");
	rc = load_path(path, en->env.base_dir, en->cfg.file, e);
	if (!rc)
		rc = text_file_read(&text, &len, path, REPLAY_MAX_FILE_BYTES, e);
	if (!rc) {
		rc = replay_csv_parse(
		        &rp->rows, path, text, len, en->env.n_hosts, load_max_bytes(en), e);
		free(text);
	}
	if (rc)
		(void)err_prefix(e, "workload[%u].file", en->index);
	return rc;
}

static int by_pair(const void *a, const void *b, void *rows)
{
	const struct replay_row *row = rows;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (row[i].src != row[j].src)
		return row[i].src < row[j].src ? -1 : 1;
	if (row[i].qp != row[j].qp)
		return row[i].qp < row[j].qp ? -1 : 1;
	return (i > j) - (i < j);
}

/* What belongs to the queue pair may be left out behind its first row. */
static int same_pair(const struct load_entry *en, const struct replay_row *first,
        struct replay_row *w, struct err *e)
{
	if (!w->port)
		w->port = first->port;
	if (w->priority < 0)
		w->priority = first->priority;
	if (w->dst != first->dst || w->port != first->port || w->priority != first->priority)
		return row_err(en, w, e,
		        "dst, port and priority must be those of the first message of this "
		        "queue pair; give it another qp");
	return 0;
}

static int find_pairs(struct load_entry *en, struct err *e)
{
	struct replay *rp = en->shared;
	const uint32_t n = rp->rows.n;
	struct replay_row *row = rp->rows.at;
	int rc = 0;

	for (uint32_t i = 0; i < n; i++)
		rp->by_pair[i] = i;
	qsort_r(rp->by_pair, n, sizeof(*rp->by_pair), by_pair, row);
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct replay_row *w = &row[rp->by_pair[i]];
		struct pair *p = rp->n_pairs ? &rp->pair[rp->n_pairs - 1] : NULL;

		if (!p || p->src != w->src || p->qp != w->qp) {
			p = &rp->pair[rp->n_pairs++];
			*p = (struct pair){
			        .src = w->src, .qp = w->qp, .dst = w->dst, .first = i};
		}
		p->n++;
		p->waits |= w->n_after > 0;
		rp->pair_of[rp->by_pair[i]] = rp->n_pairs - 1;
		rc = same_pair(en, &row[rp->by_pair[p->first]], w, e);
	}
	return rc;
}

static struct pair *pair_at(const struct replay *rp, uint32_t src, uint32_t qp)
{
	uint32_t lo = 0, hi = rp->n_pairs;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;
		const struct pair *p = &rp->pair[mid];

		if (p->src < src || (p->src == src && p->qp < qp))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == rp->n_pairs || rp->pair[lo].src != src || rp->pair[lo].qp != qp)
		return NULL;
	return &rp->pair[lo];
}

/* The place of a row among those of its queue pair. */
static uint32_t place_of(const struct replay *rp, uint32_t row)
{
	const struct pair *p = &rp->pair[rp->pair_of[row]];
	uint32_t lo = p->first, hi = p->first + p->n;

	while (hi - lo > 1) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (rp->by_pair[mid] <= row)
			lo = mid;
		else
			hi = mid;
	}
	return lo - p->first;
}

/* streams: of each host, those that are in use. */
static int check_after(
        const struct load_entry *en, uint32_t row, uint32_t *streams, struct err *e)
{
	const struct replay *rp = en->shared;
	const struct replay_row *w = &rp->rows.at[row];

	for (uint32_t k = 0; k < w->n_after; k++) {
		const struct replay_after *a = &rp->rows.after[w->first_after + k];
		struct pair *p = pair_at(rp, a->src, a->qp);

		if (!p || a->n >= p->n)
			return row_err(en, w, e, "after: there is no such message");
		if (a->src == w->src && a->qp != w->qp)
			return row_err(en, w, e,
			        "after: of its own host's messages one can wait for those of "
			        "its own queue pair alone");
		if (a->src == w->src && a->n >= place_of(rp, row))
			return row_err(en, w, e, "after: waits for itself or a later message");
		if (a->src == w->src)
			continue;
		if (p->dst != w->src)
			return row_err(
			        en, w, e, "after: waits for a message that goes elsewhere");
		if (!p->stream && streams[a->src] == UINT16_MAX)
			return row_err(en, w, e,
			        "after: more than 65535 queue pairs of one host are waited "
			        "for");
		if (!p->stream)
			p->stream = (uint16_t)++streams[a->src];
	}
	return 0;
}

static int check_all_after(const struct load_entry *en, struct err *e)
{
	const struct replay *rp = en->shared;
	uint32_t *streams = calloc(en->env.n_hosts, sizeof(*streams));
	int rc = streams ? 0 : no_memory(en, e);

	for (uint32_t i = 0; i < rp->rows.n && !rc; i++)
		rc = check_after(en, i, streams, e);
	free(streams);
	return rc;
}

static int by_start(const void *a, const void *b, void *rows)
{
	const struct replay_row *row = rows;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (row[i].start_ps != row[j].start_ps)
		return row[i].start_ps < row[j].start_ps ? -1 : 1;
	return (i > j) - (i < j);
}

/* Behind each other, a queue pair's messages are posted in the order of their rows. */
static int check_times(const struct load_entry *en, const struct pair *p, struct err *e)
{
	const struct replay *rp = en->shared;

	for (uint32_t i = p->first + 1; i < p->first + p->n; i++) {
		const struct replay_row *w = &rp->rows.at[rp->by_pair[i]],
		                        *before = &rp->rows.at[rp->by_pair[i - 1]];

		if (w->start_ps < before->start_ps)
			return row_err(en, w, e,
			        "start is before that of the former message of this queue "
			        "pair");
	}
	return 0;
}

/* Lanes of the host whose pairs are [*at, end). */
static int host_lanes(struct load_entry *en, uint32_t *at, uint32_t host, uint32_t *n_lanes,
        uint32_t *filled, struct err *e)
{
	struct replay *rp = en->shared;
	const uint32_t begin = *at, first_lane = *n_lanes, first = *filled;
	int rc = 0;

	for (; *at < rp->n_pairs && rp->pair[*at].src == host && !rc; ++*at) {
		const struct pair *p = &rp->pair[*at];

		if (p->waits)
			continue;
		rc = check_times(en, p, e);
		for (uint32_t i = p->first; i < p->first + p->n; i++)
			rp->order[(*filled)++] = rp->by_pair[i];
	}
	if (*filled > first) {
		qsort_r(rp->order + first, *filled - first, sizeof(*rp->order), by_start,
		        rp->rows.at);
		rp->lane_end[(*n_lanes)++] = *filled;
	}
	for (uint32_t k = begin; k < *at && !rc; k++) {
		const struct pair *p = &rp->pair[k];

		if (!p->waits)
			continue;
		for (uint32_t i = p->first; i < p->first + p->n; i++)
			rp->order[(*filled)++] = rp->by_pair[i];
		rp->lane_end[(*n_lanes)++] = *filled;
	}
	if (!rc && *n_lanes - first_lane > LOAD_MAX_LANES)
		rc = load_key_err(en, e, "file",
		        "%s: host %" PRIu32 " has %" PRIu32
		        " queue pairs that wait for messages, expected at most %d: give some "
		        "of them times alone",
		        en->cfg.file, host, *n_lanes - first_lane, LOAD_MAX_LANES - 1);
	return rc;
}

static int make_lanes(struct load_entry *en, struct err *e)
{
	struct replay *rp = en->shared;
	uint32_t at = 0, n_lanes = 0, filled = 0;
	int rc = 0;

	for (uint32_t h = 0; h < en->env.n_hosts && !rc; h++) {
		rp->first_lane[h] = n_lanes;
		rc = host_lanes(en, &at, h, &n_lanes, &filled, e);
	}
	rp->first_lane[en->env.n_hosts] = n_lanes;
	return rc;
}

static uint32_t lane_begin(const struct replay *rp, uint32_t lane)
{
	return lane ? rp->lane_end[lane - 1] : 0;
}

/* What the lanes wait on while they are run without a network. */
struct dry_run {
	uint32_t *at;      /* [lanes]: in order[] */
	uint32_t *next;    /* [lanes]: the next that waits for the same message, or runs next */
	uint32_t *waiting; /* [rows]: the first lane that waits for it */
	uint8_t *posted;   /* [rows] */
	uint32_t ready;
};

/* The first message that the row waits for and that is not there yet. */
static uint32_t awaited(
        const struct replay *rp, const struct dry_run *d, const struct replay_row *w)
{
	for (uint32_t k = 0; k < w->n_after; k++) {
		const struct replay_after *a = &rp->rows.after[w->first_after + k];
		const uint32_t row = rp->by_pair[pair_at(rp, a->src, a->qp)->first + a->n];

		if (!d->posted[row])
			return row;
	}
	return NONE;
}

static void run_lane(const struct replay *rp, struct dry_run *d, uint32_t lane)
{
	while (d->at[lane] < rp->lane_end[lane]) {
		const uint32_t row = rp->order[d->at[lane]];
		const uint32_t on = awaited(rp, d, &rp->rows.at[row]);

		if (on != NONE) {
			d->next[lane] = d->waiting[on];
			d->waiting[on] = lane;
			return;
		}
		d->posted[row] = 1;
		d->at[lane]++;
		while (d->waiting[row] != NONE) {
			const uint32_t other = d->waiting[row];

			d->waiting[row] = d->next[other];
			d->next[other] = d->ready;
			d->ready = other;
		}
	}
}

/* Do all lanes come to their ends? Otherwise messages wait for each other in a circle. */
static int check_ends(const struct load_entry *en, struct err *e)
{
	const struct replay *rp = en->shared;
	const uint32_t n_lanes = rp->first_lane[en->env.n_hosts];
	struct dry_run d = {.ready = NONE};
	int rc = 0;

	d.at = malloc((n_lanes + 1) * sizeof(*d.at));
	d.next = malloc((n_lanes + 1) * sizeof(*d.next));
	d.waiting = malloc(rp->rows.n * sizeof(*d.waiting));
	d.posted = calloc(rp->rows.n, sizeof(*d.posted));
	if (!d.at || !d.next || !d.waiting || !d.posted)
		rc = no_memory(en, e);
	for (uint32_t i = 0; i < rp->rows.n && !rc; i++)
		d.waiting[i] = NONE;
	for (uint32_t l = n_lanes; l-- > 0 && !rc;) {
		d.at[l] = lane_begin(rp, l);
		d.next[l] = d.ready;
		d.ready = l;
	}
	while (!rc && d.ready != NONE) {
		const uint32_t lane = d.ready;

		d.ready = d.next[lane];
		run_lane(rp, &d, lane);
	}
	for (uint32_t l = 0; l < n_lanes && !rc; l++)
		if (d.at[l] < rp->lane_end[l])
			rc = row_err(en, &rp->rows.at[rp->order[d.at[l]]], e,
			        "after: messages wait for each other in a circle, or for one "
			        "of such a circle");
	free(d.at);
	free(d.next);
	free(d.waiting);
	free(d.posted);
	return rc;
}

static int check_starts(const struct load_entry *en, struct err *e)
{
	const struct replay *rp = en->shared;

	for (uint32_t i = 0; i < rp->rows.n; i++)
		if (rp->rows.at[i].start_ps > LOAD_MAX_TIME_PS - en->cfg.start_ps)
			return row_err(en, &rp->rows.at[i], e,
			        "would start after the longest run of 53 days");
	return 0;
}

static int prepare(struct load_entry *en, struct err *e)
{
	struct replay *rp = calloc(1, sizeof(*rp));
	size_t n;
	int rc;

	en->shared = rp;
	if (!rp)
		return no_memory(en, e);
	rc = read_file(en, e);
	if (rc)
		return rc;
	n = rp->rows.n;
	rp->pair = calloc(n, sizeof(*rp->pair));
	rp->by_pair = calloc(n, sizeof(*rp->by_pair));
	rp->pair_of = calloc(n, sizeof(*rp->pair_of));
	rp->order = calloc(n, sizeof(*rp->order));
	rp->lane_end = calloc(n + en->env.n_hosts, sizeof(*rp->lane_end));
	rp->first_lane = calloc((size_t)en->env.n_hosts + 1, sizeof(*rp->first_lane));
	if (!rp->pair || !rp->by_pair || !rp->pair_of || !rp->order || !rp->lane_end ||
	        !rp->first_lane)
		return no_memory(en, e);
	rc = check_starts(en, e);
	if (!rc)
		rc = find_pairs(en, e);
	if (!rc)
		rc = check_all_after(en, e);
	if (!rc)
		rc = make_lanes(en, e);
	return rc ? rc : check_ends(en, e);
}

static uint32_t lanes(const struct load_entry *en, uint32_t host)
{
	const struct replay *rp = en->shared;

	return rp->first_lane[host + 1] - rp->first_lane[host];
}

static bool involves(const struct load_entry *en, uint32_t host)
{
	return host < en->env.n_hosts && lanes(en, host) > 0;
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	const struct replay *rp = en->shared;
	const uint32_t l = rp->first_lane[host] + lane;

	*st = (struct load_state){.w[W_AT] = lane_begin(rp, l),
	        .w[W_FIRST] = lane_begin(rp, l),
	        .w[W_END] = rp->lane_end[l]};
}

static void wait_for(const struct replay *rp, const struct replay_row *w,
        const struct load_state *st, uint32_t k, struct load_op *op)
{
	const struct replay_after *a = &rp->rows.after[w->first_after + k];

	if (a->src == w->src)
		*op = (struct load_op){.kind = LOAD_WAIT_SENDS,
		        .count = st->w[W_AT] - st->w[W_FIRST] - a->n - 1};
	else
		*op = (struct load_op){.kind = LOAD_RECV,
		        .peer = a->src,
		        .stream = pair_at(rp, a->src, a->qp)->stream,
		        .count = (uint64_t)a->n + 1};
}

/* What it waits for one by one, then its time, then the message. */
static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	const struct replay *rp = en->shared;
	const struct replay_row *w;
	const struct pair *p;
	uint32_t row;

	if (st->w[W_AT] == st->w[W_END]) {
		*op = (struct load_op){.kind = LOAD_END};
		return;
	}
	row = rp->order[st->w[W_AT]];
	w = &rp->rows.at[row];
	p = &rp->pair[rp->pair_of[row]];
	if (st->w[W_STAGE] < w->n_after) {
		wait_for(rp, w, st, (uint32_t)st->w[W_STAGE]++, op);
		return;
	}
	if (st->w[W_STAGE] == w->n_after && !(w->n_after && !w->start_ps)) {
		st->w[W_STAGE]++;
		*op = w->n_after ? (struct load_op){.kind = LOAD_COMPUTE, .t_ps = w->start_ps}
		                 : (struct load_op){.kind = LOAD_SLEEP_UNTIL,
		                           .t_ps = en->cfg.start_ps + w->start_ps};
		return;
	}
	st->w[W_STAGE] = 0;
	st->w[W_AT]++;
	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .peer = w->dst,
	        .qp = p->n == 1 ? LOAD_QP_FRESH : w->qp,
	        .port = w->port,
	        .tag = row,
	        .stream = p->stream,
	        .bytes = w->bytes,
	        .t_ps = w->n_after ? -1 : en->cfg.start_ps + w->start_ps,
	        .priority = w->priority,
	};
}

static void fini(struct load_entry *en)
{
	struct replay *rp = en->shared;

	if (!rp)
		return;
	replay_rows_fini(&rp->rows);
	free(rp->pair);
	free(rp->by_pair);
	free(rp->pair_of);
	free(rp->order);
	free(rp->lane_end);
	free(rp->first_lane);
	free(rp);
	en->shared = NULL;
}

static void emit_after(FILE *f, const struct replay *rp, const struct replay_row *w)
{
	for (uint32_t k = 0; k < w->n_after; k++) {
		const struct replay_after *a = &rp->rows.after[w->first_after + k];

		fprintf(f, "%s%" PRIu32 ".%" PRIu32 ".%" PRIu32, k ? "+" : "", a->src, a->qp,
		        a->n);
	}
}

void replay_emit(FILE *f, const struct load_entry *en)
{
	const struct replay *rp = en->shared;
	char start_text[48];

	fputs("src,dst,bytes,start,qp,port,priority,after\n", f);
	for (uint32_t i = 0; i < rp->rows.n; i++) {
		const struct replay_row *w = &rp->rows.at[i];

		fprintf(f, "%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%s,%" PRIu32 ",%u,", w->src,
		        w->dst, w->bytes,
		        unit_format(start_text, sizeof(start_text), UNIT_TIME, w->start_ps),
		        w->qp, w->port);
		if (w->priority >= 0)
			fprintf(f, "%d", w->priority);
		fputc(',', f);
		emit_after(f, rp, w);
		fputc('\n', f);
	}
}

const struct load_ops replay_ops = {
        .name = "replay",
        .doc = "messages as a capture showed them, each at its time or after those that it "
               "followed",
        .prepare = prepare,
        .involves = involves,
        .lanes = lanes,
        .start = start,
        .next = next,
        .fini = fini,
        .receives = true,
};
