/* SPDX-License-Identifier: Apache-2.0 */
/* Incast, all-to-all and ring: every operation of small cases, who takes part, and what is said
 * about entries that do not fit the fabric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "dataplane/base/units.h"
#include "gen/load/load.h"
#include "tests/unit/load_place.h"

static void open_entry(struct load_entry *en, const struct load_cfg *cfg, struct load_place *p)
{
	struct err e = {0};

	if (load_entry_init(en, cfg, &p->env, 0, &e))
		fail_msg("%s", e.msg);
}

static void expect_op(const struct load_entry *en, struct load_state *st, struct load_op want)
{
	struct load_op op;

	memset(&op, 0x5a, sizeof(op));
	en->ops->next(en, st, &op);
	assert_int_equal(op.kind, want.kind);
	if (want.kind == LOAD_SLEEP_UNTIL || want.kind == LOAD_SEND)
		assert_int_equal(op.t_ps, want.t_ps);
	if (want.kind == LOAD_WAIT_SENDS)
		assert_int_equal(op.count, want.count);
	if (want.kind != LOAD_SEND)
		return;
	assert_int_equal(op.peer, want.peer);
	assert_int_equal(op.bytes, 1000000);
	assert_int_equal(op.qp, want.qp);
	assert_int_equal(op.tag, want.tag);
	assert_int_equal(op.priority, -1);
}

static const struct load_op wait_all = {.kind = LOAD_WAIT_SENDS, .count = 0};
static const struct load_op mark = {.kind = LOAD_MARK};
static const struct load_op end = {.kind = LOAD_END};

static struct load_op sleep_until(int64_t t_ps)
{
	return (struct load_op){.kind = LOAD_SLEEP_UNTIL, .t_ps = t_ps};
}

static struct load_op send(uint32_t peer, int64_t t_ps, uint32_t round, uint32_t qp)
{
	return (struct load_op){
	        .kind = LOAD_SEND, .peer = peer, .t_ps = t_ps, .tag = round, .qp = qp};
}

static void test_incast_closed_loop(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_INCAST);
	struct load_place p;
	struct load_entry en;
	struct load_state st;

	(void)state;
	load_place_init(&p, 8);
	c.senders = 4;
	c.receiver = 2;
	c.repeat = 3;
	c.qps = 2;
	c.start_ps = 5 * PS_PER_US;
	open_entry(&en, &c, &p);
	for (uint32_t h = 0; h < 8; h++)
		assert_int_equal(en.ops->involves(&en, h), h <= 4 && h != 2);
	en.ops->start(&en, 4, 0, &st);
	expect_op(&en, &st, sleep_until(5 * PS_PER_US));
	expect_op(&en, &st, send(2, 5 * PS_PER_US, 0, 0));
	expect_op(&en, &st, wait_all);
	expect_op(&en, &st, send(2, -1, 1, 1));
	expect_op(&en, &st, wait_all);
	expect_op(&en, &st, send(2, -1, 2, 0));
	expect_op(&en, &st, end);
	expect_op(&en, &st, end);
	load_entry_fini(&en);
}

/* Intended times are start + k * period, not the time at which the program gets there. */
static void test_incast_periodic(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_INCAST);
	struct load_place p;
	struct load_entry en;
	struct load_state st;

	(void)state;
	load_place_init(&p, 4);
	c.repeat = 3;
	c.start_ps = 7;
	c.period_ps = 5 * PS_PER_MS;
	open_entry(&en, &c, &p);
	assert_int_equal(en.cfg.senders, 3);
	en.ops->start(&en, 3, 0, &st);
	for (uint32_t k = 0; k < 3; k++) {
		expect_op(&en, &st, sleep_until(7 + k * 5 * PS_PER_MS));
		expect_op(&en, &st, send(0, 7 + k * 5 * PS_PER_MS, k, 0));
	}
	expect_op(&en, &st, end);
	load_entry_fini(&en);
}

/* The senders may be a group that the receiver is not in. */
static void test_incast_from_elsewhere(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_INCAST);
	struct load_place p;
	struct load_entry en;

	(void)state;
	load_place_init(&p, 8);
	c.first_host = 5;
	c.receiver = 1;
	c.senders = 3;
	open_entry(&en, &c, &p);
	for (uint32_t h = 0; h < 8; h++)
		assert_int_equal(en.ops->involves(&en, h), h >= 5);
	load_entry_fini(&en);
}

static void test_all_to_all(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_ALL_TO_ALL);
	struct load_place p;
	struct load_entry en;
	struct load_state st;

	(void)state;
	load_place_init(&p, 9);
	c.first_host = 2;
	c.ranks = 4;
	c.repeat = 2;
	open_entry(&en, &c, &p);
	for (uint32_t h = 0; h < 9; h++)
		assert_int_equal(en.ops->involves(&en, h), h >= 2 && h < 6);
	en.ops->start(&en, 4, 0, &st);
	expect_op(&en, &st, sleep_until(0));
	expect_op(&en, &st, mark);
	expect_op(&en, &st, send(5, 0, 0, 0));
	expect_op(&en, &st, send(2, 0, 0, 0));
	expect_op(&en, &st, send(3, 0, 0, 0));
	expect_op(&en, &st, wait_all);
	expect_op(&en, &st, mark);
	expect_op(&en, &st, mark);
	expect_op(&en, &st, send(5, -1, 1, 0));
	expect_op(&en, &st, send(2, -1, 1, 0));
	expect_op(&en, &st, send(3, -1, 1, 0));
	expect_op(&en, &st, wait_all);
	expect_op(&en, &st, mark);
	expect_op(&en, &st, end);
	load_entry_fini(&en);
}

static void test_ring(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_RING);
	struct load_place p;
	struct load_entry en;
	struct load_state st;

	(void)state;
	load_place_init(&p, 6);
	c.first_host = 1;
	open_entry(&en, &c, &p);
	assert_int_equal(en.cfg.ranks, 5);
	for (uint32_t h = 1; h < 6; h++) {
		en.ops->start(&en, h, 0, &st);
		expect_op(&en, &st, sleep_until(0));
		expect_op(&en, &st, send(h == 5 ? 1 : h + 1, 0, 0, 0));
		expect_op(&en, &st, end);
	}
	assert_false(en.ops->involves(&en, 0));
	load_entry_fini(&en);
}

static void expect_refused(const struct load_cfg *c, struct load_place *p, const char *text)
{
	struct load_entry en;
	struct err e = {0};

	assert_int_equal(load_entry_init(&en, c, &p->env, 3, &e), -EINVAL);
	if (!strstr(e.msg, text))
		fail_msg("expected \"%s\" in \"%s\"", text, e.msg);
	load_entry_fini(&en); /* harmless after a failure */
}

static void test_errors_name_key_value_limit_remedy(void **state)
{
	struct load_cfg c;
	struct load_place p;

	(void)state;
	load_place_init(&p, 33);
#define REFUSED(kind, change, text)                                                            \
	do {                                                                                   \
		c = load_cfg_default(kind);                                                    \
		change;                                                                        \
		expect_refused(&c, &p, text);                                                  \
	} while (0)
	REFUSED(LOAD_INCAST, c.senders = 64,
	        "workload[3].senders: 64 senders need 65 hosts, the fabric has 33: lower "
	        "senders "
	        "or raise fabric.topology.hosts");
	REFUSED(LOAD_INCAST, c.senders = 33,
	        "senders: 33 senders need 34 hosts, the fabric has 33");
	REFUSED(LOAD_INCAST, c.receiver = 33,
	        "receiver: host 33 is not there, the fabric has hosts 0..32");
	REFUSED(LOAD_INCAST, (c.first_host = 32, c.receiver = 32),
	        "first_host: no host from 32 on can send");
	REFUSED(LOAD_INCAST, c.senders = 0, "senders: 0 is out of range");
	REFUSED(LOAD_INCAST, c.receiver = -1, "receiver: -1 is out of range");
	REFUSED(LOAD_RING, c.first_host = 33, "first_host: host 33 is not there");
	REFUSED(LOAD_RING, c.first_host = 32, "ranks: 1 rank from host 32 on");
	REFUSED(LOAD_RING, c.ranks = 34, "ranks: 34 ranks from host 0 on need 34 hosts");
	REFUSED(LOAD_ALL_TO_ALL, c.ranks = 1, "ranks: 1 is out of range");
	REFUSED(LOAD_ALL_TO_ALL, c.message_bytes = 0, "message: 0 is out of range");
	REFUSED(LOAD_ALL_TO_ALL, c.message_bytes = (INT64_C(1) << 40) + 1,
	        "are more than 1073741824 packets of 1024 bytes");
	REFUSED(LOAD_ALL_TO_ALL, c.repeat = 0, "repeat: 0 is out of range");
	REFUSED(LOAD_RING, (c.repeat = 1000000, c.period_ps = INT64_C(1) << 61),
	        "repeat: 1000000 rounds every");
	REFUSED(LOAD_RING, c.priority = 8, "priority: 8 is out of range");
	REFUSED(LOAD_RING, c.qps = 0, "qps: 0 is out of range");
	REFUSED(LOAD_RING, c.pattern = 31, "pattern: number 31 is no pattern");
	REFUSED(LOAD_RING, c.pattern = -1, "pattern: number -1 is no pattern");
	REFUSED(LOAD_FLOWS, (void)0, "file: no flows");
	REFUSED(LOAD_POISSON, c.flows = 10, "cdf: no flow sizes");
	REFUSED(LOAD_POISSON, c.cdf_file = "websearch",
	        "flows: the workload would never end: set flows or stop.after");
	REFUSED(LOAD_POISSON, c.load_q32 = 0, "load: 0 is out of range");
	load_place_init(&p, 1);
	REFUSED(LOAD_RING, (void)0, "a fabric of 1 hosts cannot carry a workload");
	load_place_init(&p, 2);
	p.env.path_mtu_bytes = 0;
	REFUSED(LOAD_RING, (void)0, "fabric.path_mtu");
#undef REFUSED
}

/* The largest values that the ranges allow do not overflow. */
static void test_extremes(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_RING);
	struct load_place p;
	struct load_entry en;
	struct load_state st = {{0}};
	struct load_op op;

	(void)state;
	load_place_init(&p, 2);
	c.repeat = LOAD_MAX_REPEAT;
	c.period_ps = LOAD_MAX_TIME_PS / LOAD_MAX_REPEAT;
	c.message_bytes = LOAD_MAX_MESSAGE_PACKETS * 1024;
	open_entry(&en, &c, &p);
	en.ops->start(&en, 0, 0, &st);
	st.w[1] = (uint64_t)LOAD_MAX_REPEAT - 1; /* the last round */
	en.ops->next(&en, &st, &op);
	assert_int_equal(op.kind, LOAD_SLEEP_UNTIL);
	assert_true(op.t_ps > LOAD_MAX_TIME_PS / 2 && op.t_ps <= LOAD_MAX_TIME_PS);
	en.ops->next(&en, &st, &op);
	assert_int_equal(op.bytes, c.message_bytes);
	en.ops->next(&en, &st, &op);
	assert_int_equal(op.kind, LOAD_END);
	load_entry_fini(&en);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_incast_closed_loop),
	        cmocka_unit_test(test_incast_periodic),
	        cmocka_unit_test(test_incast_from_elsewhere),
	        cmocka_unit_test(test_all_to_all),
	        cmocka_unit_test(test_ring),
	        cmocka_unit_test(test_errors_name_key_value_limit_remedy),
	        cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
