/* SPDX-License-Identifier: Apache-2.0 */
/* The count of messages against the plan that enumerates them, and against closed forms where
 * there are too many to enumerate. */
#include "gen/load/count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "gen/load/plan.h"
#include "tests/unit/load_place.h"

static int ignore(void *arg, const struct plan_message *m)
{
	(void)arg;
	(void)m;
	return 0;
}

static uint64_t planned(const struct load_entry *en)
{
	struct plan_totals t, only;
	struct err e = {0};

	assert_int_equal(plan_run(en, 1, UINT64_MAX, ignore, NULL, &t, &e), 0);
	assert_false(t.cut);
	assert_int_equal(plan_run(en, 1, UINT64_MAX, NULL, NULL, &only, &e), 0);
	assert_int_equal(only.messages, t.messages);
	assert_int_equal(only.programs, t.programs);
	assert_true(only.bytes == t.bytes && only.cut == t.cut);
	return t.messages;
}

static struct load_entry entry(struct load_place *p, const struct load_cfg *c)
{
	struct load_entry en;
	struct err e = {0};

	assert_int_equal(load_entry_init(&en, c, &p->env, 0, &e), 0);
	return en;
}

static void short_programs_are_counted_exactly(void **state)
{
	static const enum load_pattern_kind patterns[] = {
	        LOAD_INCAST, LOAD_ALL_TO_ALL, LOAD_RING};
	struct load_place p;

	(void)state;
	load_place_init(&p, 12);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		for (int64_t repeat = 1; repeat < 1000; repeat *= 7) {
			struct load_cfg c = load_cfg_default(patterns[i]);
			struct load_entry en;
			struct load_count n;

			c.repeat = repeat;
			en = entry(&p, &c);
			n = load_count(&en, 1);
			assert_true(n.known && n.exact);
			assert_int_equal(n.messages, planned(&en));
			load_entry_fini(&en);
		}
}

static void what_a_schedule_leaves_out_is_not_counted(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_INCAST);
	struct load_place p;
	struct load_entry en;
	struct load_count n;

	(void)state;
	load_place_init(&p, 5);
	p.env.stop_ps = 10 * PS_PER_MS;
	c.repeat = 1000;
	c.period_ps = PS_PER_MS;
	en = entry(&p, &c);
	n = load_count(&en, 1);
	assert_true(n.known && n.exact);
	assert_int_equal(n.messages, planned(&en));
	assert_int_equal(n.messages, 40); /* 4 senders, at 0 .. 9 ms */
	load_entry_fini(&en);
}

static void long_programs_are_judged_by_a_few(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_RING);
	struct load_place p;
	struct load_entry en;
	struct load_count n;

	(void)state;
	load_place_init(&p, PLACE_MAX_HOSTS);
	c.repeat = 20000;
	en = entry(&p, &c);
	n = load_count(&en, 1);
	assert_true(n.known);
	assert_false(n.exact);
	assert_int_equal(n.messages, UINT64_C(20000) * PLACE_MAX_HOSTS);
	load_entry_fini(&en);
}

static void an_end_out_of_sight_is_said_to_be_unknown(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_RING);
	struct load_place p;
	struct load_entry en;

	(void)state;
	load_place_init(&p, 4);
	c.repeat = LOAD_MAX_REPEAT;
	en = entry(&p, &c);
	assert_false(load_count(&en, 1).known);
	load_entry_fini(&en);
}

static void the_largest_message_is_found(void **state)
{
	struct load_cfg c = load_cfg_default(LOAD_ALL_REDUCE);
	struct load_place p;
	struct load_entry en;

	(void)state;
	load_place_init(&p, 4);
	c.buffer_bytes = 1000003; /* in 4 parts of 2 slices: 125000 or 125001 */
	en = entry(&p, &c);
	assert_int_equal(load_largest_bytes(&en), 125001);
	load_entry_fini(&en);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(short_programs_are_counted_exactly),
	        cmocka_unit_test(what_a_schedule_leaves_out_is_not_counted),
	        cmocka_unit_test(long_programs_are_judged_by_a_few),
	        cmocka_unit_test(the_largest_message_is_found),
	        cmocka_unit_test(an_end_out_of_sight_is_said_to_be_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
