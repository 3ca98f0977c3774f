/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario that lies in the folder of its own results. Cold; one thread. */
#ifndef SCENARIO_OWN_INPUTS_H
#define SCENARIO_OWN_INPUTS_H

#include "scenarios/scenario.h"

/* Would results in dir replace what was read of s? What a run left there is replaced by the
 * same bytes: 0. -EINVAL names the file that would be lost, such as one edited since. */
NODISCARD int own_inputs_kept(const struct scenario *s, const char *dir, struct err *e);

#endif
