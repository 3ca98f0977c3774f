/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/config_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/knob_table.h"
#include "scenarios/knob_value.h"
#include "scenarios/scenario_int.h"
#include "scenarios/scenario_knobs.h"

struct rows {
	struct config_row *at;
	uint32_t n, cap;
	bool failed;
};

static void add(struct rows *r, const char *key, const char *value, const char *usual,
        const char *source, bool differs)
{
	struct config_row *c;

	if (r->n == r->cap) {
		uint32_t cap = r->cap ? r->cap * 2 : 64;
		void *grown = reallocarray(r->at, cap, sizeof(*r->at));

		if (!grown) {
			r->failed = true;
			return;
		}
		r->at = grown;
		r->cap = cap;
	}
	c = &r->at[r->n++];
	*c = (struct config_row){
	        strdup(key), strdup(value), usual ? strdup(usual) : NULL, source, differs};
	if (!c->key || !c->value || (usual && !c->usual))
		r->failed = true;
}

static const char *text_of(const struct knob *row, const void *base)
{
	const char *text =
	        *(const char *const *)(const void *)((const char *)base + row->offset);

	return text ? text : "";
}

static const char *value_of(const struct knob *row, const void *base, char *buf)
{
	return row->type == KNOB_TEXT ? text_of(row, base) : knob_format(row, base, buf);
}

static void add_group(
        struct rows *r, const struct knob_group *g, const char *prefix, const void *base)
{
	const struct knob *choice = knob_choice(g);
	const int64_t now =
	        choice ? *(const int64_t *)(const void *)((const char *)base + choice->offset)
	               : 0;
	void *usual = calloc(1, g->struct_bytes + 1);

	if (!usual) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < g->n_rows; i++) {
		const struct knob *row = &g->rows[i];
		char path[KNOB_PATH_BYTES], value[KNOB_TEXT_BYTES], def[KNOB_TEXT_BYTES];
		const char *v, *d = NULL;

		if (row->type == KNOB_TABLE || !knob_applies(row, now) ||
		        !knob_join(path, prefix, row->key))
			continue;
		v = value_of(row, base, value);
		if (row->def) {
			knob_default(row, usual);
			d = value_of(row, usual, def);
		}
		add(r, path, v, d, row->source, d && strcmp(v, d) != 0);
	}
	free(usual);
}

static void add_entry(struct rows *r, const struct load_entry *en)
{
	char prefix[48];

	(void)snprintf(prefix, sizeof(prefix), "workload[%" PRIu32 "]", en->index);
	add_group(r, &load_knobs, prefix, &en->cfg);
}

int config_rows_init(
        struct config_row **out, uint32_t *n, const struct scenario *s, struct err *e)
{
	struct rows r = {0};

	for (const struct knob_slot *slot = knob_table; slot->group; slot++) {
		const void *base = (const char *)s + slot->offset;

		if (slot->offset != KNOB_PER_ENTRY && slot->group->struct_bytes)
			add_group(&r, slot->group, slot->group->path, base);
	}
	for (uint32_t i = 0; i < s->n_entries; i++)
		add_entry(&r, &s->entry[i]);
	if (r.failed) {
		config_rows_fini(r.at, r.n);
		return err_set(e, -ENOMEM, "results: out of memory for the configuration");
	}
	*out = r.at;
	*n = r.n;
	return 0;
}

void config_rows_fini(struct config_row *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		free(row[i].key);
		free(row[i].value);
		free(row[i].usual);
	}
	free(row);
}
