/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether mpirun started this process among others, and joins them. */
#ifndef WORLD_OPEN_H
#define WORLD_OPEN_H

#include "dataplane/base/err.h"
#include "gen/sim/world.h"
#include "scenarios/scenario.h"

/* *out NULL: this process is alone. -ENOENT or -EINVAL when it is not, but the module that
 * joins them is missing or another version's; version: that of the program. */
NODISCARD int world_open(struct world **out, const char *version, struct err *e);
void world_close(struct world *w); /* collective; NULL is fine */

/* True on rank 0, and alone: who speaks and writes. Before world_open it goes by what mpirun
 * says, one process of each machine. */
bool world_speaks(const struct world *w);

/* All ranks have read the same scenario, files and --set included: -EINVAL on all if not. */
NODISCARD int world_same_scenario(struct world *w, const struct scenario *s, struct err *e);

#endif
