/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_draft.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/fabric/topo.h"
#include "gen/load/goal.h"
#include "scenarios/imports/import_check.h"
#include "scenarios/utf8.h"
#include "scenarios/yaml_emit.h"

#define COLUMNS 96

void import_draft_fini(struct import_draft *d)
{
	for (int k = 0; k < IMPORT_LINE_KINDS; k++) {
		for (uint32_t i = 0; i < d->line[k].n; i++)
			free(d->line[k].at[i]);
		free(d->line[k].at);
	}
	sched_fini(&d->sched);
	sched_fini(&d->other);
	free(d->flow);
	free(d->workload);
	free(d->fabric);
	for (uint32_t i = 0; i < d->n_beside; i++)
		free(d->beside[i].text);
	*d = (struct import_draft){0};
}

/* Texts may quote hostile files, and go to terminals and into a file that is read again. */
static void make_text(char *text)
{
	size_t len = strlen(text);

	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	for (size_t good = utf8_good_prefix(text, len); good < len;
	        good = utf8_good_prefix(text, len)) {
		text[good] = '?';
		text += good + 1;
		len -= good + 1;
	}
}

void import_say(struct import_draft *d, enum import_line_kind kind, const char *fmt, ...)
{
	struct import_lines *l = &d->line[kind];
	va_list ap;
	void *at;
	char *text;

	if (l->n == IMPORT_MAX_LINES) {
		l->more++;
		return;
	}
	at = realloc(l->at, (l->n + 1) * sizeof(*l->at));
	if (!at)
		return;
	l->at = at;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		make_text(l->at[l->n++] = text);
	va_end(ap);
}

/* Words that fit into the columns, each line behind "# "; texts may quote hostile files. */
static void put_comment(FILE *f, const char *first, const char *text)
{
	size_t column = strlen(first);
	bool blank = false;

	fputs(first, f);
	while (*text) {
		const size_t len = strcspn(text, " ");

		if (column + blank + len > COLUMNS && column > 6) {
			fputs("\n#    ", f);
			column = 5;
			blank = false;
		}
		if (blank)
			fputc(' ', f);
		for (size_t i = 0; i < len; i++)
			fputc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i],
			        f);
		column += len + blank;
		text += len + strspn(text + len, " ");
		blank = true;
	}
	fputc('\n', f);
}

static void put_lines(FILE *f, const char *title, const struct import_lines *l)
{
	if (!l->n)
		return;
	fprintf(f, "#\n# %s\n", title);
	for (uint32_t i = 0; i < l->n; i++)
		put_comment(f, "#  - ", l->at[i]);
	if (l->more)
		fprintf(f, "#  - and %u more\n", l->more);
}

static void put_head(
        FILE *f, const struct import_draft *d, const struct import_job *job, const char *source)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "Imported from %s: %s%s.", source, job->path[0],
	        job->n_paths > 1 ? " and others" : "");
	put_comment(f, "# ", text);
	put_lines(f, "Found:", &d->line[IMPORT_FOUND]);
	put_lines(f, "Not known:", &d->line[IMPORT_UNKNOWN]);
	put_lines(f, "Assumed, so please check:", &d->line[IMPORT_ASSUMED]);
}

static void put_fabric(FILE *f, const struct import_draft *d)
{
	char rate[48];

	fputs("\nsquall: 1\n", f);
	if (d->fabric) {
		fputs(d->fabric, f);
		return;
	}
	fputs("\nfabric:\n", f);
	if (d->rails > 1)
		fprintf(f, "  topology: {kind: rail, nodes: %u, rails: %u}\n", d->nodes,
		        d->rails);
	else
		fprintf(f, "  topology: {kind: star, hosts: %u}\n",
		        d->n_hosts < 2 ? 2 : d->n_hosts);
	unit_format(rate, sizeof(rate), UNIT_RATE, d->rate_bps);
	fprintf(f, "  host_link: {rate: %s, delay: 1us}\n", rate);
	if (d->rails > 1)
		fprintf(f, "  fabric_link: {rate: %s, delay: 1us}\n", rate);
}

static void put_schedule(
        FILE *f, const struct import_draft *d, const char *mark, const char *file)
{
	fprintf(f, "%s  - pattern: schedule\n%s    file: ", mark, mark);
	yaml_emit_quoted(f, file);
	fputc('\n', f);
	if (d->collective && d->collective_bytes)
		fprintf(f, "%s    collective: %s\n%s    collective_buffer: %" PRId64 "B\n",
		        mark, d->collective, mark, d->collective_bytes);
	if (d->calc_unit)
		fprintf(f, "%s    calc_unit: %s\n", mark, d->calc_unit);
}

static void put_workload(FILE *f, const struct import_draft *d, const char *stem)
{
	char file[300];

	fputs("\nworkload:\n", f);
	if (d->workload) {
		fputs(d->workload, f);
		return;
	}
	if (d->n_flows) {
		(void)snprintf(file, sizeof(file), "%.200s.csv", stem);
		fputs("  - pattern: flows\n    file: ", f);
		yaml_emit_quoted(f, file);
		fputc('\n', f);
		return;
	}
	(void)snprintf(file, sizeof(file), "%.200s.goal", stem);
	put_schedule(f, d, "", file);
	if (!d->other.n_ranks)
		return;
	put_comment(f, "# ", d->other_why);
	(void)snprintf(file, sizeof(file), "%.200s-%s.goal", stem, d->other_name);
	put_schedule(f, d, "#", file);
}

static void put_flows(FILE *f, const struct import_draft *d)
{
	char start[48];

	fputs("src,dst,bytes,start,priority\n", f);
	for (int64_t i = 0; i < d->n_flows; i++) {
		const struct load_flow *w = &d->flow[i];

		fprintf(f, "%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%s,", w->src, w->dst, w->bytes,
		        unit_format(start, sizeof(start), UNIT_TIME, w->start_ps));
		if (w->priority >= 0)
			fprintf(f, "%d", w->priority);
		fputc('\n', f);
	}
}

/* STEM and suffix in the folder of out_path; *f is NULL where the input itself stands there and
 * can be used as it is. */
static int add_beside(struct out_set *set, FILE **f, const struct import_draft *d,
        const struct import_job *job, const char *suffix, const char *out_path, struct err *e)
{
	const char *slash = strrchr(out_path, '/');
	char *path;
	int rc = 0;

	*f = NULL;
	if (asprintf(&path, "%.*s%.200s%s", slash ? (int)(slash - out_path) + 1 : 0, out_path,
	            job->stem, suffix) < 0)
		return err_set(e, -ENOMEM, "%s: no memory", out_path);
	if (!d->input_serves || !import_is_input(job, path)) {
		rc = import_check_target(job, path, e);
		if (!rc)
			rc = out_set_add(set, f, path, e);
	}
	free(path);
	return rc;
}

static int add_files(struct out_set *set, struct import_draft *d, const struct import_job *job,
        const char *out_path, struct err *e)
{
	char suffix[64];
	FILE *f;
	int rc = 0;

	if (d->sched.n_ranks) {
		rc = add_beside(set, &f, d, job, ".goal", out_path, e);
		if (!rc && f)
			goal_write(f, &d->sched);
	}
	if (!rc && d->other.n_ranks) {
		(void)snprintf(suffix, sizeof(suffix), "-%.40s.goal", d->other_name);
		rc = add_beside(set, &f, d, job, suffix, out_path, e);
		if (!rc && f)
			goal_write(f, &d->other);
	}
	if (!rc && d->n_flows) {
		rc = add_beside(set, &f, d, job, ".csv", out_path, e);
		if (!rc && f)
			put_flows(f, d);
	}
	for (uint32_t i = 0; i < d->n_beside && !rc; i++) {
		rc = add_beside(set, &f, d, job, d->beside[i].suffix, out_path, e);
		if (!rc && f)
			(void)fwrite(d->beside[i].text, 1, d->beside[i].len, f);
	}
	return rc;
}

/* A message that no scenario takes has a place in the input here. */
static int check_sizes(
        const struct import_draft *d, const struct import_job *job, struct err *e)
{
	const int64_t max_bytes = import_max_bytes();
	struct err why = {0};
	int64_t unit_ps;
	int rc = unit_parse(&unit_ps, UNIT_TIME, d->calc_unit ? d->calc_unit : "1ns", e);

	if (rc)
		return rc;
	rc = sched_check_sizes(&d->sched, max_bytes, unit_ps, &why);
	if (!rc)
		rc = sched_check_sizes(&d->other, max_bytes, unit_ps, &why);
	return rc ? err_set(e, rc, "%s%s", why.msg, job->buffer_bytes ? ": lower --buffer" : "")
	          : 0;
}

static int check_hosts(
        const struct import_draft *d, const struct import_job *job, struct err *e)
{
	if (d->fabric || d->rails > 1 || d->n_hosts <= TOPO_MAX_SWITCH_PORTS)
		return 0;
	return err_set(e, -EINVAL,
	        "%s: needs %u hosts; an import hangs them all on one switch, which has at most "
	        "%d ports",
	        job->path[0], d->n_hosts, TOPO_MAX_SWITCH_PORTS);
}

static int add_scenario(struct out_set *set, const struct import_draft *d,
        const struct import_job *job, const char *source, const char *out_path, struct err *e)
{
	FILE *f;
	int rc = import_check_target(job, out_path, e);

	if (!rc)
		rc = out_set_add(set, &f, out_path, e);
	if (rc)
		return rc;
	put_head(f, d, job, source);
	put_fabric(f, d);
	put_workload(f, d, job->stem);
	return out_set_flush(set, e);
}

/* The list that the scenario names is the first of the set, or the input itself. */
static int check_written(struct scenario **made, const struct out_set *set,
        const struct import_draft *d, const struct import_job *job, struct err *e)
{
	char at[IMPORT_MAX_BESIDE][OUT_READ_BYTES];
	struct import_list list[IMPORT_MAX_BESIDE];
	const struct out_file *o = set->first;

	for (uint32_t i = 0; i < d->n_beside; i++, o = o->next)
		list[i] = (struct import_list){d->beside[i].key, out_file_readable(at[i], o)};
	if (d->n_beside || d->workload)
		return import_check_made(made, set, job, list, d->n_beside, e);
	list[0] = (struct import_list){"workload[0].file",
	        set->n > 1 ? out_file_readable(at[0], set->first) : job->path[0]};
	return import_check_made(made, set, job, list, 1, e);
}

int import_draft_write(struct scenario **made, struct import_draft *d,
        const struct import_job *job, const char *source, const char *out_path, struct err *e)
{
	struct out_set set;
	int rc;

	*made = NULL;
	if (job->rate_bps) {
		d->rate_bps = job->rate_bps;
	} else if (d->fabric) {
		; /* it has rates of its own */
	} else if (!d->rate_bps) {
		d->rate_bps = IMPORT_RATE_BPS;
		import_say(d, IMPORT_ASSUMED,
		        "every link has 100 Gbit/s and 1 us (--rate says another rate)");
	}
	rc = check_sizes(d, job, e);
	if (!rc)
		rc = check_hosts(d, job, e);
	if (rc)
		return rc;
	out_set_init(&set);
	rc = add_files(&set, d, job, out_path, e);
	if (!rc)
		rc = add_scenario(&set, d, job, source, out_path, e);
	if (!rc)
		rc = check_written(made, &set, d, job, e);
	if (!rc)
		rc = out_set_commit(&set, e);
	out_set_abort(&set);
	if (rc) {
		scenario_free(*made);
		*made = NULL;
	}
	return rc;
}
