/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/report_json.h"

#include <errno.h>

#include "analysis/json_text.h"
#include "analysis/number.h"
#include "analysis/put.h"
#include "analysis/report_int.h"
#include "analysis/stats.h"
#include "analysis/summary_json.h"

static const char *const end_name[] = {
        [RUN_WORKLOAD_DONE] = "workload done",
        [RUN_TIME_UP] = "stopped by stop.after",
        [RUN_DEADLOCKED] = "stopped by a deadlock",
        [RUN_STALLED] = "stalled: nothing can move any more",
        [RUN_OUT_OF_TIME] = "stopped at the end of virtual time",
        [RUN_INTERRUPTED] = "interrupted",
};

void report_number(FILE *f, int64_t value, int decimals)
{
	char buf[NUMBER_LEN];

	if (value == STATS_NULL)
		put_text("null", f);
	else
		put_bytes(buf, number_put(buf, value, decimals), f);
}

void report_member(FILE *f, const char *key, int64_t value, int decimals)
{
	put(f, "\"%s\":", key);
	report_number(f, value, decimals);
}

/* One line of the table of distributions: values in the order of the columns, and which of them
 * rest on too few samples. */
static void write_dist(FILE *f, const char *name, const char *unit, const struct dist *d,
        const struct run_result *r)
{
	put(f, "{\"name\":\"%s\",\"unit\":\"%s\",", name, unit);
	report_member(f, "samples", d->samples, 0);
	put_char(',', f);
	report_member(f, "min", d->min, 6);
	put_char(',', f);
	report_member(f, "mean", d->mean, 6);
	put_text(",\"asked\":[", f);
	for (uint32_t i = 0; i < r->n_percentile && i < STATS_ASKED_MAX; i++) {
		put_text(i ? ",[" : "[", f);
		report_number(f, d->asked[i], 6);
		put(f, ",%d]",
		        d->asked[i] != STATS_NULL && stats_weak(d->samples, r->percentile[i]));
	}
	put_text("],", f);
	report_member(f, "max", d->max, 6);
	put_char('}', f);
}

static void write_dists(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	char buf[NUMBER_LEN];

	put_text("\"percentiles\":[", f);
	for (uint32_t i = 0; i < r->n_percentile && i < STATS_ASKED_MAX; i++)
		put(f, "%s%s", i ? "," : "", number_double(buf, r->percentile[i]));
	put_text("],\n\"dists\":[", f);
	write_dist(f, "FCT", "us", &s->fct_ps, r);
	put_text(",\n", f);
	write_dist(f, "net FCT", "us", &s->net_fct_ps, r);
	put_text(",\n", f);
	write_dist(f, "slowdown", "", &s->slowdown_micro, r);
	put_text(",\n", f);
	write_dist(f, "latency", "us", &s->latency_ps, r);
	put_text("],\n", f);
}

static void write_config(FILE *f, const struct run_result *r)
{
	put_text(",\n\"config\":[", f);
	for (uint32_t i = 0; i < r->n_config; i++) {
		const struct config_row *c = &r->config[i];

		put_text(i ? ",\n[" : "[", f);
		json_text(f, c->key);
		put_char(',', f);
		json_text(f, c->value);
		put_char(',', f);
		json_text(f, c->usual);
		put_char(',', f);
		json_text(f, c->source);
		put(f, ",%d]", c->differs);
	}
	put_char(']', f);
}

int report_json_write(
        FILE *f, const struct run_summary *s, const struct run_result *r, struct err *e)
{
	int rc;

	put_text("{\"format\":\"" REPORT_FORMAT "\",\n\"summary\":", f);
	summary_json_write(f, RESULT_SUMMARY, s, r);
	put_text(",\"end\":", f);
	json_text(f, end_name[r->rec->end]);
	put(f, ",\"hosts\":%u,", r->n_hosts);
	put(f, "\"sample_one_in\":%llu,\n",
	        (unsigned long long)(r->rec->sample_one_in ? r->rec->sample_one_in : 1));
	write_dists(f, s, r);
	report_series(f, r->rec);
	rc = report_messages(f, r);
	if (!rc && r->net)
		rc = report_map(f, r);
	if (!rc && r->net)
		rc = report_ports(f, r);
	if (!rc && r->net)
		rc = report_pauses(f, r);
	if (rc)
		return err_set(e, rc, "report: out of memory");
	report_events(f, r);
	report_iterations(f, r);
	write_config(f, r);
	put_text("}\n", f);
	return 0;
}
