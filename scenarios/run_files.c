/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "analysis/collectives_csv.h"
#include "analysis/faults_csv.h"
#include "analysis/messages_csv.h"
#include "analysis/out_file.h"
#include "analysis/ports_csv.h"
#include "analysis/report_html.h"
#include "analysis/report_json.h"
#include "analysis/result_folder.h"
#include "analysis/series_csv.h"
#include "analysis/summary_json.h"

static void write_messages(FILE *f, const struct run_outcome *o)
{
	messages_csv_write(f, o->rec);
}

static void write_series(FILE *f, const struct run_outcome *o)
{
	series_csv_write(f, o->rec);
}

static void write_ports(FILE *f, const struct run_outcome *o)
{
	ports_csv_write(f, o->rec, &o->net);
}

static void write_pfc(FILE *f, const struct run_outcome *o)
{
	pfc_csv_write(f, o->rec, &o->net);
}

static void write_faults(FILE *f, const struct run_outcome *o)
{
	faults_csv_write(f, &o->result);
}

static void write_collectives(FILE *f, const struct run_outcome *o)
{
	collectives_csv_write(f, &o->result);
}

static void write_entries(FILE *f, const struct run_outcome *o)
{
	entries_csv_write(
	        f, o->entry, o->result.n_entries, o->rec->all ? o->rec->sample_one_in : 1);
}

static void write_summary(FILE *f, const struct run_outcome *o)
{
	summary_json_write(f, RESULT_SUMMARY, &o->summary, &o->result);
}

/* The data of the report, and the page that holds them. */
static int write_report(struct out_set *set, FILE *f, const struct run_outcome *o,
        const struct run_options *opt, struct err *e)
{
	const char *dir = opt->out_dir;
	struct report_run run = {.name = o->summary.scenario};
	char *text = NULL;
	FILE *m = open_memstream(&text, &run.len);
	int r = m ? report_json_write(m, &o->summary, &o->result, e) : -ENOMEM;

	if (m && (ferror(m) | fclose(m)) && !r)
		r = -ENOMEM;
	if (!r) {
		run.json = text;
		(void)fwrite(text, 1, run.len, f); /* the stream keeps the error */
		if (!opt->no_page)
			r = out_set_add_in(set, &f, dir, result_name(RESULT_NAME_PAGE), e);
	} else {
		r = err_set(e, r, "%s: out of memory for the report", dir);
	}
	if (!r && !opt->no_page)
		report_html_write(f, &run, 1);
	free(text);
	return r;
}

static const struct folder_file {
	enum result_name name;
	void (*write)(FILE *f, const struct run_outcome *o); /* errors stay in the stream */
} files[] = {
        {RESULT_NAME_MESSAGES, write_messages},
        {RESULT_NAME_SERIES, write_series},
        {RESULT_NAME_PORTS, write_ports},
        {RESULT_NAME_PFC, write_pfc},
        {RESULT_NAME_FAULTS, write_faults},
        {RESULT_NAME_COLLECTIVES, write_collectives},
        {RESULT_NAME_ENTRIES, write_entries},
        {RESULT_NAME_SUMMARY, write_summary},
};

/* That of an earlier run would show other figures than the files beside it. */
static int remove_old(const char *dir, enum result_name name, struct err *e)
{
	char *path;
	int r = 0;

	if (asprintf(&path, "%s/%s", dir, result_name(name)) < 0)
		return err_set(e, -ENOMEM, "%s: out of memory", dir);
	if (unlink(path) && errno != ENOENT)
		r = err_set(e, -errno, "%s: cannot remove it: %s", path, strerror(errno));
	free(path);
	return r;
}

static int add_file(
        struct out_set *set, FILE **f, const char *dir, enum result_name name, struct err *e)
{
	return out_set_add_in(set, f, dir, result_name(name), e);
}

/* run.json comes after what takes time, so that its figures include it; then all get their
 * names in one go. */
static int write_files(struct run_outcome *o, const struct scenario *s,
        const struct run_options *opt, double start_s, struct out_set *set, struct err *e)
{
	const char *dir = opt->out_dir;
	FILE *f = NULL;
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(files) / sizeof(files[0]); i++) {
		r = add_file(set, &f, dir, files[i].name, e);
		if (!r)
			files[i].write(f, o);
	}
	if (!r)
		r = add_file(set, &f, dir, RESULT_NAME_REPORT, e);
	if (!r)
		r = write_report(set, f, o, opt, e);
	if (!r)
		r = scenario_add_resolved(set, s, dir, result_name(RESULT_NAME_SCENARIO), e);
	if (!r)
		r = add_file(set, &f, dir, RESULT_NAME_RUN, e);
	if (!r) {
		run_take_costs(o, start_s);
		summary_json_write(f, RESULT_RUN, &o->summary, &o->result);
		r = out_set_commit(set, e);
	}
	if (!r && opt->no_page)
		r = remove_old(dir, RESULT_NAME_PAGE, e);
	if (!r && !s->capture.port)
		r = remove_old(dir, RESULT_NAME_CAPTURE, e);
	return r;
}

/* One run at a time in a folder. */
int run_files_write(struct run_outcome *o, const struct scenario *s,
        const struct run_options *opt, double start_s, struct out_set *set, struct err *e)
{
	const char *dir = opt->out_dir;
	int r = out_folder(dir, e), lock;

	if (r)
		return r;
	lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock < 0 || flock(lock, LOCK_EX)) /* waits while another run renames its files */
		r = err_set(e, -errno, "%s: cannot lock: %s", dir, strerror(errno));
	if (!r)
		r = result_folder_check(dir, RESULTS_OF_RUN, e);
	if (!r)
		r = write_files(o, s, opt, start_s, set, e);
	if (lock >= 0)
		close(lock);
	return r;
}
