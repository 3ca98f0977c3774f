/* SPDX-License-Identifier: Apache-2.0 */
/* Where connections live and how a host finds them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "gen/host/conn_arena.h"
#include "gen/host/keymap.h"

#define PER_THREAD 20000
#define THREADS    4

/* A requester half belongs to one thread, a responder half to another: they must not share a
 * cache line. */
static void halves_share_no_cache_line(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct conn, rsp) % CACHE_LINE, 0);
	assert_int_equal(sizeof(struct conn) % CACHE_LINE, 0);
	assert_true(offsetof(struct conn, rsp) >=
	            offsetof(struct conn, req) + sizeof(struct qp_req));
}

struct taker {
	struct conn_arena *arena;
	uint32_t got[PER_THREAD];
};

static void *take(void *arg)
{
	struct taker *t = arg;

	for (int i = 0; i < PER_THREAD; i++)
		t->got[i] = conn_arena_new(t->arena);
	return NULL;
}

static void threads_get_different_zeroed_connections(void **state)
{
	struct conn_arena a;
	struct taker *t = calloc(THREADS, sizeof(*t));
	uint8_t *seen = calloc(THREADS * PER_THREAD, 1);
	pthread_t thread[THREADS];
	struct err e = {0};

	(void)state;
	assert_true(t && seen);
	assert_int_equal(conn_arena_open(&a, &e), 0);
	for (int i = 0; i < THREADS; i++) {
		t[i].arena = &a;
		assert_int_equal(pthread_create(&thread[i], NULL, take, &t[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	for (int i = 0; i < THREADS; i++)
		for (int k = 0; k < PER_THREAD; k++) {
			uint32_t c = t[i].got[k];

			assert_true(c < THREADS * PER_THREAD);
			assert_int_equal(seen[c]++, 0);
			assert_int_equal(a.conn[c].req.psn_end, 0);
			assert_int_equal(a.conn[c].rsp.epsn, 0);
		}
	conn_arena_close(&a);
	free(seen);
	free(t);
}

static void full_arena_says_so(void **state)
{
	struct conn_arena a;
	struct err e = {0};

	(void)state;
	assert_int_equal(conn_arena_open(&a, &e), 0);
	atomic_store(&a.next, a.max - 1);
	assert_int_equal(conn_arena_new(&a), a.max - 1);
	assert_int_equal(conn_arena_new(&a), CONN_NONE);
	assert_int_equal(conn_arena_new(&a), CONN_NONE);
	conn_arena_close(&a);
}

/* Against a plain array: keys that differ in one bit, in the high half, in the order of their
 * hashes or not. */
static void map_keeps_every_key_apart(void **state)
{
	static uint64_t key[5000], value[5000];
	struct keymap m = {0};
	struct rng r = rng_make(1, 0, RNG_LOAD);

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		key[i] = i < 64     ? UINT64_C(1) << i
		         : i < 2000 ? UINT64_C(1) << 63 | i << 32
		                    : UINT64_C(1) << 63 | i;
	for (int step = 0; step < 100000; step++) {
		uint64_t i = rng_below(&r, 5000);
		uint64_t *at = keymap_at(&m, key[i]);

		assert_non_null(at);
		assert_int_equal(*at, value[i]);
		value[i] = rng_next(&r);
		*at = value[i];
	}
	for (int i = 0; i < 5000; i++)
		assert_int_equal(*keymap_at(&m, key[i]), value[i]);
	assert_int_equal(m.used, 5000);
	keymap_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(halves_share_no_cache_line),
	        cmocka_unit_test(threads_get_different_zeroed_connections),
	        cmocka_unit_test(full_arena_says_so),
	        cmocka_unit_test(map_keeps_every_key_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
