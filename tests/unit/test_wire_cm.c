/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the connection manager and LLDP, from bytes laid out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/be.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/cm_mad.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/lldp.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/hex.h"

#define MAD_BYTES 256

/* A UD packet to queue pair 1 that holds the MAD. */
static uint32_t carry(uint8_t *out, size_t max, const uint8_t *mad)
{
	struct frame_spec s = {.ip_version = 4,
	        .opcode = BTH_UD | BTH_SEND_ONLY,
	        .dqp = 1,
	        .deth_src_qp = 1,
	        .deth_qkey = 0x80010000,
	        .payload = mad,
	        .payload_bytes = MAD_BYTES};

	return frame_build(out, max, &s, true);
}

static void start(uint8_t mad[MAD_BYTES], uint16_t attribute)
{
	memset(mad, 0, MAD_BYTES);
	mad[0] = 1; /* base version */
	mad[1] = 7; /* class CM */
	mad[2] = 2; /* its version */
	mad[3] = 3; /* Send */
	put_be64(mad + 8, 0x1122334455667788);
	put_be16(mad + 16, attribute);
}

/* Parses it whole, and cut at every byte: then it is the same or nothing. */
static void parse(struct cm_mad *m, const uint8_t *mad)
{
	uint8_t data[512];
	uint32_t bytes = carry(data, sizeof(data), mad);
	struct frame f;
	bool whole;

	frame_parse(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
	whole = cm_mad_parse(m, &f);
	assert_true(whole);
	assert_int_equal(m->transaction, 0x1122334455667788);
	for (uint32_t cap = 0; cap < bytes; cap++) {
		uint8_t *copy = malloc(cap ? cap : 1);
		struct cm_mad cut;

		assert_non_null(copy);
		memcpy(copy, data, cap);
		frame_parse(&f, FRAME_LINK_ETHERNET, copy, cap, bytes);
		if (cm_mad_parse(&cut, &f)) {
			assert_int_equal(cut.kind, m->kind);
			assert_int_equal(cut.qpn, m->qpn);
			assert_int_equal(cut.local_id, m->local_id);
		}
		free(copy);
	}
}

static void test_req(void **state)
{
	(void)state;
	uint8_t mad[MAD_BYTES], *h = mad + 24;
	uint8_t gid[16] = {0xfe, 0x80, [15] = 9};
	struct cm_mad m;

	start(mad, CM_REQ);
	put_be32(h, 0xaabb0001);
	put_be64(h + 8, 0x0000000001060000 | 18515);
	put_be24(h + 32, 0x000123);
	h[43] = 14 << 3 | 1 << 1; /* UC */
	put_be24(h + 44, 0xfedcba);
	h[47] = 18 << 3 | 7;
	h[50] = 3 << 4 | 6; /* 1024 bytes; six RNR retries */
	memcpy(h + 56, gid, 16);
	gid[15] = 10;
	memcpy(h + 72, gid, 16);
	h[95] = 17 << 3;
	h[141] = 4 << 4;
	put_be16(h + 142, 40001);
	put_be32(h + 144 + 12, 0x0a000001);
	put_be32(h + 160 + 12, 0x0a000002);
	parse(&m, mad);
	assert_int_equal(m.kind, CM_REQ);
	assert_int_equal(m.local_id, 0xaabb0001);
	assert_int_equal(m.remote_id, 0);
	assert_int_equal(m.qpn, 0x123);
	assert_int_equal(m.psn, 0xfedcba);
	assert_int_equal(m.transport, 1);
	assert_int_equal(m.retries, 7);
	assert_int_equal(m.mtu, 3);
	assert_int_equal(m.rnr_retries, 6);
	assert_int_equal(m.ack_timeout, 17);
	assert_true(m.has_gids);
	assert_int_equal(m.src_gid[15], 9);
	assert_int_equal(m.dst_gid[15], 10);
	assert_true(m.has_ip);
	assert_int_equal(m.ip_version, 4);
	assert_int_equal(m.ip_port, 18515);
	assert_int_equal(m.src_port, 40001);
	assert_int_equal(be32(m.src_ip), 0x0a000001);
	assert_int_equal(be32(m.dst_ip), 0x0a000002);

	put_be64(h + 8, 0x1234); /* another service: its private data are its own */
	parse(&m, mad);
	assert_false(m.has_ip);
}

static void test_the_others(void **state)
{
	(void)state;
	uint8_t mad[MAD_BYTES], *h = mad + 24;
	struct cm_mad m;

	start(mad, CM_REP);
	put_be32(h, 7);
	put_be32(h + 4, 0xaabb0001);
	put_be24(h + 12, 0x456);
	put_be24(h + 20, 0x010203);
	h[27] = 5 << 5;
	parse(&m, mad);
	assert_int_equal(m.local_id, 7);
	assert_int_equal(m.remote_id, 0xaabb0001);
	assert_int_equal(m.qpn, 0x456);
	assert_int_equal(m.psn, 0x010203);
	assert_int_equal(m.rnr_retries, 5);

	start(mad, CM_DREQ);
	put_be24(h + 8, 0x789);
	parse(&m, mad);
	assert_int_equal(m.remote_qpn, 0x789);

	start(mad, CM_REJ);
	put_be16(h + 10, 28);
	parse(&m, mad);
	assert_int_equal(m.reject_reason, 28);

	start(mad, CM_SIDR_REP);
	put_be32(h, 5);
	put_be24(h + 8, 0x321);
	put_be32(h + 20, 0x01234567);
	parse(&m, mad);
	assert_int_equal(m.remote_id, 5);
	assert_int_equal(m.qpn, 0x321);
	assert_int_equal(m.qkey, 0x01234567);

	start(mad, CM_RTU);
	put_be32(h + 4, 6);
	parse(&m, mad);
	assert_int_equal(m.remote_id, 6);
}

static void test_not_cm(void **state)
{
	(void)state;
	uint8_t mad[MAD_BYTES], data[512];
	struct frame f;
	struct cm_mad m;
	uint32_t bytes;

	start(mad, CM_RTU);
	bytes = carry(data, sizeof(data), mad);
	frame_parse(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
	assert_true(cm_mad_parse(&m, &f));
	f.dqp = 2;
	assert_false(cm_mad_parse(&m, &f));
	f.dqp = 1;
	data[f.payload_at + 1] = 3; /* subnet administration */
	assert_false(cm_mad_parse(&m, &f));
	start(mad, 0x1b);
	bytes = carry(data, sizeof(data), mad);
	frame_parse(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
	assert_false(cm_mad_parse(&m, &f));
}

static void test_lldp(void **state)
{
	(void)state;
	static const char text[] =
	        "0180c200000e 0200000000aa 88cc"
	        "0207 04 0200000000aa"          /* chassis: MAC */
	        "040b 05 45746865726e6574 3132" /* port: interface name Ethernet12 */
	        "0602 0078"                     /* two minutes */
	        "0803 746f33"                   /* port description "to3" */
	        "0a05 6c65616631"               /* leaf1 */
	        "fe06 0080c20b 8808"            /* PFC: willing, eight, priority 3 */
	        "fe06 00120f04 23f2"            /* 9202 bytes */
	        "0000";
	uint8_t data[200];
	struct lldp l;
	struct frame f;
	long n = hex_bytes(data, sizeof(data), text);

	assert_true(n > 0);
	frame_parse(&f, FRAME_LINK_ETHERNET, data, (uint32_t)n, 0);
	assert_int_equal(f.kind, FRAME_LLDP);
	assert_true(lldp_parse(&l, &f));
	assert_false(l.truncated);
	assert_string_equal(l.chassis, "02:00:00:00:00:aa");
	assert_string_equal(l.port, "Ethernet12");
	assert_string_equal(l.port_description, "to3");
	assert_string_equal(l.system_name, "leaf1");
	assert_int_equal(l.ttl_s, 120);
	assert_true(l.has_pfc && l.pfc_willing);
	assert_int_equal(l.pfc_enabled, 8);
	assert_int_equal(l.pfc_classes, 8);
	assert_int_equal(l.max_frame_bytes, 9202);
	for (long cap = 14; cap < n; cap++) {
		uint8_t *copy = malloc((size_t)cap);

		assert_non_null(copy);
		memcpy(copy, data, (size_t)cap);
		frame_parse(&f, FRAME_LINK_ETHERNET, copy, (uint32_t)cap, (uint32_t)n);
		assert_int_equal(lldp_parse(&l, &f), cap >= 14 + 9 + 13);
		assert_true(l.truncated);
		free(copy);
	}
	data[16] = 5; /* chassis: a network address, of a family with too few bytes */
	frame_parse(&f, FRAME_LINK_ETHERNET, data, (uint32_t)n, 0);
	assert_true(lldp_parse(&l, &f));
	assert_string_equal(l.chassis, "??????");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_req),
	        cmocka_unit_test(test_the_others),
	        cmocka_unit_test(test_not_cm),
	        cmocka_unit_test(test_lldp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
