/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario file drawn from the knob table: any key of any section, with values within its
 * range. A new row is drawn without anybody's help; what the table cannot know (names of nodes,
 * shipped files, sizes that end within a test) stands here.
 */
#ifndef TESTS_SCENARIO_RANDOM_H
#define TESTS_SCENARIO_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The text of a scenario; the caller frees. share: of the optional keys that are set, in
 * 1/1000. */
char *scenario_random(uint64_t seed, unsigned share);

#endif
