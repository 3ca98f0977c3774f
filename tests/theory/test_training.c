/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A straggler in a training iteration: on time the iterations take what they compute and one
 * ring; from its iteration on the straggler's right neighbour is the first that has to wait,
 * the one behind it by a step more, and so on round the ring, and all iterations grow by the
 * straggler's delay. The same for any number of threads and with the plain event heap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "tests/support/simkit.h"

#define N       8
#define COMPUTE (500 * PS_PER_US)
#define LATE    (2000 * PS_PER_US)
#define SLOW    3
#define FROM    2
#define REPEAT  4

static void training(struct simkit *k)
{
	struct load_cfg *c;

	simkit_init(k);
	simkit_star(k, N, 100 * SIMKIT_GBPS, PS_PER_US);
	c = simkit_load(k, LOAD_TRAINING);
	c->compute_ps = COMPUTE;
	c->repeat = REPEAT;
	c->slices = 1;
	c->stragglers = "3";
	c->straggle_ps = LATE;
	c->straggle_from = FROM;
	c->n_jobs = 1;
	c->job = malloc(sizeof(*c->job)); /* the entry takes it over */
	assert_non_null(c->job);
	*c->job = (struct load_job){LOAD_JOB_ALL_REDUCE, N * 100 * 1024};
}

static struct run_record *run(uint32_t threads, enum sim_core core)
{
	struct simkit k;
	struct run_record *r;

	training(&k);
	k.threads = threads;
	k.core = core;
	r = simkit_run(&k);
	simkit_fini(&k);
	return r;
}

static const struct iteration_record *part_of(
        const struct run_record *r, uint32_t iteration, uint16_t part)
{
	for (uint64_t i = 0; i < r->n_iteration; i++)
		if (r->iteration[i].iteration == iteration && r->iteration[i].part == part)
			return &r->iteration[i];
	fail_msg("iteration %u part %u is not recorded", iteration, part);
	return NULL;
}

static int64_t time_of(const struct iteration_record *it)
{
	return it->end_ps - it->start_ps;
}

/* When this rank posted its message number `step` of iteration FROM. */
static int64_t posted_ps(const struct run_record *r, uint32_t rank, uint32_t step)
{
	uint32_t n = 0;
	int64_t t_ps[2 * N];

	for (uint64_t i = 0; i < r->n_msg; i++)
		if (r->msg[i].src == rank && r->msg[i].tag == FROM) {
			uint32_t at = n++;

			assert_true(n <= 2 * (N - 1));
			for (; at && t_ps[at - 1] > r->msg[i].post_ps; at--)
				t_ps[at] = t_ps[at - 1];
			t_ps[at] = r->msg[i].post_ps;
		}
	assert_true(step < n);
	return t_ps[step];
}

static void test_straggler(void **state)
{
	struct run_record *r = run(1, SIM_CORE_WINDOWS);
	const int64_t ring_ps = time_of(part_of(r, 0, 1));
	const int64_t late_ps = part_of(r, FROM, 0)->start_ps + COMPUTE + LATE;

	(void)state;
	assert_int_equal(r->n_iteration, 2 * REPEAT);
	for (uint32_t i = 0; i < FROM; i++)
		assert_int_equal(time_of(part_of(r, i, 0)), COMPUTE + ring_ps);
	for (uint32_t d = 1; d < N; d++) {
		const uint32_t rank = (SLOW + d) % N;

		/* d steps go out without what the straggler should have sent by then */
		assert_true(posted_ps(r, rank, d - 1) < late_ps);
		assert_true(posted_ps(r, rank, d) > late_ps);
	}
	assert_int_equal(posted_ps(r, SLOW, 0), late_ps);
	for (uint32_t i = FROM; i < REPEAT; i++) {
		int64_t more_ps = time_of(part_of(r, i, 0)) - COMPUTE - LATE;

		/* its part goes all the way round; ranks begin a little apart, and what waits
		 * comes in bursts */
		if (more_ps * 100 < ring_ps * 98 || more_ps * 100 > ring_ps * 105)
			fail_msg("iteration %u: %lld ps beside a ring of %lld", i,
			        (long long)more_ps, (long long)ring_ps);
	}
	run_record_free(r);
}

static void test_any_threads_and_core(void **state)
{
	struct run_record *a = run(1, SIM_CORE_WINDOWS), *b = run(2, SIM_CORE_WINDOWS);
	struct run_record *c = run(1, SIM_CORE_HEAP);
	const char *d = simkit_difference(a, b);

	(void)state;
	if (!d)
		d = simkit_difference(a, c);
	if (d)
		fail_msg("%s", d);
	run_record_free(a);
	run_record_free(b);
	run_record_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_straggler),
	        cmocka_unit_test(test_any_threads_and_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
