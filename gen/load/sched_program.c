/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/sched_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/load/sched_lanes.h"

#define NONE UINT32_MAX

/* Messages of one lane to one rank: they are posted in order on one QP, so the receiver can
 * count them. */
struct stream {
	uint32_t n;      /* per round */
	uint16_t number; /* among those of its pair */
};

struct compiler {
	const struct sched *s;
	struct sched_match m;
	struct sched_lanes l;
	struct sched_program *p;
	uint32_t *chain;       /* leaders by (rank, lane, place) */
	uint32_t *first_chain; /* by lane of all ranks, + 1 */
	uint32_t n_lanes;
	struct stream *stream;
	uint32_t n_streams, room_streams;
	uint32_t *stream_of; /* [n_ops]: of a send */
	uint32_t *number;    /* [n_ops]: of a send in its stream, from 1 */
	struct err *e;
};

static int no_memory(const struct compiler *c)
{
	return err_set(c->e, -ENOMEM, "%s: no memory to compile %u operations", c->s->name,
	        c->s->n_ops);
}

/* The leaders of each lane in their order: a counting sort, as operations come in the order in
 * which lanes took them. */
static int chain_leaders(struct compiler *c)
{
	const struct sched *s = c->s;
	uint32_t *first = c->p->first_lane;

	for (uint32_t r = 0; r < s->n_ranks; r++)
		first[r + 1] = first[r] + c->l.n_lanes[r];
	c->n_lanes = first[s->n_ranks];
	c->chain = malloc(((size_t)s->n_ops + 1) * sizeof(*c->chain));
	c->first_chain = calloc((size_t)c->n_lanes + 2, sizeof(*c->first_chain));
	if (!c->chain || !c->first_chain)
		return no_memory(c);
	for (uint32_t r = 0; r < s->n_ranks; r++)
		for (uint32_t i = s->begin[r]; i < s->end[r]; i++)
			if (c->l.flags[i] & SCHED_LEADS)
				c->first_chain[first[r] + c->l.lane[i] + 1]++;
	for (uint32_t k = 0; k < c->n_lanes; k++)
		c->first_chain[k + 1] += c->first_chain[k];
	for (uint32_t r = 0; r < s->n_ranks; r++)
		for (uint32_t i = s->begin[r]; i < s->end[r]; i++)
			if (c->l.flags[i] & SCHED_LEADS)
				c->chain[c->first_chain[first[r] + c->l.lane[i]] +
				         c->l.place[i]] = i;
	return 0;
}

static int add_stream(struct compiler *c, uint32_t number, uint32_t rank, uint32_t peer)
{
	if (number > UINT16_MAX)
		return err_set(c->e, -EINVAL,
		        "%s: rank %u sends to rank %u in more than %d independent chains: say "
		        "which wait for which",
		        c->s->name, rank, peer, UINT16_MAX);
	if (c->n_streams == c->room_streams) {
		uint32_t room = c->room_streams ? 2 * c->room_streams : 256;
		void *at = realloc(c->stream, room * sizeof(*c->stream));

		if (!at)
			return no_memory(c);
		c->stream = at;
		c->room_streams = room;
	}
	c->stream[c->n_streams++] = (struct stream){.number = (uint16_t)number};
	if (number + 1 > c->p->max_streams)
		c->p->max_streams = number + 1;
	return 0;
}

struct to_peer {
	uint32_t lane;   /* of all ranks, + 1: whose stream it is */
	uint32_t stream; /* the lane's */
	uint32_t rank;   /* + 1: whose pair it counts */
	uint32_t n;      /* streams of the pair */
};

static int number_lane(struct compiler *c, uint32_t rank, uint32_t lane, struct to_peer *to)
{
	for (uint32_t k = c->first_chain[lane]; k < c->first_chain[lane + 1]; k++)
		for (uint32_t i = c->chain[k]; i != NONE; i = c->l.member[i]) {
			struct to_peer *t = &to[c->s->op[i].peer];
			int rc;

			if (c->s->op[i].kind != SCHED_SEND)
				continue;
			if (t->rank != rank + 1) {
				t->rank = rank + 1;
				t->n = 0;
			}
			if (t->lane != lane + 1) {
				rc = add_stream(c, t->n, rank, c->s->op[i].peer);
				if (rc)
					return rc;
				t->lane = lane + 1;
				t->stream = c->n_streams - 1;
				t->n++;
			}
			c->stream_of[i] = t->stream;
			c->number[i] = ++c->stream[t->stream].n;
			c->p->messages++;
		}
	return 0;
}

static int number_sends(struct compiler *c)
{
	struct to_peer *to = calloc(c->s->n_ranks, sizeof(*to));
	int rc;

	c->stream_of = malloc(((size_t)c->s->n_ops + 1) * sizeof(*c->stream_of));
	c->number = malloc(((size_t)c->s->n_ops + 1) * sizeof(*c->number));
	rc = to && c->stream_of && c->number ? 0 : no_memory(c);
	for (uint32_t r = 0; r < c->s->n_ranks && !rc; r++)
		for (uint32_t k = c->p->first_lane[r]; k < c->p->first_lane[r + 1] && !rc; k++)
			rc = number_lane(c, r, k, to);
	free(to);
	return rc;
}

static int emit(struct compiler *c, const struct sched_ins *ins)
{
	struct sched_program *p = c->p;

	if (p->n_ins == p->room_ins) {
		uint32_t room = p->room_ins ? p->room_ins + p->room_ins / 2 : 256;
		void *at = realloc(p->ins, room * sizeof(*p->ins));

		if (!at)
			return no_memory(c);
		p->ins = at;
		p->room_ins = room;
	}
	p->ins[p->n_ins++] = *ins;
	return 0;
}

/* A lane's step counter: 2k + 1 when its node k has started, 2k + 2 when it is complete. */
static uint32_t step(uint32_t place, bool started)
{
	return 2 * place + (started ? 1 : 2);
}

static int emit_step(struct compiler *c, uint32_t count)
{
	return emit(c, &(struct sched_ins){.kind = LOAD_STEP, .value = count});
}

static int emit_lane_wait(struct compiler *c, uint32_t lane, uint32_t count)
{
	return emit(
	        c, &(struct sched_ins){.kind = LOAD_WAIT_LANE, .peer = lane, .value = count});
}

static int emit_waits(struct compiler *c, uint32_t node)
{
	const struct sched *s = c->s;
	uint32_t before = NONE; /* members of one node are neighbours more often than not */
	int rc = 0;

	for (uint32_t k = s->first_on[node]; k < s->first_on[node + 1] && !rc; k++) {
		uint32_t on = c->l.node[sched_on_op(s->on[k])];

		if (c->l.lane[on] == c->l.lane[node] || on == before)
			continue;
		rc = emit_lane_wait(
		        c, c->l.lane[on], step(c->l.place[on], sched_on_started(s->on[k])));
		before = sched_on_started(s->on[k]) ? NONE : on;
	}
	return rc;
}

static int emit_messages(struct compiler *c, uint32_t node, uint8_t kind)
{
	int rc = 0;

	for (uint32_t i = node; i != NONE && !rc; i = c->l.member[i]) {
		const struct sched_op *o = &c->s->op[i];
		const uint32_t send = kind == SCHED_SEND ? i : c->m.peer[i];
		const struct stream *st = &c->stream[c->stream_of[send]];

		if (o->kind != kind)
			continue;
		if (kind == SCHED_SEND) /* MPI's empty messages are one byte here */
			rc = emit(c, &(struct sched_ins){.kind = LOAD_SEND,
			                     .value = o->value ? o->value : 1,
			                     .peer = o->peer,
			                     .tag = o->tag,
			                     .stream = st->number});
		else
			rc = emit(c, &(struct sched_ins){.kind = LOAD_RECV,
			                     .value = c->number[send],
			                     .peer = o->peer,
			                     .tag = st->n,
			                     .stream = st->number});
	}
	return rc;
}

static bool is_calc(const struct compiler *c, uint32_t node)
{
	return c->s->op[node].kind == SCHED_CALC;
}

static int emit_node(struct compiler *c, uint32_t node)
{
	const uint8_t flags = c->l.flags[node];
	int rc = emit_waits(c, node);

	if (!rc && !is_calc(c, node))
		rc = emit_messages(c, node, SCHED_SEND);
	if (!rc && (flags & SCHED_START_AWAITED))
		rc = emit_step(c, step(c->l.place[node], true));
	if (!rc && is_calc(c, node))
		rc = emit(c, &(struct sched_ins){
		                     .kind = LOAD_COMPUTE, .value = c->s->op[node].value});
	else if (!rc)
		rc = emit_messages(c, node, SCHED_RECV);
	if (!rc && (flags & SCHED_ACKED))
		rc = emit(c, &(struct sched_ins){.kind = LOAD_WAIT_SENDS});
	if (!rc && (flags & SCHED_END_AWAITED))
		rc = emit_step(c, step(c->l.place[node], false));
	return rc;
}

/*
 * A round is over when all lanes of the rank are: the first one waits for the others, which
 * wait for it before they begin the next. It also marks the beginning and the end.
 */
static int emit_round_end(struct compiler *c, uint32_t rank, uint32_t lane)
{
	const uint32_t first = c->p->first_lane[rank], last = c->p->first_lane[rank + 1];
	uint32_t done = step(c->first_chain[lane + 1] - c->first_chain[lane], true);
	int rc = emit(c, &(struct sched_ins){.kind = LOAD_WAIT_SENDS});

	if (lane != first) {
		uint32_t of_first =
		        step(c->first_chain[first + 1] - c->first_chain[first], true);

		if (!rc)
			rc = emit_step(c, done);
		if (!rc)
			rc = emit_lane_wait(c, 0, of_first);
		return rc;
	}
	for (uint32_t k = first + 1; k < last && !rc; k++)
		rc = emit_lane_wait(
		        c, k - first, step(c->first_chain[k + 1] - c->first_chain[k], true));
	if (!rc)
		rc = emit(c, &(struct sched_ins){.kind = LOAD_MARK, .value = 1});
	return rc ? rc : emit_step(c, done);
}

static int emit_lane(struct compiler *c, uint32_t rank, uint32_t lane)
{
	struct sched_lane *out = &c->p->lane[lane];
	int rc = 0;

	out->first = c->p->n_ins;
	c->p->end_step[lane] = step(c->first_chain[lane + 1] - c->first_chain[lane], true);
	if (lane == c->p->first_lane[rank])
		rc = emit(c, &(struct sched_ins){.kind = LOAD_MARK});
	for (uint32_t k = c->first_chain[lane]; k < c->first_chain[lane + 1] && !rc; k++)
		rc = emit_node(c, c->chain[k]);
	if (!rc)
		rc = emit_round_end(c, rank, lane);
	out->n = c->p->n_ins - out->first;
	return rc;
}

static int emit_all(struct compiler *c)
{
	struct sched_program *p = c->p;
	int rc = 0;

	p->lane = calloc((size_t)c->n_lanes + 1, sizeof(*p->lane));
	p->end_step = calloc((size_t)c->n_lanes + 1, sizeof(*p->end_step));
	if (!p->lane || !p->end_step)
		return no_memory(c);
	for (uint32_t r = 0; r < p->n_ranks; r++)
		for (uint32_t k = p->first_lane[r]; k < p->first_lane[r + 1] && !rc; k++)
			rc = emit_lane(c, r, k);
	return rc;
}

int sched_compile(struct sched_program *p, const struct sched *s, struct err *e)
{
	struct compiler c = {.s = s, .p = p, .e = e};
	int rc;

	*p = (struct sched_program){
	        .n_ranks = s->n_ranks,
	        .first_lane = calloc((size_t)s->n_ranks + 1, sizeof(*p->first_lane)),
	};
	rc = p->first_lane ? 0 : no_memory(&c);
	if (!rc)
		rc = sched_match_init(&c.m, s, e);
	if (!rc)
		rc = sched_lanes_init(&c.l, s, &c.m, e);
	if (!rc)
		rc = chain_leaders(&c);
	if (!rc)
		rc = number_sends(&c);
	if (!rc)
		rc = emit_all(&c);
	sched_match_fini(&c.m);
	sched_lanes_fini(&c.l);
	free(c.chain);
	free(c.first_chain);
	free(c.stream);
	free(c.stream_of);
	free(c.number);
	if (rc)
		sched_program_fini(p);
	return rc;
}

void sched_program_fini(struct sched_program *p)
{
	free(p->ins);
	free(p->lane);
	free(p->first_lane);
	free(p->end_step);
	*p = (struct sched_program){0};
}
