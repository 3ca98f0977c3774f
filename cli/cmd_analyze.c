/* SPDX-License-Identifier: Apache-2.0 */
/* squall analyze: what captures show of the traffic and of the loop that controls it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/human.h"
#include "analysis/out_file.h"
#include "analysis/process.h"
#include "analysis/put.h"
#include "analysis/trace/diagnose.h"
#include "analysis/trace/trace_csv.h"
#include "analysis/trace/trace_json.h"
#include "analysis/trace/trace_report.h"
#include "analysis/trace/trace_table.h"
#include "cli/analyze_live.h"
#include "cli/analyze_options.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/replace.h"
#include "cli/stop.h"
#include "gen/cc/dcqcn_cfg.h"
#include "scenarios/knob_value.h"

struct shown {
	double start_s, shown_s;
	bool drawn;
};

static void show(void *arg, uint64_t at, uint64_t size, uint64_t frames)
{
	struct shown *s = arg;
	double now_s = process_wall_s();
	char n[HUMAN_LEN], rate[HUMAN_LEN];

	if (now_s - s->shown_s < 0.1)
		return;
	s->shown_s = now_s;
	put(stderr, "\r");
	if (size)
		put(stderr, "%3.0f %%  ", 100.0 * (double)at / (double)size);
	put(stderr, "%s frames, %s/s\033[K", human_count(n, (double)frames),
	        human_count(rate, (double)frames / (now_s - s->start_s)));
	(void)fflush(stderr);
	s->drawn = true;
}

static void notes(const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_files; i++) {
		const struct trace_file *t = &r->file[i];

		if (t->error[0])
			cli_note("note: %s (the %llu frames before it are analysed)", t->error,
			        (unsigned long long)t->frames);
		else if (t->cut)
			cli_note("note: %s is cut off within a packet", t->path);
	}
}

static void write_findings(FILE *f, const struct trace_result *r, const void *diagnosis)
{
	diagnosis_json_write(f, r, diagnosis);
}

static void write_to(FILE *f, const struct analyze_args *a, const struct trace_result *r,
        const struct diagnosis *d)
{
	struct trace_json_options json = {.messages = a->messages,
	        .timeline = a->timeline,
	        .findings = write_findings,
	        .findings_arg = d};
	struct trace_table_options table = {.flows = a->flows,
	        .timeline = a->timeline,
	        .only_qp = a->trace.only_qp,
	        .qp = a->trace.qp};

	if (a->json) {
		trace_json_write(f, r, &json);
	} else {
		trace_table_write(f, r, &table);
		diagnosis_table_write(f, r, d);
	}
}

static int write_report(struct out_set *set, const struct analyze_args *a,
        const struct trace_result *r, const struct diagnosis *d, struct err *e)
{
	const char *name = r->n_files ? r->file[0].path : a->live.source.device;
	const char *slash = strrchr(name, '/');
	char title[300];
	struct trace_report_options o = {
	        .title = title, .findings = write_findings, .findings_arg = d};
	FILE *f;
	int rc;

	(void)snprintf(title, sizeof(title), "%.200s", slash ? slash + 1 : name);
	if (r->n_files > 1)
		(void)snprintf(title, sizeof(title), "%.200s and %u more",
		        slash ? slash + 1 : name, r->n_files - 1);
	rc = out_set_add(set, &f, a->report, e);
	return rc ? rc : trace_report_write(f, r, &o, e);
}

static int write_out(const struct analyze_args *a, const struct trace_result *r, struct err *e)
{
	struct diagnosis *d = NULL;
	struct out_set set;
	FILE *f = stdout;
	int rc;

	out_set_init(&set);
	rc = diagnose(&d, r, e);
	if (!rc && a->csv)
		rc = trace_csv_write(&set, a->csv, r, e);
	if (!rc && a->report)
		rc = write_report(&set, a, r, d, e);
	if (!rc && a->out)
		rc = out_set_add(&set, &f, a->out, e);
	if (!rc)
		write_to(f, a, r, d);
	for (const struct out_file *o = set.first; o && !rc; o = o->next) /* --csv's, too */
		rc = replace_check_inputs(o->path, a->path, a->n_path, "analyzed", e);
	if (!rc)
		rc = out_set_commit(&set, e);
	out_set_abort(&set);
	diagnosis_free(d);
	return rc;
}

static int check(const struct analyze_args *a, struct err *e)
{
	const char *device = a->live.source.device;

	if (!a->n_path && !device)
		return err_set(e, -EINVAL,
		        "analyze: which capture? (squall analyze FILE..., or -i IF)");
	if (a->n_path && device)
		return err_set(e, -EINVAL, "analyze: -i %s and %s are given; choose one",
		        device, a->path[0]);
	if (a->trace.follow && a->n_path != 1)
		return err_set(e, -EINVAL, "analyze: --follow goes with one file that grows%s",
		        device ? "; -i waits for packets by itself" : "");
	if (a->n_path && (a->live_asked || a->refresh_ns))
		return err_set(e, -EINVAL,
		        "analyze: --filter, --snap, --count, --duration and the like go with "
		        "-i; "
		        "a part of a file: squall capture -r %s -w FILE",
		        a->path[0]);
	if (replace_check_inputs(a->out, a->path, a->n_path, "analyzed", e) ||
	        replace_check_inputs(a->report, a->path, a->n_path, "analyzed", e))
		return -EINVAL;
	/* Known before the work, so said before it. */
	if (a->out && out_file_check(a->out, e))
		return -EINVAL;
	return a->report ? out_file_check(a->report, e) : 0;
}

static int analyze(struct analyze_args *a, struct err *e)
{
	struct shown shown = {.start_s = process_wall_s()};
	struct dcqcn_cfg dcqcn;
	struct err gone = {0};
	const struct trace_result *r;
	struct trace *t;
	int rc;

	rc = check(a, e);
	if (rc)
		return rc;
	a->trace.stop = stop_on_signals();
	knob_defaults(&dcqcn_knobs, &dcqcn);
	a->trace.dcqcn = &dcqcn;
	if (!a->quiet && isatty(STDERR_FILENO)) {
		a->trace.progress = show;
		a->trace.progress_arg = &shown;
	}
	rc = trace_open(&t, &a->trace, e);
	if (rc)
		return rc;
	if (!a->refresh_ns)
		a->refresh_ns = 1000000000;
	rc = a->n_path ? trace_files(t, a->path, a->n_path, e) : analyze_live(a, t, &gone, e);
	if (shown.drawn)
		put_text("\r\033[K", stderr);
	if (!rc) {
		r = trace_finish(t);
		if (!a->quiet)
			notes(r);
		rc = write_out(a, r, e);
		if (!rc && r->stopped && !a->trace.follow && a->n_path)
			rc = err_set(e, -EINTR,
			        "interrupted; the results are those of the first %" PRIu64
			        " frames",
			        r->frames);
	}
	trace_close(t);
	if (!rc && gone.code) {
		*e = gone;
		rc = err_prefix(e, "%s", a->live.source.device);
	}
	return rc;
}

static int explain(const struct analyze_args *a, struct err *e)
{
	const char *nearest = NULL;
	const struct finding_kind *k;

	if (!strcmp(a->explain, "all")) {
		if (a->markdown)
			finding_markdown_write(stdout);
		else
			finding_list(stdout);
		return 0;
	}
	k = finding_find(a->explain, &nearest);
	if (!k)
		return err_set(e, -EINVAL,
		        "--explain: no finding '%s'%s%s; `squall analyze --explain all` lists "
		        "them",
		        a->explain, nearest ? "; nearest is " : "", nearest ? nearest : "");
	finding_explain(stdout, k);
	return 0;
}

static enum cli_exit main_analyze(int argc, char **argv)
{
	struct err e = {0};
	struct analyze_args a = {.err = &e};
	int r = options_parse(&analyze_argp, argc, argv, &a, &e);

	if (!r)
		r = a.explain ? explain(&a, &e) : analyze(&a, &e);
	analyze_args_fini(&a);
	if (r < 0)
		return cli_error(&e);
	return !r && ferror(stdout) ? CLI_ENVIRONMENT : CLI_OK;
}

const struct command cmd_analyze = {"analyze",
        "say what captures show: flows, losses, the control loop, pauses", main_analyze,
        &analyze_argp};
