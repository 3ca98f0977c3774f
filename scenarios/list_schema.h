/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the JSON Schema: lists that the key's own code reads, and what entries of lists of
 * sections need. Cold path. */
#ifndef SCENARIO_LIST_SCHEMA_H
#define SCENARIO_LIST_SCHEMA_H

#include <stdio.h>

/* One form of the value of a KNOB_TABLE. */
void list_schema_write(FILE *f, const char *full);

/* After "type": "array" of a list of sections, and within the schema of one such section; may
 * be empty. */
const char *list_schema_of_list(const char *section);
const char *list_schema_of_section(const char *section);

#endif
