/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios from text for tests: each goes through a file of its own in a temporary folder. */
#ifndef TESTS_SCENARIO_TEXT_H
#define TESTS_SCENARIO_TEXT_H

#include <stddef.h>

#include "scenarios/scenario.h"

struct scratch {
	char dir[64];
	char path[128]; /* dir/s.yaml */
};

/* Makes and removes the folder with everything in it. Failures abort: they are the machine's.
 */
void scratch_open(struct scratch *t);
void scratch_close(struct scratch *t);
void scratch_put(const struct scratch *t, const char *name, const char *text, size_t len);
char *scratch_get(
        const struct scratch *t, const char *name); /* the caller frees; NULL: absent */

/* Writes s.yaml and loads it; set is "key=value" texts with NULL at the end, or NULL. */
int scenario_from_text(struct scenario **out, const struct scratch *t, const char *text,
        const char *const set[], struct err *e);

#endif
