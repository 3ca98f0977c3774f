/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/qualify_list.h"

#include <string.h>

#include "analysis/put.h"
#include "cli/find_qualify.h"
#include "cli/library.h"
#include "scenarios/knob_value.h"
#include "scenarios/qualify/qualify_rules.h"

/* Combinations of one case stand together. */
static uint32_t combinations(const struct qsuite *s, uint32_t first)
{
	uint32_t end = first;

	while (end < s->n_cases && s->c[end].at == s->c[first].at)
		end++;
	return end - first;
}

static void plain(FILE *f, const struct qsuite *s)
{
	put(f, "%-12s %s\n", s->name, s->doc);
	for (uint32_t i = 0; i < s->n_cases;) {
		uint32_t n = combinations(s, i);

		put(f, "  %-34s %4u  %s\n", s->c[i].cfg.name, n, s->c[i].cfg.doc);
		i += n;
	}
	put_char('\n', f);
}

static void rules_of(FILE *f, const struct qcase *c)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < c->n_checks; i++) {
		uint32_t bit = 1u << c->check[i].cfg.rule;

		if (!(seen & bit))
			put(f, "%s`%s`", seen ? ", " : "",
			        qualify_rules[c->check[i].cfg.rule].word);
		seen |= bit;
	}
}

static void markdown_suite(FILE *f, const struct qsuite *s)
{
	put(f,
	        "\n### %s\n\n%s\n\n| case | runs | what a switch must do | rules | public test "
	        "|\n"
	        "|---|---|---|---|---|\n",
	        s->name, s->doc);
	for (uint32_t i = 0; i < s->n_cases;) {
		uint32_t n = combinations(s, i);

		put(f, "| `%s` | %u | %s | ", s->c[i].cfg.name, n, s->c[i].cfg.doc);
		rules_of(f, &s->c[i]);
		put(f, " | %s |\n", s->c[i].cfg.follows);
		i += n;
	}
}

static void markdown_rules(FILE *f)
{
	put_text("\n### Rules\n\n| rule | model |\n|---|---|\n", f);
	for (int i = 0; i < QRULE_N; i++)
		if (qualify_rules[i].word)
			put(f, "| `%s` | %s |\n", qualify_rules[i].word,
			        qualify_rules[i].model);
}

/* The rules that take a key, where not all do. */
static void takers(FILE *f, const struct knob *row)
{
	const char *gap = " Of ";

	if (!row->applies)
		return;
	for (int i = 0; i < QRULE_N; i++)
		if (row->applies >> i & 1) {
			put(f, "%s`%s`", gap, qualify_rules[i].word);
			gap = ", ";
		}
	put_char('.', f);
}

static void markdown_keys(FILE *f, const struct knob_group *g)
{
	char expected[KNOB_EXPECTED_BYTES];

	put(f, "\n#### `%s`\n\n%s\n\n| key | value | default | meaning |\n|---|---|---|---|\n",
	        g->path, g->doc);
	for (size_t i = 0; i < g->n_rows; i++) {
		const struct knob *row = &g->rows[i];

		put(f, "| `%s` | %s | ", row->key,
		        knob_expected(row, expected, sizeof(expected)));
		if (!row->def)
			put_text("required", f);
		else
			put(f, *row->def ? "`%s`" : "none%s", row->def);
		put(f, " | %s", row->doc);
		takers(f, row);
		put_text(" |\n", f);
	}
}

static int switches(FILE *f, struct err *e)
{
	struct library l;
	int rc = library_read(&l, QUALIFY_ASICS, e);

	if (rc)
		return rc;
	put_text("switches (--asic):", f);
	for (uint32_t i = 0; i < l.n; i++)
		put(f, " %s", l.item[i].name);
	put_char('\n', f);
	library_free(&l);
	return 0;
}

int qualify_list(
        FILE *f, struct qsuite *const *suite, uint32_t n_suites, bool markdown, struct err *e)
{
	for (uint32_t i = 0; i < n_suites; i++) {
		if (markdown)
			markdown_suite(f, suite[i]);
		else
			plain(f, suite[i]);
	}
	if (!markdown)
		return switches(f, e);
	markdown_rules(f);
	put_text("\n### Keys of a case\n\nBeside those in the tables: `each`, `rates` (a list "
	         "with the "
	         "rate of each port), `scenario`, `traffic`, `pfc`, `checks`.\n",
	        f);
	markdown_keys(f, &qualify_case_knobs);
	markdown_keys(f, &qualify_traffic_knobs);
	markdown_keys(f, &qualify_pfc_knobs);
	markdown_keys(f, &qualify_check_knobs);
	return 0;
}

static void one_case(FILE *f, const struct verdict_case *c)
{
	const struct verdict_check *k = verdict_first_failed(c);

	put(f, "  %-15s %s.%s\n", verdict_word(c->status), c->suite, c->name);
	if (k)
		put(f, "  %15s %s: %s: measured %s; expected %s\n", "", k->rule, k->what,
		        k->measured, k->expected);
	if (*c->reason)
		put(f, "  %15s %s%s\n", "",
		        c->status == VERDICT_NOT_APPLICABLE ? "" : "known: ", c->reason);
}

void qualify_summary(FILE *f, const struct verdict *v, const char *out)
{
	bool any = false;

	if (v->defect)
		put(f, "a defect is planted in this switch: %s\n", v->defect);
	put(f, "%s on %s: %u cases in %.1f s:", v->suite, v->asic, v->n_cases, v->wall_s);
	for (int i = 0; i < VERDICT_N_STATUS; i++)
		if (v->count[i]) {
			put(f, "%s %u %s", any ? "," : "", v->count[i],
			        verdict_word((enum verdict_status)i));
			any = true;
		}
	put_char('\n', f);
	for (uint32_t i = 0; i < v->n_cases; i++)
		if (v->c[i].status != VERDICT_PASS && v->c[i].status != VERDICT_NOT_RUN)
			one_case(f, &v->c[i]);
	put(f, "verdict in %s: report.html, junit.xml, verdict.json, evidence/\n", out);
}
