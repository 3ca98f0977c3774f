/* SPDX-License-Identifier: Apache-2.0 */
/* A growing hash map from uint64_t to uint64_t for one thread: a host's QPs by peer. */
#ifndef HOST_KEYMAP_H
#define HOST_KEYMAP_H

#include <stdint.h>

struct keymap_slot {
	uint64_t key; /* 0: empty; keys are never 0 */
	uint64_t value;
};

/* Zeroed to begin with; stays where it is once used, for its first slots are its own: most
 * hosts talk to one or two peers, and a pointer to follow would cost them a cache miss. */
#define KEYMAP_FEW 4

struct keymap {
	struct keymap_slot *slot;
	uint32_t mask, used;
	struct keymap_slot few[KEYMAP_FEW];
};

/* The value's place, made with value 0 if it is new; NULL without memory. Valid until the next
 * call. */
uint64_t *keymap_at(struct keymap *m, uint64_t key);
void keymap_fini(struct keymap *m);

#endif
