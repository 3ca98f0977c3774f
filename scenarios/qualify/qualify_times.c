/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[QTIME_N] = {"detect", "restore", "poll"};

static int index_of(const char *name, size_t len)
{
	for (int i = 0; i < QTIME_N; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return i;
	return -1;
}

/* Which of the times a --set gives, or -1. */
static int index_of_set(const struct scenario_set *set)
{
	const char *key = set->key;

	if (!strncmp(key, "fabric.", 7))
		key += 7;
	return strncmp(key, "switch.watchdog.", 16) ? -1 : index_of(key + 16, strlen(key + 16));
}

bool qualify_is_watchdog_time(const struct scenario_set *set)
{
	return index_of_set(set) >= 0;
}

static int check_set(const struct scenario_set *set, struct err *e)
{
	int64_t ps;
	int rc = unit_parse(&ps, UNIT_TIME, set->value, e);

	return rc ? err_prefix(e, "--set %s", set->key) : 0;
}

int qualify_times_read(struct qtimes *t, const struct yaml_node *map,
        const struct scenario_set *set, uint32_t n_set, struct err *e)
{
	*t = (struct qtimes){0};
	if (!map)
		return 0;
	if (map->kind != YAML_MAP)
		return yaml_err(e, &map->at, "watchdog: expected detect, restore and poll");
	for (const struct yaml_node *n = map->first; n; n = n->next) {
		int i = index_of(n->key, strlen(n->key));
		int64_t ps;
		int rc;

		if (i < 0 || n->kind != YAML_SCALAR)
			return yaml_err(e, &n->key_at,
			        "watchdog: expected times with the names detect, restore and "
			        "poll");
		rc = unit_parse(&ps, UNIT_TIME, n->text, e);
		if (rc) {
			(void)err_prefix(e, "%s", n->key);
			return yaml_err_prefix(e, &n->at);
		}
		t->text[i] = n->text;
	}
	for (uint32_t i = 0; i < n_set; i++) {
		int k = index_of_set(&set[i]);
		int rc = k >= 0 && t->text[k] ? check_set(&set[i], e) : 0;

		if (rc)
			return rc;
		if (k < 0 || !t->text[k])
			continue;
		t->text[k] = set[i].value;
		t->is_set[k] = true;
	}
	return 0;
}

const char *qualify_time_of(const struct qtimes *t, const char *name, size_t len)
{
	int i = t ? index_of(name, len) : -1;

	return i < 0 ? NULL : t->text[i];
}

const char *qualify_time_set(const struct qtimes *t, const char *name)
{
	int i = t ? index_of(name, strlen(name)) : -1;

	return i < 0 || !t->is_set[i] ? NULL : t->text[i];
}

/* "200us * 30", "200us / 2" or "200us" */
static int add_term(int64_t *sum, char *term, enum unit_kind kind, struct err *e)
{
	char *op = strpbrk(term, "*/"), *end = term + strlen(term);
	const bool divides = op && *op == '/';
	unsigned long by = 1;
	int64_t value;
	int rc;

	if (op) {
		char *digits = op + 1 + strspn(op + 1, " ");

		errno = 0;
		by = strtoul(digits, &end, 10);
		if (end == digits || *digits == '-' || *digits == '+' ||
		        end[strspn(end, " ")] || errno || !by || by > 1000000)
			return err_set(e, -EINVAL,
			        "expected a whole number up to 1000000 behind %c", *op);
		end = op;
	}
	while (end > term && end[-1] == ' ')
		end--;
	*end = '\0';
	rc = unit_parse(&value, kind, term + strspn(term, " "), e);
	if (rc)
		return rc;
	if (divides)
		value /= (int64_t)by;
	else if (__builtin_mul_overflow(value, (int64_t)by, &value))
		return err_set(e, -EINVAL, "too large");
	return __builtin_add_overflow(*sum, value, sum) ? err_set(e, -EINVAL, "too large") : 0;
}

int qualify_sum_of(
        int64_t *out, const char *text, enum unit_kind kind, struct arena *arena, struct err *e)
{
	char *copy = arena_text(arena, text, strlen(text)), *at = copy, *term;
	int rc = 0;

	*out = 0;
	if (!copy)
		return err_set(e, -ENOMEM, "suite: not enough memory");
	while (!rc && (term = strsep(&at, "+")) != NULL)
		rc = add_term(out, term, kind, e);
	return rc;
}

int qualify_sum(const char **text, enum unit_kind kind, struct arena *arena, struct err *e)
{
	char out[48];
	int64_t sum;
	int rc;

	if (!strpbrk(*text, "+*") && !strstr(*text, " /") &&
	        !(kind == UNIT_TIME && strchr(*text, '/')))
		return 0;
	rc = qualify_sum_of(&sum, *text, kind, arena, e);
	if (rc)
		return rc;
	(void)unit_format(out, sizeof(out), kind, sum);
	*text = arena_text(arena, out, strlen(out));
	return *text ? 0 : err_set(e, -ENOMEM, "suite: not enough memory");
}
