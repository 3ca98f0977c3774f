/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)16 << 10)

struct arena_chunk {
	struct arena_chunk *next;
	size_t bytes;
	_Alignas(max_align_t) unsigned char data[];
};

void *arena_take(struct arena *a, size_t bytes)
{
	size_t align = _Alignof(max_align_t);
	void *p;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + align - 1) / align * align;
	if (!a->head || a->head->bytes - a->used < bytes) {
		size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		struct arena_chunk *c = calloc(1, sizeof(*c) + room);

		if (!c)
			return NULL;
		c->bytes = room;
		c->next = a->head;
		a->head = c;
		a->used = 0;
	}
	p = a->head->data + a->used;
	a->used += bytes;
	return p;
}

char *arena_text(struct arena *a, const char *text, size_t len)
{
	char *p = arena_take(a, len + 1);

	if (p && len)
		memcpy(p, text, len);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	p = arena_take(a, (size_t)n + 1);
	if (!p)
		return NULL;
	va_start(ap, fmt);
	(void)vsnprintf(p, (size_t)n + 1, fmt, ap); /* the length was measured above */
	va_end(ap);
	return p;
}

void arena_fini(struct arena *a)
{
	while (a->head) {
		struct arena_chunk *c = a->head;

		a->head = c->next;
		free(c);
	}
	a->used = 0;
}
