/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives do what they are for. Their programs run in an interpreter that delivers messages
 * in random order (each queue pair's own order kept) and knows whose contribution to each byte
 * a rank holds: a message takes what the sender holds when it is sent, and adds it to, or puts
 * it in the place of, what the receiver holds when the receiver has waited for it. What a rank
 * sends too early lacks something in the end; what is summed twice is seen at once. What each
 * message carries comes from tests/support/coll_spec.c. Then: messages and bytes against closed
 * forms for every number of ranks from 2 to 33.
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
#include "gen/load/btree.h"
#include "tests/support/coll_spec.h"
#include "tests/unit/load_place.h"

#define MAX_RANKS 33
#define MAX_LANES 16
#define REPEAT    2

struct letter {
	struct coll_send what;
	uint64_t *mask; /* [len] who is in each byte */
	uint32_t lane;  /* of its sender */
	struct letter *next;
};

struct box {                              /* of one source and stream */
	struct letter *wire, **wire_tail; /* sent, not arrived */
	struct letter *here, **here_tail; /* arrived, not waited for */
	uint64_t arrived, taken;
};

struct lane {
	struct load_state st;
	struct load_op op; /* that it waits in */
	bool waits, ended;
	uint64_t open, step, sent;
	struct coll_sends spec;
	uint32_t begun, done; /* iterations by its marks */
};

struct world {
	const struct coll_case *c;
	struct load_entry en;
	struct lane lane[MAX_RANKS][MAX_LANES];
	uint32_t n_lanes, streams;
	struct box *box; /* [dst][src][stream] */
	uint64_t *data;  /* [rank][byte] */
	struct rng rng;
	uint32_t *flying; /* a box for each message on the wire */
	uint32_t n_flying, room_flying;
	uint64_t messages, bytes;
};

static struct box *box_of(struct world *w, uint32_t dst, uint32_t src, uint32_t stream)
{
	return &w->box[((size_t)dst * w->c->n + src) * w->streams + stream];
}

static uint64_t *data_of(struct world *w, uint32_t rank)
{
	return &w->data[(size_t)rank * (size_t)w->c->bytes];
}

/* What a rank has when an iteration begins. */
static void fill(struct world *w, uint32_t rank)
{
	const struct coll_case *c = w->c;
	uint64_t *d = data_of(w, rank);

	for (int64_t i = 0; i < c->bytes; i++) {
		bool own = c->pattern == LOAD_ALL_REDUCE || c->pattern == LOAD_REDUCE_SCATTER;

		if (c->pattern == LOAD_BROADCAST)
			own = rank == c->root;
		if (c->pattern == LOAD_ALL_GATHER)
			own = i >= coll_spec_block_off(c, rank) &&
			      i < coll_spec_block_off(c, rank + 1);
		d[i] = own ? UINT64_C(1) << rank : 0;
	}
}

static void check_result(struct world *w, uint32_t rank)
{
	const struct coll_case *c = w->c;
	const uint64_t all = (UINT64_C(1) << c->n) - 1;
	const uint64_t *d = data_of(w, rank);

	for (uint32_t block = 0; block < c->n; block++) {
		uint64_t want = all;

		if (c->pattern == LOAD_REDUCE_SCATTER && block != rank)
			continue;
		if (c->pattern == LOAD_ALL_GATHER)
			want = UINT64_C(1) << block;
		if (c->pattern == LOAD_BROADCAST)
			want = UINT64_C(1) << c->root;
		for (int64_t i = coll_spec_block_off(c, block);
		        i < coll_spec_block_off(c, block + 1); i++)
			if (d[i] != want)
				fail_msg("rank %u of %u ends with %llx in byte %lld of %lld, "
				         "not %llx",
				        rank, c->n, (unsigned long long)d[i], (long long)i,
				        (long long)c->bytes, (unsigned long long)want);
	}
}

static void post(struct world *w, uint32_t rank, uint32_t lane, const struct load_op *op)
{
	struct lane *l = &w->lane[rank][lane];
	struct box *b = box_of(w, op->peer, rank, op->stream);
	struct letter *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	if (!l->spec.n)
		fail_msg("rank %u lane %u sends what it should not", rank, lane);
	m->what = l->spec.at[l->sent++ % l->spec.n];
	assert_int_equal(op->peer, m->what.to);
	assert_int_equal(op->bytes, m->what.len);
	assert_int_equal(op->qp, op->stream); /* one connection, one stream */
	m->lane = lane;
	m->mask = malloc((size_t)m->what.len * sizeof(*m->mask));
	assert_non_null(m->mask);
	memcpy(m->mask, data_of(w, rank) + m->what.off, (size_t)m->what.len * sizeof(*m->mask));
	if (!b->wire)
		b->wire_tail = &b->wire;
	*b->wire_tail = m;
	b->wire_tail = &m->next;
	if (w->n_flying == w->room_flying) {
		w->room_flying = w->room_flying ? 2 * w->room_flying : 64;
		w->flying = realloc(w->flying, w->room_flying * sizeof(*w->flying));
		assert_non_null(w->flying);
	}
	w->flying[w->n_flying++] = (uint32_t)(b - w->box);
	l->open++;
	w->messages++;
	w->bytes += (uint64_t)op->bytes;
}

static void arrive(struct world *w, uint32_t src, struct box *b)
{
	struct letter *m = b->wire;

	b->wire = m->next;
	m->next = NULL;
	if (!b->here)
		b->here_tail = &b->here;
	*b->here_tail = m;
	b->here_tail = &m->next;
	b->arrived++;
	w->lane[src][m->lane].open--;
}

static void take(struct world *w, uint32_t rank, struct box *b)
{
	struct letter *m = b->here;
	uint64_t *d = data_of(w, rank) + m->what.off;

	b->here = m->next;
	b->taken++;
	for (int64_t i = 0; i < m->what.len; i++) {
		if (m->what.add && d[i] & m->mask[i])
			fail_msg("rank %u sums a contribution twice", rank);
		d[i] = m->what.add ? d[i] | m->mask[i] : m->mask[i];
	}
	free(m->mask);
	free(m);
}

/* An iteration begins with fresh data and ends with the result, on all lanes of a rank. */
static void mark(struct world *w, uint32_t rank, struct lane *l, const struct load_op *op)
{
	uint32_t begun = 0, done = 0;

	assert_int_equal(op->tag, op->count ? l->done : l->begun);
	assert_int_equal(op->stream, 0);
	if (op->count)
		l->done++;
	else
		l->begun++;
	for (uint32_t i = 0; i < w->n_lanes; i++) {
		begun += w->lane[rank][i].begun;
		done += w->lane[rank][i].done;
	}
	/* no lane begins before all have done the former */
	assert_true(done <= begun && begun - done <= w->n_lanes);
	if (!op->count && done % w->n_lanes == 0 && begun == done + 1)
		fill(w, rank);
	if (op->count && done % w->n_lanes == 0)
		check_result(w, rank);
}

static bool can_go_on(struct world *w, uint32_t rank, struct lane *l)
{
	struct box *b;

	switch (l->op.kind) {
	case LOAD_RECV:
		b = box_of(w, rank, l->op.peer, l->op.stream);
		if (b->arrived < l->op.count)
			return false;
		while (b->taken < l->op.count)
			take(w, rank, b);
		return true;
	case LOAD_WAIT_SENDS:
		return l->open <= l->op.count;
	case LOAD_WAIT_LANE:
		return w->lane[rank][l->op.lane].step >= l->op.count;
	default:
		return true;
	}
}

/* One operation of one lane; false if it waits or is through. */
static bool go_on(struct world *w, uint32_t rank, uint32_t lane)
{
	struct lane *l = &w->lane[rank][lane];

	if (l->ended || (l->waits && !can_go_on(w, rank, l)))
		return false;
	l->op = (struct load_op){.t_ps = -1, .priority = -1};
	w->en.ops->next(&w->en, &l->st, &l->op);
	l->waits = true;
	switch (l->op.kind) {
	case LOAD_SEND:
		post(w, rank, lane, &l->op);
		break;
	case LOAD_STEP:
		assert_true(l->op.count > l->step);
		l->step = l->op.count;
		break;
	case LOAD_MARK:
		mark(w, rank, l, &l->op);
		break;
	case LOAD_END:
		l->ended = true;
		break;
	default:
		break;
	}
	return true;
}

static bool deliver_some(struct world *w)
{
	uint32_t i, at;

	if (!w->n_flying)
		return false;
	i = (uint32_t)rng_below(&w->rng, w->n_flying);
	at = w->flying[i];
	w->flying[i] = w->flying[--w->n_flying];
	arrive(w, at / w->streams % w->c->n, &w->box[at]);
	return true;
}

static bool run_some(struct world *w)
{
	uint32_t n = w->c->n * w->n_lanes, from = (uint32_t)rng_below(&w->rng, n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = (from + i) % n;

		if (!go_on(w, at / w->n_lanes, at % w->n_lanes))
			continue;
		while (rng_below(&w->rng, 4) && go_on(w, at / w->n_lanes, at % w->n_lanes))
			;
		return true;
	}
	return false;
}

static void open_world(struct world *w, const struct coll_case *c, int64_t qps)
{
	static struct load_place p;
	struct load_cfg cfg = load_cfg_default(c->pattern);
	struct err e = {0};

	*w = (struct world){.c = c, .rng = rng_make((uint64_t)c->bytes, c->n, RNG_LOAD)};
	load_place_init(&p, c->n);
	cfg.algorithm = c->algorithm;
	cfg.channel_order = c->order;
	cfg.channels = c->channels;
	cfg.buffer_bytes = c->bytes;
	cfg.chunk_bytes = c->chunk;
	cfg.slices = c->slices;
	cfg.root = c->root;
	cfg.qps = qps;
	cfg.repeat = REPEAT;
	if (load_entry_init(&w->en, &cfg, &p.env, 0, &e))
		fail_msg("%s", e.msg);
	w->n_lanes = w->en.ops->lanes(&w->en, 0);
	w->streams = w->n_lanes * (uint32_t)qps;
	w->box = calloc((size_t)c->n * c->n * w->streams, sizeof(*w->box));
	w->data = calloc((size_t)c->n * (size_t)c->bytes, sizeof(*w->data));
	assert_true(w->box && w->data && w->n_lanes <= MAX_LANES);
	for (uint32_t r = 0; r < c->n; r++)
		for (uint32_t i = 0; i < w->n_lanes; i++) {
			w->en.ops->start(&w->en, r, i, &w->lane[r][i].st);
			w->lane[r][i].spec = coll_spec(c, r, i);
		}
}

static void close_world(struct world *w)
{
	for (uint32_t r = 0; r < w->c->n; r++)
		for (uint32_t i = 0; i < w->n_lanes; i++) {
			const struct lane *l = &w->lane[r][i];

			if (!l->ended)
				fail_msg("rank %u lane %u of %u ranks never ends", r, i,
				        w->c->n);
			assert_int_equal(l->done, REPEAT);
			assert_int_equal(l->open, 0);
			assert_int_equal(l->sent, REPEAT * l->spec.n);
			free(l->spec.at);
		}
	for (uint32_t i = 0; i < w->c->n * w->c->n * w->streams; i++)
		assert_null(w->box[i].here); /* everything is waited for */
	free(w->box);
	free(w->flying);
	free(w->data);
	load_entry_fini(&w->en);
}

/* Messages and bytes of one iteration. */
static void run_case(
        const struct coll_case *c, int64_t qps, uint64_t *messages, uint64_t *bytes)
{
	static struct world w;
	bool more = true;

	open_world(&w, c, qps);
	while (more) {
		more = false;
		if (rng_below(&w.rng, 2))
			more |= deliver_some(&w);
		more |= run_some(&w);
		more |= deliver_some(&w);
	}
	close_world(&w);
	*messages = w.messages / REPEAT;
	*bytes = w.bytes / REPEAT;
}

static const struct {
	enum load_pattern_kind pattern;
	enum load_algorithm algorithm;
} kinds[] = {
        {LOAD_ALL_REDUCE, ALGORITHM_RING},
        {LOAD_ALL_REDUCE, ALGORITHM_TREE},
        {LOAD_ALL_REDUCE, ALGORITHM_DOUBLE_TREE},
        {LOAD_ALL_REDUCE, ALGORITHM_HALVING_DOUBLING},
        {LOAD_ALL_GATHER, ALGORITHM_RING},
        {LOAD_REDUCE_SCATTER, ALGORITHM_RING},
        {LOAD_BROADCAST, ALGORITHM_RING},
        {LOAD_BROADCAST, ALGORITHM_TREE},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Random sizes, channels, chunks, orders, roots and queue pairs; sizes below n too. */
static void test_every_rank_has_the_result(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MAX_RANKS; n++)
		for (size_t k = 0; k < N_KINDS; k++) {
			struct rng r = rng_make(n, k, RNG_LOAD);
			struct coll_case c = {
			        .pattern = kinds[k].pattern,
			        .algorithm = kinds[k].algorithm,
			        .order = (enum load_channel_order)rng_below(&r, 3),
			        .n = n,
			        .channels = 1 + (uint32_t)rng_below(&r, 4),
			        .root = (uint32_t)rng_below(&r, n),
			        .bytes = 1 + (int64_t)rng_below(&r, 400),
			        .chunk = 1 + (int64_t)rng_below(&r, 40),
			        .slices = 2,
			};
			uint64_t messages, bytes;

			run_case(&c, 1 + (int64_t)rng_below(&r, 3), &messages, &bytes);
		}
}

/* Chunks large enough to be cut into slices, several loops, a rest. */
static void test_slices_and_loops(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 4; n++)
		for (size_t k = 0; k < N_KINDS; k++) {
			struct coll_case c = {
			        .pattern = kinds[k].pattern,
			        .algorithm = kinds[k].algorithm,
			        .n = n,
			        .channels = 1,
			        .bytes = 1000001,
			        .chunk = 100000,
			        .slices = 3,
			};
			uint64_t messages, bytes;

			run_case(&c, 2, &messages, &bytes);
		}
}

/* Sizes that every cut divides: the textbook's numbers. Bytes hold for any size. */
static void test_closed_forms(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MAX_RANKS; n++) {
		const int64_t chunk = 8, loops = 3, all = chunk * loops * n;
		uint64_t m, b;
		uint32_t size = 1, levels = 0;

#define CASE(p, a, s)                                                                          \
	run_case(&(struct coll_case){.pattern = LOAD_##p,                                      \
	                 .algorithm = ALGORITHM_##a,                                           \
	                 .n = n,                                                               \
	                 .channels = 1,                                                        \
	                 .bytes = s,                                                           \
	                 .chunk = chunk,                                                       \
	                 .slices = 2},                                                         \
	        1, &m, &b)
		CASE(ALL_REDUCE, RING, all);
		assert_int_equal(m, 2 * (n - 1) * n * loops);
		assert_int_equal(b, 2 * (n - 1) * all); /* 2 (n - 1) / n each */
		CASE(ALL_GATHER, RING, all);
		assert_int_equal(m, (n - 1) * n * loops);
		assert_int_equal(b, (n - 1) * all);
		CASE(REDUCE_SCATTER, RING, all);
		assert_int_equal(m, (n - 1) * n * loops);
		assert_int_equal(b, (n - 1) * all);
		CASE(BROADCAST, RING, all);
		assert_int_equal(m, (n - 1) * n * loops);
		assert_int_equal(b, (n - 1) * all);
		CASE(BROADCAST, TREE, all);
		assert_int_equal(m, (n - 1) * n * loops);
		assert_int_equal(b, (n - 1) * all);
		CASE(ALL_REDUCE, TREE, all);
		assert_int_equal(m, 2 * (n - 1) * n * loops);
		assert_int_equal(b, 2 * (n - 1) * all);
		CASE(ALL_REDUCE, DOUBLE_TREE, 2 * all);
		assert_int_equal(m, 4 * (n - 1) * n * loops);
		assert_int_equal(b, 4 * (n - 1) * all);
		for (; 2 * size <= n; size *= 2)
			levels++;
		CASE(ALL_REDUCE, HALVING_DOUBLING, 3 * size);
		assert_int_equal(m, 2 * levels * size + 2 * (n - size));
		/* 2 (2^k - 1) / 2^k each, and the whole twice for each that folds */
		assert_int_equal(
		        b, 2 * (size - 1) * 3 * size / size * size + 2 * (n - size) * 3 * size);
		for (int64_t odd = 1; odd < 3 * n; odd += 7) {
			CASE(ALL_REDUCE, RING, odd);
			assert_int_equal(b, 2 * (n - 1) * odd);
			CASE(ALL_REDUCE, TREE, odd);
			assert_int_equal(b, 2 * (n - 1) * odd);
			CASE(ALL_GATHER, RING, odd);
			assert_int_equal(b, (n - 1) * odd);
		}
#undef CASE
	}
}

/* A tree spans all, no deeper than log2(n) + 1, and of a pair of trees nobody has two children
 * in both. */
static void test_trees(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 300; n++) {
		uint32_t inner_twice = 0;

		for (uint32_t i = 0; i < n; i++) {
			struct btree_node t[2];

			for (uint32_t which = 0; which < 2; which++) {
				uint32_t depth = 0, at = i, up;

				t[which] = btree_pair_at(n, which, i);
				while ((up = btree_pair_at(n, which, at).up) != BTREE_NONE) {
					struct btree_node u = btree_pair_at(n, which, up);

					assert_true(u.down[0] == at || u.down[1] == at);
					assert_true(
					        ++depth <= 1 + 31 - (uint32_t)__builtin_clz(n));
					at = up;
				}
				assert_int_equal(at, which ? (n % 2 ? 1 : n - 1) : 0);
			}
			inner_twice += t[0].down[0] != BTREE_NONE && t[1].down[0] != BTREE_NONE;
		}
		assert_int_equal(inner_twice, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_trees),
	        cmocka_unit_test(test_every_rank_has_the_result),
	        cmocka_unit_test(test_slices_and_loops),
	        cmocka_unit_test(test_closed_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
