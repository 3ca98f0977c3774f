/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/yaml_tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct yaml_node *yaml_new(struct yaml_doc *d, enum yaml_kind kind, const struct yaml_where *at,
        enum yaml_rank rank)
{
	struct yaml_node *n;

	if (d->n_nodes >= YAML_MAX_NODES)
		return NULL;
	n = arena_take(&d->arena, sizeof(*n));
	if (!n)
		return NULL;
	d->n_nodes++;
	n->kind = kind;
	n->rank = rank;
	n->at = *at;
	n->key_at = *at;
	return n;
}

int yaml_append(struct yaml_node *parent, struct yaml_node *child, struct err *e)
{
	char shown[YAML_SHOWN_BYTES];

	if (parent->kind == YAML_MAP) {
		const struct yaml_node *old = yaml_get(parent, child->key);

		if (old && old->key_at.line)
			return yaml_err(e, &child->key_at,
			        "%s: duplicate key, the first one is on line %u; remove one of "
			        "them",
			        yaml_shown(shown, child->key), old->key_at.line);
		if (old)
			return yaml_err(e, &child->key_at,
			        "%s: duplicate key; remove one of them",
			        yaml_shown(shown, child->key));
		if (parent->n_children >= YAML_MAX_KEYS)
			return yaml_err(e, &child->key_at,
			        "more than %u keys in one mapping; no part of a scenario has "
			        "that "
			        "many",
			        YAML_MAX_KEYS);
	}
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->n_children++;
	return 0;
}

struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	if (!map || map->kind != YAML_MAP)
		return NULL;
	for (struct yaml_node *c = map->first; c; c = c->next) {
		if (!strcmp(c->key, key))
			return c;
	}
	return NULL;
}

struct yaml_node *yaml_at(const struct yaml_node *list, uint32_t index)
{
	struct yaml_node *c = list->first;

	while (c && index--)
		c = c->next;
	return c;
}

void yaml_replace(struct yaml_node *parent, struct yaml_node *old, struct yaml_node *now)
{
	struct yaml_node **link = &parent->first;

	while (*link != old)
		link = &(*link)->next;
	now->key = old->key;
	now->key_at = old->key_at;
	now->next = old->next;
	*link = now;
	if (parent->last == old)
		parent->last = now;
}

void yaml_fini(struct yaml_doc *d)
{
	arena_fini(&d->arena);
	d->root = NULL;
	d->n_nodes = 0;
}

int yaml_err_prefix(struct err *e, const struct yaml_where *at)
{
	if (at->line)
		return err_prefix(e, "%s:%u:%u", at->name, at->line, at->column);
	return err_prefix(e, "%s", at->name);
}

int yaml_err(struct err *e, const struct yaml_where *at, const char *fmt, ...)
{
	char msg[sizeof(((struct err *)NULL)->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(msg, sizeof(msg), fmt, ap); /* a long message is cut */
	va_end(ap);
	(void)err_set(e, -EINVAL, "%s", msg);
	(void)yaml_err_prefix(e, at);
	return -EINVAL;
}

const char *yaml_shown(char buf[YAML_SHOWN_BYTES], const char *text)
{
	size_t n = 0;

	for (; text[n] && n < YAML_SHOWN_BYTES - 4; n++) {
		unsigned char c = (unsigned char)text[n];

		buf[n] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	if (text[n]) {
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--; /* never cut a UTF-8 sequence */
		memcpy(buf + n, "...", 3);
		n += 3;
	}
	buf[n] = '\0';
	return buf;
}
