/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses: XOFF to XON, or to the end of the quanta, which take as long as the port is slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/tracekit.h"

#define GBPS INT64_C(1000000000)

static void until_xon(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 100 * GBPS);
	kit_pfc(&k, 1, 1 << 3, 0xffff);
	k.t_ns += 10000;
	kit_pfc(&k, 1, 1 << 3, 0xffff); /* a refresh */
	k.t_ns += 5000;
	kit_pfc(&k, 1, 1 << 3, 0);
	k.t_ns += 5000;
	kit_pfc(&k, 1, 1 << 3, 0); /* nothing to end */
	r = kit_finish(&k);
	assert_int_equal(r->xoff_frames, 2);
	assert_int_equal(r->xon_frames, 2);
	assert_int_equal(r->paused_ns[3], 15000);
	assert_int_equal(r->paused_ns[4], 0);
	assert_int_equal(r->all_pauses, 1);
	assert_int_equal(r->pause[0].xoffs, 2);
	assert_false(r->pause[0].expired);
	assert_int_equal(r->event[TRACE_EV_XOFF][0].priority, 3);
	kit_close(&k);
}

/* 1000 quanta of 512 bit times at 100G are 5120 ns. */
static void until_the_quanta_end(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 100 * GBPS);
	kit_pfc(&k, 1, 1 << 3 | 1 << 4, 1000);
	k.t_ns += 20000;
	kit_pfc(&k, 1, 1 << 3, 1000);
	k.t_ns += 3000;
	kit_pfc(&k, 2, 1 << 5, 1000); /* the capture ends here: 0 ns of it are seen */
	r = kit_finish(&k);
	assert_int_equal(r->paused_ns[3], 5120 + 3000);
	assert_int_equal(r->paused_ns[4], 5120);
	assert_int_equal(r->paused_ns[5], 0);
	assert_int_equal(r->n_pausers, 2);
	assert_int_equal(r->pauser[0].expired[3], 1);
	assert_int_equal(r->all_pauses, 4);
	kit_close(&k);
}

static void without_a_speed(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_pfc(&k, 1, 1 << 3, 1000);
	k.t_ns += 20000;
	kit_pfc(&k, 1, 1 << 3, 0);
	r = kit_finish(&k);
	assert_int_equal(r->paused_ns[3], TRACE_UNKNOWN);
	assert_int_equal(r->paused_ns[0], 0);
	kit_close(&k);
}

static void given_speed(void **state)
{
	const struct trace_options o = {.speed_bps = 400 * GBPS};
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, &o, 0);
	kit_pfc(&k, 1, 1 << 3, 1000);
	k.t_ns += 20000;
	kit_pfc(&k, 1, 1 << 3, 0);
	r = kit_finish(&k);
	assert_int_equal(r->paused_ns[3], 1280);
	assert_int_equal(r->interface[0].speed_source, TRACE_SPEED_GIVEN);
	kit_close(&k);
}

/* Frames of 1106 bytes on the wire every 88.48 ns are 100G. */
static void inferred_speed(void **state)
{
	const struct trace_result *r;
	struct tracekit k;
	int64_t start_ns;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_pfc(&k, 1, 1 << 3, 1000);
	start_ns = k.t_ns;
	for (uint32_t i = 0; i < 64; i++) {
		k.t_ns = start_ns + (i * 8848 + 50) / 100;
		kit_data(&k, i ? BTH_SEND_MIDDLE : BTH_SEND_FIRST, i, 1024);
	}
	r = kit_finish(&k);
	assert_int_equal(r->interface[0].speed_source, TRACE_SPEED_INFERRED);
	assert_int_equal(r->interface[0].speed_bps, 100 * GBPS);
	assert_int_equal(r->paused_ns[3], 5120);
	kit_close(&k);
}

static void whole_port(void **state)
{
	const struct trace_result *r;
	struct tracekit k;
	uint8_t frame[60] = {
	        0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08, 0, 1, 0, 100};
	struct packet p = {.data = frame, .cap_bytes = 60, .wire_bytes = 60};

	(void)state;
	kit_open(&k, NULL, 10 * GBPS);
	p.t_ns = k.t_ns;
	assert_int_equal(trace_feed(k.trace, &p, 1, 1, NULL), 0);
	k.t_ns += 100000;
	kit_data(&k, BTH_SEND_ONLY, 1, 64);
	r = kit_finish(&k);
	assert_int_equal(r->pause_frames, 1);
	assert_int_equal(r->xoff_frames, 0);
	assert_int_equal(r->paused_all_ns, 5120);
	assert_int_equal(r->paused_ns[0], 0);
	kit_close(&k);
}

/* A frame that leaves pauses the other end, whether that is captured or not. */
static void what_leaves_pauses_the_other_end(void **state)
{
	for (int both = 0; both < 2; both++) {
		const struct trace_result *r;
		struct tracekit k;
		uint32_t far;

		(void)state;
		kit_open(&k, NULL, 100 * GBPS);
		far = kit_interface(&k, "far", 100 * GBPS);
		for (int i = 0; i < 2; i++) {
			k.interface = 0;
			k.direction = DIRECTION_OUT;
			kit_pfc(&k, 1, 1 << 3, i ? 0 : 0xffff);
			k.t_ns += 500;
			k.interface = far;
			k.direction = DIRECTION_IN;
			if (both)
				kit_pfc(&k, 1, 1 << 3, i ? 0 : 0xffff);
			k.t_ns += 7000;
		}
		r = kit_finish(&k);
		assert_int_equal(r->xoff_frames, 1);
		assert_int_equal(r->interface[0].paused_ns[3], 0);
		assert_int_equal(r->interface[0].asked_ns[3], 7500);
		assert_int_equal(r->interface[far].paused_ns[3], both ? 7500 : 0);
		assert_int_equal(r->paused_ns[3], both ? 7500 : 0);
		assert_int_equal(r->n_pauses, both);
		kit_close(&k);
	}
}

/* What listened longer than to the last packet has seen that there was no XON. */
static void until_it_listened(void **state)
{
	const int64_t more_ns[] = {0, 2000, 9000};

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct trace_result *r;
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		k.t_ns += 1000;
		kit_pfc(&k, 1, 1 << 3, 1000); /* 5120 ns */
		trace_interface_listened(k.trace, 0, k.t_ns - 1000 + more_ns[i]);
		r = kit_finish(&k);
		assert_int_equal(
		        r->paused_ns[3], i == 0   ? 0
		                         : i == 1 ? r->pause[0].end_ns - r->pause[0].begin_ns
		                                  : 5120);
		assert_int_equal(r->pause[0].open, i < 2);
		assert_int_equal(r->pause[0].expired, i == 2);
		kit_close(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(until_xon),
	        cmocka_unit_test(until_the_quanta_end),
	        cmocka_unit_test(without_a_speed),
	        cmocka_unit_test(given_speed),
	        cmocka_unit_test(inferred_speed),
	        cmocka_unit_test(whole_port),
	        cmocka_unit_test(what_leaves_pauses_the_other_end),
	        cmocka_unit_test(until_it_listened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
