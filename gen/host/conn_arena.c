/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/host/conn_arena.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static size_t arena_bytes(uint32_t max)
{
	return (size_t)max * sizeof(struct conn);
}

/* Where address space is short the rest of the program needs some of it too. */
static void leave_room(struct conn_arena *a, void *p)
{
	uint32_t max = a->max / 4;

	munmap((char *)p + arena_bytes(max), arena_bytes(a->max) - arena_bytes(max));
	a->max = max;
}

int conn_arena_open(struct conn_arena *a, struct err *e)
{
	void *p = MAP_FAILED;

	for (a->max = CONN_ARENA_MAX; a->max >= CONN_ARENA_MIN; a->max /= 2) {
		p = mmap(NULL, arena_bytes(a->max), PROT_READ | PROT_WRITE,
		        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p != MAP_FAILED)
			break;
	}
	if (p == MAP_FAILED)
		return err_set(e, -ENOMEM,
		        "cannot reserve %zu MiB of address space for connections: %s (raise "
		        "ulimit -v)",
		        arena_bytes(CONN_ARENA_MIN) >> 20, strerror(errno));
	if (a->max < CONN_ARENA_MAX)
		leave_room(a, p);
	a->conn = p;
	a->end = a->max;
	atomic_init(&a->next, 0);
	return 0;
}

int conn_arena_share(
        struct conn_arena *a, uint32_t process, uint32_t n_processes, struct err *e)
{
	if (a->max != CONN_ARENA_MAX)
		return err_set(e, -ENOMEM,
		        "cannot reserve %zu MiB of address space for connections (raise ulimit "
		        "-v)",
		        arena_bytes(CONN_ARENA_MAX) >> 20);
	atomic_init(&a->next, a->max / n_processes * process);
	a->end = a->max / n_processes * (process + 1);
	return 0;
}

void conn_arena_close(struct conn_arena *a)
{
	if (a->conn)
		munmap(a->conn, arena_bytes(a->max));
	a->conn = NULL;
}

uint32_t conn_arena_new(struct conn_arena *a)
{
	uint32_t i = atomic_fetch_add_explicit(&a->next, 1, memory_order_relaxed);

	return i < a->end ? i : CONN_NONE;
}
