/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/expect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary_keys.h"

#define EXPECT_KEY_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."
#define EXPECT_FORM      "an expectation reads KEY OPERATOR NUMBER, such as fct_us.p99 < 4500"

static const struct {
	const char *text;
	enum expect_op op;
} operators[] = {
        {"<=", EXPECT_LE}, /* the longer ones first */
        {">=", EXPECT_GE},
        {"==", EXPECT_EQ},
        {"!=", EXPECT_NE},
        {"<", EXPECT_LT},
        {">", EXPECT_GT},
};

struct cursor {
	const char *text, *at;
	uint32_t *column;
	struct err *e;
};

static uint32_t here(const struct cursor *c)
{
	uint32_t column = (uint32_t)(c->at - c->text) + 1;

	if (c->column)
		*c->column = column;
	return column;
}

static void skip_blanks(struct cursor *c)
{
	c->at += strspn(c->at, " \t");
}

static int take_key(struct cursor *c, const struct summary_key **key)
{
	char name[64];
	const char *nearest = NULL;
	size_t len;

	skip_blanks(c);
	len = strspn(c->at, EXPECT_KEY_CHARS);
	if (!len)
		return err_set(c->e, -EINVAL,
		        "column %u: expected a key of summary.json; " EXPECT_FORM, here(c));
	if (len >= sizeof(name))
		len = sizeof(name) - 1;
	memcpy(name, c->at, len);
	name[len] = '\0';
	*key = summary_key_find(name, &nearest);
	if (!*key)
		return err_set(c->e, -EINVAL,
		        "column %u: summary.json has no key %s%s%s; `squall explain` lists "
		        "them",
		        here(c), name, nearest ? "; nearest is " : "", nearest ? nearest : "");
	if (!summary_key_is_number(*key))
		return err_set(c->e, -EINVAL, "column %u: %s is no number that can be compared",
		        here(c), name);
	c->at += len;
	return 0;
}

static int take_operator(struct cursor *c, enum expect_op *op)
{
	skip_blanks(c);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t len = strlen(operators[i].text);

		if (!strncmp(c->at, operators[i].text, len)) {
			*op = operators[i].op;
			c->at += len;
			return 0;
		}
	}
	return err_set(c->e, -EINVAL,
	        "column %u: expected one of < <= > >= == !=; " EXPECT_FORM, here(c));
}

static int take_number(struct cursor *c, double *bound)
{
	size_t digits, len;
	char *end;

	skip_blanks(c);
	/* Only what a decimal number is made of: strtod also reads hex, nan and inf. */
	len = strspn(c->at, "+-.0123456789eE");
	digits = strcspn(c->at, "0123456789");
	*bound = strtod(c->at, &end);
	if (!len || digits >= len || end != c->at + len || !isfinite(*bound))
		return err_set(c->e, -EINVAL,
		        "column %u: expected a number without unit (the unit is part of the "
		        "key); " EXPECT_FORM,
		        here(c));
	c->at = end;
	skip_blanks(c);
	if (*c->at)
		return err_set(c->e, -EINVAL,
		        "column %u: unexpected text after the number (the unit is part of the "
		        "key); " EXPECT_FORM,
		        here(c));
	return 0;
}

int expect_parse(struct expectation *x, const char *text, uint32_t *column, struct err *e)
{
	struct cursor c = {text, text, column, e};
	int r = take_key(&c, &x->key);

	if (!r)
		r = take_operator(&c, &x->op);
	if (!r)
		r = take_number(&c, &x->bound);
	return r;
}

static bool compare(double value, enum expect_op op, double bound)
{
	switch (op) {
	case EXPECT_LT:
		return value < bound;
	case EXPECT_LE:
		return value <= bound;
	case EXPECT_GT:
		return value > bound;
	case EXPECT_GE:
		return value >= bound;
	case EXPECT_EQ:
		return value >= bound && value <= bound;
	case EXPECT_NE:
		return value < bound || value > bound;
	}
	return false;
}

void expect_eval(struct run_expect *out, const struct expectation *x, const char *text,
        const struct run_summary *s)
{
	static const double scale[] = {
	        [KEY_WHOLE] = 1, [KEY_REASONS] = 1, [KEY_MICRO] = 1e6, [KEY_NANO] = 1e9};
	int64_t raw = summary_key_raw(x->key, s);

	*out = (struct run_expect){.text = text};
	if (raw == STATS_NULL)
		return;
	out->has_value = true;
	out->value = (double)raw / scale[x->key->type];
	out->holds = compare(out->value, x->op, x->bound);
}
