/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/collective.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"

enum phase {
	PHASE_DUE,
	PHASE_BEGIN,
	PHASE_BODY,
	PHASE_SENDS,
	PHASE_END,
	PHASE_LANES,
	PHASE_DONE
};

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/* x * inverse = 1 mod n, by the extended Euclidean algorithm. */
static uint32_t inverse(uint32_t x, uint32_t n)
{
	int64_t a = x, b = n, u = 1, v = 0;

	while (b) {
		int64_t q = a / b, t = a - q * b;

		a = b;
		b = t;
		t = u - q * v;
		u = v;
		v = t;
	}
	return (uint32_t)((u % n + n) % n);
}

/* The channels' orders: all the same, every other one backwards, or strides without a common
 * divisor with n, so that no two channels (of few enough) use the same neighbours. */
static void order_channels(struct coll *c, const struct load_cfg *cfg)
{
	uint32_t stride = 1;

	for (uint32_t i = 0; i < cfg->channels; i++) {
		if (cfg->channel_order == CHANNELS_ALTERNATE)
			stride = i % 2 ? c->n - 1 : 1;
		if (cfg->channel_order == CHANNELS_STRIDE && i) {
			do
				stride = stride % c->n + 1;
			while (gcd(stride, c->n) != 1);
		}
		c->channel[i].stride = stride % c->n;
		c->channel[i].inverse = inverse(stride, c->n);
	}
}

static int check_lanes(const struct load_entry *en, struct err *e)
{
	const struct load_cfg *c = &en->cfg;
	const int64_t streams = c->channels * coll_of(en)->algorithm->lanes * c->qps;

	if (streams > UINT16_MAX)
		return load_key_err(en, e, "qps",
		        "%" PRId64 " channels with %" PRId64 " QPs per lane are %" PRId64
		        " in all, at most %d are possible",
		        c->channels, c->qps, streams, UINT16_MAX);
	return 0;
}

static int check_root(const struct load_entry *en, struct coll *c, struct err *e)
{
	if (c->job[0].kind != COLL_BROADCAST)
		return 0;
	if (en->cfg.root >= c->n)
		return load_key_err(en, e, "root",
		        "rank %" PRId64 " is not there: the entry has ranks 0..%u",
		        en->cfg.root, c->n - 1);
	c->root = (uint32_t)en->cfg.root;
	return 0;
}

/* What NCCL takes (enqueue.cc): a tree's chunks shrink until its depth is filled some times. */
static int64_t auto_chunk(const struct load_entry *en, const struct coll *c)
{
	const int64_t bytes = en->cfg.buffer_bytes / en->cfg.channels;
	int64_t chunk = c->algorithm->chunk_bytes, depth = 0;

	if (c->algorithm != &coll_tree && c->algorithm != &coll_double_tree)
		return chunk;
	while (c->n >> (depth + 1))
		depth++;
	while (bytes / chunk < depth * 8 && chunk > 131072)
		chunk /= 2;
	while (bytes / chunk < depth * 4 && chunk > 65536)
		chunk /= 2;
	while (bytes / chunk < depth && chunk > 32768)
		chunk /= 2;
	return chunk;
}

int coll_open(struct load_entry *en, struct coll_job *job, uint32_t n_jobs,
        const struct coll_algorithm *algorithm, struct err *e)
{
	struct coll *c = job ? calloc(1, sizeof(*c)) : NULL;
	int rc;

	if (!c) {
		free(job);
		return err_set(e, -ENOMEM, "workload[%u]: no memory", en->index);
	}
	en->shared = c;
	c->job = job;
	c->n_jobs = n_jobs;
	c->algorithm = algorithm;
	c->n = en->ranks.n;
	order_channels(c, &en->cfg);
	rc = check_root(en, c, e);
	if (rc)
		return rc;
	c->chunk_bytes = en->cfg.chunk_bytes ? en->cfg.chunk_bytes : auto_chunk(en, c);
	rc = check_lanes(en, e);
	if (!rc && algorithm->check)
		rc = algorithm->check(en, e);
	return rc;
}

int coll_prepare(struct load_entry *en, enum coll_kind kind,
        const struct coll_algorithm *algorithm, struct err *e)
{
	struct coll_job *job;
	int rc = load_check_group(en, e);

	if (!rc)
		rc = rounds_check_period(en, e);
	if (rc)
		return rc;
	job = calloc(1, sizeof(*job));
	if (job)
		*job = (struct coll_job){kind, en->cfg.buffer_bytes};
	return coll_open(en, job, 1, algorithm, e);
}

uint32_t coll_bus_num(enum coll_kind kind, uint32_t n)
{
	switch (kind) {
	case COLL_ALL_REDUCE:
		return 2 * (n - 1);
	case COLL_ALL_GATHER:
	case COLL_REDUCE_SCATTER:
		return n - 1;
	case COLL_BROADCAST:
		break;
	}
	return n;
}

bool coll_figure(const struct load_entry *en, uint16_t part, struct load_figure *f)
{
	const uint32_t n = en->ranks.n;

	*f = (struct load_figure){en->ops->name, en->cfg.buffer_bytes,
	        coll_bus_num(coll_of(en)->job[0].kind, n), n};
	return part == 0;
}

static uint32_t lane_of(const struct load_entry *en, const struct coll_state *s, uint32_t part)
{
	return s->channel * coll_of(en)->algorithm->lanes + part;
}

static uint32_t stream_of(
        const struct load_entry *en, const struct coll_state *s, uint32_t part, uint64_t number)
{
	uint32_t qps = (uint32_t)en->cfg.qps;

	return lane_of(en, s, part) * qps + (qps > 1 ? (uint32_t)(number % qps) : 0);
}

void coll_send(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        uint32_t to_position, uint64_t number, int64_t bytes)
{
	uint32_t stream = stream_of(en, s, s->part, number);

	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .peer = place_host(en, coll_rank(coll_of(en), s->channel, to_position)),
	        .qp = stream,
	        .stream = (uint16_t)stream,
	        .tag = s->iteration,
	        .bytes = bytes,
	        .t_ps = -1,
	        .priority = -1,
	};
}

void coll_recv(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        uint32_t from_position, uint32_t part, uint64_t number)
{
	*op = (struct load_op){
	        .kind = LOAD_RECV,
	        .peer = place_host(en, coll_rank(coll_of(en), s->channel, from_position)),
	        .stream = (uint16_t)stream_of(en, s, part, number),
	        .count = (en->cfg.qps > 1 ? number / (uint64_t)en->cfg.qps : number) + 1,
	};
}

/* A receiver has room for so many messages of each neighbour; one that is acknowledged is taken
 * for consumed. */
void coll_credit(const struct load_entry *en, struct load_op *op, uint32_t n)
{
	*op = (struct load_op){
	        .kind = LOAD_WAIT_SENDS, .count = (uint64_t)en->cfg.in_flight * n - 1};
}

uint32_t coll_lanes(const struct load_entry *en, uint32_t host)
{
	(void)host;
	return (uint32_t)en->cfg.channels * coll_of(en)->algorithm->lanes;
}

void coll_state_init(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct coll_state *s)
{
	const struct coll *c = coll_of(en);

	*(struct load_state *)(void *)s = (struct load_state){{0}};
	s->channel = (uint16_t)(lane / c->algorithm->lanes);
	s->part = (uint8_t)(lane % c->algorithm->lanes);
	s->position = coll_position(c, s->channel, place_rank(en, host));
}

void coll_start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	coll_state_init(en, host, lane, (struct coll_state *)(void *)st);
}

void coll_rewind(struct coll_state *s)
{
	s->loop = s->step = 0;
	s->slice = s->n_slices = 0;
	s->turn = 0;
	s->open = false;
}

static void mark(const struct coll_state *s, struct load_op *op, bool end)
{
	*op = (struct load_op){.kind = LOAD_MARK, .tag = s->iteration, .count = end};
}

/* All lanes have ended the iteration when lane 0 says so. */
static bool meet_lanes(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	uint32_t lanes = coll_lanes(en, 0), lane = lane_of(en, s, s->part);
	uint64_t ended = coll_steps(s->iteration + 1, 0);
	uint32_t at = s->loop++;

	if (lane && at < 2) {
		*op = at ? (struct load_op){.kind = LOAD_WAIT_LANE, .count = ended}
		         : (struct load_op){.kind = LOAD_STEP, .count = ended};
		return true;
	}
	if (!lane && at < lanes) {
		*op = at + 1 < lanes ? (struct load_op){.kind = LOAD_WAIT_LANE,
		                               .lane = (uint16_t)(at + 1),
		                               .count = ended}
		                     : (struct load_op){.kind = LOAD_STEP, .count = ended};
		return true;
	}
	return false;
}

static void next_iteration(const struct load_entry *en, struct coll_state *s)
{
	s->iteration++;
	coll_rewind(s);
	s->phase = s->iteration < en->cfg.repeat ? PHASE_DUE : PHASE_DONE;
}

static bool next_in(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	const struct load_cfg *c = &en->cfg;

	switch ((enum phase)s->phase) {
	case PHASE_DUE:
		s->phase = PHASE_BEGIN;
		if (s->iteration && !c->period_ps)
			return false;
		*op = (struct load_op){.kind = LOAD_SLEEP_UNTIL,
		        .t_ps = c->start_ps + s->iteration * c->period_ps};
		return true;
	case PHASE_BEGIN:
		s->phase = PHASE_BODY;
		mark(s, op, false);
		return true;
	case PHASE_BODY:
		if (coll_of(en)->algorithm->body(en, s, op))
			return true;
		s->phase = PHASE_SENDS;
		return false;
	case PHASE_SENDS:
		s->phase = PHASE_END;
		*op = (struct load_op){.kind = LOAD_WAIT_SENDS};
		return true;
	case PHASE_END:
		s->phase = PHASE_LANES;
		s->loop = 0;
		mark(s, op, true);
		return true;
	case PHASE_LANES:
		if (coll_lanes(en, 0) > 1 && s->iteration + 1 < c->repeat &&
		        meet_lanes(en, s, op))
			return true;
		next_iteration(en, s);
		return false;
	case PHASE_DONE:
		break;
	}
	*op = (struct load_op){.kind = LOAD_END};
	return true;
}

void coll_next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	while (!next_in(en, (struct coll_state *)(void *)st, op))
		;
}

void coll_fini(struct load_entry *en)
{
	struct coll *c = en->shared;

	if (c)
		free(c->job);
	free(c);
	en->shared = NULL;
}
