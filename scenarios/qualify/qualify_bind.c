/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/nearest.h"
#include "scenarios/knob_table.h"
#include "scenarios/knob_value.h"
#include "scenarios/qualify/qualify_facts.h"
#include "scenarios/qualify/qualify_made.h"
#include "scenarios/qualify/qualify_times.h"
#include "scenarios/yaml_emit.h"

#define MAX_TEXT_BYTES 4096

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "suite: not enough memory");
}

static const char *value_of(const struct qscope *s, const char *name, size_t len)
{
	for (uint32_t i = 0; i < s->n_params; i++)
		if (strlen(s->param[i].name) == len && !strncmp(s->param[i].name, name, len))
			return s->param[i].value;
	if (s->cable && len == 5 && !strncmp("cable", name, len))
		return s->cable;
	return qualify_time_of(s->times, name, len);
}

/* One of the switch's; -1 and no text: no such name. */
static const char *fact_of(
        int *fact, const struct qscope *s, const char *name, size_t len, struct err *e)
{
	*fact = s->facts ? qualify_fact(name, len) : -1;
	if (*fact >= 0 && !s->facts->text[*fact])
		(void)err_set(e, QUALIFY_LACKS, "%s", s->facts->lacks[*fact]);
	return *fact < 0 ? NULL : s->facts->text[*fact];
}

static int unknown_name(const struct qscope *s, const char *name, size_t len,
        const struct yaml_node *at, struct err *e)
{
	char want[64], names[256] = "";
	struct nearest near;
	size_t used = 0;

	(void)snprintf(want, sizeof(want), "%.*s", (int)(len < 60 ? len : 60), name);
	nearest_init(&near, want);
	for (uint32_t i = 0; i < s->n_params && used < sizeof(names); i++) {
		int n = snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
		        s->param[i].name);

		used += n < 0 ? 0 : (size_t)n;
		nearest_offer(&near, s->param[i].name);
	}
	if (nearest_get(&near))
		return yaml_err(e, &at->at,
		        "${%s}: not a name of the case; did you mean ${%s}?", want,
		        nearest_get(&near));
	return yaml_err(e, &at->at, "${%s}: not a name of the case; it has %s", want,
	        *names ? names : "no `each`");
}

const char *qualify_text(const struct qscope *s, const struct yaml_node *scalar, struct err *e)
{
	char out[MAX_TEXT_BYTES];
	const char *kept;
	size_t used = 0;

	if (!strstr(scalar->text, "${") && !qualify_is_made(scalar->text))
		return scalar->text;
	for (const char *p = scalar->text; *p;) {
		const char *end = !strncmp(p, "${", 2) ? strchr(p, '}') : NULL;
		const char *from = p;
		size_t n = 1;

		if (end) {
			const size_t len = (size_t)(end - p) - 2;
			int fact = -1;

			from = value_of(s, p + 2, len);
			if (!from)
				from = fact_of(&fact, s, p + 2, len, e);
			if (!from && fact < 0)
				(void)unknown_name(s, p + 2, len, scalar, e);
			if (!from)
				return NULL;
			n = strlen(from);
		}
		if (used + n >= sizeof(out)) {
			(void)yaml_err(e, &scalar->at, "a text above %d bytes", MAX_TEXT_BYTES);
			return NULL;
		}
		memcpy(out + used, from, n);
		used += n;
		p = end ? end + 1 : p + 1;
	}
	kept = arena_text(s->arena, out, used);
	if (!kept)
		(void)no_memory(e);
	return kept && qualify_is_made(kept) ? qualify_made(s, kept, scalar, e) : kept;
}

/* Grows a flow text in the stream; depth is bounded by the reader of the tree. */
static int put_yaml(FILE *f, const struct qscope *s, const struct yaml_node *n, struct err *e)
{
	const bool is_map = n->kind == YAML_MAP;

	if (n->kind == YAML_SCALAR) {
		const char *text = qualify_text(s, n, e);

		if (!text)
			return e ? e->code : -EINVAL;
		if (n->quoted && !qualify_is_made(n->text))
			yaml_emit_quoted(f, text);
		else
			(void)fputs(text, f);
		return 0;
	}
	(void)fputc(is_map ? '{' : '[', f);
	for (const struct yaml_node *c = n->first; c; c = c->next) {
		int rc;

		if (is_map)
			(void)fprintf(f, "%s: ", c->key);
		rc = put_yaml(f, s, c, e);
		if (rc)
			return rc;
		if (c->next)
			(void)fputs(", ", f);
	}
	(void)fputc(is_map ? '}' : ']', f);
	return 0;
}

const char *qualify_yaml(const struct qscope *s, const struct yaml_node *n, struct err *e)
{
	char *text = NULL;
	const char *kept = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int rc;

	if (!f) {
		(void)no_memory(e);
		return NULL;
	}
	rc = put_yaml(f, s, n, e);
	if (fclose(f) && !rc)
		rc = no_memory(e);
	if (!rc) {
		kept = arena_text(s->arena, text, len);
		if (!kept)
			(void)no_memory(e);
	}
	free(text);
	return kept;
}

static bool is_list_type(enum knob_type t)
{
	return t == KNOB_PRIORITIES || t == KNOB_EACH_PRIORITY;
}

/* "[3, 4]", "3" -> items; what a matrix put in may be a list. */
static int split(const struct qscope *s, struct knob_text *out, const char *text)
{
	char *copy = arena_text(s->arena, text, strlen(text)), *at = copy, *item;

	if (!copy)
		return -ENOMEM;
	out->is_list = 1;
	while ((item = strsep(&at, "[], ")) != NULL) {
		if (!*item)
			continue;
		if (out->n < KNOB_LIST_ITEMS)
			out->item[out->n] = item;
		out->n++;
	}
	return 0;
}

/* A text row takes a list too: its items with blanks between them. */
static int join(const struct qscope *s, struct knob_text *out, struct err *e)
{
	char text[MAX_TEXT_BYTES] = "";
	size_t used = 0;

	for (size_t i = 0; i < out->n; i++) {
		int n = snprintf(
		        text + used, sizeof(text) - used, "%s%s", i ? " " : "", out->item[i]);

		used += n < 0 ? 0 : (size_t)n;
		if (used >= sizeof(text))
			return err_set(e, -EINVAL, "too long a list");
	}
	out->item[0] = arena_text(s->arena, text, used);
	if (!out->item[0])
		return no_memory(e);
	out->n = 1;
	out->is_list = 0;
	return 0;
}

static int value_text(const struct qscope *s, struct knob_text *out, const struct knob *row,
        const struct yaml_node *n, struct err *e)
{
	*out = (struct knob_text){.is_list = n->kind == YAML_LIST};
	if (n->kind == YAML_SCALAR) {
		out->item[0] = qualify_text(s, n, e);
		out->n = 1;
		if (!out->item[0])
			return e ? e->code : -EINVAL;
		if (is_list_type(row->type)) {
			const char *text = out->item[0];

			*out = (struct knob_text){0};
			return split(s, out, text) ? no_memory(e) : 0;
		}
		return 0;
	}
	for (const struct yaml_node *c = n->first; c; c = c->next) {
		if (c->kind != YAML_SCALAR || n->kind != YAML_LIST || out->n == KNOB_LIST_ITEMS)
			return yaml_err(
			        e, &c->at, "%s: expected one value or a short list", row->key);
		out->item[out->n] = qualify_text(s, c, e);
		if (!out->item[out->n++])
			return e ? e->code : -EINVAL;
	}
	return row->type == KNOB_TEXT ? join(s, out, e) : 0;
}

static int unknown_key(const struct yaml_node *n, const struct knob_group *g,
        const char *const *others, int64_t choice, struct err *e)
{
	char keys[400] = "", shown[YAML_SHOWN_BYTES];
	struct nearest near;
	size_t used = 0;

	nearest_init(&near, n->key);
	for (size_t i = 0; i < g->n_rows; i++) {
		int w;

		if (!knob_applies(&g->rows[i], choice))
			continue;
		nearest_offer(&near, g->rows[i].key);
		w = used < sizeof(keys) ? snprintf(keys + used, sizeof(keys) - used, "%s%s",
		                                  used ? ", " : "", g->rows[i].key)
		                        : 0;
		used += w < 0 ? 0 : (size_t)w;
	}
	for (; others && *others; others++)
		nearest_offer(&near, *others);
	if (nearest_get(&near))
		return yaml_err(e, &n->key_at, "%s: unknown key; did you mean %s?",
		        yaml_shown(shown, n->key), nearest_get(&near));
	return yaml_err(e, &n->key_at, "%s: unknown key; %s takes %s",
	        yaml_shown(shown, n->key), g->path, keys);
}

static const struct knob *row_of(const struct knob_group *g, const char *key)
{
	for (size_t i = 0; i < g->n_rows; i++)
		if (!strcmp(g->rows[i].key, key))
			return &g->rows[i];
	return NULL;
}

static bool is_other(const char *const *others, const char *key)
{
	for (; others && *others; others++)
		if (!strcmp(*others, key))
			return true;
	return false;
}

static int store(const struct qscope *s, const struct knob *row, void *base,
        const struct yaml_node *n, struct err *e)
{
	struct knob_text text;
	char expected[256];
	int rc;

	if (n->kind == YAML_MAP)
		return yaml_err(e, &n->at, "%s: a mapping where one value belongs: expected %s",
		        row->key, knob_expected(row, expected, sizeof(expected)));
	rc = value_text(s, &text, row, n, e);
	if (rc)
		return rc;
	if (!text.is_list && row->type == KNOB_TIME)
		rc = qualify_sum(&text.item[0], UNIT_TIME, s->arena, e);
	if (!text.is_list && row->type == KNOB_FRACTION && strchr(text.item[0], '%'))
		rc = qualify_sum(&text.item[0], UNIT_FRACTION, s->arena, e);
	if (!rc)
		rc = knob_parse(row, base, &text, e);
	if (rc) {
		(void)err_prefix(e, "%s", row->key);
		(void)yaml_err_prefix(e, &n->at);
	}
	return rc;
}

static int64_t choice_of(const struct knob_group *g, const void *base)
{
	const struct knob *row = knob_choice(g);

	return row ? *(const int64_t *)(const void *)((const char *)base + row->offset)
	           : KNOB_NO_CHOICE;
}

static int bind_choice(const struct qscope *s, const struct yaml_node *map,
        const struct knob_group *g, void *base, struct err *e)
{
	const struct knob *row = knob_choice(g);
	const struct yaml_node *n = row ? yaml_get(map, row->key) : NULL;
	char expected[256];

	if (!row)
		return 0;
	if (!n && !row->def)
		return yaml_err(e, &map->at, "%s: %s is missing: expected %s", g->path,
		        row->key, knob_expected(row, expected, sizeof(expected)));
	return n ? store(s, row, base, n, e) : 0;
}

static int check_missing(
        const struct yaml_node *map, const struct knob_group *g, void *base, struct err *e)
{
	int64_t choice = choice_of(g, base);

	for (size_t i = 0; i < g->n_rows; i++) {
		const struct knob *row = &g->rows[i];
		char expected[256];

		if (!row->def && knob_applies(row, choice) && !yaml_get(map, row->key))
			return yaml_err(e, &map->at, "%s: %s is missing: expected %s", g->path,
			        row->key, knob_expected(row, expected, sizeof(expected)));
	}
	return 0;
}

int qualify_bind(const struct qscope *s, const struct yaml_node *map,
        const struct knob_group *g, void *base, const char *const *others, struct err *e)
{
	int rc;

	if (map->kind != YAML_MAP)
		return yaml_err(e, &map->at, "%s: expected a mapping of keys", g->path);
	knob_defaults(g, base);
	rc = bind_choice(s, map, g, base, e);
	for (const struct yaml_node *n = map->first; n && !rc; n = n->next) {
		const struct knob *row = row_of(g, n->key);

		if (is_other(others, n->key))
			continue;
		if (!row || !knob_applies(row, choice_of(g, base)))
			rc = unknown_key(n, g, others, choice_of(g, base), e);
		else
			rc = store(s, row, base, n, e);
	}
	return rc ? rc : check_missing(map, g, base, e);
}

int qualify_numbers(int64_t *out, uint32_t *n, uint32_t room, const char *text, int64_t max,
        const struct yaml_node *at, const char *key, struct err *e)
{
	char shown[YAML_SHOWN_BYTES];
	const char *p = text;

	*n = 0;
	for (;;) {
		unsigned long v;
		char *end;

		p += strspn(p, "[], ");
		if (!*p)
			break;
		errno = 0;
		v = strtoul(p, &end, 10);
		if (end == p || errno || v > (unsigned long)max || *p == '-' || *p == '+')
			return yaml_err(e, &at->at,
			        "%s: \"%s\": expected whole numbers from 0 to %lld, such as "
			        "[1, 2]",
			        key, yaml_shown(shown, p), (long long)max);
		if (*n == room)
			return yaml_err(e, &at->at, "%s: more than %u numbers", key, room);
		out[(*n)++] = (int64_t)v;
		p = end;
	}
	return *n ? 0 : yaml_err(e, &at->at, "%s: expected at least one number", key);
}
