/* SPDX-License-Identifier: Apache-2.0 */
/* squall explain: what a key of a scenario or of a result means. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/put.h"
#include "analysis/summary_schema.h"
#include "analysis/wrap_text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "dataplane/base/nearest.h"
#include "scenarios/knob_markdown.h"
#include "scenarios/knob_table.h"
#include "scenarios/knob_value.h"
#include "scenarios/scenario_later.h"

struct explain_args {
	const char *key;
	bool markdown, results, scenario, keys;
};

enum { OPT_MARKDOWN = 0x200, OPT_RESULTS, OPT_SCENARIO, OPT_KEYS };

static const struct argp_option options[] = {
        {"results", OPT_RESULTS, NULL, 0, "List the keys of result files only", 0},
        {"scenario", OPT_SCENARIO, NULL, 0, "List the keys of scenarios only", 0},
        {"markdown", OPT_MARKDOWN, NULL, 0, "List as the tables of the documentation", 0},
        {"keys", OPT_KEYS, NULL, 0, "List the names of keys alone", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct explain_args *a = state->input;

	switch (key) {
	case OPT_RESULTS:
		a->results = true;
		return 0;
	case OPT_SCENARIO:
		a->scenario = true;
		return 0;
	case OPT_MARKDOWN:
		a->markdown = true;
		return 0;
	case OPT_KEYS:
		a->keys = true;
		return 0;
	case ARGP_KEY_ARG:
		return options_take_one(&a->key, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[KEY]",
        .doc = "Says what a key of a scenario or of summary.json means: unit, range, default "
               "and "
               "where the default comes from. Without a key, lists their sections.\v"
               "Examples:\n"
               "  squall explain fabric.switch.ecn.kmin\n"
               "  squall explain rpg_time_reset\n"
               "  squall explain fct_us.p99\n"
               "  squall explain --results",
};

#define DOC_COLUMN 54 /* of a list of scenario keys */

/* One key of a list, its text in a column of its own. */
static void list_key(const char *key, int column, const char *doc)
{
	const size_t used = 2 + strlen(key), at = (size_t)column;

	put(stdout, "  %s%*s", key, used < at ? (int)(at - used) : 1, "");
	wrap_text(
	        stdout, doc, used < at ? column : (int)used + 1, column, wrap_columns(stdout));
}

static void list_knobs(void)
{
	char full[KNOB_PATH_BYTES];

	put(stdout, "Keys of a scenario:\n\n");
	for (const struct knob_slot *s = knob_table; s->group; s++)
		for (size_t i = 0; i < s->group->n_rows; i++)
			if (knob_join(full, s->group->path, s->group->rows[i].key))
				list_key(full, DOC_COLUMN, s->group->rows[i].doc);
	put(stdout, "\n");
}

static void list_results(void)
{
	put(stdout, "Keys of summary.json and run.json:\n\n");
	for (size_t i = 0; i < n_summary_keys; i++)
		list_key(summary_keys[i].key, 27, summary_keys[i].doc);
}

#define GROUP_COLUMN 24

/* What has a key more than once, for a value of another form, counts as one. */
static uint32_t n_keys(const struct knob_group *g)
{
	uint32_t n = 0;

	for (size_t i = 0; i < g->n_rows; i++)
		n += !i || strcmp(g->rows[i].key, g->rows[i - 1].key) != 0;
	return n;
}

static void list_results_groups(void)
{
	char names[1000] = "";

	for (size_t i = 0; i < n_summary_keys; i++) {
		const char *key = summary_keys[i].key,
		           *former = i ? summary_keys[i - 1].key : "";
		const size_t len = strcspn(key, ".");

		if (strcspn(former, ".") == len && !strncmp(former, key, len))
			continue;
		(void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.*s",
		        *names ? ", " : "", (int)len, key); /* a long list is cut */
	}
	put_text("\nKeys of summary.json and run.json:\n\n  ", stdout);
	wrap_text(stdout, names, 2, 2, wrap_columns(stdout));
}

static void list_groups(void)
{
	uint32_t seen = 0;

	put_text("Keys of a scenario, by section:\n\n", stdout);
	for (const struct knob_slot *s = knob_table; s->group; s++) {
		char doc[400];

		if (s->group->n_rows < 2 && !strcmp(s->group->path, "fabric") && seen++)
			continue; /* its lists have a group of their own */
		(void)snprintf(doc, sizeof(doc), "%s (%u)", s->group->doc, n_keys(s->group));
		list_key(*s->group->path ? s->group->path : "(top level)", GROUP_COLUMN, doc);
	}
	list_results_groups();
	put_text("\nsquall explain SECTION lists the keys of one, squall explain KEY says what "
	         "a "
	         "key means;\nsquall explain --scenario and --results list every key.\n",
	        stdout);
}

static void list_keys(const struct explain_args *a)
{
	char full[KNOB_PATH_BYTES];

	for (const struct knob_slot *s = knob_table; s->group && !a->results; s++)
		for (size_t i = 0; i < s->group->n_rows; i++)
			if (knob_join(full, s->group->path, s->group->rows[i].key))
				put(stdout, "%s\n", full);
	for (size_t i = 0; i < n_summary_keys && !a->scenario; i++)
		put(stdout, "%s\n", summary_keys[i].key);
}

static void list_all(const struct explain_args *a)
{
	if (a->keys) {
		list_keys(a);
		return;
	}
	if (!a->results && a->markdown)
		knob_markdown_write(stdout);
	else if (a->markdown)
		summary_markdown_write(stdout);
	else if (!a->results && !a->scenario)
		list_groups();
	else if (!a->results)
		list_knobs();
	else
		list_results();
}

static void explain_line(const char *what, const char *text)
{
	put(stdout, "  %-8s ", what);
	wrap_text(stdout, text, 11, 11, wrap_columns(stdout));
}

static void explain_knob(const char *full, const struct knob *row)
{
	char expected[KNOB_EXPECTED_BYTES], lo[KNOB_TEXT_BYTES], hi[KNOB_TEXT_BYTES];

	put(stdout, "%s\n  ", full);
	wrap_text(stdout, row->doc, 2, 2, wrap_columns(stdout));
	explain_line("value", knob_expected(row, expected, sizeof(expected)));
	if (row->min || row->max)
		put(stdout, "  range    %s to %s\n", knob_format_value(row, row->min, lo),
		        knob_format_value(row, row->max, hi));
	explain_line("default", !row->def   ? "none: must be given"
	                        : *row->def ? row->def
	                                    : "none");
	if (row->source)
		explain_line("source", row->source);
	if (row->note)
		explain_line("note", row->note);
}

/* workload[0].senders is the row workload[].senders. */
static void strip_indexes(char *out, size_t len, const char *key)
{
	size_t n = 0;

	for (; *key && n + 1 < len; key++) {
		out[n++] = *key;
		if (*key == '[')
			key += strspn(key + 1, "0123456789");
	}
	out[n] = '\0';
}

static bool explain_path(const char *path)
{
	const struct knob_slot *slot = NULL;
	const struct knob *row = NULL;
	bool found = false;

	while ((row = knob_next(&slot, row, path)) != NULL) {
		explain_knob(path, row);
		found = true;
	}
	return found;
}

static bool explain_later(const char *path)
{
	const char *neutral;
	const char *what = scenario_later_what(path, &neutral);

	if (!what)
		return false;
	put(stdout, "%s\n  %s: not available yet: only %s\n", path, what,
	        *neutral ? neutral : "[]");
	return true;
}

/* The row whose full path, or whose end after a dot, is nearest to what was asked for. */
static bool nearest_key(char out[KNOB_PATH_BYTES], const char *key)
{
	uint32_t best = UINT32_MAX;
	char full[KNOB_PATH_BYTES];

	for (const struct knob_slot *s = knob_table; s->group; s++) {
		for (size_t i = 0; i < s->group->n_rows; i++) {
			if (!knob_join(full, s->group->path, s->group->rows[i].key))
				continue;
			for (const char *p = full; p;
			        p = strchr(p, '.') ? strchr(p, '.') + 1 : NULL) {
				struct nearest near;

				nearest_init(&near, key);
				nearest_offer(&near, p);
				if (!nearest_get(&near) || near.best_distance >= best)
					continue;
				best = near.best_distance;
				memcpy(out, full, sizeof(full));
			}
		}
	}
	return best != UINT32_MAX;
}

/* Does a step of the path, or several, read so? "ecn" is one of fabric.switch.ecn.kmin. */
static bool has_steps(const char *full, const char *steps)
{
	const size_t len = strlen(steps);

	for (const char *p = full; p; p = strchr(p, '.') ? strchr(p, '.') + 1 : NULL)
		if (!strncmp(p, steps, len) && strchr(".[", p[len]))
			return true; /* strchr finds the end, too */
	return false;
}

/* The same, and more follows. */
static bool is_section(const char *full, const char *steps)
{
	const size_t len = strlen(steps);

	for (const char *p = full; p; p = strchr(p, '.') ? strchr(p, '.') + 1 : NULL)
		if (!strncmp(p, steps, len) && (p[len] == '.' || p[len] == '['))
			return true;
	return false;
}

/* Or one of its words: "busbw" is one of collective.busbw_gbps. */
static bool has_word(const char *full, const char *word)
{
	const size_t len = strlen(word);

	for (const char *p = full; *p; p++)
		if ((p == full || strchr("._[]", p[-1])) && !strncmp(p, word, len) &&
		        strchr("._[]", p[len]))
			return true;
	return false;
}

/* Lists all keys of scenarios and results that fit what was asked for; false: there is none. */
static bool list_fitting(
        const char *asked, bool (*fits)(const char *full, const char *asked), bool silent)
{
	char full[KNOB_PATH_BYTES];
	bool found = false;

	for (const struct knob_slot *s = knob_table; s->group; s++)
		for (size_t i = 0; i < s->group->n_rows; i++) {
			if (!knob_join(full, s->group->path, s->group->rows[i].key) ||
			        !fits(full, asked))
				continue;
			if (!silent)
				list_key(full, DOC_COLUMN, s->group->rows[i].doc);
			found = true;
		}
	for (size_t i = 0; i < n_summary_keys; i++) {
		if (!fits(summary_keys[i].key, asked))
			continue;
		if (!silent)
			list_key(summary_keys[i].key, DOC_COLUMN, summary_keys[i].doc);
		found = true;
	}
	return found;
}

/* Every key that ends in what was asked for: "priority" is one of several. */
static bool explain_ends(const char *path)
{
	char full[KNOB_PATH_BYTES];
	bool found = false;

	for (const struct knob_slot *s = knob_table; s->group; s++)
		for (size_t i = 0; i < s->group->n_rows; i++) {
			if (!knob_join(full, s->group->path, s->group->rows[i].key) ||
			        !knob_ends_in(full, path))
				continue;
			explain_knob(full, &s->group->rows[i]);
			found = true;
		}
	return found;
}

/* A section, or what is one of several keys: "ecn" is both. */
static bool explain_part(const char *asked)
{
	if (list_fitting(asked, is_section, true))
		return list_fitting(asked, has_steps, false);
	return explain_ends(asked) || list_fitting(asked, has_steps, false) ||
	       list_fitting(asked, has_word, false);
}

static enum cli_exit explain(const char *key)
{
	char path[KNOB_PATH_BYTES], full[KNOB_PATH_BYTES];
	const struct summary_key *k;
	const char *nearest = NULL;
	struct err e = {0};

	strip_indexes(path, sizeof(path), key);
	if (explain_path(path))
		return CLI_OK;
	if (knob_join(full, "fabric", path) && explain_path(full))
		return CLI_OK;
	if (explain_later(path) || (knob_join(full, "fabric", path) && explain_later(full)))
		return CLI_OK;
	k = summary_key_find(key, &nearest);
	if (k) {
		summary_explain(stdout, k);
		return CLI_OK;
	}
	if (*path && explain_part(path))
		return CLI_OK;
	if (!nearest && nearest_key(full, path))
		nearest = full;
	(void)err_set(&e, -EINVAL, "no key %s%s%s; `squall explain` lists them", key,
	        nearest ? "; nearest is " : "", nearest ? nearest : "");
	return cli_error(&e);
}

static enum cli_exit main_explain(int argc, char **argv)
{
	struct explain_args a = {0};
	struct err e = {0};
	int r = options_parse(&argp, argc, argv, &a, &e);

	if (r < 0)
		return cli_error(&e);
	if (r)
		return CLI_OK;
	if (a.key)
		return explain(a.key);
	list_all(&a);
	return CLI_OK;
}

const struct command cmd_explain = {
        "explain", "say what a key means, its range, default and source", main_explain, &argp};
