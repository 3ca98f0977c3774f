/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/fifo.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_SLAB_CHUNKS   64
#define LARGEST_SLAB_CHUNKS 2048

struct fifo_slab {
	struct fifo_slab *next;
	size_t bytes;
};

void fifo_pool_init(struct fifo_pool *pool)
{
	*pool = (struct fifo_pool){.next_slab_chunks = FIRST_SLAB_CHUNKS};
}

void fifo_pool_fini(struct fifo_pool *pool)
{
	while (pool->slabs) {
		struct fifo_slab *s = pool->slabs;

		pool->slabs = s->next;
		munmap(s, s->bytes);
	}
	pool->free = NULL;
}

/* The first chunk of a slab holds its header. The mapping is populated here, so that the packet
 * loop never takes a page fault. Out of memory is fatal: the run was sized before it started.
 */
NOINLINE struct chunk *fifo_pool_refill(struct fifo_pool *pool)
{
	size_t n = pool->next_slab_chunks;
	size_t bytes = n * sizeof(struct chunk);
	struct fifo_slab *slab = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct chunk *c;

	CHECK(slab != MAP_FAILED);
	slab->next = pool->slabs;
	slab->bytes = bytes;
	pool->slabs = slab;
	if (n < LARGEST_SLAB_CHUNKS)
		pool->next_slab_chunks = n * 2;
	c = (struct chunk *)(void *)slab;
	for (size_t i = n - 1; i > 1; i--)
		chunk_put(pool, &c[i]);
	return &c[1];
}
