/* SPDX-License-Identifier: Apache-2.0 */
/* The one knob table as a whole: what every row must satisfy, and values to text and back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "scenarios/knob_markdown.h"
#include "scenarios/knob_table.h"
#include "scenarios/knob_value.h"
#include "scenarios/presets.h"
#include "scenarios/scenario_knobs.h"
#include "tests/support/page.h"

union any_struct {
	int64_t v[128];
	const char *text;
};

static size_t bytes_of(const struct knob *row)
{
	return row->type == KNOB_EACH_PRIORITY ? 8 * sizeof(int64_t) : sizeof(int64_t);
}

static void every_row_is_whole(void **state)
{
	char full[KNOB_PATH_BYTES];

	(void)state;
	for (const struct knob_slot *s = knob_table; s->group; s++) {
		assert_true(s->group->struct_bytes <= sizeof(union any_struct));
		for (size_t i = 0; i < s->group->n_rows; i++) {
			const struct knob *row = &s->group->rows[i];

			assert_true(knob_join(full, s->group->path, row->key));
			if (!row->doc || row->doc[strlen(row->doc) - 1] != '.')
				fail_msg("%s: its doc is no sentence", full);
			if (row->def && !row->source)
				fail_msg("%s: its default has no source", full);
			if (row->type != KNOB_TABLE &&
			        row->offset + bytes_of(row) > s->group->struct_bytes)
				fail_msg("%s: beyond its struct", full);
			if (row->type == KNOB_WORD && !row->words)
				fail_msg("%s: no words", full);
		}
	}
}

/* A path twice is one key with two forms: a value, and a table; or two choices. */
static void paths_are_unique(void **state)
{
	char full[KNOB_PATH_BYTES];

	(void)state;
	for (const struct knob_slot *s = knob_table; s->group; s++) {
		for (size_t i = 0; i < s->group->n_rows; i++) {
			const struct knob_slot *at = NULL;
			const struct knob *former = NULL, *row = NULL;

			assert_true(knob_join(full, s->group->path, s->group->rows[i].key));
			while ((row = knob_next(&at, row, full))) {
				if (former && (former->type == KNOB_TABLE) ==
				                      (row->type == KNOB_TABLE))
					fail_msg("%s stands twice", full);
				former = row;
			}
			assert_non_null(former);
			assert_false(knob_is_section(full));
		}
	}
}

/* The default, both range bounds and every word come back from their own text. */
static void parse_back(const struct knob *row, union any_struct *base, const char *path)
{
	union any_struct again = *base;
	struct knob_text value = {.n = 1};
	char text[KNOB_TEXT_BYTES], *save = NULL;
	struct err e = {0};

	(void)knob_format(row, base, text);
	value.is_list = *text == '[';
	value.item[0] = text;
	if (value.is_list) {
		value.n = 0;
		for (char *w = strtok_r(text, "[], ", &save); w;
		        w = strtok_r(NULL, "[], ", &save))
			value.item[value.n++] = w;
	}
	memset((char *)&again + row->offset, 0x55, bytes_of(row));
	if (knob_parse(row, &again, &value, &e))
		fail_msg("%s: %s", path, e.msg);
	assert_memory_equal(
	        (char *)&again + row->offset, (char *)base + row->offset, bytes_of(row));
}

static void values_come_back(void **state)
{
	(void)state;
	for (const struct knob_slot *s = knob_table; s->group; s++) {
		for (size_t i = 0; i < s->group->n_rows; i++) {
			const struct knob *row = &s->group->rows[i];
			int64_t *v;
			union any_struct base = {0};

			if (row->type == KNOB_TABLE || row->type == KNOB_TEXT)
				continue;
			v = (int64_t *)(void *)((char *)&base + row->offset);
			for (const struct knob_word *w = row->words; w && w->word; w++) {
				*v = w->value;
				parse_back(row, &base, row->key);
			}
			if (row->def) {
				knob_default(row, &base);
				parse_back(row, &base, row->key);
			}
			if (row->type == KNOB_WORD || row->type == KNOB_EACH_PRIORITY)
				continue;
			*v = row->min;
			parse_back(row, &base, row->key);
			*v = row->max;
			parse_back(row, &base, row->key);
		}
	}
}

static const struct knob *row_of(const char *path)
{
	const struct knob_slot *slot;
	const struct knob *row = knob_next(&slot, NULL, path);

	assert_non_null(row);
	return row;
}

static void says(const char *path, const char *text, const char *message)
{
	struct knob_text value = {.item = {text}, .n = 1};
	union any_struct base;
	struct err e = {0};

	assert_int_equal(knob_parse(row_of(path), &base, &value, &e), -EINVAL);
	if (!strstr(e.msg, message))
		fail_msg("%s: \"%s\" does not hold \"%s\"", path, e.msg, message);
}

static void messages_help(void **state)
{
	(void)state;
	says("fabric.switch.ecn.kmin", "400", "no unit: expected a size with its unit");
	says("fabric.switch.ecn.kmin", "", "no value: expected a size");
	says("fabric.host_link.rate", "0Gbps", "too small: expected 1Mbps to 10Tbps");
	says("fabric.host_link.rate", "11Tbps", "too large: expected 1Mbps to 10Tbps");
	says("fabric.nic.cc", "dcqnc", "expected dcqcn or none; did you mean dcqcn?");
	says("fabric.nic.window", "5", "such as 64MiB, off or bdp");
	says("fabric.switch.ecn.enabled", "maybe", "expected on or off");
	says("fabric.switch.pfc.priorities", "3", "such as [3, 4]");
	says("seed", "-1", "negative");
}

static void lists(void **state)
{
	struct knob_text value = {.item = {"3", "0", "7"}, .n = 3, .is_list = 1};
	const struct knob *row = row_of("fabric.switch.pfc.priorities");
	union any_struct base = {0};
	struct err e = {0};
	const int64_t *v = (const int64_t *)(const void *)((char *)&base + row->offset);

	(void)state;
	assert_int_equal(knob_parse(row, &base, &value, &e), 0);
	assert_int_equal(*v, 1 << 3 | 1 << 0 | 1 << 7);
	value.item[1] = "8";
	assert_int_equal(knob_parse(row, &base, &value, &e), -EINVAL);
	value.item[1] = "3";
	assert_int_equal(knob_parse(row, &base, &value, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "twice"));
	value.n = 0;
	assert_int_equal(knob_parse(row, &base, &value, &e), 0);
	assert_int_equal(*v, 0);
	row = row_of("fabric.switch.scheduler.weights");
	assert_int_equal(knob_parse(row, &base, &value, &e), -EINVAL);
	row = row_of("fabric.switch.ecn.kmin");
	assert_int_equal(knob_parse(row, &base, &value, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "a list: expected a size"));
}

static void nearest_keys(void **state)
{
	char out[KNOB_PATH_BYTES], keys[200];

	(void)state;
	assert_true(knob_nearest_child(out, "fabric.switch.ecn", "kmim"));
	assert_string_equal(out, "kmin");
	assert_true(knob_nearest_child(out, "", "worklaod"));
	assert_string_equal(out, "workload");
	assert_false(knob_nearest_child(out, "fabric.switch.ecn", "colour"));
	assert_true(knob_find_elsewhere(out, "rpg_ai_rate"));
	assert_string_equal(out, "fabric.nic.dcqcn.rpg_ai_rate");
	assert_true(knob_find_elsewhere(out, "ecn.kmin"));
	assert_string_equal(out, "fabric.switch.ecn.kmin");
	assert_false(knob_find_elsewhere(out, "kmi"));
	assert_true(knob_is_section("fabric.nic"));
	assert_true(knob_is_section("workload[]"));
	assert_false(knob_is_section("fabric.ni"));
	assert_string_equal(knob_list_children(keys, sizeof(keys), "fabric.nic.np"),
	        "min_time_between_cnps, scope, delay, carrier");
	(void)knob_list_children(keys, 20, "fabric.nic.np");
	assert_string_equal(keys + strlen(keys) - 3, "...");
}

/* A preset is nothing but values for rows of the table, each of which parses. */
static void presets_are_values(void **state)
{
	(void)state;
	for (const struct preset *const *p = presets; *p; p++) {
		assert_ptr_equal(preset_find((*p)->name), *p);
		for (const struct preset_value *v = (*p)->values; v->key; v++) {
			struct knob_text value = {.n = 1};
			char text[KNOB_TEXT_BYTES], *save = NULL;
			union any_struct base;
			struct err e = {0};

			(void)snprintf(text, sizeof(text), "%s", v->value);
			value.is_list = *text == '[';
			value.item[0] = text;
			if (value.is_list) {
				value.n = 0;
				for (char *w = strtok_r(text, "[], ", &save); w;
				        w = strtok_r(NULL, "[], ", &save))
					value.item[value.n++] = w;
			}
			if (knob_parse(row_of(v->key), &base, &value, &e))
				fail_msg("preset %s, %s: %s", (*p)->name, v->key, e.msg);
			for (const struct preset_value *w = v + 1; w->key; w++)
				assert_string_not_equal(v->key, w->key);
		}
	}
}

/* The connectx preset takes a file back to the defaults. */
static void connectx_is_the_default(void **state)
{
	const struct preset *p = preset_find("connectx");

	(void)state;
	for (const struct preset_value *v = p->values; v->key; v++)
		assert_string_equal(row_of(v->key)->def, v->value);
}

static void the_page_is_what_the_program_prints(void **state)
{
	(void)state;
	page_check("docs/scenario.md", KNOB_MARKDOWN_BEGIN, KNOB_MARKDOWN_END,
	        knob_markdown_write, "squall explain --markdown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_row_is_whole),
	        cmocka_unit_test(paths_are_unique),
	        cmocka_unit_test(values_come_back),
	        cmocka_unit_test(messages_help),
	        cmocka_unit_test(lists),
	        cmocka_unit_test(nearest_keys),
	        cmocka_unit_test(presets_are_values),
	        cmocka_unit_test(connectx_is_the_default),
	        cmocka_unit_test(the_page_is_what_the_program_prints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
