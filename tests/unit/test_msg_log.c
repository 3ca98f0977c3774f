/* SPDX-License-Identifier: Apache-2.0 */
/* A log with a limit keeps the same sample whoever logged what and in which order, and what it
 * does not keep is in its sums. */
#include "gen/host/msg_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define MESSAGES 20000

static struct msg_record message(uint32_t i)
{
	uint64_t h = hash64(i + 1);

	return (struct msg_record){
	        .src = i % 7,
	        .seq = i / 7,
	        .bytes = 1 + (int64_t)(h & 0xffff),
	        .post_ps = (int64_t)i * 1000,
	        .first_ps = (int64_t)i * 1000 + 10,
	        .done_ps = (int64_t)i * 1000 + 10000000 + (int64_t)(h >> 40),
	        .alone_ps = 10000000,
	        .retransmits = i % 100 == 5,
	        .status = i % 1000 == 3   ? MSG_FAILED
	                  : i % 1000 == 4 ? MSG_UNFINISHED
	                                  : MSG_COMPLETED,
	};
}

static int by_number(const void *pa, const void *pb)
{
	const struct msg_record *a = pa, *b = pb;

	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->src < b->src ? -1 : a->src > b->src;
}

/* MESSAGES messages logged by `logs` logs in turn, every step-th first, merged into one. */
static struct msg_log sampled(uint32_t logs, uint32_t step, uint64_t limit, uint64_t sample)
{
	struct msg_log part[8] = {0}, all = {.limit = limit, .sample = sample};

	for (uint32_t k = 0; k < logs; k++)
		part[k] = all;
	for (uint32_t first = 0; first < step; first++)
		for (uint32_t i = first; i < MESSAGES; i += step) {
			struct msg_record r = message(i);

			assert_int_equal(msg_log_add(&part[r.src % logs], &r), 0);
			assert_true(!limit || part[r.src % logs].n <= limit);
		}
	for (uint32_t k = 0; k < logs; k++)
		assert_int_equal(msg_log_merge(&all, &part[k]), 0);
	assert_int_equal(all.added, MESSAGES);
	qsort(all.rec, all.n, sizeof(*all.rec), by_number);
	return all;
}

static struct msg_log logged(uint32_t logs, uint32_t step, uint64_t limit)
{
	return sampled(logs, step, limit, 0);
}

static void below_the_limit_all_are_kept(void **state)
{
	struct msg_log l = logged(1, 1, MESSAGES);

	(void)state;
	assert_int_equal(l.n, MESSAGES);
	assert_int_equal(l.shift, 0);
	assert_null(l.rest);
	msg_log_fini(&l);
}

static void the_sample_depends_on_the_messages_alone(void **state)
{
	static const uint64_t limits[] = {MESSAGES - 1, 5000, 1000, 17, 1};

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct msg_log one = logged(1, 1, limits[i]);

		assert_in_range(one.n, 0, limits[i]);
		assert_true(one.shift > 0);
		for (uint32_t logs = 2; logs <= 7; logs++) {
			struct msg_log l = logged(logs, 3 * logs, limits[i]);

			assert_int_equal(l.shift, one.shift);
			assert_int_equal(l.n, one.n);
			for (uint64_t k = 0; k < l.n; k++) {
				assert_int_equal(l.rec[k].src, one.rec[k].src);
				assert_int_equal(l.rec[k].seq, one.rec[k].seq);
			}
			assert_memory_equal(l.rest, one.rest, sizeof(*l.rest));
			msg_log_fini(&l);
		}
		msg_log_fini(&one);
	}
}

/* A sample may be smaller than what is kept of all: the same as if that had been the limit, but
 * only once there are too many. */
static void a_sample_is_small(void **state)
{
	struct msg_log all = sampled(3, 5, MESSAGES, 100), small = logged(1, 1, 100);

	(void)state;
	assert_int_equal(all.n, MESSAGES);
	assert_int_equal(all.shift, 0);
	msg_log_fini(&all);
	for (uint32_t logs = 1; logs <= 7; logs++) {
		/* with 7 logs none is full before they are merged */
		struct msg_log l = sampled(logs, 3, MESSAGES / 2, 100);

		assert_int_equal(l.shift, small.shift);
		assert_int_equal(l.n, small.n);
		assert_in_range(l.n, 1, 100);
		assert_in_range(l.cap, l.n, logs == 1 ? 100 : MESSAGES);
		for (uint64_t k = 0; k < l.n; k++) {
			assert_int_equal(l.rec[k].src, small.rec[k].src);
			assert_int_equal(l.rec[k].seq, small.rec[k].seq);
		}
		assert_memory_equal(l.rest, small.rest, sizeof(*l.rest));
		msg_log_fini(&l);
	}
	msg_log_fini(&small);
}

/* No coarser than need be: one threshold up there would be too many. */
static void the_threshold_is_the_highest_that_fits(void **state)
{
	struct msg_log l = logged(3, 5, 1000);
	uint64_t at_twice = 0;

	(void)state;
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct msg_record r = message(i);

		at_twice += hash_combine(r.src, r.seq) >> (64 - (l.shift - 1)) == 0;
	}
	assert_true(at_twice > 1000);
	assert_in_range(l.n, 300, 1000); /* about half of those, by chance */
	msg_log_fini(&l);
}

static void what_is_not_kept_is_summed_up(void **state)
{
	struct msg_log l = logged(4, 2, 500);
	struct msg_stats want;

	(void)state;
	msg_stats_init(&want);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct msg_record r = message(i);

		msg_stats_add(&want, &r);
	}
	for (uint64_t i = 0; i < l.n; i++)
		msg_stats_add(l.rest, &l.rec[i]);
	assert_memory_equal(l.rest, &want, sizeof(want));
	assert_int_equal(want.failed, MESSAGES / 1000);
	assert_int_equal(want.unfinished, MESSAGES / 1000);
	assert_int_equal(want.fct_ps.count, want.completed);
	assert_int_equal(want.retransmits, MESSAGES / 100);
	msg_log_fini(&l);
}

static void slowdown_is_the_same_by_the_short_and_the_long_division(void **state)
{
	struct msg_record m = {.done_ps = 7, .alone_ps = 3};
	const int64_t long_ps = INT64_MAX / 1000000 / 2;

	(void)state;
	assert_int_equal(msg_slowdown_micro(&m), 2333333);
	m.done_ps = long_ps - 1;
	m.alone_ps = long_ps - 2;
	assert_int_equal(msg_slowdown_micro(&m), 1000000);
	m.done_ps = 7 * long_ps;
	m.alone_ps = 3 * long_ps;
	assert_int_equal(msg_slowdown_micro(&m), 2333333);
	m.alone_ps = 0;
	assert_true(msg_slowdown_micro(&m) < 0);
	m.alone_ps = 3;
	m.status = MSG_FAILED;
	assert_true(msg_slowdown_micro(&m) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(below_the_limit_all_are_kept),
	        cmocka_unit_test(the_sample_depends_on_the_messages_alone),
	        cmocka_unit_test(a_sample_is_small),
	        cmocka_unit_test(the_threshold_is_the_highest_that_fits),
	        cmocka_unit_test(what_is_not_kept_is_summed_up),
	        cmocka_unit_test(slowdown_is_the_same_by_the_short_and_the_long_division),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
