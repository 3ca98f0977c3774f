/* SPDX-License-Identifier: Apache-2.0 */
/* squall qualify: does a switch mark, pause, schedule and drop as it must. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/process.h"
#include "analysis/put.h"
#include "cli/commands.h"
#include "cli/find_qualify.h"
#include "cli/library.h"
#include "cli/options.h"
#include "cli/qualify_list.h"
#include "cli/qualify_progress.h"
#include "cli/stop.h"
#include "scenarios/qualify/qualify_keys.h"
#include "scenarios/qualify/qualify_write.h"

#define MAX_SETS    64
#define MAX_SUITES  64
#define THREADS_MAX 64

struct args {
	const char *suite[MAX_SUITES];
	uint32_t n_suites;
	const char *asic, *out, *only;
	struct scenario_set set[MAX_SETS];
	uint32_t n_set;
	uint64_t threads;
	bool list, markdown, quiet;
	struct err *err;
};

enum { OPT_ASIC = 0x200, OPT_LIST, OPT_MARKDOWN, OPT_ONLY, OPT_SET, OPT_THREADS };

static const struct argp_option options[] = {
        {"asic", OPT_ASIC, "NAME", 0, "Expectations of this switch (default: generic)", 0},
        {"list", OPT_LIST, NULL, 0, "List suites, their cases and the known switches", 0},
        {"markdown", OPT_MARKDOWN, NULL, 0, "With --list: as a table for docs/qualify.md", 0},
        {"only", OPT_ONLY, "CASE", 0, "Only cases whose SUITE.CASE begins so or fits (* ?)", 0},
        {"out", 'o', "DIR", 0, "Folder for the results (default: squall-out/qualify-SUITE)", 0},
        {"set", OPT_SET, "KEY=VALUE", 0, "Another value for a key of the simulated switch", 0},
        {"threads", OPT_THREADS, "N", 0, "Cases at a time (default: one per core)", 0},
        {"quiet", 'q', NULL, 0, "No progress and no table", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_set(struct args *a, char *arg)
{
	char *eq = strchr(arg, '=');

	if (!eq || eq == arg)
		return -err_set(a->err, -EINVAL, "--set %s: expected KEY=VALUE", arg);
	if (a->n_set == MAX_SETS)
		return -err_set(a->err, -EINVAL, "--set: more than %d", MAX_SETS);
	*eq = '\0';
	if (qualify_key_check(arg, "--set ", a->err))
		return EINVAL;
	a->set[a->n_set++] = (struct scenario_set){.key = arg, .value = eq + 1};
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case OPT_ASIC:
		a->asic = arg;
		break;
	case OPT_LIST:
		a->list = true;
		break;
	case OPT_MARKDOWN:
		a->markdown = true;
		break;
	case OPT_ONLY:
		a->only = arg;
		return *arg ? 0 : -err_set(a->err, -EINVAL, "--only needs the name of a case");
	case 'o':
		a->out = arg;
		return *arg ? 0 : -err_set(a->err, -EINVAL, "--out needs the name of a folder");
	case OPT_SET:
		return parse_set(a, arg);
	case OPT_THREADS:
		return options_whole(&a->threads, "threads", arg, 1, THREADS_MAX, a->err)
		               ? EINVAL
		               : 0;
	case 'q':
		a->quiet = true;
		break;
	case ARGP_KEY_ARG:
		if (a->n_suites == MAX_SUITES)
			return -err_set(a->err, -EINVAL, "more than %d suites", MAX_SUITES);
		a->suite[a->n_suites++] = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "SUITE...",
        .doc = "Runs qualification suites against a simulated switch and writes a verdict.\v"
               "SUITE is a file, the name of one in scenarios/qualify/, or all.\n\n"
               "Examples:\n"
               "  squall qualify --list\n"
               "  squall qualify pfc -o verdict\n"
               "  squall qualify all --asic my-switch.yaml --only pfc.headroom\n\n"
               "Exit status: 0 ok, 1 a case fails that is not known to, 2 bad input, "
               "3 environment or interrupted.",
};

/* All that was loaded. */
struct loaded {
	struct qasic *asic;
	struct qsuite *suite[MAX_SUITES];
	uint32_t n_suites;
};

/* The same suite twice, by whatever path, would have its cases under one name twice. */
static int check_twice(const struct loaded *l, struct err *e)
{
	const struct qsuite *new = l->suite[l->n_suites];

	for (uint32_t i = 0; i < l->n_suites; i++)
		if (!strcmp(l->suite[i]->name, new->name))
			return err_set(e, -EINVAL,
			        "%s: a suite of this name is asked for already; name it once",
			        new->name);
	return 0;
}

static int load_one(struct loaded *l, const char *name, struct err *e)
{
	char *path = NULL;
	int rc = l->n_suites == MAX_SUITES
	                 ? err_set(e, -EINVAL, "more than %d suites", MAX_SUITES)
	                 : find_qualify(&path, QUALIFY_SUITES, name, "suite", e);

	if (!rc)
		rc = qualify_suite_load(&l->suite[l->n_suites], path, l->asic, e);
	if (!rc) {
		rc = check_twice(l, e);
		l->n_suites++;
	}
	free(path);
	return rc;
}

static int load_all(struct loaded *l, struct err *e)
{
	struct library names;
	int rc = library_read(&names, QUALIFY_SUITES, e);

	for (uint32_t i = 0; i < names.n && !rc; i++)
		rc = load_one(l, names.item[i].name, e);
	library_free(&names);
	return rc;
}

static int load(struct loaded *l, const struct args *a, struct err *e)
{
	char *path = NULL;
	int rc = find_qualify(&path, QUALIFY_ASICS, a->asic, "switch", e);

	if (!rc)
		rc = qualify_asic_load(&l->asic, path, e);
	if (!rc) {
		l->asic->set = a->set;
		l->asic->n_set = a->n_set;
	}
	free(path);
	if (!rc && a->list && !a->n_suites)
		return load_all(l, e);
	for (uint32_t i = 0; i < a->n_suites && !rc; i++)
		rc = !strcmp(a->suite[i], "all") ? load_all(l, e) : load_one(l, a->suite[i], e);
	return rc;
}

static void unload(struct loaded *l)
{
	for (uint32_t i = 0; i < l->n_suites; i++)
		qualify_suite_free(l->suite[i]);
	qualify_asic_free(l->asic);
}

static uint32_t usable_threads(const struct args *a)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (a->threads)
		return (uint32_t)a->threads;
	return cores > 0 && cores < THREADS_MAX ? (uint32_t)cores : 1;
}

static enum cli_exit status_of(const struct verdict *v)
{
	if (v->count[VERDICT_FAIL] || v->count[VERDICT_INVALID])
		return CLI_EXPECTATION_FAILED;
	return v->interrupted ? CLI_ENVIRONMENT : CLI_OK;
}

static enum cli_exit report(
        const struct args *a, const struct qualify_result *res, const char *out)
{
	if (!a->quiet)
		qualify_summary(stdout, &res->v, out);
	if (res->v.count[VERDICT_FAIL] || res->v.count[VERDICT_INVALID])
		cli_note("%u of %u cases fail, %u without a valid stimulus; see %s",
		        res->v.count[VERDICT_FAIL], res->v.n_cases,
		        res->v.count[VERDICT_INVALID], out);
	if (res->v.interrupted)
		cli_note("%s; %u of %u cases were not run%s",
		        res->out_of_memory ? "stopped, because memory runs short"
		                           : "interrupted",
		        res->v.count[VERDICT_NOT_RUN], res->v.n_cases,
		        res->out_of_memory ? ": give more memory, or fewer --threads" : "");
	return status_of(&res->v);
}

static enum cli_exit run(const struct args *a, const struct loaded *l, const char *out)
{
	struct qualify_progress progress;
	struct qualify_options opt = {
	        .asic = l->asic,
	        .only = a->only,
	        .set = a->set,
	        .n_set = a->n_set,
	        .threads = usable_threads(a),
	        .stop = stop_on_signals(),
	};
	char machine[256], started[32];
	struct qualify_result res;
	enum cli_exit status;
	struct err e = {0};
	int rc = qualify_write_check(out, &e);

	if (rc)
		return cli_error(&e);
	qualify_progress_start(&progress);
	if (!a->quiet) {
		opt.done = qualify_progress_show;
		opt.done_arg = &progress;
	}
	(void)process_utc(started, sizeof(started));
	rc = qualify_run(&res, l->suite, l->n_suites, &opt, &e);
	qualify_progress_end(&progress);
	if (rc)
		return cli_error(&e);
	res.v.suite =
	        a->n_suites == 1 ? l->n_suites == 1 ? l->suite[0]->name : "all" : "several";
	res.v.version = SQUALL_VERSION;
	res.v.machine = process_machine(machine, sizeof(machine));
	res.v.started = started;
	rc = qualify_write(&res, &opt, out, &e);
	status = rc ? cli_error(&e) : report(a, &res, out);
	qualify_result_fini(&res);
	return status;
}

static int default_out(char **out, const struct args *a, const struct loaded *l, struct err *e)
{
	const char *name = l->n_suites == 1 ? l->suite[0]->name : "all";

	return asprintf(out, "squall-out/qualify-%s", name) < 0
	               ? err_set(e, -ENOMEM, "%s: out of memory", a->suite[0])
	               : 0;
}

static enum cli_exit load_and_run(const struct args *a, struct err *e)
{
	struct loaded l = {0};
	enum cli_exit status = CLI_OK;
	char *named = NULL;
	int rc = 0;

	if (!a->n_suites && !a->list)
		rc = err_set(e, -EINVAL,
		        "qualify: no suite given; squall qualify --list names them, all runs "
		        "them");
	if (!rc)
		rc = load(&l, a, e);
	if (!rc && a->list)
		rc = qualify_list(stdout, l.suite, l.n_suites, a->markdown, e);
	else if (!rc && !a->out)
		rc = default_out(&named, a, &l, e);
	if (rc)
		status = cli_error(e);
	else if (!a->list)
		status = run(a, &l, a->out ? a->out : named);
	free(named);
	unload(&l);
	return status;
}

static enum cli_exit main_qualify(int argc, char **argv)
{
	struct err e = {0};
	struct args a = {.asic = "generic", .err = &e};
	int r = options_parse(&argp, argc, argv, &a, &e);

	return r > 0 ? CLI_OK : r ? cli_error(&e) : load_and_run(&a, &e);
}

const struct command cmd_qualify = {"qualify",
        "prove that a switch marks, pauses, schedules and drops as it must", main_qualify,
        &argp};
