/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_each.h"

#include <errno.h>
#include <string.h>

static int no_memory(struct qreader *r)
{
	return err_set(r->e, -ENOMEM, "%s: not enough memory", r->s->path);
}

static int add_value(
        struct qreader *r, struct qmatrix *m, const char *value, const struct yaml_node *at)
{
	m->axis[m->n].lacks[m->axis[m->n].n % QUALIFY_MAX_VALUES] = NULL;
	if (m->axis[m->n].n == QUALIFY_MAX_VALUES)
		return yaml_err(r->e, &at->at, "each: more than %d values", QUALIFY_MAX_VALUES);
	m->axis[m->n].value[m->axis[m->n].n++] = value;
	return 0;
}

/* The case remains, and says why it is not for this switch. */
static int add_lacking(
        struct qreader *r, struct qmatrix *m, const char *lacks, const struct yaml_node *at)
{
	const uint32_t i = m->axis[m->n].n;
	int rc = add_value(r, m, "-", at);

	if (!rc)
		m->axis[m->n].lacks[i] = lacks;
	return rc;
}

/* "lossless" and "lossy" are those of the switch, one by one. */
static int add_priorities(
        struct qreader *r, struct qmatrix *m, int64_t mask, const struct yaml_node *at)
{
	static const char *const digit[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
	int rc = 0;

	for (int i = 0; i < 8 && !rc; i++)
		if (mask & (INT64_C(1) << i))
			rc = add_value(r, m, digit[i], at);
	if (!mask) /* of the lossless ones there is at least one */
		rc = add_lacking(r, m, r->s->facts.lacks[QFACT_LOSSY], at);
	return rc;
}

static int add_text(struct qreader *r, struct qmatrix *m, const struct yaml_node *n)
{
	const struct qscope scope = {.arena = &r->s->yaml.arena, .facts = &r->s->facts};
	const char *text = qualify_text(&scope, n, r->e), *lacks;

	if (text)
		return add_value(r, m, text, n);
	if (r->e->code != QUALIFY_LACKS)
		return r->e->code;
	lacks = arena_text(&r->s->yaml.arena, r->e->msg, strlen(r->e->msg));
	*r->e = (struct err){0};
	return lacks ? add_lacking(r, m, lacks, n) : no_memory(r);
}

static int read_value(struct qreader *r, struct qmatrix *m, const struct yaml_node *n)
{
	if (n->kind != YAML_SCALAR)
		return yaml_err(r->e, &n->at,
		        "each: expected texts; a list as a value is written \"[1, 2]\"");
	if (!n->quoted && !strcmp(n->text, "lossless"))
		return add_priorities(r, m, r->asic->cfg.lossless, n);
	if (!n->quoted && !strcmp(n->text, "lossy"))
		return add_priorities(r, m, r->asic->cfg.lossy, n);
	if (!n->quoted && !strcmp(n->text, "all-lossless"))
		return r->s->facts.text[QFACT_LOSSLESS_2]
		               ? add_value(r, m, r->s->facts.text[QFACT_LOSSLESS], n)
		               : 0;
	return add_text(r, m, n);
}

int qualify_each_axis(struct qreader *r, struct qmatrix *m, const struct yaml_node *n)
{
	int rc = 0;

	if (m->n == QUALIFY_MAX_PARAMS)
		return yaml_err(r->e, &n->at, "each: more than %d names", QUALIFY_MAX_PARAMS);
	m->axis[m->n].name = n->key;
	m->axis[m->n].n = 0;
	if (qualify_time_set(&r->s->times, n->key))
		rc = add_value(r, m, qualify_time_set(&r->s->times, n->key), n);
	else if (n->kind == YAML_LIST)
		for (const struct yaml_node *c = n->first; c && !rc; c = c->next)
			rc = read_value(r, m, c);
	else
		rc = read_value(r, m, n);
	if (!rc && !m->axis[m->n].n)
		rc = yaml_err(r->e, &n->at, "each: %s has no value", n->key);
	m->n++;
	return rc;
}
