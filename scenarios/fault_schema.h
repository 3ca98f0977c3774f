/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON Schema says of an entry of faults[] beyond its keys. Cold path. */
#ifndef SCENARIO_FAULT_SCHEMA_H
#define SCENARIO_FAULT_SCHEMA_H

#include <stdio.h>

/* , "oneOf": [...]: one kind, with the keys that it needs and no others. */
void fault_schema_write(FILE *f);

#endif
