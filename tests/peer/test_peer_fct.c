/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The FCT file against that simulator's own: its flows and completion times go through our
 * reader and our writer and come out byte for byte, so addresses, source ports, cut start times
 * and the standalone estimate (2 x propagation + one payload on each link + the message with 48
 * bytes per packet at the bottleneck) are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "scenarios/fct.h"
#include "scenarios/imports/import_hpcc_keys.h"
#include "tests/support/reference.h"

static char cases[512];

static struct topo *build_topo(struct hpcc_files *f)
{
	static const struct switch_cfg any = {0};
	struct topo_node *node;
	struct topo_link *link;
	struct topo *t;
	struct err e = {0};
	uint32_t host = 0, sw = f->topo.n_hosts;

	f->index = malloc(f->topo.n_nodes * sizeof(*f->index));
	for (uint32_t i = 0; i < f->topo.n_nodes; i++)
		f->index[i] = f->topo.is_switch[i] ? sw++ : host++;
	assert_int_equal(hpcc_node_list(&node, f, &e), 0);
	assert_int_equal(hpcc_link_list(&link, f, &e), 0);
	if (topo_from_links(&t, node, f->topo.n_nodes, f->topo.n_hosts, link, f->topo.n_links,
	            &any, &e))
		fail_msg("%s", e.msg);
	free(node);
	free(link);
	return t;
}

/* The record of a run that took as long as theirs; seq and tag are the row of flow.txt. */
static struct msg_record *record_of(const char *fct, const struct hpcc_files *f, uint64_t *n)
{
	struct msg_record *msg = calloc(f->flows.n, sizeof(*msg));
	bool *taken = calloc(f->flows.n, sizeof(*taken));
	const char *line = fct;

	for (*n = 0; *line; line = strchr(line, '\n') + 1, ++*n) {
		unsigned sip, dip, sport, dport;
		long long bytes, start_ns, fct_ns, alone_ns;
		uint32_t i;

		assert_int_equal(sscanf(line, "%x %x %u %u %lld %lld %lld %lld", &sip, &dip,
		                         &sport, &dport, &bytes, &start_ns, &fct_ns, &alone_ns),
		        8);
		assert_true(*n < f->flows.n);
		for (i = 0; i < f->flows.n; i++) {
			const struct load_flow *fl = &f->flows.flow[i];

			if (!taken[i] && fl->src == ((sip >> 8) & 0xffff) &&
			        fl->dst == ((dip >> 8) & 0xffff) && fl->bytes == bytes &&
			        fl->start_ps == ps_from_ns(start_ns))
				break;
		}
		assert_true(i < f->flows.n);
		taken[i] = true;
		msg[*n] = (struct msg_record){
		        .post_ps = ps_from_ns(start_ns),
		        .done_ps = ps_from_ns(start_ns + fct_ns),
		        .bytes = bytes,
		        .src = f->index[f->flows.flow[i].src],
		        .dst = f->index[f->flows.flow[i].dst],
		        .seq = i,
		        .tag = i,
		        .status = MSG_COMPLETED,
		};
	}
	free(taken);
	return msg;
}

static char *read_file(const char *path)
{
	struct err e = {0};
	char *text;
	size_t len;

	if (text_file_read(&text, &len, path, 1 << 24, &e))
		fail_msg("%s", e.msg);
	return text;
}

static void check_case(const char *name)
{
	char dir[600], path[700], out[] = "/tmp/squall-fct-XXXXXX";
	struct import_notes notes = {0};
	struct hpcc_files f = {0};
	struct load_entry entry = {0};
	struct scenario s = {.entry = &entry, .n_entries = 1};
	struct run_record rec = {0};
	struct err e = {0};
	char *want, *got;
	int fd;

	snprintf(dir, sizeof(dir), "%s/%s", cases, name);
	if (hpcc_config_read(&f.config, dir, &notes, &e) ||
	        hpcc_topo_read(&f.topo, dir, f.config.topology_file, &e) ||
	        hpcc_flows_read(&f.flows, dir, f.config.flow_file, &f.topo, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(notes.n, 0);
	s.topo = build_topo(&f);
	s.frame = (struct frame_cfg){
	        .header_bytes = 48, .path_mtu_bytes = f.config.count[HPCC_PACKET_PAYLOAD_SIZE]};
	entry.cfg.flow = f.flows.flow;
	entry.cfg.n_flows = f.flows.n;
	snprintf(path, sizeof(path), "%s/fct.txt", dir);
	want = read_file(path);
	rec.msg = record_of(want, &f, &rec.n_msg);
	fd = mkstemp(out);
	assert_true(fd >= 0);
	close(fd);
	if (fct_write(out, &s, &rec, &e))
		fail_msg("%s", e.msg);
	got = read_file(out);
	if (strcmp(got, want))
		fail_msg("%s: the FCT file differs from that simulator's", name);
	unlink(out);
	free(got);
	free(want);
	free(rec.msg);
	topo_free(s.topo);
	hpcc_topo_free(&f.topo);
	hpcc_flows_free(&f.flows);
	free(f.index);
}

static void test_same_bytes(void **state)
{
	static const char *const names[] = {"a2a16", "fair2", "fixpt40_n10_d4",
	        "fixpt40_n10_d85", "fixpt40_n2_d4", "incast32", "incast32__dcqcn_vwin",
	        "incast8", "incast8__dcqcn_paper", "incast8__dcqcn_vwin", "ls64_websearch",
	        "ring16"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_case(names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bytes)};

	reference_path(cases, sizeof(cases), "peer-sim/cases");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
