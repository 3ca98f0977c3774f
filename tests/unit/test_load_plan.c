/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a workload: order, times and dependencies of small cases by hand, receives
 * through a pattern made for the test, the cap, and programs that wait for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "dataplane/base/units.h"
#include "gen/load/plan.h"
#include "tests/unit/load_place.h"

/* One message per line: "0.1.0 ->2 at 5 after done 0.1.0-0.1.1, got 0.0.3". */
struct listing {
	char text[4096];
	size_t len;
};

static void list(struct listing *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void list(struct listing *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->text + l->len, sizeof(l->text) - l->len, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && l->len + (size_t)n < sizeof(l->text));
	l->len += (size_t)n;
}

static int list_message(void *arg, const struct plan_message *m)
{
	struct listing *l = arg;
	char id[PLAN_ID_BYTES];

	list(l, "%s ->%u %s%lld", plan_id(id, m->entry, m->src, m->seq), m->dst,
	        m->intended ? "at " : "from ", (long long)m->start_ps);
	for (uint32_t i = 0; i < m->n_dep; i++) {
		const struct plan_dep *d = &m->dep[i];

		list(l, "%s %s %s", i ? "," : " after",
		        d->kind == PLAN_ARRIVED ? "got" : "done",
		        plan_id(id, m->entry, d->src, d->first));
		if (d->last != d->first)
			list(l, "-%llu", (unsigned long long)d->last);
	}
	list(l, "\n");
	return 0;
}

static void expect_plan(const struct load_entry *en, uint32_t n, uint64_t max, const char *want,
        struct plan_totals *t)
{
	struct listing l = {{0}, 0};
	struct err e = {0};

	if (plan_run(en, n, max, list_message, &l, t, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(l.text, want);
}

static void test_closed_loop(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_ALL_TO_ALL);
	struct load_place p;
	struct load_entry en;
	struct plan_totals t;

	(void)state;
	load_place_init(&p, 3);
	c.repeat = 2;
	c.start_ps = 9;
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, NULL), 0);
	expect_plan(&en, 1, UINT64_MAX,
	        "0.0.0 ->1 at 9\n0.0.1 ->2 at 9\n"
	        "0.1.0 ->2 at 9\n0.1.1 ->0 at 9\n"
	        "0.2.0 ->0 at 9\n0.2.1 ->1 at 9\n"
	        "0.0.2 ->1 from 9 after done 0.0.0-1\n0.0.3 ->2 from 9 after done 0.0.0-1\n"
	        "0.1.2 ->2 from 9 after done 0.1.0-1\n0.1.3 ->0 from 9 after done 0.1.0-1\n"
	        "0.2.2 ->0 from 9 after done 0.2.0-1\n0.2.3 ->1 from 9 after done 0.2.0-1\n",
	        &t);
	assert_int_equal(t.messages, 12);
	assert_int_equal(t.programs, 3);
	assert_true(t.bytes == 12000000);
	assert_false(t.cut);
	load_entry_fini(&en);
}

/* Entries and hosts merge in time; a message is left out from stop.after on. */
static void test_merge_and_stop(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_INCAST);
	struct load_place p;
	struct load_entry en[2];
	struct plan_totals t;

	(void)state;
	load_place_init(&p, 3);
	p.env.stop_ps = 30;
	c.repeat = 100;
	c.period_ps = 10;
	assert_int_equal(load_entry_init(&en[0], &c, &p.env, 0, NULL), 0);
	c = load_cfg_default(LOAD_RING);
	c.ranks = 2;
	c.start_ps = 15;
	assert_int_equal(load_entry_init(&en[1], &c, &p.env, 1, NULL), 0);
	expect_plan(en, 2, UINT64_MAX,
	        "0.1.0 ->0 at 0\n0.2.0 ->0 at 0\n"
	        "0.1.1 ->0 at 10\n0.2.1 ->0 at 10\n"
	        "1.0.0 ->1 at 15\n1.1.0 ->0 at 15\n"
	        "0.1.2 ->0 at 20\n0.2.2 ->0 at 20\n",
	        &t);
	assert_int_equal(t.programs, 4);
	expect_plan(en, 2, 3, "0.1.0 ->0 at 0\n0.2.0 ->0 at 0\n0.1.1 ->0 at 10\n", &t);
	assert_true(t.cut);
	expect_plan(en, 2, 8,
	        "0.1.0 ->0 at 0\n0.2.0 ->0 at 0\n"
	        "0.1.1 ->0 at 10\n0.2.1 ->0 at 10\n"
	        "1.0.0 ->1 at 15\n1.1.0 ->0 at 15\n"
	        "0.1.2 ->0 at 20\n0.2.2 ->0 at 20\n",
	        &t);
	assert_false(t.cut);
	load_entry_fini(&en[0]);
	load_entry_fini(&en[1]);
}

/* A pattern out of a script per host, to bring every operation in. */
struct script {
	const struct load_op *op[3];
};

static bool script_involves(const struct load_entry *en, uint32_t host)
{
	return ((const struct script *)en->shared)->op[host] != NULL;
}

static void script_start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	(void)en;
	*st = (struct load_state){.w = {host, 0}};
}

static void script_next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	const struct load_op *at = ((const struct script *)en->shared)->op[st->w[0]];

	*op = at[st->w[1]];
	st->w[1] += op->kind != LOAD_END;
}

static const struct load_ops script_ops = {
        .name = "script",
        .involves = script_involves,
        .start = script_start,
        .next = script_next,
        .receives = true,
};

static struct load_entry scripted(struct script *s)
{
	return (struct load_entry){
	        .ops = &script_ops, .env = {.n_hosts = 3, .stop_ps = TIME_NEVER}, .shared = s};
}

#define SEND_TO(host)                                                                          \
	{                                                                                      \
		.kind = LOAD_SEND, .peer = (host), .bytes = 1, .t_ps = -1                      \
	}
#define RECV_FROM(host, n)                                                                     \
	{                                                                                      \
		.kind = LOAD_RECV, .peer = (host), .count = (n)                                \
	}
#define WAIT(n)                                                                                \
	{                                                                                      \
		.kind = LOAD_WAIT_SENDS, .count = (n)                                          \
	}
#define COMPUTE(t)                                                                             \
	{                                                                                      \
		.kind = LOAD_COMPUTE, .t_ps = (t)                                              \
	}
#define MARK                                                                                   \
	{                                                                                      \
		.kind = LOAD_MARK                                                              \
	}
#define END                                                                                    \
	{                                                                                      \
		.kind = LOAD_END                                                               \
	}

/* Two steps of a ring all-reduce among three, the first rank slow. */
static void test_receives(void **state)
{
	static const struct load_op r0[] = {COMPUTE(50), SEND_TO(1), RECV_FROM(2, 1),
	        SEND_TO(1), RECV_FROM(2, 2), MARK, END};
	static const struct load_op r1[] = {
	        SEND_TO(2), RECV_FROM(0, 1), SEND_TO(2), RECV_FROM(0, 2), END};
	static const struct load_op r2[] = {
	        SEND_TO(0), RECV_FROM(1, 1), SEND_TO(0), RECV_FROM(1, 2), END};
	struct script s = {{r0, r1, r2}};
	struct load_entry en = scripted(&s);
	struct plan_totals t;

	(void)state;
	expect_plan(&en, 1, UINT64_MAX,
	        "0.1.0 ->2 from 0\n"
	        "0.2.0 ->0 from 0\n"
	        "0.2.1 ->0 from 0 after got 0.1.0\n"
	        "0.0.0 ->1 from 50\n"
	        "0.0.1 ->1 from 50 after got 0.2.0\n"
	        "0.1.1 ->2 from 50 after got 0.0.0\n",
	        &t);
}

/* Windows, several receives before one send, messages that nobody receives. */
static void test_windows_and_gathers(void **state)
{
	static const struct load_op r0[] = {SEND_TO(1), SEND_TO(1), WAIT(1), SEND_TO(1),
	        WAIT(1), SEND_TO(1), WAIT(9), SEND_TO(1), WAIT(0), WAIT(0), SEND_TO(1), END};
	static const struct load_op r1[] = {
	        RECV_FROM(2, 1), RECV_FROM(0, 3), SEND_TO(2), SEND_TO(0), RECV_FROM(0, 3), END};
	static const struct load_op r2[] = {COMPUTE(7), SEND_TO(1), END};
	struct script s = {{r0, r1, r2}};
	struct load_entry en = scripted(&s);
	struct plan_totals t;

	(void)state;
	expect_plan(&en, 1, UINT64_MAX,
	        "0.0.0 ->1 from 0\n"
	        "0.0.1 ->1 from 0\n"
	        "0.0.2 ->1 from 0 after done 0.0.0\n"
	        "0.0.3 ->1 from 0 after done 0.0.1\n"
	        "0.0.4 ->1 from 0 after done 0.0.1\n"
	        "0.0.5 ->1 from 0 after done 0.0.2-4\n"
	        "0.2.0 ->1 from 7\n"
	        "0.1.0 ->2 from 7 after got 0.2.0, got 0.0.0-2\n"
	        "0.1.1 ->0 from 7 after got 0.2.0, got 0.0.0-2\n",
	        &t);
}

static void test_deadlock_is_named(void **state)
{
	static const struct load_op r0[] = {RECV_FROM(1, 1), SEND_TO(1), END};
	static const struct load_op r1[] = {SEND_TO(0), RECV_FROM(0, 2), SEND_TO(0), END};
	struct script s = {{r0, r1, NULL}};
	struct load_entry en = scripted(&s);
	struct listing l = {{0}, 0};
	struct plan_totals t;
	struct err e = {0};

	(void)state;
	assert_int_equal(plan_run(&en, 1, UINT64_MAX, list_message, &l, &t, &e), -EINVAL);
	assert_string_equal(e.msg,
	        "workload[0]: host 1 waits for ever for message 2 from host 0, which sends it "
	        "only 1");
	/* Not when the plan was cut before. */
	assert_int_equal(plan_run(&en, 1, 1, list_message, &l, &t, &e), 0);
	assert_true(t.cut);
}

static int stop_at_three(void *arg, const struct plan_message *m)
{
	(void)m;
	return ++*(int *)arg == 3 ? 42 : 0;
}

static void test_callback_stops(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_RING);
	struct load_place p;
	struct load_entry en;
	struct plan_totals t;
	int n = 0;

	(void)state;
	load_place_init(&p, 9);
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, NULL), 0);
	assert_int_equal(plan_run(&en, 1, UINT64_MAX, stop_at_three, &n, &t, NULL), 42);
	assert_int_equal(n, 3);
	load_entry_fini(&en);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_closed_loop),
	        cmocka_unit_test(test_merge_and_stop),
	        cmocka_unit_test(test_receives),
	        cmocka_unit_test(test_windows_and_gathers),
	        cmocka_unit_test(test_deadlock_is_named),
	        cmocka_unit_test(test_callback_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
