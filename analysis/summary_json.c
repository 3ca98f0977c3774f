/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary_json.h"

#include <string.h>

#include "analysis/json_text.h"
#include "analysis/number.h"
#include "analysis/put.h"

static void write_reasons(FILE *f, const struct run_result *r)
{
	put_char('[', f);
	for (uint32_t i = 0; i < r->n_tainted; i++) {
		if (i)
			put_text(", ", f);
		json_text(f, r->tainted[i]);
	}
	put_char(']', f);
}

static void write_expects(FILE *f, const struct run_result *r)
{
	char buf[NUMBER_LEN];

	put_char('[', f);
	for (uint32_t i = 0; i < r->n_expect; i++) {
		const struct run_expect *x = &r->expect[i];

		put_text(i ? ",\n    {\"text\": " : "\n    {\"text\": ", f);
		json_text(f, x->text);
		put(f, ", \"holds\": %s, \"value\": %s}",
		        !run_judged(r) ? "null"
		        : x->holds     ? "true"
		                       : "false",
		        x->has_value ? number_double(buf, x->value) : "null");
	}
	put_text(r->n_expect ? "\n  ]" : "]", f);
}

static void write_value(FILE *f, const struct summary_key *k, const struct run_summary *s,
        const struct run_result *r)
{
	char buf[NUMBER_LEN];
	const char *text;
	int64_t raw;

	switch (k->type) {
	case KEY_WHOLE:
	case KEY_MICRO:
	case KEY_NANO:
		raw = summary_key_raw(k, s);
		put_text(raw == STATS_NULL ? "null"
		                           : number_fixed(buf, raw, summary_key_decimals(k)),
		        f);
		break;
	case KEY_SEED:
		put(f, "%llu", (unsigned long long)s->seed);
		break;
	case KEY_TEXT:
		memcpy(&text, (const char *)s + k->offset, sizeof(text));
		json_text(f, text);
		break;
	case KEY_REASONS:
		write_reasons(f, r);
		break;
	case KEY_EXPECTS:
		write_expects(f, r);
		break;
	}
}

void summary_json_write(FILE *f, enum result_file which, const struct run_summary *s,
        const struct run_result *r)
{
	put_text("{\n", f);
	for (size_t i = 0; i < n_summary_keys; i++) {
		struct key_place p = summary_key_place(i);

		if (summary_keys[i].file != which)
			continue;
		if (p.opens_group)
			put(f, "  \"%.*s\": {\n", p.group_len, summary_keys[i].key);
		put(f, "%s\"%s\": ", p.group_len ? "    " : "  ", p.name);
		write_value(f, &summary_keys[i], s, r);
		if (p.closes_group)
			put_text("\n  }", f);
		put_text(p.ends_file ? "\n" : ",\n", f);
	}
	put_text("}\n", f);
}
