/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gen/sim: a block of bytes that grows. */
#ifndef SIM_BYTES_H
#define SIM_BYTES_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"

struct bytes {
	char *at;
	size_t len, cap;
};

static inline void bytes_add(struct bytes *b, const void *data, size_t len)
{
	if (b->len + len > b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 4096;

		while (cap < b->len + len)
			cap *= 2;
		b->at = realloc(b->at, cap);
		CHECK(b->at);
		b->cap = cap;
	}
	if (len)
		memcpy(b->at + b->len, data, len);
	b->len += len;
}

static inline void bytes_fini(struct bytes *b)
{
	free(b->at);
	*b = (struct bytes){0};
}

#endif
