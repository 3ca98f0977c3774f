/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From libfyaml's events to the tree. Aliases are expanded here, as copies under the bound on
 * nodes, so that nested aliases cannot multiply beyond it; the library's own resolver is not
 * used.
 */
#include "scenarios/yaml_tree.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/utf8.h"
#include "scenarios/yaml_bytes.h"

struct anchor {
	const char *name;
	struct yaml_node *node;
	struct anchor *next;
};

struct reader {
	struct yaml_doc *doc;
	struct fy_parser *parser;
	struct fy_diag *diag;
	const char *name, *source;
	size_t source_len;
	bool is_value; /* positions are `name` alone */
	enum yaml_rank rank;
	struct anchor *anchors;
	struct yaml_node *open[YAML_MAX_DEPTH];
	const char *key; /* of the mapping on top, waiting for its value */
	struct yaml_where key_at;
	uint32_t depth;
	struct yaml_node *root;
	bool has_root;
	struct err *e;
};

/* Diagnostics are collected and read afterwards; nothing may reach stderr. */
static void swallow(struct fy_diag *diag, void *user, const char *buf, size_t len)
{
	(void)diag;
	(void)user;
	(void)buf;
	(void)len;
}

/* The library marks the character behind a quote or a star. */
static bool is_behind_a_sign(struct fy_event *ev)
{
	enum fy_scalar_style style;

	if (ev->type == FYET_ALIAS)
		return true;
	if (ev->type != FYET_SCALAR || !ev->scalar.value)
		return false;
	style = fy_token_scalar_style(ev->scalar.value);
	return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static struct yaml_where where(const struct reader *r, struct fy_event *ev)
{
	const struct fy_mark *m = fy_event_start_mark(ev);
	struct yaml_where at = {.name = r->name};

	if (!r->is_value && m) {
		at.line = (uint32_t)m->line + 1;
		at.column =
		        (uint32_t)m->column + (m->column > 0 && is_behind_a_sign(ev) ? 0 : 1);
	}
	return at;
}

static int no_memory(const struct reader *r)
{
	if (r->doc->n_nodes >= YAML_MAX_NODES)
		return yaml_too_many(r->name, r->e);
	return err_set(r->e, -ENOMEM, "%s: not enough memory to read it", r->name);
}

/*
 * libfyaml 0.7.12 decodes adjacent escaped quotes of single-quoted text wrongly and loses
 * memory doing so ('x''''y' becomes x''' instead of x''y); such text is refused before it is
 * decoded.
 */
static int check_quotes(struct reader *r, struct fy_event *ev)
{
	struct fy_token *token = ev->scalar.value;
	const struct fy_mark *from, *to;
	struct yaml_where at = where(r, ev);

	if (!token || fy_token_scalar_style(token) != FYSS_SINGLE_QUOTED)
		return 0;
	from = fy_token_start_mark(token);
	to = fy_token_end_mark(token);
	if (from && to && from->input_pos < to->input_pos && to->input_pos <= r->source_len &&
	        !memmem(r->source + from->input_pos, to->input_pos - from->input_pos, "''''",
	                4))
		return 0;
	if (from && to && from->input_pos == to->input_pos)
		return 0;
	return yaml_err(r->e, &at, "quotes in a row: write this text in double quotes");
}

static int add_node(struct reader *r, struct yaml_node *n, const struct yaml_where *at)
{
	struct yaml_node *parent;

	if (!r->depth) {
		r->root = n;
		r->has_root = true;
		return 0;
	}
	parent = r->open[r->depth - 1];
	if (parent->kind == YAML_MAP) {
		n->key = r->key;
		n->key_at = r->key_at;
		r->key = NULL;
	} else {
		n->key_at = *at;
	}
	return yaml_append(parent, n, r->e);
}

static bool wants_key(const struct reader *r)
{
	return r->depth && r->open[r->depth - 1]->kind == YAML_MAP && !r->key;
}

static int set_anchor(struct reader *r, struct fy_event *ev, struct yaml_node *n)
{
	struct fy_token *token = fy_event_get_anchor_token(ev);
	struct anchor *a;
	const char *text;
	size_t len = 0;

	if (!token)
		return 0;
	text = fy_token_get_text(token, &len);
	a = arena_take(&r->doc->arena, sizeof(*a));
	if (!a)
		return no_memory(r);
	a->name = text ? arena_text(&r->doc->arena, text, len) : NULL;
	if (!a->name)
		return no_memory(r);
	a->node = n;
	a->next = r->anchors;
	r->anchors = a;
	return 0;
}

static int refuse_tag(struct reader *r, struct fy_event *ev)
{
	struct yaml_where at = where(r, ev);

	if (!fy_event_get_tag_token(ev))
		return 0;
	return yaml_err(r->e, &at, "tags such as !name have no meaning here; remove it");
}

static int open_node(struct reader *r, struct fy_event *ev, enum yaml_kind kind)
{
	struct yaml_where at = where(r, ev);
	struct yaml_node *n;
	int rc;

	if (wants_key(r))
		return yaml_err(r->e, &at, "a key must be a plain word, not a list or mapping");
	if (r->depth >= YAML_MAX_DEPTH)
		return yaml_err(r->e, &at, "nested more than %d levels deep", YAML_MAX_DEPTH);
	n = yaml_new(r->doc, kind, &at, r->rank);
	if (!n)
		return no_memory(r);
	rc = add_node(r, n, &at);
	if (rc)
		return rc;
	r->open[r->depth++] = n;
	return set_anchor(r, ev, n);
}

static int add_scalar(struct reader *r, struct fy_event *ev)
{
	struct yaml_where at = where(r, ev);
	struct yaml_node *n;
	const char *text;
	size_t len = 0;
	char *copy;
	int rc;

	rc = check_quotes(r, ev);
	if (rc)
		return rc;
	text = fy_token_get_text(ev->scalar.value, &len);
	copy = arena_text(&r->doc->arena, text ? text : "", text ? len : 0);
	if (!copy)
		return no_memory(r);
	if (strlen(copy) != len)
		return yaml_err(r->e, &at, "a text holds a NUL character");
	if (!utf8_is_shown(copy)) /* "\u001b" */
		return yaml_err(r->e, &at,
		        "a text holds a character that steers a terminal or turns the "
		        "direction of writing; remove it");
	if (wants_key(r)) {
		if (!*copy)
			return yaml_err(r->e, &at, "expected a key before the colon");
		r->key = copy;
		r->key_at = at;
		return 0;
	}
	if (!at.line && r->key)
		at = r->key_at; /* "key:" with nothing behind it */
	n = yaml_new(r->doc, YAML_SCALAR, &at, r->rank);
	if (!n)
		return no_memory(r);
	n->text = copy;
	n->quoted = ev->scalar.value && fy_token_scalar_style(ev->scalar.value) != FYSS_PLAIN;
	rc = add_node(r, n, &at);
	return rc ? rc : set_anchor(r, ev, n);
}

static bool is_open(const struct reader *r, const struct yaml_node *n)
{
	for (uint32_t i = 0; i < r->depth; i++) {
		if (r->open[i] == n)
			return true;
	}
	return false;
}

/* Recursion is bounded by the depth of the tree, which expansion may not raise either. */
static struct yaml_node *copy_tree(
        struct reader *r, const struct yaml_node *from, uint32_t depth)
{
	struct yaml_node *n;

	if (depth > YAML_MAX_DEPTH)
		return NULL;
	n = yaml_new(r->doc, from->kind, &from->at, r->rank);
	if (!n)
		return NULL;
	n->text = from->text;
	n->quoted = from->quoted;
	for (const struct yaml_node *c = from->first; c; c = c->next) {
		struct yaml_node *child = copy_tree(r, c, depth + 1);

		if (!child)
			return NULL;
		child->key = c->key;
		child->key_at = c->key_at;
		if (n->last)
			n->last->next = child;
		else
			n->first = child;
		n->last = child;
		n->n_children++;
	}
	return n;
}

static int add_alias(struct reader *r, struct fy_event *ev)
{
	struct yaml_where at = where(r, ev);
	const struct anchor *a = r->anchors;
	char shown[YAML_SHOWN_BYTES];
	struct yaml_node *n;
	char *name;
	const char *text;
	size_t len = 0;

	text = fy_token_get_text(ev->alias.anchor, &len);
	name = arena_text(&r->doc->arena, text ? text : "", text ? len : 0);
	if (!name)
		return no_memory(r);
	if (wants_key(r))
		return yaml_err(r->e, &at, "a key must be a plain word, not an alias");
	while (a && strcmp(a->name, name))
		a = a->next;
	if (!a)
		return yaml_err(r->e, &at, "*%s: no &%s stands before it",
		        yaml_shown(shown, name), shown);
	if (is_open(r, a->node))
		return yaml_err(r->e, &at, "*%s: stands inside the value that it repeats",
		        yaml_shown(shown, name));
	n = copy_tree(r, a->node, r->depth);
	if (!n && r->doc->n_nodes < YAML_MAX_NODES)
		return yaml_err(r->e, &at, "*%s: nested more than %d levels deep",
		        yaml_shown(shown, name), YAML_MAX_DEPTH);
	if (!n)
		return no_memory(r);
	return add_node(r, n, &at);
}

static int take_event(struct reader *r, struct fy_event *ev)
{
	struct yaml_where at = where(r, ev);
	int rc = 0;

	if (ev->type == FYET_SCALAR || ev->type == FYET_MAPPING_START ||
	        ev->type == FYET_SEQUENCE_START)
		rc = refuse_tag(r, ev);
	if (rc)
		return rc;
	switch (ev->type) {
	case FYET_DOCUMENT_START:
		if (r->has_root)
			return yaml_err(
			        r->e, &at, "a second document begins here; one file holds one");
		return 0;
	case FYET_MAPPING_START:
		return open_node(r, ev, YAML_MAP);
	case FYET_SEQUENCE_START:
		return open_node(r, ev, YAML_LIST);
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		r->depth--;
		return 0;
	case FYET_SCALAR:
		return add_scalar(r, ev);
	case FYET_ALIAS:
		return add_alias(r, ev);
	default:
		return 0;
	}
}

/* The library collects no error about a version that it does not know. */
static int version_error(struct reader *r)
{
	struct yaml_where at = {.name = r->name, .column = 1};
	const char *line = r->source, *end = r->source + r->source_len;
	char shown[YAML_SHOWN_BYTES], version[16];

	for (; line; line = memchr(line, '\n', (size_t)(end - line))) {
		line += line != r->source;
		at.line++;
		if (end - line < 7 || memcmp(line, "%YAML", 5) != 0)
			continue;
		line += 5 + strspn(line + 5, " \t");
		(void)snprintf(
		        version, sizeof(version), "%.*s", (int)strcspn(line, " \t\r\n#"), line);
		if (strncmp(version, "1.", 2) != 0)
			return yaml_err(r->e, &at,
			        "%%YAML %s: expected 1.2, the version of YAML that is read",
			        yaml_shown(shown, version));
	}
	return no_memory(r);
}

/* The library's first error, with its position. */
static int syntax_error(struct reader *r)
{
	struct yaml_where at = {.name = r->name};
	const struct fy_diag_error *first;
	void *it = NULL;

	first = fy_diag_errors_iterate(r->diag, &it);
	if (!first)
		return version_error(r);
	if (!r->is_value && first->line >= 0) {
		at.line = (uint32_t)first->line + (first->line > 0 ? 0u : 1u);
		at.column = (uint32_t)(first->column > 0 ? first->column : 1);
	}
	return yaml_err(r->e, &at, "not YAML: %s", first->msg ? first->msg : "syntax error");
}

static int read_events(struct reader *r, const char *text, size_t len)
{
	struct fy_event *ev;
	int rc = 0;

	if (fy_parser_set_string(r->parser, text, len))
		return no_memory(r);
	while (!rc && (ev = fy_parser_parse(r->parser))) {
		enum fy_event_type type = ev->type;

		rc = take_event(r, ev);
		fy_parser_event_free(r->parser, ev);
		if (type == FYET_STREAM_END)
			break;
	}
	if (!rc && (fy_parser_get_stream_error(r->parser) || r->depth))
		rc = syntax_error(r);
	return rc;
}

static int read_text(struct reader *r, const char *text, size_t len)
{
	struct fy_diag_cfg diag_cfg;
	struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG |
	                                    FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
	                                    FYPCF_DISABLE_MMAP_OPT};
	int rc;

	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag_cfg.output_fn = swallow;
	diag_cfg.colorize = false;
	r->diag = fy_diag_create(&diag_cfg);
	if (!r->diag)
		return no_memory(r);
	fy_diag_set_collect_errors(r->diag, true);
	cfg.diag = r->diag;
	r->parser = fy_parser_create(&cfg);
	rc = r->parser ? read_events(r, text, len) : no_memory(r);
	if (r->parser)
		fy_parser_destroy(r->parser);
	fy_diag_destroy(r->diag);
	return rc;
}

static int read_any(struct reader *r, struct yaml_node **out, const char *text, size_t len)
{
	int rc;

	*out = NULL;
	r->source = text;
	r->source_len = len;
	rc = yaml_check_bytes(text, len, r->name, r->is_value, r->e);
	if (!rc)
		rc = read_text(r, text, len);
	if (!rc)
		*out = r->root;
	return rc;
}

int yaml_read(struct yaml_doc *d, struct yaml_node **out, const char *text, size_t len,
        const char *name, struct err *e)
{
	struct reader r = {.doc = d, .name = name, .rank = YAML_FILE, .e = e};

	return read_any(&r, out, text, len);
}

int yaml_read_value(struct yaml_doc *d, struct yaml_node **out, const char *text,
        const char *where_text, enum yaml_rank rank, struct err *e)
{
	struct reader r = {
	        .doc = d, .name = where_text, .is_value = true, .rank = rank, .e = e};

	return read_any(&r, out, text, strlen(text));
}
