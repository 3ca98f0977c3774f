/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing, sent again and reordered, and the cause of each recovery. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/be.h"
#include "dataplane/wire/icrc.h"
#include "tests/support/tracekit.h"

enum { SEQUENCE_NAK = 0x60, RNR_NAK = 0x2c, ACCESS_NAK = 0x62 };

/* At the receiver: 3 is missing, the NAK names it, 3..5 come again. */
static void nak(void **state)
{
	const struct trace_result *r;
	const struct trace_flow *f;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_WRITE_FIRST, 1, 1024);
	kit_data(&k, BTH_WRITE_MIDDLE, 2, 1024);
	kit_data(&k, BTH_WRITE_MIDDLE, 4, 1024);
	kit_data(&k, BTH_WRITE_LAST, 5, 1024);
	k.t_ns += 500;
	kit_nak(&k, SEQUENCE_NAK, 3);
	k.t_ns += 9000;
	kit_data(&k, BTH_WRITE_MIDDLE, 3, 1024);
	kit_data(&k, BTH_WRITE_MIDDLE, 4, 1024);
	kit_data(&k, BTH_WRITE_LAST, 5, 1024);
	kit_ack(&k, 5);
	r = kit_finish(&k);
	f = kit_flow(&k, r);
	assert_int_equal(f->counts.data_packets, 7);
	assert_int_equal(f->counts.missing_psns, 1);
	assert_int_equal(f->counts.unfilled_psns, 0);
	assert_int_equal(f->counts.retransmitted_packets, 2);
	assert_int_equal(f->counts.reordered_packets, 0);
	assert_int_equal(r->roce.naks, 1);
	assert_int_equal(r->roce.nak[TRACE_NAK_SEQUENCE], 1);
	assert_int_equal(r->n_losses, 1);
	assert_int_equal(r->loss[0].cause, TRACE_CAUSE_NAK);
	assert_int_equal(r->loss[0].first_psn, 3);
	assert_int_equal(r->loss[0].last_psn, 5);
	assert_int_equal(r->loss[0].packets, 3);
	assert_int_equal(r->loss[0].missing, 1);
	assert_int_equal(r->loss[0].resend_ns - r->loss[0].nak_ns, 9000);
	assert_int_equal(r->loss[0].number, 6);
	assert_int_equal(r->roce.messages, 1);
	kit_close(&k);
}

/* At the sender the same loss shows every packet; only the resent ones come twice. */
static void nak_at_the_sender(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_write(&k, 0xfffffe, 5, 100); /* ..fffffe, ffffff, 0, 1, 2 */
	kit_nak(&k, SEQUENCE_NAK, 0);
	kit_data(&k, BTH_WRITE_MIDDLE, 0, 1024);
	kit_data(&k, BTH_WRITE_MIDDLE, 1, 1024);
	kit_data(&k, BTH_WRITE_LAST, 2, 1024);
	k.t_ns += 100;
	kit_ack(&k, 2);
	r = kit_finish(&k);
	assert_int_equal(r->roce.retransmitted_packets, 3);
	assert_int_equal(r->roce.missing_psns, 0);
	assert_int_equal(r->n_losses, 1);
	assert_int_equal(r->loss[0].cause, TRACE_CAUSE_NAK);
	assert_int_equal(r->loss[0].first_psn, 0);
	assert_int_equal(r->loss[0].packets, 3);
	assert_int_equal(r->n_messages, 1);
	assert_true(r->message[0].retransmitted);
	assert_int_equal(r->message[0].bytes, 5 * 1024);
	kit_close(&k);
}

/* The tail is lost; 67 ms later everything comes again. */
static void timeout(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_SEND_FIRST, 10, 1024);
	kit_data(&k, BTH_SEND_MIDDLE, 11, 1024);
	kit_ack(&k, 11);
	k.t_ns += 67000000;
	kit_data(&k, BTH_SEND_FIRST, 10, 1024);
	kit_data(&k, BTH_SEND_MIDDLE, 11, 1024);
	kit_data(&k, BTH_SEND_LAST, 12, 500);
	kit_ack(&k, 12);
	r = kit_finish(&k);
	assert_int_equal(r->n_losses, 1);
	assert_int_equal(r->loss[0].cause, TRACE_CAUSE_TIMEOUT);
	assert_int_equal(r->loss[0].resend_ns - r->loss[0].before_ns, 67000000);
	assert_int_equal(r->loss[0].packets, 2);
	assert_int_equal(r->roce.missing_psns, 0);
	assert_int_equal(r->message[0].bytes, 2 * 1024 + 500);
	assert_int_equal(r->n_event[TRACE_EV_TIMEOUT], 1);
	assert_int_equal(r->event[TRACE_EV_TIMEOUT][0].number, 4);
	kit_close(&k);
}

static void rnr(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	for (int i = 0; i < 3; i++) {
		kit_data(&k, BTH_SEND_ONLY, 7, 64);
		k.t_ns += 10000;
		if (i < 2)
			kit_nak(&k, RNR_NAK, 7);
		k.t_ns += 640000;
	}
	kit_ack(&k, 7);
	r = kit_finish(&k);
	assert_int_equal(r->roce.rnr_naks, 2);
	assert_int_equal(r->roce.naks, 0);
	assert_int_equal(r->all_losses, 2);
	assert_int_equal(r->loss[0].cause, TRACE_CAUSE_RNR);
	assert_int_equal(r->loss[1].cause, TRACE_CAUSE_RNR);
	assert_int_equal(r->roce.messages, 1);
	kit_close(&k);
}

static void access_error_is_named(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_WRITE_ONLY, 7, 64);
	kit_nak(&k, ACCESS_NAK, 7);
	r = kit_finish(&k);
	assert_int_equal(r->roce.nak[TRACE_NAK_REMOTE_ACCESS], 1);
	assert_int_equal(r->roce.nak[TRACE_NAK_SEQUENCE], 0);
	assert_int_equal(r->n_messages, 1);
	assert_false(r->message[0].complete);
	kit_close(&k);
}

/* A packet that comes two places late, without a NAK, was not sent twice. */
static void reordering(void **state)
{
	static const uint32_t order[] = {1, 2, 4, 5, 3, 6, 7};
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		kit_data(&k, BTH_SEND_ONLY, order[i], 64);
		k.t_ns += 200;
	}
	kit_ack(&k, 7);
	r = kit_finish(&k);
	assert_int_equal(r->roce.reordered_packets, 1);
	assert_int_equal(r->roce.retransmitted_packets, 0);
	assert_int_equal(r->roce.missing_psns, 1);
	assert_int_equal(r->all_losses, 0);
	assert_int_equal(kit_flow(&k, r)->max_reorder_psns, 3);
	assert_int_equal(r->roce.messages, 7);
	assert_int_equal(r->n_messages, 7);
	kit_close(&k);
}

/* The network's copy of a packet has its IP identification as well. */
static void copies(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_SEND_ONLY, 1, 64);
	k.ip_id--;
	kit_data(&k, BTH_SEND_ONLY, 1, 64);
	kit_data(&k, BTH_SEND_ONLY, 2, 64);
	kit_ack(&k, 2);
	r = kit_finish(&k);
	assert_int_equal(r->roce.retransmitted_packets, 1);
	assert_int_equal(r->roce.duplicated_packets, 1);
	assert_int_equal(r->all_losses, 0);
	kit_close(&k);
}

/* A lost LAST and a lost FIRST in one gap: two messages, as the repetition shows. */
static void messages_across_a_gap(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_SEND_FIRST, 1, 1024);
	kit_data(&k, BTH_SEND_MIDDLE, 2, 1024);
	kit_data(&k, BTH_SEND_MIDDLE, 5, 1024); /* 3 is a LAST, 4 a FIRST */
	kit_data(&k, BTH_SEND_LAST, 6, 100);
	kit_nak(&k, SEQUENCE_NAK, 3);
	kit_data(&k, BTH_SEND_LAST, 3, 10);
	kit_data(&k, BTH_SEND_FIRST, 4, 1024);
	kit_data(&k, BTH_SEND_MIDDLE, 5, 1024);
	kit_data(&k, BTH_SEND_LAST, 6, 100);
	kit_ack(&k, 6);
	r = kit_finish(&k);
	assert_int_equal(r->roce.messages, 2);
	assert_int_equal(r->n_messages, 2);
	assert_int_equal(r->message[0].bytes, 2 * 1024 + 10);
	assert_int_equal(r->message[0].last_psn, 3);
	assert_int_equal(r->message[1].bytes, 2 * 1024 + 100);
	assert_int_equal(r->message[1].first_psn, 4);
	assert_int_equal(r->message[1].last_psn, 6);
	kit_close(&k);
}

enum { SACK = 0x40 };

static void sack(struct tracekit *k, uint32_t expected, uint32_t arrived)
{
	struct frame_spec s = kit_spec(k, false, BTH_ACKNOWLEDGE, expected);

	s.aeth_syndrome = SACK;
	s.aeth_msn = arrived;
	kit_frame(k, &s);
}

/* At the sender: 3 was lost, 4 and 5 are selectively acknowledged, 3 alone is sent again. What
 * is sent again after everything was acknowledged has another cause. */
static void selective_acknowledgements(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	for (uint32_t psn = 1; psn <= 5; psn++)
		kit_data(&k, BTH_SEND_ONLY, psn, 64);
	kit_ack(&k, 2);
	sack(&k, 3, 4);
	sack(&k, 3, 5);
	k.t_ns += 5000;
	kit_data(&k, BTH_SEND_ONLY, 3, 64);
	kit_ack(&k, 5);
	kit_data(&k, BTH_SEND_ONLY, 6, 64);
	sack(&k, 6, 7); /* late, not lost: it is acknowledged in the end */
	kit_ack(&k, 6);
	kit_data(&k, BTH_SEND_ONLY, 7, 64);
	k.t_ns += 10000000;
	kit_data(&k, BTH_SEND_ONLY, 7, 64);
	r = kit_finish(&k);
	assert_int_equal(r->roce.naks, 0);
	assert_int_equal(r->roce.acks, 6);
	assert_int_equal(r->all_losses, 2);
	assert_int_equal(r->loss[0].cause, TRACE_CAUSE_NAK);
	assert_int_equal(r->loss[0].first_psn, 3);
	assert_int_equal(r->loss[0].packets, 1);
	assert_int_equal(r->loss[1].cause, TRACE_CAUSE_TIMEOUT);
	assert_int_equal(r->loss[1].first_psn, 7);
	assert_int_equal(r->roce.messages, 7);
	kit_close(&k);
}

/* RoCEv2 to another UDP port: by its ICRC, or because it is said. */
static void other_udp_ports(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		const struct trace_options o = {
		        .udp_port = i == 2 ? 9999 : 0, .no_icrc = i == 3};
		const struct trace_result *r;
		struct tracekit k;
		uint8_t bytes[256];
		struct packet p = {.data = bytes};
		struct frame_spec s;
		struct frame f;

		kit_open(&k, &o, 0);
		s = kit_spec(&k, true, BTH_SEND_ONLY, 1);
		s.payload_bytes = 64;
		p.cap_bytes = p.wire_bytes = frame_build(bytes, sizeof(bytes), &s, true);
		frame_parse(&f, 1, bytes, p.cap_bytes, 0);
		bytes[f.udp_at + 2] = 9999 >> 8;
		bytes[f.udp_at + 3] = 9999 & 255;
		frame_parse_port(&f, 1, bytes, p.cap_bytes, 0, 9999);
		put_le32(bytes + f.icrc_at,
		        frame_icrc_value_by(CRC_BITWISE, &f) ^ (i == 1 || i == 2));
		p.t_ns = k.t_ns;
		assert_int_equal(trace_feed(k.trace, &p, 1, 1, NULL), 0);
		r = kit_finish(&k);
		assert_int_equal(r->roce.data_packets, i == 0 || i == 2);
		assert_int_equal(r->other_frames, i == 1 || i == 3);
		assert_int_equal(r->roce.icrc_bad, i == 2);
		kit_close(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nak),
	        cmocka_unit_test(nak_at_the_sender),
	        cmocka_unit_test(timeout),
	        cmocka_unit_test(rnr),
	        cmocka_unit_test(access_error_is_named),
	        cmocka_unit_test(reordering),
	        cmocka_unit_test(copies),
	        cmocka_unit_test(messages_across_a_gap),
	        cmocka_unit_test(selective_acknowledgements),
	        cmocka_unit_test(other_udp_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
