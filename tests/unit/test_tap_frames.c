/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the frames of simulated captures, one kind after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"
#include "gen/rnic/conn.h"
#include "scenarios/scenario.h"
#include "scenarios/tap_frames.h"
#include "tests/support/scenario_text.h"

static struct scratch scratch;

static struct scenario *scenario_of(const char *text)
{
	struct scenario *s;
	struct err e = {0};

	if (scenario_from_text(&s, &scratch, text, NULL, &e))
		fail_msg("%s", e.msg);
	return s;
}

#define TEXT                                                                                   \
	"squall: 1\nfabric:\n  topology: {kind: star, hosts: 4}\n"                             \
	"  nic: {rnr_timer: 50us, ecn: ect1, dscp: 24}\n"                                      \
	"workload: [{pattern: incast, senders: 2, receiver: 0, message: 3000B}]\n"             \
	"measure: {first_psn: 16777214}\n"

static struct capture_record record(uint8_t kind, uint8_t what)
{
	return (struct capture_record){.node = 2,
	        .src = 2,
	        .conn_dst = 0,
	        .what = what,
	        .transport = QP_RC,
	        .d = {.kind = kind & 15u, .priority = 3, .entropy = 0x1234, .flags = DESC_ECT}};
}

static struct frame build(struct tap_frames *f, const struct capture_record *r,
        uint8_t bytes[TAP_FRAME_MAX_BYTES])
{
	struct frame p;

	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, tap_frame(f, bytes, r), 0);
	return p;
}

static void messages_and_answers(void **state)
{
	uint8_t bytes[TAP_FRAME_MAX_BYTES];
	struct scenario *s = scenario_of(TEXT);
	struct capture_record r = record(DESC_DATA, CAPTURE_MESSAGE);
	struct tap_frames f;
	struct frame p;
	struct err e;

	(void)state;
	assert_int_equal(tap_frames_init(&f, s, &e), 0);
	/* two messages of three packets, one of one */
	for (uint32_t psn = 0; psn <= 6; psn += 3) {
		r.d.psn = psn;
		r.message_bytes = psn < 6 ? 3000 : 5;
		assert_int_equal(tap_frame(&f, bytes, &r), 0);
	}
	/* the second's first packet */
	r.what = CAPTURE_SENT;
	r.d.psn = 3;
	r.d.payload_bytes = 1024;
	r.d.flags |= DESC_FIRST;
	p = build(&f, &r, bytes);
	assert_int_equal(p.cap_bytes, 58 + 16 + 1024);
	assert_int_equal(p.opcode, BTH_RC | BTH_WRITE_FIRST);
	assert_int_equal(p.psn, 1); /* it has wrapped */
	assert_int_equal(p.reth_bytes, 3000);
	assert_int_equal(p.reth_va & 0xffffffff, 3 * 1024);
	assert_int_equal(p.dqp, TAP_FIRST_QPN);
	assert_int_equal(p.ecn, 1);
	assert_int_equal(p.dscp, 24);
	assert_int_equal(p.sport, 0xc000 | 0x1234);
	assert_false(p.ack_req);
	assert_int_equal(frame_icrc(&p), ICRC_GOOD);
	/* its last, marked, in another class, damaged */
	r.d.psn = 5;
	r.d.payload_bytes = 3000 - 2048;
	r.d.flags = DESC_ECT | DESC_CE | DESC_LAST | DESC_CORRUPT;
	r.d.priority = 5;
	p = build(&f, &r, bytes);
	assert_int_equal(p.opcode, BTH_RC | BTH_WRITE_LAST);
	assert_int_equal(p.ecn, 3);
	assert_int_equal(p.dscp, 40);
	assert_true(p.ack_req);
	assert_int_equal(p.faults, 0);
	assert_int_equal(frame_icrc(&p), ICRC_BAD);
	/* the third, padded */
	r.d.psn = 6;
	r.d.payload_bytes = 5;
	r.d.flags = DESC_FIRST | DESC_LAST;
	p = build(&f, &r, bytes);
	assert_int_equal(p.opcode, BTH_RC | BTH_WRITE_ONLY);
	assert_int_equal(p.pad, 3);
	assert_int_equal(p.reth_bytes, 5);
	assert_int_equal(p.ecn, 0);
	/* answers go from 0 to 2 */
	r = record(DESC_ACK, CAPTURE_SENT);
	r.d.flags = DESC_CNP_ECHO;
	r.d.psn = 5;
	p = build(&f, &r, bytes);
	assert_int_equal(p.cap_bytes, 62);
	assert_int_equal(p.opcode, BTH_RC | BTH_ACKNOWLEDGE);
	assert_int_equal(p.src[3], 0);
	assert_int_equal(p.dst[3], 2);
	assert_int_equal(p.aeth_syndrome, TAP_AETH_ACK);
	assert_int_equal(p.aeth_msn, 2);
	assert_int_equal(p.psn, 3);
	assert_true(p.becn);
	r.d.flags = 0;
	r.d.kind = DESC_NAK; /* expects 5: one is whole */
	p = build(&f, &r, bytes);
	assert_int_equal(p.aeth_syndrome, TAP_AETH_NAK);
	assert_int_equal(p.aeth_msn, 1);
	assert_false(p.becn);
	r.d.kind = DESC_RNR_NAK; /* 50 us: the code of 60 us */
	p = build(&f, &r, bytes);
	assert_int_equal(p.aeth_syndrome, TAP_AETH_RNR | 5);
	r.d.kind = DESC_SACK;
	r.d.sent_unit = 6;
	p = build(&f, &r, bytes);
	assert_int_equal(p.aeth_syndrome, TAP_AETH_SACK);
	assert_int_equal(p.aeth_msn, 4);
	assert_int_equal(p.psn, 3);
	r.d.kind = DESC_CNP;
	r.d.priority = 6;
	p = build(&f, &r, bytes);
	assert_int_equal(p.cap_bytes, 74);
	assert_int_equal(p.opcode, BTH_CNP);
	assert_int_equal(p.dscp, 48);
	assert_int_equal(p.psn, 0);
	assert_true(p.becn);
	assert_int_equal(p.dqp, TAP_FIRST_QPN);
	tap_frames_fini(&f);
	scenario_free(s);
}

static void pause_forms(void **state)
{
	uint8_t bytes[TAP_FRAME_MAX_BYTES];
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9}, zero[6] = {0};
	struct desc d = {.kind = DESC_PFC, .psn = 0x18, .sent_unit = 0x08, .conn = 1000};
	struct frame p;
	uint32_t n;

	(void)state;
	n = tap_pause_frame(bytes, mac, &d);
	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, n, 0);
	assert_int_equal(n, 60);
	assert_int_equal(p.kind, FRAME_PFC);
	assert_int_equal(p.faults, 0);
	assert_int_equal(p.pfc_vector, 0x18);
	assert_int_equal(p.quanta[3], 1000);
	assert_int_equal(p.quanta[4], 0);
	assert_memory_equal(bytes + 6, mac, 6);
	d.conn = 0; /* until XON */
	(void)tap_pause_frame(bytes, mac, &d);
	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, n, 0);
	assert_int_equal(p.quanta[3], 65535);
	d.conn = 77;
	d.entropy = PFC_ZERO_SOURCE;
	(void)tap_pause_frame(bytes, mac, &d);
	assert_memory_equal(bytes + 6, zero, 6);
	d.psn = d.sent_unit = 0;
	d.entropy = PFC_ZERO_VECTOR;
	n = tap_pause_frame(bytes, mac, &d);
	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, n, 0);
	assert_int_equal(p.kind, FRAME_PFC);
	assert_int_equal(p.pfc_vector, 0);
	assert_int_equal(p.quanta[0], 77);
	d.entropy = PFC_GLOBAL_PAUSE;
	n = tap_pause_frame(bytes, mac, &d);
	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, n, 0);
	assert_int_equal(p.kind, FRAME_PAUSE);
	assert_int_equal(p.quanta[0], 77);
	d.entropy = PFC_BAD_OPCODE;
	n = tap_pause_frame(bytes, mac, &d);
	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, n, 0);
	assert_int_equal(p.kind, FRAME_MAC_CONTROL);
	d.entropy = PFC_SHORT;
	d.psn = d.sent_unit = 8;
	n = tap_pause_frame(bytes, mac, &d);
	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, n, 0);
	assert_true(n < 60);
	assert_int_equal(p.has & FRAME_HAS_PAUSE_TIMES, 0);
}

static void addresses(void **state)
{
	uint8_t ip[16], other[16], mac[6];

	(void)state;
	tap_host_ip(ip, 4, TOPO_MAX_HOSTS - 1);
	assert_int_equal(ip[0], 198);
	assert_int_equal(ip[1] & 0xfe, 18);
	assert_false(ip[1] == 19 && ip[2] == 255 && ip[3] == 255); /* of all: broadcast */
	tap_host_ip(other, 4, 255);
	assert_int_not_equal(memcmp(ip, other, 16), 0);
	tap_host_ip(ip, 6, 258);
	assert_int_equal(ip[14] << 8 | ip[15], 258);
	tap_host_mac(mac, 258);
	assert_int_equal(mac[0] & 3, 2); /* locally administered, one station */
	assert_int_equal(mac[4] << 8 | mac[5], 258);
}

/* Runs of equal messages are one entry; those long gone are forgotten, their number is not. */
static void many_messages(void **state)
{
	struct tap_qps q;
	const struct tap_qp *qp;
	struct err e;
	uint32_t psn = 0xfffffff0; /* of 32 bits: wraps */
	int n = 0;

	(void)state;
	assert_int_equal(tap_qps_init(&q, 3, 1000, 7, TAP_RANDOM_PSN, &e), 0);
	for (; n < 1000; n++, psn += 3)
		tap_qps_message(&q, 1, 40, 2, psn, 2500);
	qp = tap_qps_get(&q, 1, 40);
	assert_int_equal(qp->n_runs, 1);
	assert_int_equal(tap_qp_messages(qp, psn), 1000);
	assert_int_equal(tap_qp_messages(qp, psn - 1), 999);
	assert_int_equal(tap_qp_message_bytes(qp, psn - 3, 1), 2500);
	for (; n < 21000; n++, psn += 1)
		tap_qps_message(&q, 1, 40, 2, psn, 1 + n % 2);
	qp = tap_qps_get(&q, 1, 40);
	assert_true(qp->n_runs <= 4096);
	assert_int_equal(tap_qp_messages(qp, psn), 21000);
	assert_int_equal(tap_qp_messages(qp, psn - 100), 20900);
	assert_int_equal(tap_qp_message_bytes(qp, psn - 1, 9), 2);
	/* numbers of one host never meet */
	tap_qps_message(&q, 2, 0, 1, 0, 1);
	tap_qps_message(&q, 1, 41, 2, 0, 1);
	assert_int_equal(qp->requester, TAP_FIRST_QPN);
	assert_int_equal(tap_qps_get(&q, 2, 0)->responder, TAP_FIRST_QPN + 1);
	assert_int_equal(tap_qps_get(&q, 1, 41)->requester, TAP_FIRST_QPN + 2);
	assert_int_not_equal(
	        tap_qps_get(&q, 1, 41)->first_psn, tap_qps_get(&q, 1, 40)->first_psn);
	tap_qps_fini(&q);
}

static int open_scratch(void **state)
{
	(void)state;
	scratch_open(&scratch);
	return 0;
}

static int close_scratch(void **state)
{
	(void)state;
	scratch_close(&scratch);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(messages_and_answers),
	        cmocka_unit_test(pause_forms),
	        cmocka_unit_test(addresses),
	        cmocka_unit_test(many_messages),
	};

	return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
