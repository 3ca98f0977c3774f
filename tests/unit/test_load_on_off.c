/* SPDX-License-Identifier: Apache-2.0 */
/* on-off: the load that its bursts offer, by the times of the messages alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/load/load.h"
#include "tests/unit/load_place.h"

#define N 20000

static bool next_send(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	do {
		*op = (struct load_op){.t_ps = -1, .priority = -1};
		en->ops->next(en, st, op);
	} while (op->kind != LOAD_SEND && op->kind != LOAD_END);
	return op->kind == LOAD_SEND;
}

/* The share of its link that a host asks for over N messages. */
static double offered(int64_t message_bytes, int64_t on_ps, int64_t off_ps)
{
	struct load_cfg c = load_cfg_default(LOAD_ON_OFF);
	const double packets = (double)((message_bytes + 1023) / 1024);
	const double wire = (double)message_bytes + packets * PLACE_HEADER_BYTES + 16;
	struct load_place p;
	struct load_entry en;
	struct load_state st;
	struct load_op op = {0};
	struct err e = {0};

	load_place_init(&p, 4);
	p.env.stop_ps = 10000 * PS_PER_S;
	c.message_bytes = message_bytes;
	c.on_ps = on_ps;
	c.off_ps = off_ps;
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), 0);
	en.ops->start(&en, 1, 0, &st);
	for (int i = 0; i < N; i++)
		assert_true(next_send(&en, &st, &op));
	load_entry_fini(&en);
	return N * wire * 8e12 / (double)op.t_ps / (double)PLACE_RATE_BPS;
}

static double distance(double a, double b)
{
	return a > b ? a - b : b - a;
}

/* load x on / (on + off), however long messages are against a burst: at load 50 % and 100 Gb/s
 * a message of 10 KB takes 1.7 us, one of 1 MB 173 us, one of 10 MB 1.7 ms. */
static void the_load_is_that_of_the_times(void **state)
{
	const int64_t us = PS_PER_US;

	(void)state;
	assert_true(distance(offered(10000, 100 * us, 100 * us), 0.25) < 0.25 * 0.15);
	assert_true(distance(offered(1000000, 100 * us, 100 * us), 0.25) < 0.25 * 0.05);
	assert_true(distance(offered(1000000, 100 * us, 300 * us), 0.125) < 0.125 * 0.05);
	assert_true(distance(offered(10000000, 100 * us, 100 * us), 0.25) < 0.25 * 0.05);
}

static void a_burst_far_shorter_than_a_message_is_refused(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_ON_OFF);
	struct load_place p;
	struct load_entry en;
	struct err e = {0};

	(void)state;
	load_place_init(&p, 4);
	p.env.stop_ps = PS_PER_S;
	c.message_bytes = 1000000;
	c.on_ps = 1;
	assert_true(load_entry_init(&en, &c, &p.env, 3, &e) < 0);
	assert_non_null(strstr(e.msg, "workload[3].on: a message of host 0 lasts more than"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_load_is_that_of_the_times),
	        cmocka_unit_test(a_burst_far_shorter_than_a_message_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
