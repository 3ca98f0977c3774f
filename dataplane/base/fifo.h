/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FIFOs of packet descriptors over recycled 1 KiB chunks. A pool and all FIFOs that draw from
 * it belong to one thread. Pool memory is touched when it is reserved, not in the packet loop:
 * a first touch costs microseconds. fifo_pool_fini frees everything.
 */
#ifndef BASE_FIFO_H
#define BASE_FIFO_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/check.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/desc.h"

#define CHUNK_DESCS 31

struct chunk {
	struct chunk *next;
	uint64_t unused[3];
	struct desc d[CHUNK_DESCS];
};

_Static_assert(sizeof(struct chunk) == 1024, "a chunk is 1 KiB");

struct fifo_pool {
	struct chunk *free;
	struct fifo_slab *slabs;
	size_t next_slab_chunks;
};

void fifo_pool_init(struct fifo_pool *pool);
void fifo_pool_fini(struct fifo_pool *pool);
struct chunk *fifo_pool_refill(
        struct fifo_pool *pool); /* cold: reserves a slab, returns one chunk */

static ALWAYS_INLINE struct chunk *chunk_get(struct fifo_pool *pool)
{
	struct chunk *c = pool->free;

	if (UNLIKELY(!c))
		return fifo_pool_refill(pool);
	pool->free = c->next;
	return c;
}

static ALWAYS_INLINE void chunk_put(struct fifo_pool *pool, struct chunk *c)
{
	c->next = pool->free;
	pool->free = c;
}

struct fifo {
	struct chunk *head, *tail; /* an empty FIFO keeps the chunk it used last */
	uint16_t head_i, tail_i;
	uint32_t packets;
	int64_t bytes; /* as the owner counts them */
};

static ALWAYS_INLINE void fifo_push(
        struct fifo_pool *pool, struct fifo *f, const struct desc *d, int64_t bytes)
{
	if (UNLIKELY(!f->tail)) {
		f->head = f->tail = chunk_get(pool);
	} else if (UNLIKELY(f->tail_i == CHUNK_DESCS)) {
		struct chunk *c = chunk_get(pool);

		f->tail->next = c;
		f->tail = c;
		f->tail_i = 0;
	}
	f->tail->d[f->tail_i++] = *d;
	f->packets++;
	f->bytes += bytes;
}

static ALWAYS_INLINE struct desc *fifo_head(const struct fifo *f)
{
	return &f->head->d[f->head_i];
}

/* Removes the head, which the caller has copied. */
static ALWAYS_INLINE void fifo_pop(struct fifo_pool *pool, struct fifo *f, int64_t bytes)
{
	ASSERT(f->packets > 0);
	f->bytes -= bytes;
	f->head_i++;
	if (--f->packets == 0) {
		f->head_i = f->tail_i = 0;
	} else if (f->head_i == CHUNK_DESCS) {
		struct chunk *c = f->head;

		f->head = c->next;
		f->head_i = 0;
		chunk_put(pool, c);
	}
}

#endif
