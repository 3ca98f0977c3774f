/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/knob_markdown.h"

#include <stdbool.h>
#include <string.h>

#include "scenarios/knob_table.h"
#include "scenarios/knob_value.h"
#include "scenarios/presets.h"

/* A pipe would end the cell. */
static void cell(FILE *f, const char *text)
{
	for (; *text; text++)
		fprintf(f, *text == '|' ? "\\|" : "%c", *text);
}

/* "star, dumbbell": the choices that the row applies to. */
static void write_applies(FILE *f, const struct knob_group *g, const struct knob *row)
{
	const struct knob *choice = knob_choice(g);
	const char *gap = "";

	if (!choice || !row->applies)
		return;
	fprintf(f, " Only for %s ", choice->key);
	for (const struct knob_word *w = choice->words; w->word; w++) {
		if (!knob_applies(row, w->value))
			continue;
		fprintf(f, "%s%s", gap, w->word);
		gap = ", ";
	}
	fputc('.', f);
}

static const char *type_name(enum knob_type type)
{
	switch (type) {
	case KNOB_BOOL:
		return "on, off";
	case KNOB_COUNT:
		return "whole number";
	case KNOB_TIME:
		return "time";
	case KNOB_RATE:
		return "rate";
	case KNOB_SIZE:
		return "size";
	case KNOB_FRACTION:
		return "fraction";
	case KNOB_WORD:
		return "";
	case KNOB_PRIORITIES:
		return "list of priorities";
	case KNOB_EACH_PRIORITY:
		return "list of 8 numbers";
	case KNOB_TEXT:
		return "text";
	case KNOB_TABLE:
		return "list";
	}
	return "";
}

/* A bound that only keeps sums within 64 bits tells a reader nothing. */
#define NO_BOUND (INT64_C(1) << 60)

static bool has_range(const struct knob *row)
{
	return (row->min || row->max) && row->max < NO_BOUND && row->type != KNOB_BOOL &&
	       row->type != KNOB_PRIORITIES;
}

static void write_value(FILE *f, const struct knob *row)
{
	char lo[KNOB_TEXT_BYTES], hi[KNOB_TEXT_BYTES];
	const char *type = type_name(row->type), *gap = *type ? ", " : "";

	fputs(type, f);
	if (has_range(row))
		fprintf(f, " %s to %s", knob_format_value(row, row->min, lo),
		        knob_format_value(row, row->max, hi));
	for (const struct knob_word *w = row->words; w && w->word; w++) {
		fprintf(f, "%s`%s`", gap, w->word);
		gap = ", ";
	}
}

static void write_row(FILE *f, const struct knob_group *g, const struct knob *row)
{
	fprintf(f, "| `%s` | ", row->key);
	write_value(f, row);
	if (!row->def)
		fputs(" | required | ", f);
	else if (!*row->def)
		fputs(" | none | ", f);
	else
		fprintf(f, " | `%s` | ", row->def);
	cell(f, row->doc);
	write_applies(f, g, row);
	if (row->note) {
		fputc(' ', f);
		cell(f, row->note);
	}
	fputs(" | ", f);
	cell(f, row->source ? row->source : "");
	fputs(" |\n", f);
}

static void write_group(FILE *f, const struct knob_group *g)
{
	fprintf(f, "\n### %s\n\n%s\n\n", *g->path ? g->path : "Top level", g->doc);
	fputs("| key | value | default | meaning | source of the default |\n", f);
	fputs("|---|---|---|---|---|\n", f);
	for (size_t i = 0; i < g->n_rows; i++)
		write_row(f, g, &g->rows[i]);
}

static const char *value_in(const struct preset *p, const char *key)
{
	for (const struct preset_value *v = p->values; v->key; v++) {
		if (!strcmp(v->key, key))
			return v->value;
	}
	return "";
}

static const char *default_of(const char *key)
{
	const struct knob_slot *slot;
	const struct knob *row = knob_next(&slot, NULL, key);

	return row && row->def ? row->def : "";
}

/* A key stands in the row of the first preset that sets it. */
static bool is_first(const struct preset *const *at, const char *key)
{
	for (const struct preset *const *p = presets; p != at; p++) {
		if (*value_in(*p, key))
			return false;
	}
	return true;
}

static void write_presets(FILE *f)
{
	fputs("\n### Presets\n\n", f);
	for (const struct preset *const *p = presets; *p; p++)
		fprintf(f, "- `%s`: %s\n", (*p)->name, (*p)->doc);
	fputs("\n| key | default |", f);
	for (const struct preset *const *p = presets; *p; p++)
		fprintf(f, " %s |", (*p)->name);
	fputs("\n|---|---|", f);
	for (const struct preset *const *p = presets; *p; p++)
		fputs("---|", f);
	fputc('\n', f);
	for (const struct preset *const *p = presets; *p; p++) {
		for (const struct preset_value *v = (*p)->values; v->key; v++) {
			if (!is_first(p, v->key))
				continue;
			fprintf(f, "| `%s` | %s |", v->key, default_of(v->key));
			for (const struct preset *const *q = presets; *q; q++)
				fprintf(f, " %s |", value_in(*q, v->key));
			fputc('\n', f);
		}
	}
}

void knob_markdown_write(FILE *f)
{
	for (const struct knob_slot *s = knob_table; s->group; s++)
		write_group(f, s->group);
	write_presets(f);
}
