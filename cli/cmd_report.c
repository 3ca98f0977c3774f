/* SPDX-License-Identifier: Apache-2.0 */
/* squall report: the page of a result folder again, or several runs side by side. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/out_file.h"
#include "analysis/put.h"
#include "analysis/report_read.h"
#include "analysis/result_folder.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/replace.h"

#define RUNS_MAX 16

struct report_args {
	const char *dir[RUNS_MAX];
	size_t n;
	const char *out;
	bool quiet;
	struct err *err;
};

static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0,
                "Write the page there (default: report.html in the folder, or here for "
                "several)",
                0},
        {"quiet", 'q', NULL, 0, "Say nothing but errors", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_args *a = state->input;

	switch (key) {
	case 'o':
		a->out = arg;
		return *arg ? 0 : -err_set(a->err, -EINVAL, "-o needs the name of a file");
	case 'q':
		a->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->n == RUNS_MAX)
			return -err_set(a->err, -EINVAL,
			        "report: more than %d folders; a page compares at most so many",
			        RUNS_MAX);
		a->dir[a->n++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "DIR...",
        .doc = "Makes report.html again from the files of a result folder; with several "
               "folders, one page that compares the runs: key figures with their differences, "
               "distributions and time lines over each other, and how their configurations "
               "differ.\v"
               "Examples:\n"
               "  squall report squall-out/incast-32\n"
               "  squall report squall-out/incast-32 results -o compare.html\n\n"
               "Exit status: 0 ok, 2 bad input, 3 environment.",
};

/* The last part of a path, unless another of the folders ends alike. */
static const char *last_part(const char *dir, size_t *len)
{
	size_t end = strlen(dir), start;

	while (end > 1 && dir[end - 1] == '/')
		end--;
	for (start = end; start > 0 && dir[start - 1] != '/'; start--)
		;
	*len = end - start;
	return dir + start;
}

static char *name_of(const struct report_args *a, size_t i)
{
	size_t len, other_len;
	const char *name = last_part(a->dir[i], &len);

	for (size_t k = 0; k < a->n; k++) {
		const char *other = last_part(a->dir[k], &other_len);

		if (k != i && len == other_len && !strncmp(name, other, len))
			return strdup(a->dir[i]);
	}
	return strndup(name, len);
}

static int read_runs(struct report_run *run, const struct report_args *a, struct err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		int r = report_read(&run[i], a->dir[i], e);

		if (r)
			return r;
		run[i].name = name_of(a, i);
		if (!run[i].name)
			return err_set(e, -ENOMEM, "%s: out of memory", a->dir[i]);
	}
	return 0;
}

/* Where --output says, or else in the only folder, or here. */
static int add_page(struct out_set *set, FILE **f, const struct report_args *a, struct err *e)
{
	const char *name = result_name(RESULT_NAME_PAGE), *path = a->out ? a->out : name;
	int r;

	if (!a->out && a->n == 1) {
		r = result_folder_check(a->dir[0], RESULTS_PAGE, e);
		return r ? r : out_set_add_in(set, f, a->dir[0], name, e);
	}
	r = replace_check(path, "<!doctype html>", "page of report", e);
	return r ? r : out_set_add(set, f, path, e);
}

static int write_page(const struct report_args *a, const struct report_run *run, struct err *e)
{
	struct out_set set;
	FILE *f;
	int r;

	out_set_init(&set);
	r = add_page(&set, &f, a, e);
	if (!r) {
		report_html_write(f, run, a->n);
		r = out_set_commit(&set, e);
	}
	out_set_abort(&set);
	return r;
}

static void show(const struct report_args *a)
{
	const char *name = result_name(RESULT_NAME_PAGE);

	if (a->quiet)
		return;
	if (!a->out && a->n == 1)
		put(stdout, "%s/%s\n", a->dir[0], name);
	else
		put(stdout, "%s\n", a->out ? a->out : name);
}

static int make(const struct report_args *a, struct err *e)
{
	struct report_run run[RUNS_MAX] = {0};
	int r = read_runs(run, a, e);

	if (!r)
		r = write_page(a, run, e);
	if (!r)
		show(a);
	for (size_t i = 0; i < a->n; i++) {
		free((void *)(uintptr_t)run[i].name);
		free((void *)(uintptr_t)run[i].json);
	}
	return r;
}

static enum cli_exit main_report(int argc, char **argv)
{
	struct err e = {0};
	struct report_args a = {.err = &e};
	int r = options_parse(&argp, argc, argv, &a, &e);

	if (r > 0)
		return CLI_OK;
	if (!r && !a.n)
		r = err_set(
		        &e, -EINVAL, "report: no folder given; name one that squall run wrote");
	if (!r)
		r = make(&a, &e);
	return r ? cli_error(&e) : CLI_OK;
}

const struct command cmd_report = {
        "report", "make the report of a run again, or compare runs", main_report, &argp};
