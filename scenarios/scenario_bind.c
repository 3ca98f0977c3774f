/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/knob_value.h"
#include "scenarios/scenario_int.h"

/* The path of a row or section as it stands in messages: the list index put back. */
static const char *shown_path(const struct bind *b, const char *full, char out[KNOB_PATH_BYTES])
{
	const char *rest = full + strlen(b->section);

	if (*rest == '.')
		rest++;
	(void)knob_join(out, b->shown, rest); /* cut where it is too long */
	return out;
}

/* The struct that a slot's offsets point into, NULL where this mapping does not fill it. */
static void *base_of(const struct bind *b, const struct knob_slot *slot)
{
	if (b->group)
		return slot->group == b->group ? b->base : NULL;
	return slot->offset == KNOB_PER_ENTRY ? NULL : (char *)b->s + slot->offset;
}

static int64_t choice_of(const struct knob_group *g, const void *base)
{
	const struct knob *row = knob_choice(g);

	return row ? *(const int64_t *)(const void *)((const char *)base + row->offset) : 0;
}

/* Of the rows of one path the one that applies and has the value's form. */
static const struct knob *pick_row(const struct bind *b, const struct knob_slot **slot,
        const char *full, const struct yaml_node *value)
{
	const struct knob_slot *at = NULL;
	const struct knob *best = NULL;
	int best_score = -1;

	for (const struct knob *r = NULL; (r = knob_next(&at, r, full));) {
		const void *base = base_of(b, at);
		bool applies = base && knob_applies(r, choice_of(at->group, base));
		bool has_form = (r->type == KNOB_TABLE) == (value->kind == YAML_LIST);
		int score = applies * 2 + has_form;

		if (score > best_score) {
			best_score = score;
			best = r;
			*slot = at;
		}
	}
	return best;
}

static int not_applicable(const struct bind *b, const struct knob_group *g, const void *base,
        const char *path, const struct yaml_node *value)
{
	const struct knob *choice = knob_choice(g);
	int64_t now = choice_of(g, base);
	char keys[400] = "";
	size_t used = 0;

	for (size_t i = 0; i < g->n_rows && used < sizeof(keys); i++) {
		int n;

		if (!knob_applies(&g->rows[i], now))
			continue;
		if (i && !strcmp(g->rows[i].key, g->rows[i - 1].key))
			continue;
		n = snprintf(keys + used, sizeof(keys) - used, "%s%s", used ? ", " : "",
		        g->rows[i].key);
		used += n < 0 ? 0 : (size_t)n;
	}
	return yaml_err(b->e, &value->key_at, "%s: not a key of %s %s; its keys are %s", path,
	        choice->key, knob_word_of(choice, now), keys);
}

static int value_text(struct knob_text *out, const struct yaml_node *value)
{
	*out = (struct knob_text){.is_list = value->kind == YAML_LIST};
	if (value->kind == YAML_SCALAR) {
		out->item[0] = value->text;
		out->n = 1;
		return 0;
	}
	for (const struct yaml_node *c = value->first; c; c = c->next) {
		if (c->kind != YAML_SCALAR)
			return -EINVAL;
		if (out->n < KNOB_LIST_ITEMS)
			out->item[out->n] = c->text;
		out->n++;
	}
	return value->kind == YAML_LIST ? 0 : -EINVAL;
}

static int store(const struct bind *b, const struct knob *row, void *base, const char *path,
        const char *full, const struct yaml_node *value)
{
	struct knob_text text;
	char expected[256];
	const char *later;
	int rc;

	if (value_text(&text, value))
		return yaml_err(b->e, &value->at, "%s: %s where one value belongs: expected %s",
		        path, value->kind == YAML_MAP ? "a mapping" : "a nested list",
		        knob_expected(row, expected, sizeof(expected)));
	later = value->kind == YAML_SCALAR ? scenario_later_word(full, value->text) : NULL;
	if (later && !knob_has_word(row, value->text))
		return yaml_err(b->e, &value->at, "%s: %s is not available yet (%s)", path,
		        value->text, later);
	rc = knob_parse(row, base, &text, b->e);
	if (rc) {
		(void)err_prefix(b->e, "%s", path);
		(void)yaml_err_prefix(b->e, &value->at);
	}
	return rc;
}

static int bind_row(struct bind *b, const struct knob_slot *slot, const struct knob *row,
        const char *full, const struct yaml_node *value)
{
	void *base = base_of(b, slot);
	char path[KNOB_PATH_BYTES];

	(void)shown_path(b, full, path);
	if (!base)
		return 0; /* a list of its own: workload, overrides, expect */
	if (!knob_applies(row, choice_of(slot->group, base)))
		return not_applicable(b, slot->group, base, path, value);
	if (b->is_set)
		b->is_set[row - slot->group->rows] = true;
	if (row->type == KNOB_TABLE) {
		if (b->group && value->kind != YAML_LIST)
			return yaml_err(b->e, &value->at, "%s: expected a list of lists", path);
		return 0; /* the key's own code reads it */
	}
	return store(b, row, base, path, full, value);
}

int scenario_unknown_key(struct err *e, const struct yaml_where *at, const char *section,
        const char *shown, const char *key)
{
	char near[KNOB_PATH_BYTES], keys[300], text[YAML_SHOWN_BYTES], path[KNOB_PATH_BYTES];

	(void)knob_join(path, shown, yaml_shown(text, key));
	if (knob_nearest_child(near, section, key))
		return yaml_err(e, at, "%s: unknown key; did you mean %s?", path, near);
	if (knob_find_elsewhere(near, key))
		return yaml_err(e, at, "%s: unknown key; did you mean %s?", path, near);
	return yaml_err(e, at, "%s: unknown key; %s takes %s", path,
	        *shown ? shown : "the top level",
	        knob_list_children(keys, sizeof(keys), section));
}

static int bind_map(struct bind *b, const struct yaml_node *map, const char *section);

static int bind_child(struct bind *b, const struct yaml_node *c, const char *section)
{
	char full[KNOB_PATH_BYTES], path[KNOB_PATH_BYTES], keys[300];
	const struct knob_slot *slot = NULL;
	const struct knob *row;
	int rc;

	(void)shown_path(b, section, path);
	if (strpbrk(c->key, ".[]") || !knob_join(full, section, c->key))
		return scenario_unknown_key(b->e, &c->key_at, section, path, c->key);
	row = pick_row(b, &slot, full, c);
	if (row)
		return bind_row(b, slot, row, full, c);
	if (scenario_later_key(&rc, full, c, b->e))
		return rc;
	if (!strcmp(full, "workload") || !strcmp(full, "faults"))
		return 0;
	if (!knob_is_section(full))
		return scenario_unknown_key(b->e, &c->key_at, section, path, c->key);
	row = c->kind == YAML_SCALAR && !strcmp(c->text, "off") ? knob_off_row(&slot, full)
	                                                        : NULL;
	if (row)
		return bind_row(b, slot, row, full, c);
	if (c->kind != YAML_MAP)
		return yaml_err(b->e, &c->at, "%s: expected a mapping with some of the keys %s",
		        shown_path(b, full, path),
		        knob_list_children(keys, sizeof(keys), full));
	return bind_map(b, c, full);
}

/* Recursion is as deep as the knob table's paths. */
static int bind_map(struct bind *b, const struct yaml_node *map, const char *section)
{
	int rc = 0;

	for (const struct yaml_node *c = map->first; c && !rc; c = c->next)
		rc = bind_child(b, c, section);
	return rc;
}

int scenario_bind_split(struct bind *own, struct bind *other, const struct yaml_node *map)
{
	const struct knob_slot *slot;
	char full[KNOB_PATH_BYTES];
	int rc = 0;

	knob_defaults(own->group, own->base);
	for (const struct yaml_node *c = map->first; c && !rc; c = c->next) {
		bool is_own = knob_join(full, own->section, c->key) &&
		              (knob_is_section(full) || knob_next(&slot, NULL, full));
		struct bind *b = is_own ? own : other;

		rc = bind_child(b, c, b->section);
	}
	return rc;
}

/* What stands at the row's path below map, or the deepest mapping on the way to it. */
static const struct yaml_node *look_down(
        const struct yaml_node *map, const char *path, bool *is_there)
{
	const struct yaml_node *n = map;
	char step[KNOB_PATH_BYTES];

	*is_there = false;
	while (*path) {
		size_t len = strcspn(path, ".");
		const struct yaml_node *below;

		(void)snprintf(step, sizeof(step), "%.*s", (int)len, path);
		below = yaml_get(n, step);
		if (!below)
			return n;
		n = below;
		path += len + (path[len] == '.');
	}
	*is_there = true;
	return n;
}

static const char *path_in_map(const struct bind *b, const char *full)
{
	const char *p = full + strlen(b->section);

	return *p == '.' ? p + 1 : p;
}

static int check_missing(
        const struct bind *b, const struct knob_slot *slot, const struct yaml_node *map)
{
	const struct knob_group *g = slot->group;
	int64_t choice = choice_of(g, base_of(b, slot));

	for (size_t i = 0; i < g->n_rows; i++) {
		const struct knob *row = &g->rows[i];
		char full[KNOB_PATH_BYTES], path[KNOB_PATH_BYTES], expected[256];
		const struct yaml_node *at;
		bool is_there;

		if (row->def || row->type == KNOB_TABLE || !knob_applies(row, choice) ||
		        !knob_join(full, g->path, row->key))
			continue;
		at = look_down(map, path_in_map(b, full), &is_there);
		if (!is_there && at->rank == YAML_PRESET)
			at = map; /* what a preset began stands nowhere in the file */
		if (!is_there)
			return yaml_err(b->e, &at->at, "%s is missing: expected %s",
			        shown_path(b, full, path),
			        knob_expected(row, expected, sizeof(expected)));
	}
	return 0;
}

/* The row that decides what applies must be known before the others are read. */
static int bind_choice(
        struct bind *b, const struct knob_slot *slot, const struct yaml_node *map)
{
	const struct knob *row = knob_choice(slot->group);
	char full[KNOB_PATH_BYTES], path[KNOB_PATH_BYTES];
	const struct yaml_node *at;
	bool is_there;

	if (!row || !knob_join(full, slot->group->path, row->key))
		return 0;
	at = look_down(map, path_in_map(b, full), &is_there);
	if (is_there)
		return store(b, row, base_of(b, slot), shown_path(b, full, path), full, at);
	if (!row->def) /* reported behind what is wrong with the keys that are there */
		*(int64_t *)(void *)((char *)base_of(b, slot) + row->offset) = KNOB_NO_CHOICE;
	return 0;
}

static const struct knob_slot *slot_of(const struct knob_group *g)
{
	const struct knob_slot *slot = knob_table;

	while (slot->group != g)
		slot++;
	return slot;
}

int scenario_bind_entry(struct bind *b, const struct yaml_node *map)
{
	const struct knob_slot *slot = slot_of(b->group);
	int rc;

	if (map->kind != YAML_MAP)
		return yaml_err(b->e, &map->at, "%s: expected a mapping of keys", b->shown);
	knob_defaults(b->group, b->base);
	rc = bind_choice(b, slot, map);
	if (!rc)
		rc = bind_map(b, map, b->section);
	return rc ? rc : check_missing(b, slot, map);
}

/* Links handed over by an importer stand for the topology's own keys. */
static bool is_exempt(const struct scenario *s, const struct knob_slot *slot)
{
	return slot->group == &topo_knobs && s->doc->n_links;
}

int scenario_bind_root(struct scenario *s, struct err *e)
{
	struct bind b = {.s = s, .section = "", .shown = "", .e = e};
	const struct yaml_node *root = s->doc->yaml.root;
	const struct knob_slot *slot;
	int rc = 0;

	for (slot = knob_table; slot->group; slot++) {
		if (slot->offset != KNOB_PER_ENTRY)
			knob_defaults(slot->group, base_of(&b, slot));
	}
	for (slot = knob_table; slot->group && !rc; slot++) {
		if (slot->offset != KNOB_PER_ENTRY && !is_exempt(s, slot))
			rc = bind_choice(&b, slot, root);
	}
	if (!rc)
		rc = bind_map(&b, root, "");
	for (slot = knob_table; slot->group && !rc; slot++) {
		if (slot->offset != KNOB_PER_ENTRY && !is_exempt(s, slot))
			rc = check_missing(&b, slot, root);
	}
	return rc;
}
