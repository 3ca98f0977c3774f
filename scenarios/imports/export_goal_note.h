/* SPDX-License-Identifier: Apache-2.0 */
/* What a GOAL schedule of a scenario cannot say, in words. Cold path. */
#ifndef SCENARIO_EXPORT_GOAL_NOTE_H
#define SCENARIO_EXPORT_GOAL_NOTE_H

#include "scenarios/imports/export.h"

struct goal_losses {
	bool cut;    /* after so many messages */
	bool reuses; /* some queue pair carries several messages */
	uint64_t messages;
	uint64_t rounded; /* times */
};

void export_goal_note(
        char note[EXPORT_NOTE_BYTES], const struct goal_losses *l, const struct scenario *s);

#endif
