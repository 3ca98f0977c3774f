/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/host/conn_arena.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static size_t arena_bytes(void)
{
	return (size_t)CONN_ARENA_MAX * sizeof(struct conn);
}

int conn_arena_open(struct conn_arena *a, struct err *e)
{
	void *p = mmap(NULL, arena_bytes(), PROT_READ | PROT_WRITE,
	        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_set(e, -ENOMEM,
		        "cannot reserve %zu MiB of address space for connections: %s (raise "
		        "ulimit -v)",
		        arena_bytes() >> 20, strerror(errno));
	a->conn = p;
	atomic_init(&a->next, 0);
	return 0;
}

void conn_arena_close(struct conn_arena *a)
{
	if (a->conn)
		munmap(a->conn, arena_bytes());
	a->conn = NULL;
}

uint32_t conn_arena_new(struct conn_arena *a)
{
	uint32_t i = atomic_fetch_add_explicit(&a->next, 1, memory_order_relaxed);

	return i < CONN_ARENA_MAX ? i : CONN_NONE;
}
