/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings that take several places: host A, one switch, host B, each port an interface. Just
 * below its threshold each is absent, at the threshold it is there. And the network that is
 * inferred, also where the switch cuts through.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/seen_fabric.h"
#include "tests/support/findings_check.h"

#define GBPS INT64_C(1000000000)
#define US   INT64_C(1000)
enum { ECT = 2, CE = 3 };
enum { HOST_A, SWITCH_IN, SWITCH_OUT, HOST_B, PLACES };

static void open_places(struct tracekit *k)
{
	kit_open(k, NULL, 100 * GBPS);
	for (uint32_t i = 1; i < PLACES; i++)
		(void)kit_interface(k, "port", 100 * GBPS);
}

/* One packet at one of the places, at t_ns. */
static void shown(struct tracekit *k, uint32_t place, uint32_t psn, int64_t t_ns)
{
	k->interface = place;
	k->direction = place == HOST_A || place == SWITCH_OUT ? DIRECTION_OUT : DIRECTION_IN;
	k->ip_id = (uint16_t)(psn + 1);
	k->t_ns = t_ns;
	kit_data(k, BTH_SEND_ONLY, psn, 1024);
}

/* At all of them as far as `last`; the next one is `step_ns` later. CE from the switch on. */
static void crosses(
        struct tracekit *k, uint32_t psn, uint32_t last, uint8_t ecn, int64_t step_ns)
{
	int64_t t_ns = k->t_ns;

	for (uint32_t i = 0; i <= last; i++) {
		k->ecn = i >= SWITCH_OUT ? ecn : ECT;
		shown(k, i, psn, t_ns + 500 * i);
	}
	k->t_ns = t_ns + step_ns;
}

static void pfc_from_switch(struct tracekit *k, uint16_t quanta)
{
	k->interface = SWITCH_IN;
	k->direction = DIRECTION_OUT;
	kit_pfc(k, 9, 1 << 3, quanta);
	k->t_ns += 200;
	k->interface = HOST_A;
	k->direction = DIRECTION_IN;
	kit_pfc(k, 9, 1 << 3, quanta);
	k->t_ns += 200;
}

/* Of 100 packets, one in ten comes in and does not leave again. */
static void drops(struct tracekit *k, uint32_t last, uint8_t ecn, bool paused)
{
	open_places(k);
	if (paused) {
		pfc_from_switch(k, 0xffff);
		pfc_from_switch(k, 0);
	}
	for (uint32_t i = 0; i < 100; i++)
		crosses(k, i, i % 10 == 5 ? last : HOST_B, ecn, ecn == CE ? 92 : 10 * US);
}

static void where_packets_are_lost(void **state)
{
	struct tracekit k;

	(void)state;
	drops(&k, HOST_B, ECT, false);
	findings_are(&k, "");
	drops(&k, HOST_A, ECT, false);
	findings_are(&k, "random-loss loss-hidden<random-loss");
	drops(&k, SWITCH_OUT, ECT, false);
	findings_are(&k, "random-loss loss-hidden<random-loss");
	drops(&k, SWITCH_IN, ECT, false);
	findings_are(&k, "switch-loss loss-hidden<switch-loss");
	drops(&k, SWITCH_IN, CE, false);
	findings_are(&k, "loss-without-pfc loss-hidden<loss-without-pfc");
	drops(&k, SWITCH_IN, CE, true);
	findings_are(&k, "lossless-drop loss-hidden<lossless-drop");
}

/* n packets come in at once, and leave wait_ns later. */
static void deep(struct tracekit *k, uint32_t n, int64_t wait_ns)
{
	int64_t t_ns;

	open_places(k);
	t_ns = k->t_ns;
	for (uint32_t i = 0; i < n; i++) {
		shown(k, HOST_A, i, t_ns + 100 * i);
		shown(k, SWITCH_IN, i, t_ns + 100 * i + 90);
	}
	for (uint32_t i = 0; i < n; i++) {
		shown(k, SWITCH_OUT, i, t_ns + wait_ns + 100 * i + 90);
		shown(k, HOST_B, i, t_ns + wait_ns + 100 * i + 180);
	}
}

static void deep_buffer(void **state)
{
	struct tracekit k;

	(void)state;
	deep(&k, 1000, 1000 * US + 1);
	findings_are(&k, "deep-buffer");
	deep(&k, 1000, 1000 * US);
	findings_are(&k, "");
	deep(&k, 999, 1000 * US + 1);
	findings_are(&k, "");
}

/* Ten marks between the two ends of a link. */
static void mark_without_queue(void **state)
{
	(void)state;
	for (uint32_t n = 9; n <= 10; n++) {
		struct tracekit k;

		open_places(&k);
		for (uint32_t i = 0; i < 100; i++) {
			int64_t t_ns = k.t_ns;

			for (uint32_t p = 0; p < PLACES; p++) {
				k.ecn = p == HOST_B && i < n ? CE : ECT;
				shown(&k, p, i, t_ns + 500 * p);
			}
			k.t_ns = t_ns + 10 * US;
		}
		findings_are(&k, n < 10 ? "" : "mark-without-queue");
	}
}

/* Packets come in at C's port of a switch between A and B as well: of a host whose link is
 * held, so many XOFFs for so long. */
static void held(struct tracekit *k, uint32_t xoffs, int64_t each_ns)
{
	open_places(k);
	for (uint32_t i = 0; i < 100; i++)
		crosses(k, i, HOST_B, ECT, 1 * US);
	for (uint32_t i = 0; i < xoffs; i++) {
		k->interface = HOST_B;
		k->direction = DIRECTION_OUT;
		kit_pfc(k, 2, 1 << 3, 0xffff);
		k->t_ns += each_ns;
		kit_pfc(k, 2, 1 << 3, 0);
		k->t_ns += 1 * US;
	}
}

static void hosts_that_pause(void **state)
{
	struct tracekit k;

	(void)state;
	held(&k, 3, 7 * US);
	findings_are(&k, "slow-receiver");
	held(&k, 2, 10 * US);
	findings_are(&k, "");
	held(&k, 3, 6 * US);
	findings_are(&k, "");
	held(&k, 3, 400 * US);
	findings_are(&k, "slow-receiver");
}

/* One port alone with two hosts, of which it may be either's or a switch's: its address tells.
 */
static void one_port(struct tracekit *k, uint8_t mac_last, uint8_t ttl)
{
	kit_open(k, NULL, 100 * GBPS);
	for (uint32_t i = 0; i < 100; i++) {
		struct frame_spec ack = kit_spec(k, false, BTH_ACKNOWLEDGE, i);

		k->direction = DIRECTION_IN;
		kit_data(k, BTH_SEND_ONLY, i, 1024);
		k->t_ns += 1 * US;
		ack.aeth_syndrome = 0x1f;
		ack.ttl = ttl;
		k->direction = DIRECTION_OUT;
		kit_frame(k, &ack);
	}
	for (uint32_t i = 0; i < 3; i++) {
		kit_pfc(k, mac_last, 1 << 3, 0xffff);
		k->t_ns += 7 * US;
		kit_pfc(k, mac_last, 1 << 3, 0);
		k->t_ns += 1 * US;
	}
}

static void whose_port_it_is(void **state)
{
	struct tracekit k;

	(void)state;
	one_port(&k, 2, 64);
	findings_are(&k, "slow-receiver");
	one_port(&k, 9, 64); /* a switch that bridges */
	findings_are(&k, "");
	one_port(&k, 2, 63); /* one that routes */
	findings_are(&k, "");
}

/*
 * 1,106 bytes on the wire take 88 ns. The switch sends 20 ns after the first bit has come in,
 * so its outbound stamp is 68 ns older than the inbound one; the next one, if any, as well.
 */
static void cut_through(struct tracekit *k, int64_t cable_ns)
{
	open_places(k);
	for (uint32_t i = 0; i < 100; i++) {
		int64_t t_ns = k->t_ns + 100 * i, first_ns = t_ns + cable_ns;

		/* In the order of their stamps, as files are. */
		shown(k, HOST_A, i, t_ns);
		shown(k, SWITCH_OUT, i, first_ns + 20);
		shown(k, SWITCH_IN, i, first_ns + 88);
		shown(k, HOST_B, i, first_ns + 20 + cable_ns + 88);
		k->t_ns = t_ns - 100 * i + 1000;
	}
}

static void cut_through_is_no_other_way(void **state)
{
	const int64_t cables[] = {100, 1000};

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		const struct trace_result *r;
		struct seen_fabric s;
		struct tracekit k;

		cut_through(&k, cables[c]);
		r = kit_finish(&k);
		assert_int_equal(r->n_paths, 3);
		for (uint32_t i = 0; i < r->n_paths; i++) {
			assert_int_equal(r->path[i].to, r->path[i].from + 1);
			assert_int_equal(r->path[i].matched, 100);
			assert_int_equal(r->path[i].lost, 0);
			assert_int_equal(trace_span_mean(&r->path[i].latency_ns),
			        r->path[i].from == SWITCH_IN ? -68 : cables[c] + 88);
		}
		for (uint32_t i = r->flow[0].first_view, at = 0; i != TRACE_NONE;
		        i = r->view[i].next, at++) {
			assert_int_equal(r->view[i].interface, at);
			assert_int_equal(r->view[i].lost_after, 0);
		}
		assert_int_equal(seen_fabric_init(&s, r), 0);
		assert_int_equal(s.interface[HOST_A].link, SWITCH_IN);
		assert_int_equal(s.interface[SWITCH_OUT].link, HOST_B);
		assert_int_equal(s.interface[SWITCH_IN].device, s.interface[SWITCH_OUT].device);
		assert_int_not_equal(s.interface[HOST_A].device, s.interface[SWITCH_IN].device);
		assert_int_equal(s.interface[HOST_A].host, r->flow[0].src_host);
		assert_int_equal(s.interface[HOST_B].host, r->flow[0].dst_host);
		seen_fabric_fini(&s);
		findings_are(&k, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(where_packets_are_lost),
	        cmocka_unit_test(deep_buffer),
	        cmocka_unit_test(mark_without_queue),
	        cmocka_unit_test(hosts_that_pause),
	        cmocka_unit_test(whose_port_it_is),
	        cmocka_unit_test(cut_through_is_no_other_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
