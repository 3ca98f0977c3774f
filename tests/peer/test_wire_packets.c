/* SPDX-License-Identifier: Apache-2.0 */
/* Every column of the reference's packets, whole and cut at 96 bytes, as bytes and out of
 * capture files; verdicts on what a kernel's Soft-RoCE sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/reader.h"
#include "dataplane/wire/cm_mad.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/frame_line.h"
#include "tests/support/hex.h"
#include "tests/support/reference.h"

#define MAX_BYTES   16384
#define MAX_COLUMNS 64
#define LINE_BYTES  (2 * MAX_BYTES + 1024)

static char packets[4096], rxe[4096], opcodes[4096];

struct table {
	FILE *f;
	char head[LINE_BYTES], line[LINE_BYTES];
	char *name[MAX_COLUMNS], *value[MAX_COLUMNS];
	int columns;
};

/* Empty columns count, so not strtok. */
static int split(char *text, char **out)
{
	int n = 0;

	text[strcspn(text, "\r\n")] = 0;
	for (char *p = text; p && n < MAX_COLUMNS; n++) {
		out[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = 0;
	}
	return n;
}

static void table_open(struct table *t, const char *folder, const char *file)
{
	char path[8192];

	(void)snprintf(path, sizeof(path), "%s%s%s", folder, *file ? "/" : "", file);
	t->f = fopen(path, "r");
	assert_non_null(t->f);
	assert_non_null(fgets(t->head, sizeof(t->head), t->f));
	t->columns = split(t->head, t->name);
}

static bool table_next(struct table *t)
{
	if (!fgets(t->line, sizeof(t->line), t->f)) {
		(void)fclose(t->f);
		return false;
	}
	for (int n = split(t->line, t->value); n < t->columns; n++)
		t->value[n] = "";
	return true;
}

static const char *cell(const struct table *t, const char *name)
{
	for (int i = 0; i < t->columns; i++)
		if (strcmp(t->name[i], name) == 0)
			return t->value[i];
	return NULL;
}

static long number(const char *text)
{
	char *end;
	long v = strtol(text, &end, 10);

	assert_true(end != text && !*end);
	return v;
}

/* Returns the number of columns compared. */
static int compare(const struct table *t, const struct frame *f)
{
	int n = 0;

	for (int i = 0; i < t->columns; i++) {
		char got[256];

		if (!frame_column(got, sizeof(got), f, t->name[i]))
			continue;
		n++;
		if (strcmp(got, t->value[i]) != 0)
			fail_msg("frame %s %s: %s is \"%s\", expected \"%s\"", cell(t, "frame"),
			        cell(t, "name") ? cell(t, "name") : "", t->name[i], got,
			        t->value[i]);
	}
	return n;
}

static void compare_file(const char *expected, const char *hex, uint32_t snap)
{
	static struct table want, bytes;
	static uint8_t data[MAX_BYTES];
	int frames = 0;

	table_open(&want, packets, expected);
	table_open(&bytes, packets, hex);
	while (table_next(&want)) {
		struct frame f;
		uint8_t *copy;
		long n;
		uint32_t cap;

		assert_true(table_next(&bytes));
		n = hex_bytes(data, sizeof(data), cell(&bytes, "hex"));
		assert_true(n > 0 && n == number(cell(&bytes, "len")));
		cap = n < snap ? (uint32_t)n : snap;
		copy = malloc(cap); /* so that a sanitizer sees its end */
		assert_non_null(copy);
		memcpy(copy, data, cap);
		frame_parse(&f, FRAME_LINK_ETHERNET, copy, cap, (uint32_t)n);
		assert_true(compare(&want, &f) >= 34);
		if (strncmp(cell(&want, "note"), "trailer=", 8) == 0)
			assert_int_equal(f.trailer_bytes, number(cell(&want, "note") + 8));
		free(copy);
		frames++;
	}
	print_message("%s: %d frames\n", expected, frames);
	assert_true(frames > 0);
}

static void test_known_good(void **state)
{
	(void)state;
	compare_file(
	        "known_good_packets.expected.tsv", "known_good_packets.hex.tsv", MAX_BYTES);
}

static void test_matrix(void **state)
{
	(void)state;
	compare_file("matrix.expected.tsv", "matrix_frames.hex.tsv", MAX_BYTES);
}

static void test_matrix_cut(void **state)
{
	(void)state;
	compare_file("matrix_snap96.expected.tsv", "matrix_frames.hex.tsv", 96);
}

/* Calls visit for each packet of a capture file; returns how many. */
static int each_packet(const char *path,
        void (*visit)(const struct frame *f, const struct packet *p, void *arg), void *arg)
{
	struct reader_options options = {0};
	struct packet_batch batch;
	struct reader *r;
	struct err e = {0};
	int n, total = 0;

	if (reader_open(&r, path, &options, &e) || packet_batch_init(&batch, 64, &e))
		fail_msg("%s: %s", path, e.msg);
	while ((n = reader_fill(r, &batch, &e)) > 0)
		for (int i = 0; i < n; i++, total++) {
			const struct packet *p = &batch.packet[i];
			struct frame f;

			frame_parse(&f, reader_interface(r, p->interface)->link, p->data,
			        p->cap_bytes, p->wire_bytes);
			visit(&f, p, arg);
		}
	if (n < 0)
		fail_msg("%s: %s", path, e.msg);
	packet_batch_fini(&batch);
	reader_close(r);
	return total;
}

static void compare_next(const struct frame *f, const struct packet *p, void *arg)
{
	struct table *want = arg;

	(void)p;
	assert_true(table_next(want));
	(void)compare(want, f);
}

static void compare_capture(const char *name, const char *expected)
{
	static struct table want;
	char path[8192];
	int n;

	(void)snprintf(path, sizeof(path), "%s/%s", packets, name);
	table_open(&want, packets, expected);
	n = each_packet(path, compare_next, &want);
	assert_false(table_next(&want));
	print_message("%s: %d frames\n", name, n);
	assert_true(n > 0);
}

static void test_captures(void **state)
{
	(void)state;
	static const char *const real[] = {"pingpong_rc", "pingpong_uc", "pingpong_ud",
	        "rdma_atomic_bw", "rdma_cm", "rdma_read_bw", "rdma_read_lat", "rdma_send_bw",
	        "rdma_write_bw", "rdma_write_lat"};

	compare_capture("known_good_packets.pcap", "known_good_packets.expected.tsv");
	compare_capture("matrix_nsec_be.pcap", "matrix.expected.tsv");
	compare_capture("matrix_ng_resol9_le.pcapng", "matrix.expected.tsv");
	compare_capture("matrix_snap96_nsec_le.pcap", "matrix_snap96.expected.tsv");
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		char name[128], expected[128];

		(void)snprintf(name, sizeof(name), "real_softroce_ccbysa/%s.pcap", real[i]);
		(void)snprintf(expected, sizeof(expected),
		        "real_softroce_ccbysa/%s.expected.tsv", real[i]);
		compare_capture(name, expected);
	}
}

struct tally {
	int roce, bad, good, faults;
};

static void count(const struct frame *f, const struct packet *p, void *arg)
{
	struct tally *t = arg;

	(void)p;
	if (!frame_is_roce(f))
		return;
	t->roce++;
	t->good += frame_icrc(f) == ICRC_GOOD;
	t->bad += frame_icrc(f) == ICRC_BAD;
	t->faults += !!f->faults;
}

/* What another kernel made: every ICRC is good but one that was broken on purpose. */
static void test_rxe(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int bad;
	} files[] = {{"host_peer_dgram", 1}, {"host_peer_tap", 1}, {"rc_atomic_cswap", 0},
	        {"rc_atomic_fadd", 0}, {"rc_bad_rkey_nak", 0}, {"rc_read_multi", 0},
	        {"rc_rnr_nak", 0}, {"rc_send_64", 0}, {"rc_send_ce_marked", 0},
	        {"rc_send_dscp26_ect0", 0}, {"rc_send_imm", 0}, {"rc_send_multi", 0},
	        {"rc_write_drop_last_timeout", 0}, {"rc_write_drop_psn1002_nak", 0},
	        {"rc_write_imm_multi", 0}, {"rc_write_mtu4096", 0}, {"rc_write_multi", 0},
	        {"rc_write_netem_loss5", 0}, {"ud_send", 0}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct tally t = {0};
		char path[8192];

		(void)snprintf(path, sizeof(path), "%s/%s.pcap", rxe, files[i].name);
		(void)each_packet(path, count, &t);
		print_message("%s: %d RoCE packets, %d with a bad ICRC\n", files[i].name,
		        t.roce, t.bad);
		assert_true(t.roce > 0);
		assert_int_equal(t.bad, files[i].bad);
		assert_int_equal(t.good, t.roce - t.bad);
		assert_int_equal(t.faults, 0);
	}
}

#define MAX_SEEN 16

struct connections {
	struct cm_mad req[MAX_SEEN];
	int n_req, n_rep, n_rtu;
	uint32_t qpn[2 * MAX_SEEN]; /* that messages named */
	int n_qpn, data_packets;
};

static void see_message(struct connections *c, const struct cm_mad *m)
{
	int i = 0;

	if (m->kind == CM_REQ) {
		assert_true(c->n_req < MAX_SEEN);
		assert_true(m->has_ip && m->ip_version == 4);
		assert_int_equal(m->transport, 0);
		c->req[c->n_req++] = *m;
		c->qpn[c->n_qpn++] = m->qpn;
	} else if (m->kind == CM_REP) {
		while (i < c->n_req && c->req[i].local_id != m->remote_id)
			i++;
		assert_true(i < c->n_req && c->n_qpn < 2 * MAX_SEEN);
		assert_int_equal(c->req[i].transaction, m->transaction);
		c->n_rep++;
		c->qpn[c->n_qpn++] = m->qpn;
	} else if (m->kind == CM_RTU) {
		c->n_rtu++;
	}
}

static void follow(const struct frame *f, const struct packet *p, void *arg)
{
	struct connections *c = arg;
	struct cm_mad m;
	int i = 0;

	(void)p;
	if (cm_mad_parse(&m, f)) {
		see_message(c, &m);
	} else if (frame_is_roce(f) && f->dqp > 1) {
		while (i < c->n_qpn && c->qpn[i] != f->dqp)
			i++;
		assert_true(i < c->n_qpn);
		c->data_packets++;
	}
}

/* The queue pairs that the messages name are those that data go to. */
static void test_connections(void **state)
{
	(void)state;
	static struct connections c;
	char path[8192];

	(void)snprintf(path, sizeof(path), "%s/real_softroce_ccbysa/rdma_cm.pcap", packets);
	(void)each_packet(path, follow, &c);
	print_message("rdma_cm: %d REQ, %d REP, %d RTU, %d packets between their QPs\n",
	        c.n_req, c.n_rep, c.n_rtu, c.data_packets);
	assert_true(c.n_req > 0 && c.data_packets > 0);
	assert_int_equal(c.n_req, c.n_rep);
	assert_int_equal(c.n_req, c.n_rtu);
}

/* The table of opcodes against one made by others. */
static void test_opcodes(void **state)
{
	(void)state;
	static struct table t;
	bool listed[256] = {false};

	table_open(&t, opcodes, "");
	while (table_next(&t)) {
		long op = strtol(cell(&t, "opcode_hex"), NULL, 16);
		const struct opcode_info *info = &opcode_table[op];
		const char *direction = cell(&t, "direction");
		char name[64];

		listed[op] = true;
		(void)snprintf(
		        name, sizeof(name), "%s_%s", cell(&t, "transport"), cell(&t, "name"));
		assert_non_null(info->name);
		assert_string_equal(info->name, op == BTH_CNP ? "CNP" : name);
		assert_int_equal(info->ext_bytes, number(cell(&t, "ext_bytes")));
		assert_int_equal(!!(info->flags & OPCODE_PAYLOAD),
		        number(cell(&t, "may_carry_payload")));
		assert_int_equal(
		        !!(info->flags & OPCODE_REQUEST), strcmp(direction, "request") == 0);
		assert_int_equal(
		        !!(info->flags & OPCODE_RESPONSE), strcmp(direction, "response") == 0);
		if (op != BTH_CNP)
			assert_int_equal(!!(info->flags & OPCODE_LAST),
			        number(cell(&t, "last_or_only")));
	}
	for (int op = 0; op < 256; op++)
		assert_int_equal(!!(opcode_table[op].flags & OPCODE_KNOWN), listed[op]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_known_good),
	        cmocka_unit_test(test_matrix),
	        cmocka_unit_test(test_matrix_cut),
	        cmocka_unit_test(test_captures),
	        cmocka_unit_test(test_rxe),
	        cmocka_unit_test(test_connections),
	        cmocka_unit_test(test_opcodes),
	};

	reference_path(packets, sizeof(packets), "packets");
	reference_path(rxe, sizeof(rxe), "rxe");
	reference_path(opcodes, sizeof(opcodes), "protocol/bth_opcodes.tsv");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
