/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/knob_schema.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "dataplane/base/units.h"
#include "gen/sim/fault_cfg.h"
#include "scenarios/fault_schema.h"
#include "scenarios/knob_table.h"
#include "scenarios/list_schema.h"

/* An entry of this list also takes the keys of that section, without its prefix. */
#define OVERRIDES  "fabric.overrides[]"
#define OVERRIDDEN "fabric.switch"

struct walk {
	const struct knob_slot *slot;
	size_t row;
};

/* Full path of the next row of the table; false at its end. */
static bool next_row(struct walk *w, char full[KNOB_PATH_BYTES], const struct knob **row)
{
	for (; w->slot->group; w->slot++, w->row = 0) {
		if (w->row < w->slot->group->n_rows) {
			*row = &w->slot->group->rows[w->row++];
			return knob_join(full, w->slot->group->path, (*row)->key);
		}
	}
	return false;
}

/* The step of full below section, such as "switch" or "workload[]"; false if it is not below.
 */
static bool step_of(char step[KNOB_PATH_BYTES], const char *full, const char *section)
{
	size_t n = strlen(section);

	if (strncmp(full, section, n) != 0 || (n && full[n] != '.'))
		return false;
	full += n ? n + 1 : 0;
	(void)snprintf(step, KNOB_PATH_BYTES, "%.*s", (int)strcspn(full, "."), full);
	return true;
}

/* "overrides" and "overrides[]" are one key. */
static void strip_list(char *step)
{
	char *bracket = strstr(step, "[]");

	if (bracket)
		*bracket = '\0';
}

static bool seen_before(const char *section, const char *step, const struct walk *until)
{
	struct walk w = {knob_table, 0};
	const struct knob *row;
	char full[KNOB_PATH_BYTES], other[KNOB_PATH_BYTES];

	while (next_row(&w, full, &row)) {
		if (w.slot == until->slot && w.row == until->row)
			return false;
		if (!step_of(other, full, section))
			continue;
		strip_list(other);
		if (!strcmp(other, step))
			return true;
	}
	return false;
}

/* At most 100 %, as far as digits tell it: ratios and exponents are not worked out. */
#define SHARE                                                                                  \
	"^\\+?(0*100(\\.0*)?|0*[0-9]{0,2}(\\.[0-9]*)?) "                                       \
	"*%$|^\\+?(0*1(\\.0*)?|0*(\\.[0-9]*)?)$|"                                              \
	"^[0-9.+-]+[eE][0-9+-]+ *%?$|^[0-9]+[/:][0-9]+$"

static const char *pattern_of(const struct knob *row)
{
	switch (row->type) {
	case KNOB_TIME:
		return "^[0-9.]+ *(ps|ns|us|ms|s)$";
	case KNOB_RATE:
		return "^[0-9.]+ *[kMGT]?(bps|b/s|bit/s)$";
	case KNOB_SIZE:
		return "^[0-9.]+ *([kKMGT]?B|[KMGT]iB)$";
	case KNOB_FRACTION:
		if (row->max == Q32_ONE)
			return SHARE;
		return "^[0-9.eE+-]+ *%?$|^[0-9]+[/:][0-9]+$";
	default:
		return NULL;
	}
}

static void write_quantity(FILE *f, const struct knob *row, const char *full)
{
	switch (row->type) {
	case KNOB_BOOL:
		put_text("{\"enum\": [true, false, \"on\", \"off\", \"yes\", \"no\"]}", f);
		return;
	case KNOB_COUNT:
		put(f, "{\"type\": \"integer\", \"minimum\": %" PRId64, row->min);
		if (row->max)
			put(f, ", \"maximum\": %" PRId64, row->max);
		put_text("}, {\"type\": \"string\", \"pattern\": \"^[0-9]+$\"}", f);
		return;
	case KNOB_FRACTION:
		put_text("{\"type\": \"number\"", f);
		if (row->max == Q32_ONE)
			put_text(", \"minimum\": 0, \"maximum\": 1", f);
		put_text("}, ", f);
		/* fall through */
	case KNOB_TIME:
	case KNOB_RATE:
	case KNOB_SIZE:
		if (row->plain)
			put_text("{\"type\": \"integer\"}, ", f);
		put_text("{\"type\": \"string\", \"pattern\": ", f);
		json_text(f, pattern_of(row));
		put_char('}', f);
		return;
	case KNOB_PRIORITIES:
		put_text("{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": "
		         "\"integer\", \"minimum\": 0, \"maximum\": 7}}",
		        f);
		return;
	case KNOB_EACH_PRIORITY:
		put(f,
		        "{\"type\": \"array\", \"items\": {\"type\": \"integer\", "
		        "\"minimum\": %" PRId64 ", \"maximum\": %" PRId64 "}, "
		        "\"minItems\": 8, \"maxItems\": 8}",
		        row->min, row->max);
		return;
	case KNOB_TEXT:
		put_text("{\"type\": [\"string\", \"number\", \"boolean\"]}", f);
		return;
	case KNOB_TABLE:
		list_schema_write(f, full);
		return;
	case KNOB_WORD:
		return;
	}
}

static bool is_whole_number(const char *word)
{
	return *word && word[strspn(word, "0123456789")] == '\0';
}

/* Readers of YAML hand on and off as booleans, and digits as numbers. */
static void write_words(FILE *f, const struct knob *row)
{
	bool has_switch = false;

	put_text("{\"enum\": [", f);
	for (const struct knob_word *w = row->words; w->word; w++) {
		if (w != row->words)
			put_text(", ", f);
		json_text(f, w->word);
		if (is_whole_number(w->word))
			put(f, ", %s", w->word);
		has_switch |= !strcmp(w->word, "off") || !strcmp(w->word, "on");
	}
	put_text(has_switch ? ", true, false]}" : "]}", f);
}

static void write_forms(FILE *f, const char *full)
{
	const struct knob_slot *slot = NULL;
	const struct knob *row = NULL;
	const char *separator = "";

	put_text("\"anyOf\": [", f);
	while ((row = knob_next(&slot, row, full)) != NULL) {
		put_text(separator, f);
		write_quantity(f, row, full);
		if (row->words && row->words->word) {
			put_text(row->type == KNOB_WORD ? "" : ", ", f);
			write_words(f, row);
		}
		separator = ", ";
	}
	put_char(']', f);
}

static void write_leaf(FILE *f, const char *full)
{
	const struct knob_slot *slot = NULL;
	const struct knob *row = knob_next(&slot, NULL, full);

	put_text("{\"description\": ", f);
	json_text(f, row->doc);
	if (row->def && *row->def) {
		put_text(", \"default\": ", f);
		json_text(f, row->def);
	}
	put_text(", ", f);
	write_forms(f, full);
	put_char('}', f);
}

static void write_object(FILE *f, const char *section, int depth);

static void write_child(FILE *f, const char *section, const char *step, int depth)
{
	const struct knob_slot *slot = NULL;
	char full[KNOB_PATH_BYTES], list[KNOB_PATH_BYTES + 2];

	if (!knob_join(full, section, step))
		return;
	(void)snprintf(list, sizeof(list), "%s[]", full);
	if (strlen(list) < KNOB_PATH_BYTES && knob_is_section(list)) {
		put(f, "{\"type\": \"array\"%s, \"items\": ", list_schema_of_list(list));
		write_object(f, list, depth);
		put_char('}', f);
	} else if (knob_next(&slot, NULL, full)) {
		write_leaf(f, full);
	} else if (knob_off_row(&slot, full)) {
		put_text("{\"anyOf\": [{\"enum\": [\"off\", false]}, ", f);
		write_object(f, full, depth);
		put_text("]}", f);
	} else {
		write_object(f, full, depth);
	}
}

static void write_children(FILE *f, const char *section, const char **separator, int depth)
{
	struct walk w = {knob_table, 0};
	const struct knob *row;
	char full[KNOB_PATH_BYTES], step[KNOB_PATH_BYTES];

	while (next_row(&w, full, &row)) {
		if (!step_of(step, full, section))
			continue;
		strip_list(step);
		if (seen_before(section, step, &w))
			continue;
		put(f, "%s\n%*s\"%s\": ", *separator, depth * 2, "", step);
		*separator = ",";
		write_child(f, section, step, depth + 1);
	}
}

/* Keys without default that every choice of the section needs. */
static void write_required(FILE *f, const char *section)
{
	const char *separator = ", \"required\": [";
	struct walk w = {knob_table, 0};
	const struct knob *row;
	char full[KNOB_PATH_BYTES], step[KNOB_PATH_BYTES];

	while (next_row(&w, full, &row)) {
		if (row->def || row->applies || !step_of(step, full, section) ||
		        strlen(full) != strlen(section) + strlen(step) + (*section ? 1 : 0))
			continue;
		put(f, "%s\"%s\"", separator, step);
		separator = ", ";
	}
	if (separator[2] != '"')
		put_char(']', f);
}

/* Does any row of this path apply to the choice? A key may have two forms. */
static bool path_applies(const char *full, int64_t choice)
{
	const struct knob_slot *slot = NULL;
	const struct knob *row = NULL;

	while ((row = knob_next(&slot, row, full)) != NULL)
		if (knob_applies(row, choice))
			return true;
	return false;
}

/* The direct children of a group's section that a choice forbids, or those that it requires. */
static void write_of_choice(FILE *f, const struct knob_group *g, int64_t choice, bool required)
{
	const char *separator = "";
	char full[KNOB_PATH_BYTES];

	for (size_t i = 0; i < g->n_rows; i++) {
		const struct knob *row = &g->rows[i];

		if (!row->applies || strchr(row->key, '.') ||
		        (i && !strcmp(row->key, row[-1].key)) ||
		        !knob_join(full, g->path, row->key))
			continue;
		if (required ? row->def || !knob_applies(row, choice)
		             : path_applies(full, choice))
			continue;
		put_text(separator, f);
		json_text(f, row->key);
		if (!required)
			put_text(": false", f);
		separator = ", ";
	}
}

/* What the group's choice (kind, pattern) rules out and asks for. */
static void write_choices(FILE *f, const struct knob_group *g)
{
	const struct knob *choice = knob_choice(g);
	const char *separator = ", \"allOf\": [";

	if (!choice)
		return;
	for (const struct knob_word *w = choice->words; w->word; w++) {
		put_text(separator, f);
		put_text("{\"if\": {\"properties\": {", f);
		json_text(f, choice->key);
		put_text(": {\"const\": ", f);
		json_text(f, w->word);
		put_text("}}, \"required\": [", f);
		json_text(f, choice->key);
		put_text("]}, \"then\": {\"properties\": {", f);
		write_of_choice(f, g, w->value, false);
		put_text("}, \"required\": [", f);
		write_of_choice(f, g, w->value, true);
		put_text("]}}", f);
		separator = ", ";
	}
	put_char(']', f);
}

static void write_object(FILE *f, const char *section, int depth)
{
	const char *separator = "";

	put_text("{\"type\": \"object\", \"additionalProperties\": false", f);
	write_required(f, section);
	put_text(", \"properties\": {", f);
	write_children(f, section, &separator, depth);
	if (!strcmp(section, OVERRIDES))
		write_children(f, OVERRIDDEN, &separator, depth);
	put_char('}', f);
	put_text(list_schema_of_section(section), f);
	if (!strcmp(section, fault_knobs.path))
		fault_schema_write(f);
	for (const struct knob_slot *slot = knob_table; slot->group; slot++)
		if (!strcmp(slot->group->path, section))
			write_choices(f, slot->group);
	put_char('}', f);
}

void knob_schema_write(FILE *f)
{
	put_text("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
	         " \"title\": \"squall scenario\",\n \"allOf\": [",
	        f);
	write_object(f, "", 1);
	put_text("]}\n", f);
}
