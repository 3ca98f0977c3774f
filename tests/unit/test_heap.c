/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define ROOM 1000

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void one(void **state)
{
	uint64_t h[1];
	uint32_t n = 0;

	(void)state;
	heap_push(h, &n, 42);
	assert_int_equal(n, 1);
	assert_int_equal(heap_pop(h, &n), 42);
	assert_int_equal(n, 0);
}

static void pops_in_order(void **state)
{
	uint64_t h[ROOM], sorted[ROOM];

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct rng r = rng_make(seed, 0, RNG_LOAD);
		uint32_t n = 0, count = 1 + (uint32_t)rng_below(&r, ROOM);

		for (uint32_t i = 0; i < count; i++) {
			/* a narrow range makes many equal keys, a wide one none */
			sorted[i] = rng_below(&r, seed % 2 ? 20 : UINT64_MAX);
			heap_push(h, &n, sorted[i]);
		}
		qsort(sorted, count, sizeof(sorted[0]), by_key);
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(heap_pop(h, &n), sorted[i]);
		assert_int_equal(n, 0);
	}
}

/* Random pushes, pops and replacements beside a sorted array that does the same. */
static void agrees_with_a_sorted_array(void **state)
{
	uint64_t h[ROOM], model[ROOM];
	uint32_t n = 0, n_model = 0;
	struct rng r = rng_make(3, 0, RNG_LOAD);

	(void)state;
	for (int step = 0; step < 20000; step++) {
		uint64_t key = rng_next(&r), what = rng_below(&r, 5);

		if (n == 0 || (what < 2 && n < ROOM)) {
			heap_push(h, &n, key);
			model[n_model++] = key;
		} else if (what < 4) {
			assert_int_equal(heap_pop(h, &n), model[0]);
			memmove(model, model + 1, --n_model * sizeof(model[0]));
		} else {
			heap_replace_top(h, n, key);
			model[0] = key;
		}
		qsort(model, n_model, sizeof(model[0]), by_key);
		assert_int_equal(n, n_model);
		if (n)
			assert_int_equal(h[0], model[0]);
		if (n_model > 60) { /* keep the sorting cheap */
			while (n > 10) {
				assert_int_equal(heap_pop(h, &n), model[0]);
				memmove(model, model + 1, --n_model * sizeof(model[0]));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one),
	        cmocka_unit_test(pops_in_order),
	        cmocka_unit_test(agrees_with_a_sorted_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
