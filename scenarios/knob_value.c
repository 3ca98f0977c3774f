/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/knob_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/nearest.h"
#include "dataplane/base/units.h"
#include "scenarios/knob_table.h"
#include "scenarios/yaml_tree.h"

#define PRIORITIES_IN_LIST 8

static int64_t *field(const struct knob *row, void *base)
{
	return (int64_t *)(void *)((char *)base + row->offset);
}

static bool unit_of(enum unit_kind *out, enum knob_type type)
{
	switch (type) {
	case KNOB_COUNT:
	case KNOB_PRIORITIES:
	case KNOB_EACH_PRIORITY:
		*out = UNIT_COUNT;
		return true;
	case KNOB_TIME:
		*out = UNIT_TIME;
		return true;
	case KNOB_RATE:
		*out = UNIT_RATE;
		return true;
	case KNOB_SIZE:
		*out = UNIT_SIZE;
		return true;
	case KNOB_FRACTION:
		*out = UNIT_FRACTION;
		return true;
	default:
		return false;
	}
}

static const char *expected_quantity(const struct knob *row)
{
	enum unit_kind unit;

	switch (row->type) {
	case KNOB_BOOL:
		return "on or off";
	case KNOB_PRIORITIES:
		return "a list of priorities 0 to 7, such as [3, 4]";
	case KNOB_EACH_PRIORITY:
		return "a list of 8 whole numbers, one for each priority";
	case KNOB_TEXT:
		return "a text";
	case KNOB_TABLE:
		return "a list";
	default:
		return unit_of(&unit, row->type) ? unit_expected(unit) : "";
	}
}

/* "before auto or off", or nothing where the row has no words. */
static const char *list_words(const struct knob *row, char *buf, size_t len, const char *before)
{
	size_t used = 0;

	buf[0] = '\0';
	for (const struct knob_word *w = row->words; w && w->word && used < len; w++) {
		const char *gap = !used ? before : w[1].word ? ", " : " or ";
		int n = snprintf(buf + used, len - used, "%s%s%s", gap,
		        !used && *before && !w[1].word ? "or " : "", w->word);

		used += n < 0 ? 0 : (size_t)n;
	}
	return buf;
}

const char *knob_expected(const struct knob *row, char *buf, size_t len)
{
	const char *quantity = expected_quantity(row);
	int n = snprintf(buf, len, "%s", quantity);

	if (n >= 0 && (size_t)n < len)
		(void)list_words(row, buf + n, len - (size_t)n, *quantity ? ", " : "");
	return buf;
}

static int refuse(const struct knob *row, const char *text, struct err *e)
{
	char expected[256], shown[YAML_SHOWN_BYTES];
	struct nearest n;
	const char *best;

	nearest_init(&n, text);
	for (const struct knob_word *w = row->words; w && w->word; w++)
		nearest_offer(&n, w->word);
	best = nearest_get(&n);
	(void)knob_expected(row, expected, sizeof(expected));
	if (best && !strcmp(best, expected))
		best = NULL;                          /* the only one, and said */
	if (strlen(expected) + 1 == sizeof(expected)) /* cut: not to be shown */
		(void)snprintf(expected, sizeof(expected),
		        "one of the words that squall explain lists for this key");
	if (!*text)
		return err_set(e, -EINVAL, "no value: expected %s", expected);
	return err_set(e, -EINVAL, "\"%s\": expected %s%s%s%s", yaml_shown(shown, text),
	        expected, best ? "; did you mean " : "", best ? best : "", best ? "?" : "");
}

static int check_range(const struct knob *row, int64_t v, const char *text, struct err *e)
{
	char lo[KNOB_TEXT_BYTES], hi[KNOB_TEXT_BYTES], shown[YAML_SHOWN_BYTES];
	bool has_range = row->min || row->max;

	if (!has_range || (v >= row->min && v <= row->max))
		return 0;
	return err_set(e, -EINVAL, "\"%s\" is too %s: expected %s to %s",
	        yaml_shown(shown, text), v < row->min ? "small" : "large",
	        knob_format_value(row, row->min, lo), knob_format_value(row, row->max, hi));
}

static int parse_bool(const struct knob *row, int64_t *out, const char *text, struct err *e)
{
	static const struct knob_word words[] = {
	        {"on", 1}, {"true", 1}, {"yes", 1}, {"off", 0}, {"false", 0}, {"no", 0}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(words[i].word, text)) {
			*out = words[i].value;
			return 0;
		}
	}
	return refuse(row, text, e);
}

static bool parse_word(const struct knob *row, int64_t *out, const char *text)
{
	for (const struct knob_word *w = row->words; w && w->word; w++) {
		if (!strcmp(w->word, text)) {
			*out = w->value;
			return true;
		}
	}
	return false;
}

static int parse_quantity(const struct knob *row, int64_t *out, const char *text, struct err *e)
{
	struct err why = {0};
	enum unit_kind unit;
	char words[128];
	int rc;

	if (!*text || !unit_of(&unit, row->type))
		return refuse(row, text, e);
	rc = row->plain ? unit_parse(out, UNIT_COUNT, text, NULL) : -EINVAL;
	if (rc)
		rc = unit_parse(out, unit, text, &why);
	if (rc)
		return err_set(
		        e, rc, "%s%s", why.msg, list_words(row, words, sizeof(words), ", "));
	return check_range(row, *out, text, e);
}

static int parse_one(const struct knob *row, int64_t *out, const char *text, struct err *e)
{
	if (parse_word(row, out, text))
		return 0;
	return row->type == KNOB_BOOL ? parse_bool(row, out, text, e)
	                              : parse_quantity(row, out, text, e);
}

static int parse_priorities(
        const struct knob *row, int64_t *out, const struct knob_text *value, struct err *e)
{
	int64_t mask = 0;

	for (size_t i = 0; i < value->n; i++) {
		char shown[YAML_SHOWN_BYTES];
		int64_t p;

		if (value->n > PRIORITIES_IN_LIST ||
		        unit_parse(&p, UNIT_COUNT, value->item[i], NULL) || p < 0 ||
		        p >= PRIORITIES_IN_LIST)
			return refuse(row, value->item[i], e);
		if (mask >> p & 1)
			return err_set(e, -EINVAL, "priority %s stands twice in the list",
			        yaml_shown(shown, value->item[i]));
		mask |= INT64_C(1) << p;
	}
	*out = mask;
	return 0;
}

static int parse_each_priority(
        const struct knob *row, int64_t *out, const struct knob_text *value, struct err *e)
{
	int64_t v[PRIORITIES_IN_LIST];

	if (value->n != PRIORITIES_IN_LIST)
		return err_set(e, -EINVAL, "a list of %zu: expected %s", value->n,
		        expected_quantity(row));
	for (size_t i = 0; i < PRIORITIES_IN_LIST; i++) {
		int rc = parse_one(row, &v[i], value->item[i], e);

		if (rc)
			return rc;
	}
	memcpy(out, v, sizeof(v));
	return 0;
}

int knob_parse(const struct knob *row, void *base, const struct knob_text *value, struct err *e)
{
	bool takes_list = row->type == KNOB_PRIORITIES || row->type == KNOB_EACH_PRIORITY;
	char expected[256];
	int64_t *out = field(row, base);

	CHECK(row->type != KNOB_TABLE);
	if (value->is_list && !takes_list)
		return err_set(e, -EINVAL, "a list: expected %s",
		        knob_expected(row, expected, sizeof(expected)));
	if (row->type == KNOB_TEXT) {
		*(const char **)(void *)out = value->item[0];
		return 0;
	}
	if (value->is_list)
		return row->type == KNOB_PRIORITIES ? parse_priorities(row, out, value, e)
		                                    : parse_each_priority(row, out, value, e);
	if (takes_list)
		return parse_word(row, out, value->item[0]) ? 0
		                                            : refuse(row, value->item[0], e);
	return parse_one(row, out, value->item[0], e);
}

/* Splits "[50, 90, 99]" in place; defaults are ours, so that this is all there is to it. */
static void split_default(struct knob_text *value, char *text)
{
	char *save = NULL;

	value->is_list = *text == '[';
	if (!value->is_list) {
		value->item[0] = text;
		value->n = 1;
		return;
	}
	for (char *w = strtok_r(text, "[], ", &save); w; w = strtok_r(NULL, "[], ", &save)) {
		CHECK(value->n < KNOB_LIST_ITEMS);
		value->item[value->n++] = w;
	}
}

void knob_default(const struct knob *row, void *base)
{
	struct knob_text value = {0};
	char text[KNOB_TEXT_BYTES];

	if (row->type == KNOB_TABLE)
		return;
	if (row->type == KNOB_TEXT) {
		*(const char **)(void *)field(row, base) = row->def ? row->def : "";
		return;
	}
	if (!row->def) {
		*field(row, base) = 0;
		return;
	}
	(void)snprintf(text, sizeof(text), "%s", row->def);
	split_default(&value, text);
	CHECK(!knob_parse(row, base, &value, NULL)); /* a test parses every default */
}

void knob_defaults(const struct knob_group *g, void *base)
{
	for (size_t i = 0; i < g->n_rows; i++)
		knob_default(&g->rows[i], base);
}

const char *knob_format_value(const struct knob *row, int64_t value, char buf[KNOB_TEXT_BYTES])
{
	enum unit_kind unit;

	if (unit_of(&unit, row->type))
		(void)unit_format(buf, KNOB_TEXT_BYTES, unit, value);
	else
		(void)snprintf(buf, KNOB_TEXT_BYTES, "%s", value ? "on" : "off");
	return buf;
}

static const char *format_list(const int64_t *v, size_t n, char buf[KNOB_TEXT_BYTES])
{
	size_t used = 1;

	(void)snprintf(buf, KNOB_TEXT_BYTES, "[");
	for (size_t i = 0; i < n; i++) {
		int k = snprintf(buf + used, KNOB_TEXT_BYTES - used, "%s%" PRId64,
		        used > 1 ? ", " : "", v[i]);

		used += k < 0 ? 0 : (size_t)k;
	}
	(void)snprintf(buf + used, KNOB_TEXT_BYTES - used, "]");
	return buf;
}

const char *knob_format(const struct knob *row, const void *base, char buf[KNOB_TEXT_BYTES])
{
	const int64_t *v = (const int64_t *)(const void *)((const char *)base + row->offset);
	int64_t list[PRIORITIES_IN_LIST];
	size_t n = 0;

	CHECK(row->type != KNOB_TABLE && row->type != KNOB_TEXT);
	if (row->type == KNOB_EACH_PRIORITY)
		return format_list(v, PRIORITIES_IN_LIST, buf);
	if (knob_word_of(row, *v)) {
		(void)snprintf(buf, KNOB_TEXT_BYTES, "%s", knob_word_of(row, *v));
		return buf;
	}
	if (row->type != KNOB_PRIORITIES)
		return knob_format_value(row, *v, buf);
	for (int p = 0; p < PRIORITIES_IN_LIST; p++) {
		if (*v >> p & 1)
			list[n++] = p;
	}
	return format_list(list, n, buf);
}
