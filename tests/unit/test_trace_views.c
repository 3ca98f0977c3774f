/* SPDX-License-Identifier: Apache-2.0 */
/* Several interfaces: one transmission, who showed it first and last, and where it was lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/tracekit.h"

/* A packet at the sender's interface and, unless it is lost, at the receiver's. */
static void crosses(
        struct tracekit *k, uint8_t opcode, uint32_t psn, int64_t latency_ns, bool ce)
{
	uint16_t id = k->ip_id;

	k->interface = 0;
	k->ecn = 2;
	kit_data(k, opcode, psn, 256);
	if (latency_ns < 0)
		return;
	k->t_ns += latency_ns;
	k->interface = 1;
	k->ecn = ce ? 3 : 2;
	k->ip_id = id;
	kit_data(k, opcode, psn, 256);
}

static void once(void **state)
{
	const struct trace_result *r;
	const struct trace_flow *f;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	(void)kit_interface(&k, "tap1", 0);
	crosses(&k, BTH_SEND_ONLY, 1, 1000, false);
	crosses(&k, BTH_SEND_ONLY, 2, 1500, true);
	crosses(&k, BTH_SEND_ONLY, 3, -1, false); /* lost between the two */
	crosses(&k, BTH_SEND_ONLY, 4, 1200, true);
	k.interface = 1;
	kit_nak(&k, 0x60, 3);
	k.t_ns += 1000;
	k.interface = 0;
	kit_nak(&k, 0x60, 3);
	crosses(&k, BTH_SEND_ONLY, 3, 1000, false);
	crosses(&k, BTH_SEND_ONLY, 4, 1000, false);
	k.interface = 1;
	kit_ack(&k, 4);
	k.t_ns += 1000;
	k.interface = 0;
	kit_ack(&k, 4);
	r = kit_finish(&k);
	f = kit_flow(&k, r);
	assert_int_equal(r->frames, 15);
	assert_int_equal(f->n_views, 2);
	assert_int_equal(f->counts.data_packets, 6);
	assert_int_equal(
	        f->counts.retransmitted_packets, 2); /* the sender sent 3 and 4 again */
	assert_int_equal(f->counts.missing_psns, 1); /* at the receiver */
	assert_int_equal(f->counts.ce_packets, 2);
	assert_int_equal(r->roce.acks, 1);
	assert_int_equal(r->roce.naks, 1);
	assert_int_equal(r->roce.messages, 4);
	assert_int_equal(r->view[f->first_view].interface, 0);
	assert_int_equal(r->view[f->first_view].counts.retransmitted_packets, 2);
	assert_int_equal(r->view[f->first_view].counts.ce_packets, 0);
	assert_int_equal(r->view[f->first_view].lost_after, 1);
	assert_int_equal(r->view[r->view[f->first_view].next].counts.retransmitted_packets, 1);
	assert_int_equal(r->view[r->view[f->first_view].next].counts.ce_packets, 2);
	assert_int_equal(f->latency_ns.n, 5);
	assert_int_equal(f->latency_ns.min, 1000);
	assert_int_equal(f->latency_ns.max, 1500);
	assert_int_equal(r->n_messages, 4);
	assert_int_equal(r->message[0].interface, 0);
	kit_close(&k);
}

/* Pauses seen leaving one end of a link and arriving at the other count once. */
static void both_ends_of_a_link(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, INT64_C(100000000000));
	(void)kit_interface(&k, "tap1", INT64_C(100000000000));
	for (int i = 0; i < 2; i++)
		for (int frame = 0; frame < 2; frame++) {
			k.interface = 0;
			k.direction = DIRECTION_OUT;
			kit_pfc(&k, 1, 1 << 3, frame ? 0 : 0xffff);
			k.t_ns += 500;
			k.interface = 1;
			k.direction = DIRECTION_IN;
			kit_pfc(&k, 1, 1 << 3, frame ? 0 : 0xffff);
			k.t_ns += frame ? 100000 : 7000;
		}
	r = kit_finish(&k);
	assert_int_equal(r->xoff_frames, 2);
	assert_int_equal(r->xon_frames, 2);
	assert_int_equal(r->paused_ns[3], 2 * 7500);
	assert_int_equal(r->all_pauses, 2);
	assert_int_equal(r->pause[0].interface, 1);
	assert_int_equal(r->interface[0].paused_ns[3], 0);
	assert_int_equal(r->interface[0].asked_ns[3], 2 * 7500);
	assert_int_equal(r->interface[1].paused_ns[3], 2 * 7500);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(once),
	        cmocka_unit_test(both_ends_of_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
