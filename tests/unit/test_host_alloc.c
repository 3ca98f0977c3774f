/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet path allocates nothing: once queues, heaps and inboxes have had their fill, a run
 * goes on for as long as it likes without asking for memory. Frames are counted by the tap, and
 * every way to get memory is wrapped by the linker.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t n);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t n);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off);

static uint64_t allocations;

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	allocations++;
	return __real_reallocarray(p, n, size);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	allocations++;
	return __real_aligned_alloc(align, n);
}

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	allocations++;
	return __real_mmap(at, n, prot, flags, fd, off);
}

struct watch {
	uint64_t frames, settled_frames;
	uint64_t at_settled, at_last; /* allocations made by then */
};

static void count_frame(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct watch *w = arg;

	(void)to;
	(void)d;
	(void)start_ps;
	if (++w->frames <= w->settled_frames)
		w->at_settled = allocations;
	w->at_last = allocations;
}

static struct watch watch_run(struct simkit *k, uint64_t settled_frames)
{
	struct watch w = {.settled_frames = settled_frames};
	struct run_record *r;

	k->tap = count_frame;
	k->tap_arg = &w;
	r = simkit_run(k);
	assert_int_equal(r->end, RUN_WORKLOAD_DONE);
	assert_int_equal(w.frames, r->n.packet_hops);
	assert_true(w.frames > 2 * settled_frames);
	run_record_free(r);
	return w;
}

/* Senders in step, queues, marks, cuts, pauses, pacing. */
static void long_incast_allocates_nothing(void **state)
{
	struct simkit k;
	struct load_cfg *c;
	struct watch w;

	(void)state;
	simkit_init(&k);
	k.nic.cc = NIC_CC_DCQCN;
	k.sw.ecn_enabled = 1;
	k.sw.ecn_kmin_bytes = 100000;
	k.sw.ecn_kmax_bytes = 400000;
	k.sw.buffer_bytes = 4000000;
	simkit_star(&k, 9, 100 * SIMKIT_GBPS, PS_PER_US);
	c = simkit_load(&k, LOAD_INCAST);
	c->message_bytes = 1000000;
	c->repeat = 4;
	w = watch_run(&k, 55000); /* a round is 32,000 frames */
	assert_int_equal(w.at_last, w.at_settled);
	simkit_fini(&k);
}

/* Losses, NAKs and timeouts on a lossy priority. */
static void losses_allocate_nothing(void **state)
{
	struct simkit k;
	struct load_cfg *c;
	struct watch w;

	(void)state;
	simkit_init(&k);
	k.sw.pfc_priorities = 0;
	k.sw.buffer_bytes = 60000;
	k.nic.retransmit_timeout_ps = 200 * PS_PER_US;
	k.nic.retry_limit = NIC_RETRY_UNLIMITED;
	k.nic.retransmit_backoff = 0;
	simkit_star(&k, 5, 100 * SIMKIT_GBPS, PS_PER_US);
	c = simkit_load(&k, LOAD_INCAST);
	c->message_bytes = 400000;
	c->repeat = 15; /* 60 records: the first array holds 64 */
	w = watch_run(&k, 30000);
	assert_int_equal(w.at_last, w.at_settled);
	simkit_fini(&k);
}

/* Records of messages are kept in an array that doubles: 4000 of them cost a few allocations,
 * not thousands. */
static void messages_cost_a_logarithm(void **state)
{
	struct simkit k;
	struct load_cfg *c;
	struct watch w;

	(void)state;
	simkit_init(&k);
	simkit_star(&k, 5, 100 * SIMKIT_GBPS, PS_PER_US);
	c = simkit_load(&k, LOAD_ALL_TO_ALL);
	c->message_bytes = 3000;
	c->repeat = 200;
	w = watch_run(&k, 4000);
	assert_in_range(w.at_last - w.at_settled, 0, 12);
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(long_incast_allocates_nothing),
	        cmocka_unit_test(losses_allocate_nothing),
	        cmocka_unit_test(messages_cost_a_logarithm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
