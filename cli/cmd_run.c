/* SPDX-License-Identifier: Apache-2.0 */
/* squall run: scenario in, results out. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/out_file.h"
#include "analysis/put.h"
#include "analysis/result_folder.h"
#include "analysis/summary_json.h"
#include "analysis/table.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "cli/run_args.h"
#include "cli/stop.h"
#include "cli/what_if.h"
#include "scenarios/fct.h"
#include "scenarios/memory_need.h"
#include "scenarios/own_inputs.h"
#include "scenarios/world_open.h"
#include "scenarios/yaml_emit.h"

#define THREADS_MAX       64
#define THREADS_PAY_HOSTS 256

enum {
	OPT_THREADS = 0x200,
	OPT_OUT,
	OPT_JSON,
	OPT_FCT,
	OPT_NO_REPORT,
	OPT_CAPTURE,
	OPT_SNAP,
	OPT_WHAT_IF
};

static const struct argp_option options[] = {
        {"threads", OPT_THREADS, "N", 0, "Threads; results do not depend on them", 0},
        {"out", OPT_OUT, "DIR", 0, "Folder for the results (default: squall-out/NAME)", 0},
        {"json", OPT_JSON, NULL, 0, "Print summary.json instead of the table", 0},
        {"no-report", OPT_NO_REPORT, NULL, 0, "Leave report.html out of the results", 0},
        {"capture", OPT_CAPTURE, "PORT", 0,
                "Write capture.pcapng of a host, link or switch, or of all; may be repeated",
                0},
        {"what-if", OPT_WHAT_IF, "KEY=VALUE", 0,
                "Run once more with this key changed and show the difference; may be repeated",
                0},
        {"snap", OPT_SNAP, "N", 0, "Keep N bytes of each captured frame", 0},
        {"fct", OPT_FCT, "FILE", 0, "Write flow completion times in columns, see docs/peer.md",
                0},
        {NULL, 0, NULL, 0, NULL, 0},
};

/* One more element of a list in YAML. */
static int add_capture(struct run_args *a, const char *place)
{
	char *list = NULL;
	size_t len = 0;
	FILE *m = open_memstream(&list, &len);

	if (!m)
		return err_set(a->err, -ENOMEM, "out of memory for the command line");
	put(m, "%s%s", a->capture ? a->capture : "[", a->capture ? ", " : "");
	yaml_emit_quoted(m, place);
	if (fclose(m))
		return err_set(a->err, -ENOMEM, "out of memory for the command line");
	free(a->capture);
	a->capture = list;
	return 0;
}

/* The options stand for keys of the scenario, so that they are checked, and are on record, as
 * those are. */
static int set_capture(struct run_args *a, struct err *e)
{
	char *list;
	int r = a->snap ? source_set(&a->source, "measure.snap", a->snap, e) : 0;

	if (r || !a->capture)
		return r;
	if (asprintf(&list, "%s]", a->capture) < 0)
		return err_set(e, -ENOMEM, "out of memory for the command line");
	free(a->capture);
	a->capture = list;
	return source_set(&a->source, "measure.capture", list, e);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->source;
		break;
	case OPT_THREADS:
		return options_whole(&a->threads, "threads", arg, 1, THREADS_MAX, a->err)
		               ? EINVAL
		               : 0;
	case OPT_OUT:
		a->out = arg;
		return *arg ? 0 : -err_set(a->err, -EINVAL, "--out needs the name of a folder");
	case OPT_JSON:
		a->json = true;
		break;
	case OPT_NO_REPORT:
		a->no_report = true;
		break;
	case OPT_FCT:
		a->fct = arg;
		break;
	case OPT_CAPTURE:
		return add_capture(a, arg) ? ENOMEM : 0;
	case OPT_WHAT_IF:
		return what_if_add(a, arg, a->err) ? EINVAL : 0;
	case OPT_SNAP:
		a->snap = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&source_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "SCENARIO",
        .children = children,
        .doc = "Simulates a scenario, prints a table and writes a folder of results.\v"
               "SCENARIO is a file, or the name of one in scenarios/.\n\n"
               "Examples:\n"
               "  squall run incast-32\n"
               "  squall run my.yaml --set 'workload[0].senders=64' --seed 7 --out results\n"
               "  squall run incast-32 --json --quiet | jq .fct_us.p99\n"
               "  squall run incast-32 --what-if switch.ecn.kmax=800KB\n"
               "  squall run --import FORMAT FOLDER --fct fct.txt\n\n"
               "Exit status: 0 ok, 1 an expectation does not hold, 2 bad input, 3 environment "
               "or interrupted: expectations are then not judged.",
};

/* A name may come from a file; as a folder it must stay one step below squall-out. */
static int default_out(char **out, const char *name, struct err *e)
{
	if (asprintf(out, "squall-out/%s", *name ? name : "unnamed") < 0)
		return err_set(e, -ENOMEM, "%s: out of memory", name);
	for (char *p = *out + strlen("squall-out/"); *p; p++)
		if (*p == '/' || (unsigned char)*p < 0x20)
			*p = '_';
	if (!strcmp(*out, "squall-out/.") || !strcmp(*out, "squall-out/.."))
		(*out)[strlen("squall-out/")] = '_';
	return 0;
}

static double hops_per_cpu_s(const struct run_outcome *o)
{
	return o->result.cpu_s > 0 ? (double)o->rec->n.packet_hops / o->result.cpu_s : 0;
}

static int write_fct(const struct run_args *a, const struct scenario *s,
        const struct run_outcome *o, struct err *e)
{
	if (!a->fct)
		return 0;
	if (o->rec->all)
		cli_note("note: --fct %s: holds the messages on record, one in %" PRIu64
		         "; --set measure.messages=all writes all",
		        a->fct, o->rec->sample_one_in);
	return fct_write(a->fct, s, o->rec, e);
}

static void add(char *list, size_t len, const char *text)
{
	size_t n = strlen(list);

	(void)snprintf(list + n, len - n, "%s%s", n ? "; " : "", text); /* a long list is cut */
}

static void note_failed(const struct run_outcome *o, uint32_t failed)
{
	char list[400] = "";

	for (uint32_t i = 0; i < o->result.n_expect; i++)
		if (!o->result.expect[i].holds)
			add(list, sizeof(list), o->result.expect[i].text);
	cli_note("%" PRIu32 " of %" PRIu32 " expectations do not hold: %s", failed,
	        o->result.n_expect, list);
}

/* Where no table says it. */
static void note_tainted(const struct run_outcome *o)
{
	char list[400] = "";

	for (uint32_t i = 0; i < o->result.n_tainted; i++)
		add(list, sizeof(list), o->result.tainted[i]);
	cli_note("note: tainted: %s", list);
}

enum cli_exit run_judge(const struct run_args *a, const struct run_outcome *o, const char *out)
{
	uint32_t failed = run_outcome_failed(o);

	if (failed)
		note_failed(o, failed);
	else if (o->result.n_tainted && o->rec->end != RUN_INTERRUPTED &&
	         (a->json || a->source.quiet || a->n_what_if))
		note_tainted(o);
	if (o->rec->end == RUN_INTERRUPTED)
		cli_note("%s; the results in %s are partial and marked as tainted",
		        o->out_of_memory ? "stopped, because memory runs short" : "interrupted",
		        out);
	return o->rec->end == RUN_INTERRUPTED ? CLI_ENVIRONMENT
	       : failed                       ? CLI_EXPECTATION_FAILED
	                                      : CLI_OK;
}

static enum cli_exit report(
        const struct run_args *a, const struct run_outcome *o, const char *out)
{
	char line[CLI_LINE_BYTES];

	if (a->json)
		summary_json_write(stdout, RESULT_SUMMARY, &o->summary, &o->result);
	else if (!a->source.quiet) {
		table_write(stdout, &o->summary, &o->result);
		put(stdout, "\nresults in %s (%.2f s", cli_line(line, out), o->result.wall_s);
		put(stdout, ", %.2f s of CPU", o->result.cpu_s);
		put(stdout, ", %.1f million packet-hops per CPU second)\n",
		        hops_per_cpu_s(o) * 1e-6);
	}
	return run_judge(a, o, out);
}

/* Are both the same folder, by whatever name? One that is still to come has only its name. */
static bool same_folder(const char *a, size_t len, const char *b)
{
	size_t other = strlen(b);
	char name[PATH_MAX];
	struct stat x, y;

	if (snprintf(name, sizeof(name), "%.*s", (int)len, a) < (int)sizeof(name) &&
	        !stat(name, &x) && !stat(b, &y))
		return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	while (len > 1 && a[len - 1] == '/')
		len--;
	while (other > 1 && b[other - 1] == '/')
		other--;
	return len == other && !strncmp(a, b, len);
}

/* Its folder is there, or is the result folder that is still to come. */
static int check_fct_folder(const char *fct, const char *out, struct err *e)
{
	const char *slash = strrchr(fct, '/');
	const size_t len = slash ? (size_t)(slash - fct) : 0;
	char *dir;
	int r;

	if (!len || same_folder(fct, len, out))
		return 0;
	dir = strndup(fct, len);
	if (!dir)
		return err_set(e, -ENOMEM, "%s: out of memory", fct);
	r = access(dir, F_OK) ? err_set(e, -EINVAL,
	                                "--fct %s: there is no folder %s; make it, or name a "
	                                "file in another",
	                                fct, dir)
	                      : out_folder_check(dir, e);
	free(dir);
	return r;
}

/* The FCT file replaces no input, no other result and nothing but an earlier FCT file. */
static int check_fct(const struct run_args *a, const char *out, struct err *e)
{
	const char *slash, *name;
	struct stat fct, in;

	if (!a->fct)
		return 0;
	if (out_file_check(a->fct, e))
		return -EINVAL;
	if (!a->source.import && a->source.n_path == 1 && !stat(a->fct, &fct) &&
	        !stat(a->source.path[0], &in) && fct.st_dev == in.st_dev &&
	        fct.st_ino == in.st_ino)
		return err_set(e, -EINVAL, "--fct %s: is the scenario itself", a->fct);
	slash = strrchr(a->fct, '/');
	name = slash ? slash + 1 : a->fct;
	if (result_name_is(RESULTS_OF_RUN, name) &&
	        same_folder(slash ? a->fct : ".", slash ? (size_t)(slash - a->fct) : 1, out))
		return err_set(e, -EINVAL,
		        "--fct %s: is the name of another result; choose another", a->fct);
	return replace_check_lines(a->fct, fct_is_line, e);
}

/* No more threads than cores, because they meet at a barrier every window. */
static uint32_t usable_threads(const struct run_args *a, const struct scenario *s)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n = (uint32_t)a->threads;

	if (cores > 0 && n > (uint32_t)cores)
		n = (uint32_t)cores;
	if (n > 1 && s->topo->n_hosts < THREADS_PAY_HOSTS && !a->source.quiet)
		cli_note("note: %u hosts are usually faster on one thread; more pay from some "
		         "%d "
		         "hosts on",
		        s->topo->n_hosts, THREADS_PAY_HOSTS);
	return n;
}

/* Of several processes one prints what all of them return. */
static enum cli_exit refuse(const struct run_args *a, const struct err *e)
{
	return world_speaks(a->world) ? cli_error(e) : cli_exit_of(e);
}

/* What is written where is the business of the process that writes. */
static int check_places(
        const struct run_args *a, const struct scenario *s, const char *out, struct err *e)
{
	int r;

	if (!world_speaks(a->world))
		return 0;
	r = a->fct ? check_fct_folder(a->fct, out, e) : 0;
	if (!r)
		r = check_fct(a, out, e);
	if (!r)
		r = result_folder_check(out, RESULTS_OF_RUN, e);
	return r || a->source.import ? r : own_inputs_kept(s, out, e);
}

int run_simulate(struct run_outcome *o, const struct run_args *a, const struct scenario *s,
        const char *out, struct err *e)
{
	struct progress progress;
	struct run_options opt = {
	        .threads = usable_threads(a, s),
	        .out_dir = out,
	        .no_page = a->no_report,
	        .version = SQUALL_VERSION,
	        .stop = stop_on_signals(),
	        .world = a->world,
	};
	struct memory_need need;
	int r = check_places(a, s, out, e);

	if (!world_speaks(a->world))
		stop_silently();
	if (!r)
		r = memory_need_check(&need, s, a->world ? a->world->n_ranks : 1, e);
	r = world_agree(a->world, r, e);
	if (r)
		return r;
	progress_start(
	        &progress, s->run.stop_after_ps, need.messages_known ? need.messages : 0);
	if (!a->source.quiet) {
		opt.progress = progress_show;
		opt.progress_arg = &progress;
	}
	r = run_sim(o, s, &opt, e);
	progress_end(&progress);
	return r;
}

static enum cli_exit run(const struct run_args *a, const struct scenario *s, const char *out)
{
	enum cli_exit status = CLI_OK;
	struct run_outcome o;
	struct err e = {0};
	int r = run_simulate(&o, a, s, out, &e);

	if (r)
		return refuse(a, &e);
	if (world_speaks(a->world)) {
		r = write_fct(a, s, &o, &e);
		status = r ? cli_error(&e) : report(a, &o, out);
	}
	run_outcome_fini(&o);
	return status;
}

static enum cli_exit load_and_run(struct run_args *a, struct err *e)
{
	struct scenario *s = NULL;
	char *named = NULL;
	enum cli_exit status;
	int r = world_agree(a->world, source_load(&s, &a->source, e), e);

	if (!r)
		r = world_same_scenario(a->world, s, e);
	if (!r && !a->out)
		r = default_out(&named, s->name, e);
	if (r)
		status = refuse(a, e);
	else if (a->n_what_if)
		status = what_if_run(a, s, a->out ? a->out : named);
	else
		status = run(a, s, a->out ? a->out : named);
	free(named);
	scenario_free(s);
	return status;
}

static enum cli_exit main_run(int argc, char **argv)
{
	struct err e = {0};
	struct run_args a = {.source = {.err = &e}, .threads = 1, .err = &e};
	int r = options_parse(&argp, argc, argv, &a, &e);
	enum cli_exit status = CLI_OK;

	if (!r)
		r = set_capture(&a, &e);
	if (!r)
		r = world_open(&a.world, SQUALL_VERSION, &e);
	a.source.quiet |= !world_speaks(a.world);
	if (!r)
		status = load_and_run(&a, &e);
	else if (r < 0)
		status = refuse(&a, &e);
	if (a.world) /* the first to end with an error has mpirun end the others */
		stop_silently();
	status = (enum cli_exit)world_of_first(a.world, status);
	world_close(a.world);
	source_fini(&a.source);
	free(a.capture);
	free(a.what_if);
	return status;
}

const struct command cmd_run = {"run",
        "simulate a scenario and report latency, ECN, CNP, PFC and loss", main_run, &argp};
