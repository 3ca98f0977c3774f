/* SPDX-License-Identifier: Apache-2.0 */
/* A group of cmocka tests on scenarios from text, with one temporary folder for all of them. */
#ifndef TESTS_SCENARIO_GROUP_H
#define TESTS_SCENARIO_GROUP_H

#include "tests/support/scenario_text.h"

extern struct scratch scratch;

/* Set-up and tear-down of the group: makes and removes the folder. */
int scratch_set_up(void **state);
int scratch_tear_down(void **state);

/* The scenario, which the caller frees; the test fails with the message where it is refused. */
struct scenario *scenario_taken(const char *text, const char *const set[]);

/* Fails the test unless the scenario is refused as bad input, by a message that holds this one:
 * "s.yaml:..." behind the folder, "--..." at the beginning. */
void scenario_refused(const char *text, const char *const set[], const char *message);

#endif
