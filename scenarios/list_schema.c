/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/list_schema.h"

#include <stddef.h>
#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "scenarios/presets.h"

struct list_form {
	const char *path, *schema;
};

static const struct list_form forms[] = {
        {"expect", "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"pattern\": "
                   "\"^[^<>=!0-9][^<>=!]*(<|<=|>|>=|==|!=)[^<>=!]*[0-9][^<>=!]*$\"}}"},
        {"measure.percentiles",
                "{\"type\": \"array\", \"maxItems\": 16, \"uniqueItems\": true, \"items\": "
                "{\"anyOf\": [{\"type\": "
                "\"number\", \"exclusiveMinimum\": 0, \"maximum\": 100}, {\"type\": "
                "\"string\", \"pattern\": \"^[0-9.]+$\"}]}}"},
        {"measure.capture", "{\"type\": [\"array\", \"string\"]}"},
};

static const struct list_form lists[] = {
        {"workload[]", ", \"minItems\": 1"},
};

static const struct list_form sections[] = {
        /* a match, and something to change */
        {"fabric.overrides[]", ", \"required\": [\"match\"], \"minProperties\": 2"},
        {"fabric.overrides[].match", ", \"minProperties\": 1"},
};

static const char *find(const struct list_form *form, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(form[i].path, path))
			return form[i].schema;
	return NULL;
}

static void write_presets(FILE *f)
{
	put_text("{\"enum\": [", f);
	for (size_t i = 0; presets[i]; i++) {
		put_text(i ? ", " : "", f);
		json_text(f, presets[i]->name);
	}
	put_text("]}", f);
}

void list_schema_write(FILE *f, const char *full)
{
	const char *form = find(forms, sizeof(forms) / sizeof(forms[0]), full);

	if (!strcmp(full, "preset")) {
		write_presets(f);
		put_text(", {\"type\": \"array\", \"items\": ", f);
		write_presets(f);
		put_char('}', f);
		return;
	}
	put_text(form ? form : "{\"type\": \"array\"}", f);
}

const char *list_schema_of_list(const char *section)
{
	const char *more = find(lists, sizeof(lists) / sizeof(lists[0]), section);

	return more ? more : "";
}

const char *list_schema_of_section(const char *section)
{
	const char *more = find(sections, sizeof(sections) / sizeof(sections[0]), section);

	return more ? more : "";
}
