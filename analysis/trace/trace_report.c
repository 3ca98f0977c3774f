/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/trace_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/json_text.h"
#include "analysis/number.h"
#include "analysis/put.h"
#include "analysis/report_html.h"
#include "analysis/trace/trace_report_int.h"

#define NS_PER_S INT64_C(1000000000)

void report_value(FILE *f, int64_t value, int decimals)
{
	char buf[NUMBER_LEN];

	if (value == TRACE_UNKNOWN)
		put_text("null", f);
	else
		put_bytes(buf, number_put(buf, value, decimals), f);
}

void report_next(FILE *f, int64_t value, int decimals)
{
	put_char(',', f);
	report_value(f, value, decimals);
}

void report_since(FILE *f, const struct trace_result *r, int64_t t_ns)
{
	report_value(f, t_ns == TRACE_UNKNOWN ? t_ns : t_ns - r->first_ns, 3);
}

struct ranked {
	uint64_t value;
	uint32_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

uint32_t *report_largest(uint32_t *n, uint32_t of,
        uint64_t (*value)(const struct trace_result *r, uint32_t i),
        const struct trace_result *r)
{
	struct ranked *all = malloc((of ? of : 1) * sizeof(*all));
	uint32_t *out = malloc((*n ? *n : 1) * sizeof(*out)), some = 0;

	for (uint32_t i = 0; all && i < of; i++) {
		uint64_t v = value(r, i);

		if (v)
			all[some++] = (struct ranked){v, i};
	}
	if (!all || !out) {
		free(all);
		free(out);
		return NULL;
	}
	qsort(all, some, sizeof(*all), by_value);
	*n = some < *n ? some : *n;
	for (uint32_t i = 0; i < *n; i++)
		out[i] = all[i].index;
	free(all);
	return out;
}

/* "2026-12-01 18:03:01.000000250 UTC": more digits than a number of the page has. */
static void write_when(FILE *f, int64_t t_ns)
{
	time_t s = (time_t)(t_ns / NS_PER_S);
	struct tm tm;
	char text[64];

	if (t_ns == TRACE_UNKNOWN || !gmtime_r(&s, &tm)) {
		put_text("null", f);
		return;
	}
	(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	put(f, "\"%s.%09d UTC\"", text, (int)(t_ns % NS_PER_S));
}

static void write_files(FILE *f, const struct trace_result *r)
{
	put_text("\"files\":[", f);
	for (uint32_t i = 0; i < r->n_files; i++) {
		const struct trace_file *t = &r->file[i];

		put_text(i ? ",\n[" : "[", f);
		json_text(f, t->path);
		put_char(',', f);
		json_text(f, t->format);
		put(f, ",%" PRIu64 ",%d,", t->frames, t->cut);
		json_text(f, t->error[0] ? t->error : NULL);
		put_char(']', f);
	}
	put_text("],\n", f);
}

static void write_totals(FILE *f, const struct trace_result *r)
{
	const struct trace_counts *c = &r->roce;
	const struct {
		const char *name;
		uint64_t value;
	} key[] = {
	        {"frames", r->frames},
	        {"other_frames", r->other_frames},
	        {"unfollowed_packets", r->unfollowed_packets},
	        {"data_packets", c->data_packets},
	        {"payload_bytes", c->payload_bytes},
	        {"messages", c->messages},
	        {"acks", c->acks},
	        {"naks", c->naks},
	        {"rnr_naks", c->rnr_naks},
	        {"ce_packets", c->ce_packets},
	        {"cnps", c->cnps},
	        {"cnps_without_ce", c->cnps_without_ce},
	        {"retransmitted_packets", c->retransmitted_packets},
	        {"missing_psns", c->missing_psns},
	        {"unfilled_psns", c->unfilled_psns},
	        {"reordered_packets", c->reordered_packets},
	        {"icrc_checked", c->icrc_checked},
	        {"icrc_bad", c->icrc_bad},
	        {"xoff_frames", r->xoff_frames},
	        {"xon_frames", r->xon_frames},
	        {"pause_frames", r->pause_frames},
	        {"pauses", r->all_pauses},
	        {"flows", r->n_flows},
	        {"hosts", r->n_hosts},
	};

	put_text("\"totals\":{", f);
	for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++)
		put(f, "%s\"%s\":%" PRIu64, i ? "," : "", key[i].name, key[i].value);
	put_text(",\"paused_us\":[", f);
	for (int i = 0; i < TRACE_PRIORITIES; i++) {
		put_text(i ? "," : "", f);
		report_value(f, r->paused_ns[i], 3);
	}
	put_text("],\"paused_all_us\":", f);
	report_value(f, r->paused_all_ns, 3);
	put_text("},\n", f);
}

static int write_data(
        FILE *f, const struct trace_result *r, const struct trace_report_options *o)
{
	int rc;

	put_text("{\"format\":\"squall.capture-report/1\",\"title\":", f);
	json_text(f, o->title);
	put_text(",\"first\":", f);
	write_when(f, r->first_ns);
	put_text(",\"span_us\":", f);
	report_since(f, r, r->last_ns);
	put(f, ",\"stopped\":%d,\n", r->stopped);
	write_files(f, r);
	write_totals(f, r);
	report_timeline(f, r);
	report_tails(f, r);
	rc = report_flows(f, r);
	if (!rc)
		rc = report_rates(f, r);
	if (!rc)
		rc = report_matrix(f, r);
	if (!rc)
		rc = report_slowest(f, r);
	if (!rc)
		rc = report_recoveries(f, r);
	if (!rc)
		rc = report_pause_list(f, r);
	report_interfaces(f, r);
	report_paths(f, r);
	put_text("\"findings\":", f);
	if (o->findings)
		o->findings(f, r, o->findings_arg);
	else
		put_text("null", f);
	put_text("}\n", f);
	return rc;
}

int trace_report_write(FILE *f, const struct trace_result *r,
        const struct trace_report_options *o, struct err *e)
{
	char *json = NULL;
	size_t len = 0;
	FILE *m = open_memstream(&json, &len);
	int rc = m ? write_data(m, r, o) : -ENOMEM;

	if (m && (ferror(m) | fclose(m)))
		rc = -ENOMEM;
	if (!rc)
		report_html_capture(f, json, len);
	free(json);
	return rc ? err_set(e, rc, "report: out of memory") : 0;
}
