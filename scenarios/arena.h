/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once: the nodes and texts of a scenario document. One thread. */
#ifndef SCENARIO_ARENA_H
#define SCENARIO_ARENA_H

#include <stddef.h>

#include "dataplane/base/compiler.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *head;
	size_t used; /* bytes taken from head */
};

/* Zeroed memory aligned for any object, or NULL. Lives until arena_fini. */
NODISCARD void *arena_take(struct arena *a, size_t bytes);

/* A NUL-terminated copy of len bytes, or NULL. */
NODISCARD char *arena_text(struct arena *a, const char *text, size_t len);

/* As by printf; NULL when memory is short. */
NODISCARD char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

void arena_fini(struct arena *a);

#endif
