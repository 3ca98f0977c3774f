/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in a topology file: a hash table from name to the node's statement. Grows as names
 * are added; topo_names_fini frees. One thread.
 */
#ifndef FABRIC_TOPO_NAMES_H
#define FABRIC_TOPO_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"

#define TOPO_NAME_BYTES 16

struct topo_name {
	char text[TOPO_NAME_BYTES];
	uint32_t line;  /* where it was introduced */
	uint32_t index; /* among the hosts or among the switches */
	uint32_t n_links;
	uint32_t link_line; /* of its latest link */
	bool is_switch;
	uint8_t tier;
};

struct topo_names {
	struct topo_name *name; /* in the order of adding */
	uint32_t n, capacity;
	uint32_t *slot; /* 1 + index into name, 0: empty; n_slots is a power of two */
	uint32_t n_slots;
};

/* The entry of a name of len bytes, or NULL. Valid until the next add. */
struct topo_name *topo_names_find(const struct topo_names *t, const char *text, size_t len);

/* Adds a name that is not there yet, of 1..15 bytes; NULL when memory is short. */
NODISCARD struct topo_name *topo_names_add(struct topo_names *t, const char *text, size_t len);

/* The name closest to text, if that is close enough to be a slip (nearest.h); or NULL. */
const char *topo_names_nearest(const struct topo_names *t, const char *text, size_t len);

void topo_names_fini(struct topo_names *t);

#endif
