/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training iterations: each rank computes, then joins the iteration's collectives, one after
 * the other in rings; with overlap they become ready one by one during the backward pass, for
 * which two thirds of the time go (it does twice the work of the forward pass). Ranks meet in
 * the collectives alone, message by message, so a straggler slows first its neighbour and then
 * everybody.
 *
 * Lane 0 of a host computes and raises its step: 1 when the iteration begins, k + 2 when job k
 * is ready. The other lanes are the channels; each takes the jobs in order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "gen/load/collective.h"
#include "gen/load/load_input.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"

enum phase {
	PHASE_DUE,
	PHASE_BEGIN,
	PHASE_BEGUN, /* lane 0 lets the others begin */
	PHASE_READY, /* of a job: lane 0 computes up to it, the others wait for that */
	PHASE_BEGIN_JOB,
	PHASE_JOB,
	PHASE_SENDS,
	PHASE_END_JOB,
	PHASE_LANES, /* lane 0 waits for all others */
	PHASE_END,
};

struct training {
	struct coll coll; /* first: coll_of */
	uint8_t *slow;    /* [n] ranks */
};

static const struct training *training_of(const struct load_entry *en)
{
	return en->shared;
}

/* The list with each collective cut into buckets. */
static struct coll_job *make_jobs(const struct load_entry *en, uint32_t *n, struct err *e)
{
	static const enum coll_kind kinds[] = {
	        [LOAD_JOB_ALL_REDUCE] = COLL_ALL_REDUCE,
	        [LOAD_JOB_ALL_GATHER] = COLL_ALL_GATHER,
	        [LOAD_JOB_REDUCE_SCATTER] = COLL_REDUCE_SCATTER,
	};
	const struct load_cfg *c = &en->cfg;
	struct coll_job *job = calloc(LOAD_MAX_PARTS, sizeof(*job));

	*n = 0;
	if (!job)
		(void)err_set(e, -ENOMEM, "workload[%u]: no memory", en->index);
	for (int64_t i = 0; job && i < c->n_jobs; i++)
		for (int64_t rest = c->job[i].bytes; rest > 0; rest -= job[(*n)++].bytes) {
			int64_t bytes = c->bucket_bytes && c->bucket_bytes < rest
			                        ? c->bucket_bytes
			                        : rest;

			if (*n == LOAD_MAX_PARTS) {
				(void)load_key_err(en, e, "bucket",
				        "an iteration has more than %d collectives: raise "
				        "bucket "
				        "or shorten collectives",
				        LOAD_MAX_PARTS);
				free(job);
				return NULL;
			}
			job[*n] = (struct coll_job){kinds[c->job[i].kind], bytes};
		}
	return job;
}

static int find_stragglers(const struct load_entry *en, struct training *t, struct err *e)
{
	const char *at = en->cfg.stragglers ? en->cfg.stragglers : "";

	t->slow = calloc(en->ranks.n, 1);
	if (!t->slow)
		return err_set(e, -ENOMEM, "workload[%u]: no memory", en->index);
	while (*at) {
		int64_t first, last;

		if (load_next_range(&at, &first, &last) || last < first)
			return load_key_err(en, e, "stragglers",
			        "\"%.40s\": expected ranks and ranges such as 3,8-9",
			        en->cfg.stragglers);
		if (last >= en->ranks.n)
			return load_key_err(en, e, "stragglers",
			        "rank %" PRId64 " is not there: the entry has ranks 0..%u",
			        last, en->ranks.n - 1);
		for (; first <= last; first++)
			t->slow[first] = 1;
	}
	return 0;
}

static int prepare(struct load_entry *en, struct err *e)
{
	struct coll_job *job;
	struct training *t;
	uint32_t n;
	int rc;

	if (!en->cfg.n_jobs)
		return load_key_err(en, e, "collectives",
		        "none: expected a list such as [[all-reduce, 64MiB]]");
	rc = load_check_group(en, e);
	if (rc)
		return rc;
	job = make_jobs(en, &n, e);
	if (!job)
		return en->cfg.n_jobs && n < LOAD_MAX_PARTS ? -ENOMEM : -EINVAL;
	rc = coll_open(en, job, n, &coll_ring, e);
	if (rc)
		return rc;
	t = realloc(en->shared, sizeof(*t));
	if (!t)
		return err_set(e, -ENOMEM, "workload[%u]: no memory", en->index);
	t->coll.first_lane = 1;
	t->slow = NULL;
	en->shared = t;
	return find_stragglers(en, t, e);
}

static void fini(struct load_entry *en)
{
	struct training *t = en->shared;

	if (t && t->coll.first_lane)
		free(t->slow);
	coll_fini(en);
}

static uint32_t lanes(const struct load_entry *en, uint32_t host)
{
	(void)host;
	return 1 + (uint32_t)en->cfg.channels;
}

/* part tells lane 0 from the others, whose part in the ring is always 0. */
#define COMPUTES 1

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	struct coll_state *s = (struct coll_state *)(void *)st;

	coll_state_init(en, host, lane ? lane - 1 : 0, s);
	s->part = lane ? 0 : COMPUTES;
}

static int64_t compute_ps(const struct load_entry *en, const struct coll_state *s)
{
	const struct load_cfg *c = &en->cfg;
	const uint32_t rank = coll_rank(coll_of(en), s->channel, s->position);
	__int128 t_ps = c->compute_ps;

	if (training_of(en)->slow[rank] && s->iteration >= c->straggle_from)
		t_ps = (t_ps * c->slowdown_q32 >> 32) + c->straggle_ps;
	if (c->jitter_ps) {
		struct rng r = {
		        hash_combine(load_draw(en, s->iteration, LOAD_DRAW_COMPUTE), rank)};

		t_ps += (int64_t)rng_below(&r, (uint64_t)c->jitter_ps);
	}
	return t_ps < LOAD_MAX_TIME_PS ? (int64_t)t_ps : LOAD_MAX_TIME_PS;
}

/* From the beginning of the iteration to the time when job k can begin. */
static int64_t ready_ps(const struct load_entry *en, const struct coll_state *s, uint32_t k)
{
	const int64_t all_ps = compute_ps(en, s), back_ps = all_ps / 3 * 2;

	if (!en->cfg.overlap)
		return all_ps;
	return all_ps - back_ps + (int64_t)((__int128)back_ps * (k + 1) / coll_of(en)->n_jobs);
}

static void mark(const struct coll_state *s, struct load_op *op, uint32_t part, bool end)
{
	*op = (struct load_op){
	        .kind = LOAD_MARK, .tag = s->iteration, .stream = (uint16_t)part, .count = end};
}

static void wait_lane(struct load_op *op, uint32_t lane, uint64_t count)
{
	*op = (struct load_op){.kind = LOAD_WAIT_LANE, .lane = (uint16_t)lane, .count = count};
}

static void step(struct load_op *op, uint64_t count)
{
	*op = (struct load_op){.kind = LOAD_STEP, .count = count};
}

/* Of lane 0. turn: the computation is done, the step is to be set. */
static bool compute(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	const uint32_t n_jobs = coll_of(en)->n_jobs;

	switch ((enum phase)s->phase) {
	case PHASE_DUE:
		s->phase = PHASE_BEGIN;
		*op = (struct load_op){.kind = LOAD_SLEEP_UNTIL, .t_ps = en->cfg.start_ps};
		return s->iteration == 0;
	case PHASE_BEGIN:
		s->phase = PHASE_BEGUN;
		mark(s, op, 0, false);
		return true;
	case PHASE_BEGUN:
		s->phase = PHASE_READY;
		s->job = 0;
		step(op, coll_steps(s->iteration, 1));
		return true;
	case PHASE_READY:
		if (s->turn ^= 1) {
			*op = (struct load_op){.kind = LOAD_COMPUTE,
			        .t_ps = ready_ps(en, s, s->job) -
			                (s->job ? ready_ps(en, s, s->job - 1u) : 0)};
			return op->t_ps > 0;
		}
		step(op, coll_steps(s->iteration, s->job + 2u));
		if (++s->job == n_jobs)
			s->phase = PHASE_LANES;
		return true;
	case PHASE_LANES:
		if (s->loop++ < en->cfg.channels) {
			wait_lane(op, s->loop, coll_steps(s->iteration + 1, 0));
			return true;
		}
		s->phase = PHASE_END;
		return false;
	default:
		mark(s, op, 0, true);
		s->iteration++;
		s->loop = 0;
		s->phase = PHASE_DUE;
		return true;
	}
}

static bool communicate(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	switch ((enum phase)s->phase) {
	case PHASE_DUE:
		s->phase = PHASE_BEGIN;
		wait_lane(op, 0, coll_steps(s->iteration, 1));
		return true;
	case PHASE_BEGIN:
		s->phase = PHASE_READY;
		s->job = 0;
		mark(s, op, 0, false);
		return true;
	case PHASE_READY:
		s->phase = PHASE_BEGIN_JOB;
		wait_lane(op, 0, coll_steps(s->iteration, s->job + 2u));
		return true;
	case PHASE_BEGIN_JOB:
		s->phase = PHASE_JOB;
		coll_rewind(s);
		mark(s, op, s->job + 1u, false);
		return true;
	case PHASE_JOB:
		if (coll_ring.body(en, s, op))
			return true;
		s->phase = PHASE_SENDS;
		return false;
	case PHASE_SENDS:
		s->phase = PHASE_END_JOB;
		*op = (struct load_op){.kind = LOAD_WAIT_SENDS};
		return true;
	case PHASE_END_JOB:
		mark(s, op, s->job + 1u, true);
		s->phase = ++s->job < coll_of(en)->n_jobs ? PHASE_READY : PHASE_LANES;
		return true;
	case PHASE_LANES:
		s->phase = PHASE_END;
		step(op, coll_steps(s->iteration + 1, 0));
		return true;
	default:
		mark(s, op, 0, true);
		s->iteration++;
		s->phase = PHASE_DUE;
		return true;
	}
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	struct coll_state *s = (struct coll_state *)(void *)st;

	for (;;) {
		if (s->phase == PHASE_DUE && s->iteration == en->cfg.repeat) {
			*op = (struct load_op){.kind = LOAD_END};
			return;
		}
		if (s->part == COMPUTES ? compute(en, s, op) : communicate(en, s, op))
			return;
	}
}

static bool figure(const struct load_entry *en, uint16_t part, struct load_figure *f)
{
	static const char *const names[] = {
	        [COLL_ALL_REDUCE] = "all-reduce",
	        [COLL_ALL_GATHER] = "all-gather",
	        [COLL_REDUCE_SCATTER] = "reduce-scatter",
	};
	const struct coll *c = coll_of(en);
	const struct coll_job *job;

	if (!part || part > c->n_jobs)
		return false;
	job = &c->job[part - 1];
	*f = (struct load_figure){
	        names[job->kind], job->bytes, coll_bus_num(job->kind, c->n), c->n};
	return true;
}

const struct load_ops training_ops = {
        .name = "training",
        .doc = "iterations of computing and collectives, with stragglers",
        .prepare = prepare,
        .involves = load_in_group,
        .lanes = lanes,
        .start = start,
        .next = next,
        .fini = fini,
        .figure = figure,
        .receives = true,
        .marks = MARKED_BY_LANES,
};
