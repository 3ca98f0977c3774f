/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary_schema.h"

#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/wrap_text.h"

#define EXPECT_ITEM                                                                            \
	"\"items\": {\"type\": \"object\", \"additionalProperties\": false, "                  \
	"\"required\": [\"text\", \"holds\", \"value\"], \"properties\": {"                    \
	"\"text\": {\"type\": \"string\"}, \"holds\": {\"type\": [\"boolean\", \"null\"]}, "   \
	"\"value\": {\"type\": [\"number\", \"null\"]}}}"

static const struct {
	const char *json;  /* JSON Schema type */
	const char *label; /* for people */
	const char *more;  /* further keywords */
} types[] = {
        [KEY_WHOLE] = {"integer", "whole number", NULL},
        [KEY_MICRO] = {"number", "number, 6 decimals", NULL},
        [KEY_NANO] = {"number", "number, 9 decimals", NULL},
        [KEY_SEED] = {"integer", "whole number", "\"minimum\": 0"},
        [KEY_TEXT] = {"string", "text", NULL},
        [KEY_REASONS] = {"array", "list of texts", "\"items\": {\"type\": \"string\"}"},
        [KEY_EXPECTS] = {"array", "list of {text, holds, value}", EXPECT_ITEM},
};

static void write_description(FILE *f, const struct summary_key *k)
{
	char text[1000];

	(void)snprintf(text, sizeof(text), "%s%s%s%s", k->doc,
	        k->null_rule ? " Null when " : "", k->null_rule ? k->null_rule : "",
	        k->null_rule ? "." : "");
	json_text(f, text);
}

static void write_property(FILE *f, const struct summary_key *k, const struct key_place *p)
{
	const char *indent = p->group_len ? "          " : "    ";

	put(f, "%s\"%s\": {\"type\": ", indent, p->name);
	put(f, k->null_rule ? "[\"%s\", \"null\"]" : "\"%s\"", types[k->type].json);
	if (types[k->type].more)
		put(f, ", %s", types[k->type].more);
	if (!strcmp(k->key, "format"))
		put_text(", \"const\": \"" SUMMARY_FORMAT "\"", f);
	if (k->unit) {
		put_text(", \"x-unit\": ", f);
		json_text(f, k->unit);
	}
	put_text(",\n", f);
	put(f, "%s  \"description\": ", indent);
	write_description(f, k);
	put_char('}', f);
}

/* The names that one object must have: of a group when group_len is not 0, else the top level.
 */
static void write_required(FILE *f, enum result_file which, const char *group, int group_len)
{
	const char *separator = "";

	put_text("\"required\": [", f);
	for (size_t i = 0; i < n_summary_keys; i++) {
		const struct summary_key *k = &summary_keys[i];
		struct key_place p = summary_key_place(i);

		if (k->file != which)
			continue;
		if (group_len && strncmp(k->key, group, (size_t)group_len + 1) != 0)
			continue;
		if (!group_len && p.group_len && !p.opens_group)
			continue;
		if (!group_len && p.group_len)
			put(f, "%s\"%.*s\"", separator, p.group_len, k->key);
		else
			put(f, "%s\"%s\"", separator, p.name);
		separator = ", ";
	}
	put_char(']', f);
}

void summary_schema_write(FILE *f, enum result_file which)
{
	put_text("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n", f);
	put(f, "  \"title\": \"squall %s\",\n", result_file_name[which]);
	put_text("  \"type\": \"object\",\n  \"additionalProperties\": false,\n  ", f);
	write_required(f, which, NULL, 0);
	put_text(",\n  \"properties\": {\n", f);
	for (size_t i = 0; i < n_summary_keys; i++) {
		const struct summary_key *k = &summary_keys[i];
		struct key_place p = summary_key_place(i);

		if (k->file != which)
			continue;
		if (p.opens_group) {
			put(f, "    \"%.*s\": {\n      \"type\": \"object\", ", p.group_len,
			        k->key);
			put_text("\"additionalProperties\": false,\n      ", f);
			write_required(f, which, k->key, p.group_len);
			put_text(",\n      \"properties\": {\n", f);
		}
		write_property(f, k, &p);
		if (p.closes_group)
			put_text("\n      }\n    }", f);
		put_text(p.ends_file ? "\n" : ",\n", f);
	}
	put_text("  }\n}\n", f);
}

/* A distribution has nine keys with one definition: one line of the table. */
static bool starts_distribution(size_t i, const struct key_place *p)
{
	return p->opens_group && !strcmp(p->name, "min") && i + 8 < n_summary_keys &&
	       !strcmp(summary_key_place(i + 8).name, "samples");
}

static void markdown_row(FILE *f, const struct summary_key *k, const char *key, const char *doc)
{
	put(f, "| `%s` | %s | %s | %s | %s |\n", key, types[k->type].label,
	        k->unit ? k->unit : "", k->null_rule ? k->null_rule : "never", doc);
}

static void markdown_distribution(FILE *f, size_t first)
{
	const struct summary_key *k = &summary_keys[first];
	const char *doc = summary_keys[first + 2].doc; /* of p50: "50th percentile: ..." */
	char key[128], text[1000];

	(void)snprintf(key, sizeof(key), "%.*s.{min,mean,p50,p90,p99,p99_9,p99_99,max,samples}",
	        (int)strcspn(k->key, "."), k->key);
	doc += strcspn(doc, ":") + 2;
	(void)snprintf(text, sizeof(text), "%c%s `samples` is never null.",
	        doc[0] >= 'a' && doc[0] <= 'z' ? doc[0] - 'a' + 'A' : doc[0], doc + 1);
	markdown_row(f, k, key, text);
}

static void markdown_table(FILE *f, enum result_file which)
{
	put(f,
	        "### %s\n\n| key | type | unit | null when | definition |\n"
	        "|---|---|---|---|---|\n",
	        result_file_name[which]);
	for (size_t i = 0; i < n_summary_keys; i++) {
		const struct summary_key *k = &summary_keys[i];
		struct key_place p = summary_key_place(i);

		if (k->file != which)
			continue;
		if (starts_distribution(i, &p)) {
			markdown_distribution(f, i);
			i += 8;
		} else {
			markdown_row(f, k, k->key, k->doc);
		}
	}
}

void summary_markdown_write(FILE *f)
{
	markdown_table(f, RESULT_SUMMARY);
	put_char('\n', f);
	markdown_table(f, RESULT_RUN);
}

void summary_explain(FILE *f, const struct summary_key *k)
{
	put(f, "%s  (%s)\n  ", k->key, result_file_name[k->file]);
	wrap_text(f, k->doc, 2, 2, wrap_columns(f));
	put(f, "  type     %s\n", types[k->type].label);
	if (k->unit)
		put(f, "  unit     %s\n", k->unit);
	put(f, "  null     %s%s\n", k->null_rule ? "when " : "never",
	        k->null_rule ? k->null_rule : "");
}
