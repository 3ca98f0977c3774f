/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/yaml_path.h"

#include <errno.h>
#include <string.h>

#define STEP_BYTES 128

/* One step of a path: a key, or an index. */
struct step {
	char key[STEP_BYTES];
	bool is_index;
	uint32_t index;
};

/* The step at *p, which moves behind it and its dot; false at the end or if it is not a step.
 */
static bool next_step(struct step *s, const char **p)
{
	size_t n;

	s->is_index = **p == '[';
	if (s->is_index) {
		uint64_t v = 0;

		for (n = 1; (*p)[n] >= '0' && (*p)[n] <= '9' && n < 10; n++)
			v = v * 10 + (uint64_t)((*p)[n] - '0');
		if (n == 1 || (*p)[n] != ']')
			return false;
		s->index = (uint32_t)v;
		n++;
	} else {
		n = strcspn(*p, ".[");
		if (!n || n >= STEP_BYTES)
			return false;
		memcpy(s->key, *p, n);
		s->key[n] = '\0';
	}
	*p += n;
	if (**p == '.' && (*p)[1])
		(*p)++;
	return true;
}

static struct yaml_node *child(const struct yaml_node *n, const struct step *s)
{
	if (!s->is_index)
		return yaml_get(n, s->key);
	return n->kind == YAML_LIST ? yaml_at(n, s->index) : NULL;
}

struct yaml_node *yaml_find(const struct yaml_node *root, const char *path)
{
	struct yaml_node *n = NULL;
	struct step s;

	while (root && *path) {
		if (!next_step(&s, &path))
			return NULL;
		n = child(root, &s);
		root = n;
	}
	return n;
}

bool yaml_path_generic(char *out, size_t len, const char *path)
{
	bool in_index = false;
	size_t n = 0;

	for (const char *p = path; *p; p++) {
		if (*p == ']')
			in_index = false;
		if (in_index && (*p < '0' || *p > '9'))
			return false;
		if (in_index)
			continue;
		if (*p == '[')
			in_index = true;
		if (n + 1 >= len)
			return false;
		out[n++] = *p;
	}
	out[n] = '\0';
	return n && !in_index;
}

static int out_of_memory(const struct yaml_doc *d, const struct yaml_node *value, struct err *e)
{
	if (d->n_nodes >= YAML_MAX_NODES)
		return yaml_err(e, &value->at, "more than %u values", YAML_MAX_NODES);
	return err_set(e, -ENOMEM, "%s: not enough memory", value->at.name);
}

/* The child for a step on the way, made if it can be. */
static int descend(struct yaml_doc *d, struct yaml_node **at, const struct step *s,
        const struct yaml_node *value, struct err *e)
{
	struct yaml_node *parent = *at, *n = child(parent, s);
	/* a preset is right, so the file that it meets is not */
	const struct yaml_where *wrong = parent->rank > value->rank ? &parent->at : &value->at;

	if (n) {
		*at = n;
		return 0;
	}
	if (s->is_index && parent->kind == YAML_LIST)
		return yaml_err(e, &value->at,
		        "there is no entry %u, the list has %u (counted from 0)", s->index,
		        parent->n_children);
	if (s->is_index && parent->key && !parent->n_children)
		return yaml_err(e, wrong,
		        "%s has no entry %u, for it has none: set all of it, %s=[...]",
		        parent->key, s->index, parent->key);
	if (s->is_index || parent->kind != YAML_MAP)
		return yaml_err(e, wrong, "%s is not a %s",
		        parent->key ? parent->key : "the file",
		        s->is_index ? "list" : "mapping of keys");
	n = yaml_new(d, YAML_MAP, &value->at, value->rank);
	if (!n)
		return out_of_memory(d, value, e);
	n->key = arena_text(&d->arena, s->key, strlen(s->key));
	if (!n->key)
		return out_of_memory(d, value, e);
	*at = n;
	return yaml_append(parent, n, e);
}

/* Depth is bounded by YAML_MAX_DEPTH: both trees were read under that bound. */
static int place(struct yaml_doc *d, struct yaml_node *parent, const struct step *s,
        struct yaml_node *value, struct err *e)
{
	struct yaml_node *old = child(parent, s), *c, *next;

	if (old && old->kind == YAML_MAP && value->kind == YAML_MAP) {
		for (c = value->first; c; c = next) {
			struct step below = {.is_index = false};
			size_t n = strlen(c->key);
			int rc;

			next = c->next;
			c->next = NULL;
			if (n >= STEP_BYTES)
				return yaml_err(e, &value->at, "a key of %zu characters", n);
			memcpy(below.key, c->key, n + 1);
			rc = place(d, old, &below, c, e);
			if (rc)
				return rc;
		}
		return 0;
	}
	if (old) {
		if (old->rank <= value->rank)
			yaml_replace(parent, old, value);
		return 0;
	}
	if (s->is_index || parent->kind != YAML_MAP)
		return descend(d, &parent, s, value, e); /* for its message */
	value->key = arena_text(&d->arena, s->key, strlen(s->key));
	if (!value->key)
		return out_of_memory(d, value, e);
	return yaml_append(parent, value, e);
}

int yaml_put(struct yaml_doc *d, const char *path, struct yaml_node *value, struct err *e)
{
	struct yaml_node *at = d->root;
	const char *p = path;
	struct step s;
	int rc = 0;

	if (!at) {
		at = d->root = yaml_new(d, YAML_MAP, &value->at, value->rank);
		if (!at)
			return out_of_memory(d, value, e);
	}
	while (!rc) {
		if (!next_step(&s, &p))
			return yaml_err(e, &value->at,
			        "not a key: expected one such as "
			        "workload[0].senders");
		if (!*p)
			return place(d, at, &s, value, e);
		rc = descend(d, &at, &s, value, e);
	}
	return rc;
}
