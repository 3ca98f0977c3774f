/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a run without processes: threads of this one, joined by shared memory. */
#ifndef TESTS_THREAD_WORLD_H
#define TESTS_THREAD_WORLD_H

#include <stdint.h>

#include "gen/sim/world.h"

#define THREAD_WORLD_MAX 8

/* Calls body(arg, world) on so many threads, each with its end of one world, and returns when
 * all have ended. body must not fail a test by itself. */
void thread_world_run(uint32_t n_ranks, void (*body)(void *arg, struct world *w), void *arg);

#endif
