/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame sizes that traffic of a lossless class can have, as a switch's buffer and the wire
 * see them. For headroom.c. Pure; any thread.
 */
#ifndef FABRIC_HEADROOM_SIZES_H
#define FABRIC_HEADROOM_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/fabric/fabric_cfg.h"

/*
 * Where sizes form one row, step by step from the smallest to the largest, and cells and steps
 * fit, the cheapest frame that takes c units has (c - 1) * unit + offset bytes. A unit is a
 * cell, or a step where cells are smaller. All bytes are with FCS.
 */
struct headroom_sizes {
	const struct frame_cfg *frame;
	int64_t cell_bytes; /* 1: byte-exact */
	int64_t step_bytes; /* 4: payloads are padded; 1: they are not */
	int64_t min_bytes, max_bytes;
	bool in_row;
	int64_t unit_bytes, offset_bytes;
	int64_t min_units, max_units;
	int64_t low_units;   /* the fewest units that frames of the form above take */
	int64_t waste_bytes; /* of each frame in its cells, where units are larger than those */
};

struct headroom_sizes headroom_sizes(const struct frame_cfg *frame, int64_t cell_bytes);

/* As if every size from the smallest to the largest were legal. */
struct headroom_sizes headroom_sizes_all(const struct headroom_sizes *z);

/* Can a frame have so many bytes? */
bool headroom_size_is_legal(const struct headroom_sizes *z, int64_t bytes);

static inline int64_t headroom_cells(const struct headroom_sizes *z, int64_t bytes)
{
	return (bytes + z->cell_bytes - 1) / z->cell_bytes;
}

#endif
