/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of RoCE traffic (pcap, pcapng, ERF) as messages that are sent again. */
#include "scenarios/imports/import_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace.h"
#include "dataplane/base/units.h"
#include "scenarios/imports/import_fabric.h"
#include "scenarios/yaml_emit.h"

#define FRAME_MORE 98 /* of a packet on the wire beyond its payload, with a RETH */

static bool is_it(const char *head, size_t len)
{
	static const uint8_t marks[][4] = {
	        {0x0a, 0x0d, 0x0d, 0x0a},                           /* pcapng */
	        {0xa1, 0xb2, 0xc3, 0xd4}, {0xd4, 0xc3, 0xb2, 0xa1}, /* pcap */
	        {0xa1, 0xb2, 0x3c, 0x4d}, {0x4d, 0x3c, 0xb2, 0xa1}, /* with nanoseconds */
	        {0xa1, 0xb2, 0xcd, 0x34}, {0x34, 0xcd, 0xb2, 0xa1}, /* modified */
	        {0x28, 0xb5, 0x2f, 0xfd},                           /* zstd */
	};

	if (len < 4)
		return false;
	if ((uint8_t)head[0] == 0x1f && (uint8_t)head[1] == 0x8b) /* gzip */
		return true;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!memcmp(head, marks[i], 4))
			return true;
	return false;
}

struct capture_import {
	struct import_draft *d;
	const struct import_job *job;
	struct scenario *fabric; /* NULL: none was given */
	struct capture_facts facts;
	struct capture_work work;
};

/* -1: the one that the fabric's NICs have anyway. */
static int8_t priority_of(const void *arg, const struct trace_flow *f)
{
	const struct capture_import *c = arg;
	uint8_t priority = capture_priority(f);
	const int64_t usual = c->fabric ? c->fabric->nic.priority : c->facts.priority;

	if (c->fabric && f->pcp == 255 && f->dscp == c->fabric->nic.dscp)
		return -1;
	return priority == usual ? -1 : (int8_t)priority;
}

static void put_nic(FILE *f, const struct capture_facts *c)
{
	fputs("  nic:\n", f);
	if (c->dscp != 255)
		fprintf(f, "    priority: %u\n    dscp: %u\n", c->priority, c->dscp);
	if (c->not_ect)
		fputs("    ecn: not-ect\n", f);
	if (c->ack_every)
		fprintf(f, "    ack_every: %u\n", c->ack_every);
	if (c->ack_priority != 255 && c->ack_priority != c->priority)
		fprintf(f, "    ack_priority: %u\n", c->ack_priority);
	if (c->cnp_dscp != 255)
		fprintf(f, "    cnp_priority: %u\n    cnp_dscp: %u\n", c->cnp_priority,
		        c->cnp_dscp);
	if (c->cnp_gap_ns)
		fprintf(f, "    np: {min_time_between_cnps: %" PRId64 "ns, scope: %s}\n",
		        c->cnp_gap_ns, c->cnp_scope);
}

static void put_rates(FILE *f, const struct capture_import *c, int64_t usual)
{
	char rate[48];
	bool any = false;

	for (uint32_t h = 0; h < c->work.n_hosts; h++) {
		const int64_t bps = c->work.rate_bps[h];

		if (!bps || bps == usual)
			continue;
		if (!any)
			fputs("  overrides:\n", f);
		any = true;
		fprintf(f, "    - {match: {node: host%u}, link: {rate: %s}}\n", h,
		        unit_format(rate, sizeof(rate), UNIT_RATE, bps));
	}
}

/* All hosts on one switch, with what the capture shows of their NICs. */
static int star(struct capture_import *c, struct err *e)
{
	const int64_t bps = c->job->rate_bps    ? c->job->rate_bps
	                    : c->facts.rate_bps ? c->facts.rate_bps
	                                        : IMPORT_RATE_BPS;
	const uint32_t n_hosts = c->work.n_hosts < 2 ? 2 : c->work.n_hosts;
	char rate[48];
	size_t len;
	FILE *f;

	if (n_hosts > TOPO_MAX_SWITCH_PORTS)
		return err_set(e, -EINVAL,
		        "%s: %u hosts in it; without --fabric all hang on one switch, which "
		        "has at most %d ports",
		        c->job->path[0], n_hosts, TOPO_MAX_SWITCH_PORTS);
	f = open_memstream(&c->d->fabric, &len);
	if (!f)
		return err_set(e, -ENOMEM, "%s: no memory", c->job->path[0]);
	fprintf(f, "\nfabric:\n  topology: {kind: star, hosts: %u}\n", n_hosts);
	fprintf(f, "  host_link: {rate: %s, delay: 1us}\n",
	        unit_format(rate, sizeof(rate), UNIT_RATE, bps));
	if (c->facts.mtu_bytes)
		fprintf(f, "  path_mtu: %" PRId64 "B\n", c->facts.mtu_bytes);
	if (c->facts.priority != 255 && c->facts.priority != 3)
		fprintf(f, "  switch: {pfc: {priorities: [%u]}}\n", c->facts.priority);
	put_nic(f, &c->facts);
	if (!c->job->rate_bps)
		put_rates(f, c, bps);
	if (fclose(f))
		return err_set(e, -ENOMEM, "%s: no memory", c->job->path[0]);
	import_say(c->d, IMPORT_UNKNOWN,
	        "the fabric: topology, switch buffers, ECN thresholds, PFC headroom, cable "
	        "lengths (--fabric FILE takes them from a scenario)");
	import_say(c->d, IMPORT_ASSUMED,
	        "all hosts hang on one switch with default settings, 1 us away; priority %u is "
	        "lossless",
	        c->facts.priority == 255 ? 3u : c->facts.priority);
	if (!c->job->rate_bps && !c->facts.rate_bps)
		import_say(c->d, IMPORT_ASSUMED,
		        "every link has 100 Gbit/s (--rate says another rate)");
	return 0;
}

/* What the given fabric says otherwise. */
static int compare(struct capture_import *c, struct err *e)
{
	const struct scenario *s = c->fabric;
	const struct capture_facts *f = &c->facts;

	if (c->work.n_hosts > s->topo->n_hosts)
		return err_set(e, -EINVAL,
		        "%s: %u hosts in it, the fabric of %s has %u: take one with more",
		        c->job->path[0], c->work.n_hosts, c->job->fabric, s->topo->n_hosts);
	import_say(c->d, IMPORT_FOUND, "the fabric and its seed: those of %s", c->job->fabric);
	if (f->mtu_bytes && f->mtu_bytes != s->frame.path_mtu_bytes)
		import_say(c->d, IMPORT_ASSUMED,
		        "a path MTU of %" PRId64 " bytes, as the fabric has it",
		        s->frame.path_mtu_bytes);
	if (f->ack_every && f->ack_every != s->nic.ack_every)
		import_say(c->d, IMPORT_ASSUMED,
		        "one ACK for %" PRId64 " data packets, as the fabric has it",
		        s->nic.ack_every);
	if (f->rate_bps && f->rate_bps != s->topo_cfg.host_rate_bps)
		import_say(c->d, IMPORT_ASSUMED,
		        "links as the fabric has them, which are not those of the capture");
	return 0;
}

static int put_list(
        struct capture_import *c, FILE *entries, enum load_transport transport, struct err *e)
{
	static const char *const name[] = {
	        [TRANSPORT_RC] = "", [TRANSPORT_UC] = "uc", [TRANSPORT_UD] = "ud"};
	static const char *const key[] = {
	        "workload[0].file", "workload[1].file", "workload[2].file"};
	struct import_beside *b = &c->d->beside[c->d->n_beside];
	uint32_t n = 0, lists = 0;
	char file[300];
	FILE *f;

	for (uint32_t i = 0; i < c->work.n_messages; i++)
		n += c->work.message[i].transport == transport;
	if (!n)
		return 0;
	for (uint32_t i = 0; i < c->d->n_beside; i++)
		lists += !strncmp(c->d->beside[i].key, "workload", 8);
	*b = (struct import_beside){.key = key[lists]};
	(void)snprintf(b->suffix, sizeof(b->suffix), "%s%s.csv", transport ? "-" : "",
	        name[transport]);
	f = open_memstream(&b->text, &b->len);
	if (!f)
		return err_set(e, -ENOMEM, "%s: no memory", c->job->path[0]);
	c->d->n_beside++;
	capture_work_write(f, &c->work, transport);
	if (fclose(f))
		return err_set(e, -ENOMEM, "%s: no memory", c->job->path[0]);
	(void)snprintf(file, sizeof(file), "%.200s%s", c->job->stem, b->suffix);
	fputs("  - pattern: replay\n    file: ", entries);
	yaml_emit_quoted(entries, file);
	fputc('\n', entries);
	if (transport != TRANSPORT_RC)
		fprintf(entries, "    transport: %s\n", name[transport]);
	return 0;
}

/* What had not come to its end when the capture ended has none here. In a deadlock nothing is
 * sent any more, and a capture ends earlier than the run that the fabric's scenario describes.
 */
static int put_stop(struct capture_import *c, struct err *e)
{
	const int64_t longest_ns = 100 * INT64_C(1000000000); /* stop.after */
	const struct scenario *s = c->fabric;
	const bool deadlock = s && s->run.stop_on_deadlock &&
	                      s->run.stop_after_ps != TIME_NEVER &&
	                      s->run.stop_after_ps / 1000 > c->work.end_ns;
	char after[48], *text;

	if (!c->work.unended || c->work.end_ns > longest_ns)
		return 0;
	unit_format(after, sizeof(after), UNIT_TIME,
	        deadlock ? s->run.stop_after_ps : c->work.end_ns * 1000);
	if (asprintf(&text, "stop: {after: %s%s}\n%s", after,
	            deadlock ? ", on_deadlock: on" : "", c->d->fabric) < 0)
		return err_set(e, -ENOMEM, "%s: no memory", c->job->path[0]);
	free(c->d->fabric);
	c->d->fabric = text;
	if (deadlock)
		import_say(c->d, IMPORT_ASSUMED,
		        "the run ends at a deadlock, or at %s, as %s has it: some messages "
		        "have no end in the capture",
		        after, c->job->fabric);
	else
		import_say(c->d, IMPORT_ASSUMED,
		        "the run ends where the capture does, at %s, as some messages have no "
		        "end in it",
		        after);
	return 0;
}

static int put_workload(struct capture_import *c, struct err *e)
{
	size_t len;
	FILE *f = open_memstream(&c->d->workload, &len);
	int rc = f ? 0 : err_set(e, -ENOMEM, "%s: no memory", c->job->path[0]);

	for (int t = TRANSPORT_RC; t <= TRANSPORT_UD && !rc; t++)
		rc = put_list(c, f, (enum load_transport)t, e);
	if (f && fclose(f) && !rc)
		rc = err_set(e, -ENOMEM, "%s: no memory", c->job->path[0]);
	return rc;
}

static int make(struct capture_import *c, const struct trace_result *r, struct err *e)
{
	int rc;

	capture_facts_find(&c->facts, r);
	rc = capture_work_init(&c->work, r, c->job->path[0], priority_of, c, e);
	if (rc)
		return rc;
	c->work.packet_wire = FRAME_MORE + (c->facts.mtu_bytes ? c->facts.mtu_bytes : 1024);
	rc = capture_posts_find(&c->work, e);
	if (!rc)
		rc = capture_turns_find(&c->work, e);
	if (rc)
		return rc;
	capture_facts_say(c->d, &c->facts, r, &c->work);
	rc = c->fabric ? compare(c, e) : star(c, e);
	if (!rc)
		rc = put_stop(c, e);
	return rc ? rc : put_workload(c, e);
}

static int read_capture(struct import_draft *d, const struct import_job *job, struct err *e)
{
	const struct trace_options opt = {.no_icrc = true,
	        .max_messages = CAPTURE_MAX_MESSAGES,
	        .max_losses = 1,
	        .max_pauses = 1};
	struct capture_import c = {.d = d, .job = job};
	struct trace *t = NULL;
	int rc = job->fabric ? import_fabric(d, &c.fabric, job, e) : 0;

	if (!rc)
		rc = trace_open(&t, &opt, e);
	if (!rc)
		rc = trace_files(t, job->path, job->n_paths, e);
	if (!rc)
		rc = make(&c, trace_finish(t), e);
	trace_close(t);
	capture_work_fini(&c.work);
	scenario_free(c.fabric);
	return rc;
}

const struct import_source import_capture = {
        .name = "capture",
        .doc = "a capture of RoCE traffic",
        .is_it = is_it,
        .read = read_capture,
};
