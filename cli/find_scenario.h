/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios by short name: "incast-32" is scenarios/incast-32.yaml here or beside the sources.
 */
#ifndef CLI_FIND_SCENARIO_H
#define CLI_FIND_SCENARIO_H

#include <stdbool.h>

#include "dataplane/base/err.h"

/* *out is malloc'd. -EINVAL names the nearest scenario that exists. */
NODISCARD int find_scenario(char **out, const char *name, struct err *e);

#endif
