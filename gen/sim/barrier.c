/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier for windows of tens of microseconds: spins a little, then sleeps, so that it does
 * not collapse when another job takes a core. */
#include "gen/sim/sim_int.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 2000

struct sim_barrier {
	_Alignas(CACHE_LINE) atomic_uint arrived;
	_Alignas(CACHE_LINE) atomic_uint generation;
	uint32_t threads;
};

struct sim_barrier *sim_barrier_open(uint32_t threads)
{
	struct sim_barrier *b = aligned_alloc(CACHE_LINE, sizeof(*b));

	if (!b)
		return NULL;
	atomic_init(&b->arrived, 0);
	atomic_init(&b->generation, 0);
	b->threads = threads;
	return b;
}

void sim_barrier_close(struct sim_barrier *b)
{
	free(b);
}

void sim_barrier_wait(struct sim_barrier *b)
{
	uint32_t generation = atomic_load_explicit(&b->generation, memory_order_acquire);

	if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->threads) {
		atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
		atomic_fetch_add_explicit(&b->generation, 1, memory_order_release);
		syscall(SYS_futex, &b->generation, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL,
		        0);
		return;
	}
	for (int i = 0; i < SPINS; i++) {
		if (atomic_load_explicit(&b->generation, memory_order_acquire) != generation)
			return;
		__builtin_ia32_pause();
	}
	while (atomic_load_explicit(&b->generation, memory_order_acquire) == generation)
		syscall(SYS_futex, &b->generation, FUTEX_WAIT_PRIVATE, generation, NULL, NULL,
		        0);
}
