/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes add no order and lose none: random schedules are run twice with the same delays, once
 * straight from the graph and once by a host that knows lanes, streams and counters alone. Each
 * message must be posted at the same instant, and both must end together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "gen/load/sched_match.h"
#include "gen/load/sched_program.h"

#define CASES     1000
#define MAX_RANKS 5
#define MAX_OPS   48 /* per rank */
#define NEVER     INT64_MAX

struct bench {
	struct rng r;
	struct sched s;
	uint32_t n_ranks;
	int64_t delay[MAX_RANKS][MAX_RANKS]; /* of a message; its ACK takes as long */
	int64_t round_start[MAX_RANKS];
};

static uint32_t below(struct bench *b, uint32_t n)
{
	return (uint32_t)rng_below(&b->r, n);
}

static void must(int rc, const struct err *e)
{
	if (rc)
		fail_msg("%s", e->msg);
}

/* Messages are put into both ranks in one global order, and dependencies point backwards in it,
 * so that nothing waits for ever. */
static void make_schedule(struct bench *b)
{
	struct sched_op op[MAX_RANKS][MAX_OPS];
	uint32_t n[MAX_RANKS] = {0}, age[MAX_RANKS][MAX_OPS];
	const uint32_t n_events = 4 + below(b, 60), tags = 1 + below(b, 3);
	const uint32_t density = below(b, 4);
	struct err e = {0};

	b->n_ranks = 2 + below(b, MAX_RANKS - 1);
	for (uint32_t t = 0; t < n_events; t++) {
		uint32_t src = below(b, b->n_ranks);
		uint32_t dst = (src + 1 + below(b, b->n_ranks - 1)) % b->n_ranks;
		uint32_t tag = below(b, tags);

		if (n[src] == MAX_OPS || n[dst] == MAX_OPS)
			continue;
		age[src][n[src]] = age[dst][n[dst]] = t;
		if (below(b, 4) == 0) {
			op[src][n[src]++] =
			        (struct sched_op){.kind = SCHED_CALC, .value = below(b, 900)};
			continue;
		}
		op[src][n[src]++] = (struct sched_op){
		        .kind = SCHED_SEND, .value = t + 1, .peer = dst, .tag = tag};
		op[dst][n[dst]++] = (struct sched_op){
		        .kind = SCHED_RECV, .value = t + 1, .peer = src, .tag = tag};
	}
	must(sched_init(&b->s, "random", b->n_ranks, &e), &e);
	for (uint32_t r = 0; r < b->n_ranks; r++) {
		uint32_t first, i;

		must(sched_rank(&b->s, r, &e), &e);
		first = b->s.n_ops;
		for (uint32_t k = 0; k < n[r]; k++) {
			must(sched_add(&b->s, &op[r][k], &i, &e), &e);
			for (uint32_t d = 0; k && d < density; d++) {
				uint32_t on = below(b, 3) ? k - 1 - below(b, k < 4 ? k : 4)
				                          : below(b, k);

				if (age[r][on] < age[r][k])
					must(sched_wait(&b->s, i, first + on, below(b, 4) == 0,
					             &e),
					        &e);
			}
		}
	}
	must(sched_finish(&b->s, &e), &e);
}

/* The graph itself: start and completion of each operation by relaxation until nothing changes.
 */
static void run_graph(
        const struct bench *b, const struct sched_match *m, int64_t *start, int64_t *done)
{
	const struct sched *s = &b->s;

	for (uint32_t i = 0; i < s->n_ops; i++)
		start[i] = done[i] = NEVER;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t r = 0; r < s->n_ranks; r++)
			for (uint32_t i = s->begin[r]; i < s->end[r]; i++) {
				const struct sched_op *o = &s->op[i];
				int64_t at = 0, end;

				for (uint32_t k = s->first_on[i]; k < s->first_on[i + 1]; k++) {
					uint32_t on = sched_on_op(s->on[k]);
					int64_t t = sched_on_started(s->on[k]) ? start[on]
					                                       : done[on];

					at = t > at ? t : at;
				}
				if (at == NEVER)
					continue;
				end = at;
				if (o->kind == SCHED_CALC) {
					end = at + o->value;
				} else if (o->kind == SCHED_SEND) {
					end = at + 2 * b->delay[r][o->peer];
				} else {
					int64_t sent = start[m->peer[i]];

					end = sent == NEVER ? NEVER
					                    : sent + b->delay[o->peer][r];
					end = end < at ? at : end;
				}
				changed |= start[i] != at || done[i] != end;
				start[i] = at;
				done[i] = end;
			}
	}
}

struct machine_lane {
	uint32_t at;
	int64_t now;
	uint64_t step;
	int64_t ack[MAX_OPS]; /* of its own sends */
	uint32_t n_acks;
	bool ended, stuck;
	int64_t step_at[256];
	uint32_t n_steps;
	uint64_t step_count[256];
};

struct arrival {
	uint32_t src, dst;
	uint16_t stream;
	int64_t at;
};

struct machine {
	const struct bench *b;
	const struct sched_program *p;
	struct machine_lane *lane; /* of all ranks */
	struct arrival arrival[MAX_RANKS * MAX_OPS];
	uint32_t n_arrivals;
	int64_t posted[MAX_RANKS * MAX_OPS]; /* by size, which names the message */
};

/* When the count-th message of the stream arrived. */
static int64_t arrived(
        const struct machine *h, uint32_t src, uint32_t dst, uint16_t stream, int64_t count)
{
	int64_t at[MAX_OPS];
	int64_t n = 0;

	for (uint32_t i = 0; i < h->n_arrivals; i++)
		if (h->arrival[i].src == src && h->arrival[i].dst == dst &&
		        h->arrival[i].stream == stream)
			at[n++] = h->arrival[i].at;
	if (n < count)
		return NEVER;
	for (int64_t i = 1; i < n; i++) /* posted on one QP in order, so they arrive in order */
		assert_true(at[i] >= at[i - 1]);
	return at[count - 1];
}

static int64_t step_reached(const struct machine_lane *l, uint64_t count)
{
	for (uint32_t i = 0; i < l->n_steps; i++)
		if (l->step_count[i] >= count)
			return l->step_at[i];
	return NEVER;
}

static bool one(struct machine *h, uint32_t rank, uint32_t lane)
{
	const uint32_t first = h->p->first_lane[rank];
	struct machine_lane *l = &h->lane[first + lane];
	const struct sched_ins *in = &h->p->ins[h->p->lane[first + lane].first + l->at];
	int64_t t = l->now;

	if (l->at == h->p->lane[first + lane].n)
		return false;
	switch (in->kind) {
	case LOAD_SEND:
		assert_true(h->posted[in->value] == NEVER);
		h->posted[in->value] = t;
		l->ack[l->n_acks++] = t + 2 * h->b->delay[rank][in->peer];
		h->arrival[h->n_arrivals++] = (struct arrival){
		        rank, in->peer, in->stream, t + h->b->delay[rank][in->peer]};
		break;
	case LOAD_RECV:
		t = arrived(h, in->peer, rank, in->stream, in->value);
		break;
	case LOAD_WAIT_LANE:
		t = step_reached(&h->lane[first + in->peer], (uint64_t)in->value);
		break;
	case LOAD_WAIT_SENDS:
		for (uint32_t i = 0; i < l->n_acks; i++)
			t = l->ack[i] > t ? l->ack[i] : t;
		break;
	case LOAD_STEP:
		assert_true((uint64_t)in->value > l->step);
		l->step = (uint64_t)in->value;
		l->step_at[l->n_steps] = t;
		l->step_count[l->n_steps++] = l->step;
		break;
	case LOAD_COMPUTE:
		t += in->value;
		break;
	default:
		break;
	}
	if (t == NEVER)
		return false;
	l->now = t > l->now ? t : l->now;
	l->at++;
	return true;
}

static int64_t run_lanes(struct machine *h)
{
	int64_t end = 0;

	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t r = 0; r < h->p->n_ranks; r++)
			for (uint32_t k = 0; k < h->p->first_lane[r + 1] - h->p->first_lane[r];
			        k++)
				while (one(h, r, k))
					changed = true;
	}
	for (uint32_t k = 0; k < h->p->first_lane[h->p->n_ranks]; k++) {
		assert_int_equal(h->lane[k].at, h->p->lane[k].n); /* nobody is stuck */
		end = h->lane[k].now > end ? h->lane[k].now : end;
	}
	return end;
}

static void compare(struct bench *b)
{
	struct sched_match m;
	struct sched_program p;
	struct machine h = {.b = b, .p = &p};
	struct err e = {0};
	int64_t *start = calloc(b->s.n_ops + 1, sizeof(*start));
	int64_t *done = calloc(b->s.n_ops + 1, sizeof(*done));
	int64_t last = 0;

	must(sched_match_init(&m, &b->s, &e), &e);
	run_graph(b, &m, start, done);
	must(sched_compile(&p, &b->s, &e), &e);
	h.lane = calloc(p.first_lane[p.n_ranks] + 1, sizeof(*h.lane));
	for (uint32_t i = 0; i < MAX_RANKS * MAX_OPS; i++)
		h.posted[i] = NEVER;
	last = run_lanes(&h);
	for (uint32_t i = 0; i < b->s.n_ops; i++) {
		assert_true(done[i] != NEVER);
		assert_true(done[i] <= last);
		if (b->s.op[i].kind == SCHED_SEND)
			assert_int_equal(h.posted[b->s.op[i].value], start[i]);
	}
	for (uint32_t i = 0; i < b->s.n_ops; i++)
		last = done[i] == last ? -1 : last;
	assert_true(!b->s.n_ops || last == -1 || last == 0);
	free(h.lane);
	free(start);
	free(done);
	sched_program_fini(&p);
	sched_match_fini(&m);
}

static void test_same_times(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct bench b = {.r = rng_make(seed, 7, RNG_LOAD)};

		make_schedule(&b);
		for (uint32_t i = 0; i < MAX_RANKS; i++)
			for (uint32_t k = 0; k < MAX_RANKS; k++)
				b.delay[i][k] = 1 + below(&b, 500);
		printf("seed %llu\n",
		        (unsigned long long)seed); /* the one that failed is last */
		compare(&b);
		sched_fini(&b.s);
	}
}

/* A fan-out of thousands of messages that are waited for together is one lane. */
static void test_fan_out(void **state)
{
	(void)state;
	struct sched s;
	struct sched_program p;
	struct err e = {0};
	uint32_t join, i;

	must(sched_init(&s, "fan", 2, &e), &e);
	for (uint32_t r = 0; r < 2; r++) {
		must(sched_rank(&s, r, &e), &e);
		must(sched_add(
		             &s, &(struct sched_op){.kind = SCHED_CALC, .value = 1}, &join, &e),
		        &e);
		for (uint32_t k = 0; k < 10000; k++) {
			struct sched_op o = {.kind = k % 2 ? SCHED_SEND : SCHED_RECV,
			        .value = 8,
			        .peer = !r,
			        .tag = k / 2};

			must(sched_add(&s, &o, &i, &e), &e);
			must(sched_wait(&s, join, i, false, &e), &e);
		}
	}
	must(sched_finish(&s, &e), &e);
	must(sched_compile(&p, &s, &e), &e);
	assert_int_equal(p.first_lane[2], 2);
	assert_int_equal(p.messages, 10000);
	sched_program_fini(&p);
	sched_fini(&s);
}

/* A thousand iterations that each fork and join use the same few lanes again. */
static void test_lanes_used_again(void **state)
{
	(void)state;
	struct sched s;
	struct sched_program p;
	struct err e = {0};
	uint32_t join = 0, last = 0;

	must(sched_init(&s, "iterations", 2, &e), &e);
	must(sched_rank(&s, 0, &e), &e);
	for (uint32_t it = 0; it < 10000; it++) {
		uint32_t branch[4], leaf[4];
		const struct sched_op calc = {.kind = SCHED_CALC, .value = 1};

		for (int k = 0; k < 4; k++) {
			must(sched_add(&s, &calc, &branch[k], &e), &e);
			must(sched_add(&s, &calc, &leaf[k], &e), &e);
			must(sched_wait(&s, leaf[k], branch[k], false, &e), &e);
			if (it)
				must(sched_wait(&s, branch[k], last, false, &e), &e);
		}
		must(sched_add(&s, &calc, &join, &e), &e);
		for (int k = 0; k < 4; k++)
			must(sched_wait(&s, join, leaf[k], false, &e), &e);
		last = join;
	}
	must(sched_finish(&s, &e), &e);
	must(sched_compile(&p, &s, &e), &e);
	assert_in_range(p.first_lane[2], 4, 5);
	sched_program_fini(&p);
	sched_fini(&s);
}

/* Messages that nobody waits for hang on every step of a chain: two lanes, in either order. */
static void test_dead_ends(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct sched s;
		struct sched_program p;
		struct err e = {0};
		uint32_t recv = 0, before = 0, send;

		must(sched_init(&s, "dead ends", 2, &e), &e);
		for (uint32_t r = 0; r < 2; r++) {
			must(sched_rank(&s, r, &e), &e);
			for (uint32_t k = 0; k < 10000; k++)
				for (int i = 0; i < 2; i++) {
					struct sched_op o = {
					        .kind = i == first ? SCHED_SEND : SCHED_RECV,
					        .value = 8,
					        .peer = !r,
					        .tag = k};
					uint32_t *op = i == first ? &send : &recv;

					must(sched_add(&s, &o, op, &e), &e);
					if (k)
						must(sched_wait(&s, *op, before, false, &e),
						        &e);
					if (i)
						before = recv;
				}
		}
		must(sched_finish(&s, &e), &e);
		must(sched_compile(&p, &s, &e), &e);
		assert_in_range(p.first_lane[2], 2, 6);
		sched_program_fini(&p);
		sched_fini(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_same_times),
	        cmocka_unit_test(test_fan_out),
	        cmocka_unit_test(test_lanes_used_again),
	        cmocka_unit_test(test_dead_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
