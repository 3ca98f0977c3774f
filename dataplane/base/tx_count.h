/* SPDX-License-Identifier: Apache-2.0 */
/* Frames and wire bytes that a port sent in one class. */
#ifndef BASE_TX_COUNT_H
#define BASE_TX_COUNT_H

#include <stdint.h>

#include "dataplane/base/compiler.h"

struct tx_count {
	int64_t packets, bytes;
};

static ALWAYS_INLINE void tx_count(struct tx_count *t, int64_t bytes)
{
	t->packets++;
	t->bytes += bytes;
}

#endif
