/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole analyser over any bytes as a capture file: it ends with a result or one error, the
 * document of one thread and of three is the same, and counts do not contradict each other. The
 * same file named twice goes through the matching of several captures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/trace/diagnose.h"
#include "analysis/trace/trace.h"
#include "analysis/trace/trace_json.h"
#include "analysis/trace/trace_live.h"
#include "analysis/trace/trace_report.h"
#include "analysis/trace/trace_table.h"
#include "dataplane/base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void consistent(const struct trace_counts *c)
{
	CHECK(c->data_packets + c->acks + c->naks + c->rnr_naks + c->cnps <= c->packets);
	CHECK(c->retransmitted_packets <= c->data_packets);
	CHECK(c->duplicated_packets <= c->retransmitted_packets);
	CHECK(c->ect_packets + c->not_ect_packets == c->data_packets);
	CHECK(c->messages <= c->data_packets);
	CHECK(c->unfilled_psns <= c->missing_psns);
	CHECK(c->icrc_bad <= c->icrc_checked && c->icrc_checked <= c->packets);
	CHECK(c->ce_packets <= c->packets);
	CHECK(c->nak[0] + c->nak[1] + c->nak[2] + c->nak[3] + c->nak[4] + c->nak[5] == c->naks);
}

static void check(const struct trace_result *r)
{
	uint64_t packets = 0;

	consistent(&r->roce);
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *f = &r->flow[i];

		consistent(&f->counts);
		packets += f->counts.packets;
		CHECK(f->peer == TRACE_NONE || r->flow[f->peer].peer == i);
		CHECK(f->first_ns <= f->last_ns);
	}
	CHECK(packets == r->roce.packets);
	for (uint32_t i = 0; i < r->n_interfaces; i++)
		consistent(&r->interface[i].counts);
	for (uint32_t i = 0; i < r->n_pauses; i++)
		CHECK(r->pause[i].begin_ns <= r->pause[i].end_ns);
	for (uint32_t i = 0; i < r->n_messages; i++)
		CHECK(r->message[i].flow < r->n_flows);
}

static void write_findings(FILE *f, const struct trace_result *r, const void *d)
{
	diagnosis_json_write(f, r, d);
}

/* The page, the other tables and the live screen: bounded, and of any result. */
static void show(const struct trace_result *r, const struct diagnosis *d)
{
	const struct trace_report_options o = {
	        .title = "\x1b</script>\xff", .findings = write_findings, .findings_arg = d};
	const struct trace_table_options table = {
	        .timeline = true, .only_qp = true, .qp = r->n_flows ? r->flow[0].dqp : 1};
	const struct trace_live_source source = {
	        .name = "\xff", .lost_by_interface = CAPTURE_NO_COUNT};
	struct trace_live *live;
	struct err e = {0};
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	CHECK(f);
	CHECK(!trace_report_write(f, r, &o, &e));
	CHECK(fflush(f) == 0 && bytes < 3000000);
	trace_table_write(f, r, &table);
	CHECK(!trace_live_open(&live, &e));
	CHECK(!trace_live_look(live, r, d, &source, 1, &e));
	CHECK(!trace_live_look(live, r, d, &source, 2, &e));
	trace_live_screen(live, f, r, 30, 100, true);
	trace_live_line(live, f);
	trace_live_close(live);
	CHECK(fclose(f) == 0);
	free(text);
}

static int run(const char *const path[], uint32_t n, uint32_t threads, char **text)
{
	const struct trace_options o = {
	        .threads = threads, .max_messages = 1000, .max_losses = 100, .max_pauses = 100};
	struct trace_json_options j = {
	        .messages = true, .timeline = true, .findings = write_findings};
	const struct trace_table_options table = {.flows = true};
	const struct trace_result *r;
	struct diagnosis *d = NULL;
	struct trace *t = NULL;
	struct err e = {0};
	size_t bytes;
	FILE *f;
	int rc;

	CHECK(trace_open(&t, &o, &e) == 0);
	rc = trace_files(t, path, n, &e);
	CHECK(rc <= 0 && (!rc || e.msg[0]));
	r = trace_now(t);
	check(r);
	CHECK(!diagnose(&d, r, &e));
	diagnosis_free(d);
	r = trace_finish(t);
	check(r);
	f = open_memstream(text, &bytes);
	CHECK(f);
	CHECK(!diagnose(&d, r, &e));
	j.findings_arg = d;
	trace_json_write(f, r, &j);
	diagnosis_table_write(f, r, d);
	trace_table_write(f, r, &table);
	CHECK(fclose(f) == 0);
	if (threads == 1)
		show(r, d);
	diagnosis_free(d);
	trace_close(t);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[40], *one = NULL, *three = NULL, *twice = NULL;
	const char *names[2] = {path, path};
	int fd = memfd_create("capture", 0), rc;

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = run(names, 1, 1, &one);
	CHECK(run(names, 1, 3, &three) == rc);
	CHECK(!strcmp(one, three));
	(void)run(names, 2, 1, &twice);
	free(one);
	free(three);
	free(twice);
	CHECK(close(fd) == 0);
	return 0;
}
