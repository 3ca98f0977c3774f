/* SPDX-License-Identifier: Apache-2.0 */
/* Writes dotted keys as nested block YAML: section lines appear where they change. Errors stay
 * in the stream. */
#ifndef SCENARIO_YAML_EMIT_H
#define SCENARIO_YAML_EMIT_H

#include <stdbool.h>
#include <stdio.h>

#include "scenarios/knob_table.h"

struct yaml_emit {
	FILE *f;
	int indent;                    /* columns before the top level of this emitter */
	bool is_item;                  /* the next line begins a list entry: "- " */
	char section[KNOB_PATH_BYTES]; /* of the last key */
};

/* "section.key: value"; the value is text as it stands in YAML. Keys of one section follow each
 * other. */
void yaml_emit(struct yaml_emit *m, const char *path, const char *value);

void yaml_emit_text(struct yaml_emit *m, const char *path, const char *text); /* quoted */

/* Text in double quotes, with escapes where they are needed. */
void yaml_emit_quoted(FILE *f, const char *text);

#endif
