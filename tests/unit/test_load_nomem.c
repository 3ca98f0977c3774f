/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of preparing and planning fails once: -ENOMEM with a message, and nothing
 * leaks (the sanitizer build judges). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>

#include "gen/load/cdf.h"
#include "gen/load/flow_csv.h"
#include "gen/load/plan.h"
#include "tests/unit/load_place.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static int fail_at; /* the allocation that fails, counted down; 0: none */

static bool fails(void)
{
	return fail_at && --fail_at == 0;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

static int ignore(void *arg, const struct plan_message *m)
{
	(void)arg;
	(void)m;
	return 0;
}

static int prepare_and_plan(enum load_pattern_kind pattern, struct err *e)
{
	struct load_cfg c = load_cfg_default(pattern);
	struct load_place p;
	struct load_entry en;
	struct plan_totals t;
	int rc;

	load_place_init(&p, 6);
	c.repeat = 3;
	if (pattern == LOAD_FLOWS) {
		c.flow = __real_calloc(1, sizeof(*c.flow));
		assert_non_null(c.flow);
		c.n_flows = 1;
		c.flow[0] = (struct load_flow){.dst = 1, .bytes = 1, .priority = -1};
	}
	if (pattern == LOAD_POISSON) {
		c.cdf_file = "websearch";
		c.flows = 50;
	}
	rc = load_entry_init(&en, &c, &p.env, 0, e);
	if (rc)
		return rc;
	rc = plan_run(&en, 1, UINT64_MAX, ignore, NULL, &t, e);
	load_entry_fini(&en);
	return rc;
}

static int parse_texts(struct err *e)
{
	static const char flows[] = "0,1,1,1\n1,0,2,2\n";
	static const char cdf[] = "0 0\n9 1\n";
	struct load_cdf_point *p;
	struct load_flow *f;
	int64_t n;
	int rc = flow_csv_parse(&f, &n, "f", flows, sizeof(flows) - 1, 2, 100, e);

	if (rc)
		return rc;
	free(f);
	rc = cdf_parse(&p, &n, "c", cdf, sizeof(cdf) - 1, e);
	if (!rc)
		free(p);
	return rc;
}

static void expect_nomem(int rc, const struct err *e)
{
	assert_int_equal(rc, -ENOMEM);
	assert_true(e->msg[0]);
}

static void test_each_allocation_fails(void **state)
{
	(void)state;
	for (int k = 0; k <= LOAD_POISSON; k++)
		for (int n = 1;; n++) {
			struct err e = {0};
			int rc;

			fail_at = n;
			rc = prepare_and_plan((enum load_pattern_kind)k, &e);
			if (fail_at) { /* fewer than n allocations: all of them worked */
				assert_int_equal(rc, 0);
				assert_true(n > 3);
				break;
			}
			expect_nomem(rc, &e);
		}
	for (int n = 1; n <= 2; n++) {
		struct err e = {0};

		fail_at = n;
		expect_nomem(parse_texts(&e), &e);
	}
	fail_at = 0;
	assert_int_equal(parse_texts(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation_fails)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
