/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fault_schema.h"

#include <stdbool.h>
#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "gen/sim/fault_cfg.h"

static void write_key(FILE *f, const char **separator, const char *key)
{
	put_text(*separator, f);
	json_text(f, key);
	*separator = ", ";
}

/* A key may have two rows, one behind the other. */
static bool is_second(size_t row)
{
	return row && !strcmp(fault_knobs.rows[row].key, fault_knobs.rows[row - 1].key);
}

/* One of them says what is paused, or both the same. */
static void write_storm(FILE *f)
{
	put_text(", \"anyOf\": [{\"not\": {\"required\": [\"priority\", \"priorities\"]}}", f);
	for (int i = 0; i < 8; i++)
		put(f,
		        ", {\"properties\": {\"priority\": {\"enum\": [%d, \"%d\"]}, "
		        "\"priorities\": {\"const\": [%d]}}}",
		        i, i, i);
	put_char(']', f);
}

static void write_kind(FILE *f, enum fault_kind kind)
{
	const char *separator = ", ";

	put_text("{\"required\": [", f);
	json_text(f, fault_kind_name(kind));
	for (size_t i = 0; i < fault_knobs.n_rows; i++)
		if (!is_second(i) && fault_row_required(&fault_knobs.rows[i], kind))
			write_key(f, &separator, fault_knobs.rows[i].key);
	put_text("], \"properties\": {", f);
	separator = "";
	for (int k = 0; k < FAULT_KINDS; k++) {
		write_key(f, &separator, fault_kind_name((enum fault_kind)k));
		/* a section without keys is no fault */
		put_text(k == (int)kind ? ": {\"minProperties\": 1}" : ": false", f);
	}
	for (size_t i = 0; i < fault_knobs.n_rows; i++) {
		const struct knob *row = &fault_knobs.rows[i];

		if (is_second(i) || fault_row_kind(row) != FAULT_KINDS ||
		        fault_row_applies(row, kind))
			continue;
		write_key(f, &separator, row->key);
		put_text(": false", f);
	}
	put_char('}', f);
	if (kind == FAULT_PFC_STORM)
		write_storm(f);
	put_char('}', f);
}

void fault_schema_write(FILE *f)
{
	put_text(", \"oneOf\": [", f);
	for (int k = 0; k < FAULT_KINDS; k++) {
		put_text(k ? ", " : "", f);
		write_kind(f, (enum fault_kind)k);
	}
	put_char(']', f);
}
