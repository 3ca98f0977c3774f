/* SPDX-License-Identifier: Apache-2.0 */
/* Links by the names of their ends. Cold path. */
#ifndef FABRIC_TOPO_ENDS_H
#define FABRIC_TOPO_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/fabric/topo.h"

struct topo_ends {
	uint32_t a, b;
	bool one_way; /* "a->b": only what a sends */
	bool joined;  /* there is a cable between them */
	/* Nodes that the same text names as well, for names hold '-' themselves: hosts a and
	 * a-b, switches b-c and c, "a-b-c". UINT32_MAX: none. */
	uint32_t other_a, other_b;
};

/* Reads "leaf0-host3" or "leaf0->host3"; false: there are no two such nodes. Of several
 * readings those count whose nodes are joined. */
bool topo_ends_find(struct topo_ends *out, const struct topo *t, const char *text);

#endif
