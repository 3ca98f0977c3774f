/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/trace_schema.h"

#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/trace/trace_schema_int.h"

static void type(FILE *f, const char *name, bool null)
{
	put(f, null ? "\"type\": [\"%s\", \"null\"]" : "\"type\": \"%s\"", name);
}

static void words(FILE *f, const char *of, bool null)
{
	put_text("\"enum\": [", f);
	for (const char *at = of; *at;) {
		size_t n = strcspn(at, "|");

		put(f, "%s\"%.*s\"", at == of ? "" : ", ", (int)n, at);
		at += n + (at[n] == '|');
	}
	put_text(null ? ", null]" : "]", f);
}

static void kind(FILE *f, const struct schema_member *m)
{
	bool null = m->flags & SCHEMA_NULL;

	switch (m->kind) {
	case SCHEMA_WHOLE:
		type(f, "integer", null);
		break;
	case SCHEMA_NUMBER:
		type(f, "number", null);
		break;
	case SCHEMA_TEXT:
		type(f, "string", null);
		break;
	case SCHEMA_FLAG:
		type(f, "boolean", null);
		break;
	case SCHEMA_WORD:
		words(f, m->of, null);
		break;
	case SCHEMA_OBJECT:
		put(f,
		        null ? "\"anyOf\": [{\"$ref\": \"#/$defs/%s\"}, {\"type\": \"null\"}]"
		             : "\"$ref\": \"#/$defs/%s\"",
		        m->of);
		break;
	case SCHEMA_LIST:
		put(f, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}", m->of);
		break;
	case SCHEMA_WHOLES:
		put_text("\"type\": \"array\", \"minItems\": 8, \"maxItems\": 8, "
		         "\"items\": {\"type\": [\"integer\", \"null\"]}",
		        f);
		break;
	case SCHEMA_FIGURES:
		put_text("\"type\": \"object\", \"additionalProperties\": {\"type\": "
		         "\"integer\"}",
		        f);
		break;
	}
}

static const struct schema_object *find(const char *name)
{
	for (size_t i = 0; i < n_trace_schema_objects; i++)
		if (!strcmp(trace_schema_objects[i].name, name))
			return &trace_schema_objects[i];
	return NULL;
}

static const char *required(FILE *f, const struct schema_object *o, const char *separator)
{
	for (size_t i = 0; i < o->n_members; i++) {
		if (o->member[i].flags & SCHEMA_OPTIONAL)
			continue;
		put(f, "%s\"%s\"", separator, o->member[i].name);
		separator = ", ";
	}
	return separator;
}

static const char *properties(FILE *f, const struct schema_object *o, const char *separator)
{
	for (size_t i = 0; i < o->n_members; i++) {
		const struct schema_member *m = &o->member[i];

		put(f, "%s\n        \"%s\": {", separator, m->name);
		kind(f, m);
		if (m->doc) {
			put_text(", \"description\": ", f);
			json_text(f, m->doc);
		}
		put_char('}', f);
		separator = ",";
	}
	return separator;
}

static void object(FILE *f, const struct schema_object *o)
{
	const struct schema_object *counts = o->has_counts ? find("counts") : NULL;
	const char *separator;

	put_text("\"type\": \"object\", \"additionalProperties\": false,\n      "
	         "\"required\": [",
	        f);
	separator = required(f, o, "");
	if (counts)
		(void)required(f, counts, separator);
	put_text("],\n      \"properties\": {", f);
	separator = properties(f, o, "");
	if (counts)
		(void)properties(f, counts, separator);
	put_char('}', f);
}

void trace_schema_write(FILE *f)
{
	put_text("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
	         "  \"title\": \"squall analysis\",\n  \"$ref\": \"#/$defs/document\",\n"
	         "  \"$defs\": {",
	        f);
	for (size_t i = 0; i < n_trace_schema_objects; i++) {
		put(f, "%s\n    \"%s\": {", i ? "," : "", trace_schema_objects[i].name);
		object(f, &trace_schema_objects[i]);
		put_char('}', f);
	}
	put_text("\n  }\n}\n", f);
}
