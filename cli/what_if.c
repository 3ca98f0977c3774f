/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/what_if.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/difference.h"
#include "analysis/out_file.h"
#include "analysis/put.h"
#include "analysis/report_read.h"
#include "analysis/result_folder.h"
#include "analysis/summary_json.h"
#include "cli/replace.h"

#define BASE  "base"
#define OTHER "what-if"

int what_if_add(struct run_args *a, char *arg, struct err *e)
{
	char *equals = strchr(arg, '=');
	struct scenario_set *grown;

	if (!equals || equals == arg)
		return err_set(e, -EINVAL,
		        "--what-if %s: expected KEY=VALUE, such as switch.ecn.kmax=800KB", arg);
	grown = realloc(a->what_if, (a->n_what_if + 1) * sizeof(*grown));
	if (!grown)
		return err_set(e, -ENOMEM, "out of memory for the command line");
	*equals = '\0'; /* argv is writable (C17 5.1.2.2.1) */
	a->what_if = grown;
	a->what_if[a->n_what_if++] = (struct scenario_set){.key = arg, .value = equals + 1};
	return 0;
}

/* The message is about a --set that nobody wrote. */
static void name_option(struct err *e, const struct run_args *a)
{
	static const char set[] = "--set ", what_if[] = "--what-if ";
	char text[sizeof(e->msg)];
	const char *rest = e->msg + sizeof(set) - 1;

	if (strncmp(e->msg, set, sizeof(set) - 1) != 0)
		return;
	for (uint32_t i = 0; i < a->n_what_if; i++) {
		const size_t len = strlen(a->what_if[i].key);

		if (strncmp(rest, a->what_if[i].key, len) != 0 || rest[len] != '=')
			continue;
		(void)snprintf(text, sizeof(text), "%s%s", what_if, rest); /* may be cut */
		memcpy(e->msg, text, sizeof(text));
		return;
	}
}

/* As --set behind all others, so that the same rules hold. */
static int load(struct scenario **out, const struct run_args *a, struct err *e)
{
	struct source changed = a->source;
	const uint32_t n = a->source.n_set + a->n_what_if;
	int rc;

	changed.set = calloc(n + 1, sizeof(*changed.set));
	if (!changed.set)
		return err_set(e, -ENOMEM, "out of memory for the command line");
	if (a->source.n_set)
		memcpy(changed.set, a->source.set, a->source.n_set * sizeof(*changed.set));
	memcpy(changed.set + a->source.n_set, a->what_if, a->n_what_if * sizeof(*changed.set));
	changed.n_set = n;
	changed.quiet = true; /* the notes were shown for the base */
	rc = source_load(out, &changed, e);
	if (rc)
		name_option(e, a);
	free(changed.set);
	return rc;
}

struct pair {
	const struct scenario *base, *other;
	char *base_dir, *other_dir, *page;
	struct run_outcome base_run, other_run;
	bool base_ran, other_ran;
};

static int find_places(struct pair *p, const struct run_args *a, const char *out, struct err *e)
{
	int rc;

	if (asprintf(&p->base_dir, "%s/" BASE, out) < 0)
		p->base_dir = NULL;
	if (asprintf(&p->other_dir, "%s/" OTHER, out) < 0)
		p->other_dir = NULL;
	if (asprintf(&p->page, "%s/%s", out, result_name(RESULT_NAME_PAGE)) < 0)
		p->page = NULL;
	if (!p->base_dir || !p->other_dir || !p->page)
		return err_set(e, -ENOMEM, "%s: out of memory", out);
	rc = out_folder_check(out, e);
	if (!rc && !a->no_report)
		rc = replace_check(p->page, "<!doctype html>", "page of report", e);
	if (!rc)
		rc = result_folder_check(p->base_dir, RESULTS_OF_RUN, e);
	return rc ? rc : result_folder_check(p->other_dir, RESULTS_OF_RUN, e);
}

static int write_page(const struct pair *p, struct err *e)
{
	struct report_run run[2] = {{.name = BASE}, {.name = OTHER}};
	struct out_set set;
	FILE *f;
	int rc;

	out_set_init(&set);
	rc = report_read(&run[0], p->base_dir, e);
	if (!rc)
		rc = report_read(&run[1], p->other_dir, e);
	if (!rc)
		rc = out_set_add(&set, &f, p->page, e);
	if (!rc) {
		report_html_write(f, run, 2);
		rc = out_set_commit(&set, e);
	}
	out_set_abort(&set);
	for (int i = 0; i < 2; i++)
		free((void *)(uintptr_t)run[i].json);
	return rc;
}

static int run_both(struct pair *p, const struct run_args *a, struct err *e)
{
	int rc = run_simulate(&p->base_run, a, p->base, p->base_dir, e);

	if (rc)
		return rc;
	p->base_ran = true;
	if (p->base_run.rec->end == RUN_INTERRUPTED)
		return 0;
	rc = run_simulate(&p->other_run, a, p->other, p->other_dir, e);
	p->other_ran = !rc;
	return rc || a->no_report ? rc : write_page(p, e);
}

static void write_json(const struct pair *p)
{
	put_text("{\"base\": ", stdout);
	summary_json_write(stdout, RESULT_SUMMARY, &p->base_run.summary, &p->base_run.result);
	put_text(", \"what_if\": ", stdout);
	summary_json_write(stdout, RESULT_SUMMARY, &p->other_run.summary, &p->other_run.result);
	put_text("}\n", stdout);
}

static void write_table(const struct pair *p, const struct run_args *a, const char *out)
{
	put(stdout, "%s  seed %lld\n", p->base->name, (long long)p->base->run.seed);
	for (uint32_t i = 0; i < a->n_what_if; i++)
		put(stdout, "what if %s=%s\n", a->what_if[i].key, a->what_if[i].value);
	put_char('\n', stdout);
	difference_write(stdout, &p->base_run.summary, &p->other_run.summary, BASE, OTHER);
	put(stdout, "\nresults in %s and %s", p->base_dir, p->other_dir);
	if (!a->no_report)
		put(stdout, ", both in %s/%s", out, result_name(RESULT_NAME_PAGE));
	put_char('\n', stdout);
}

static enum cli_exit show(const struct pair *p, const struct run_args *a, const char *out)
{
	enum cli_exit base, other;

	if (!p->other_ran)
		return run_judge(a, &p->base_run, p->base_dir);
	if (a->json)
		write_json(p);
	else if (!a->source.quiet)
		write_table(p, a, out);
	base = run_judge(a, &p->base_run, p->base_dir);
	other = run_judge(a, &p->other_run, p->other_dir);
	return base > other ? base : other;
}

enum cli_exit what_if_run(struct run_args *a, const struct scenario *base, const char *out)
{
	struct scenario *other = NULL;
	struct pair p = {.base = base};
	enum cli_exit status;
	struct err e = {0};
	int rc = 0;

	if (a->world)
		rc = err_set(
		        &e, -EINVAL, "--what-if runs in one process: start it without mpirun");
	if (!rc && a->fct)
		rc = err_set(&e, -EINVAL,
		        "--fct is for one run: the messages of both are in messages.csv");
	if (!rc)
		rc = load(&other, a, &e);
	p.other = other;
	if (!rc)
		rc = find_places(&p, a, out, &e);
	if (!rc)
		rc = run_both(&p, a, &e);
	status = rc ? cli_error(&e) : show(&p, a, out);
	if (p.base_ran)
		run_outcome_fini(&p.base_run);
	if (p.other_ran)
		run_outcome_fini(&p.other_run);
	scenario_free(other);
	free(p.base_dir);
	free(p.other_dir);
	free(p.page);
	return status;
}
