/* SPDX-License-Identifier: Apache-2.0 */
/* The models of the qualification rules, against figures worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "scenarios/qualify/qualify_figures.h"
#include "scenarios/qualify/qualify_pauses.h"
#include "scenarios/qualify/qualify_queue.h"

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-6 * (fabs(want) + 1))
		fail_msg("%.9g, expected %.9g", got, want);
}

static struct switch_cfg weights(int64_t w0, int64_t w1, int64_t w3, int64_t strict)
{
	struct switch_cfg sw = {.strict_priorities = strict, .scheduler_unit = SCHEDULE_BYTES};

	for (int i = 0; i < 8; i++)
		sw.weights[i] = 1;
	sw.weights[0] = w0;
	sw.weights[1] = w1;
	sw.weights[3] = w3;
	return sw;
}

static void what_a_class_does_not_want_goes_to_the_others(void **state)
{
	struct switch_cfg sw = weights(1, 2, 3, 0);
	struct qdemand d[8] = {{.wire_bps = 5, .frame_bytes = 980},
	        {.wire_bps = 90, .frame_bytes = 980}, {.frame_bytes = 1},
	        {.wire_bps = 90, .frame_bytes = 980}, {.frame_bytes = 1}, {.frame_bytes = 1},
	        {.frame_bytes = 1}, {.frame_bytes = 1}};
	double served[8];

	(void)state;
	/* priority 0 wants less than its sixth; 1 and 3 share the other 95 as 2 to 3 */
	qualify_water_fill(served, d, &sw, 100);
	near(served[0], 5);
	near(served[1], 38);
	near(served[3], 57);
	/* nothing is short */
	d[1].wire_bps = d[3].wire_bps = 40;
	qualify_water_fill(served, d, &sw, 100);
	near(served[0] + served[1] + served[3], 85);
}

static void a_strict_class_is_served_first(void **state)
{
	struct switch_cfg sw = weights(1, 1, 1, 1 << 6);
	struct qdemand d[8];
	double served[8];

	(void)state;
	for (int i = 0; i < 8; i++)
		d[i] = (struct qdemand){.frame_bytes = 1000};
	d[6].wire_bps = 70;
	d[0].wire_bps = d[1].wire_bps = 50;
	qualify_water_fill(served, d, &sw, 100);
	near(served[6], 70);
	near(served[0], 15);
	near(served[1], 15);
	d[6].wire_bps = 170;
	qualify_water_fill(served, d, &sw, 100);
	near(served[6], 100);
	near(served[0], 0);
}

/* Weights share out frame bytes; 20 more of each frame only take time. With packets as the unit
 * a class of small frames gets as many of them. */
static void small_frames_pay_for_their_gaps(void **state)
{
	struct switch_cfg sw = weights(1, 1, 1, 0);
	struct qdemand d[8];
	double served[8];

	(void)state;
	for (int i = 0; i < 8; i++)
		d[i] = (struct qdemand){.frame_bytes = 1};
	d[0] = (struct qdemand){.wire_bps = 100, .frame_bytes = 80};
	d[1] = (struct qdemand){.wire_bps = 100, .frame_bytes = 980};
	qualify_water_fill(served, d, &sw, 100);
	near(served[0] / 100 * 80, served[1] / 1000 * 980);
	near(served[0] + served[1], 100);
	sw.scheduler_unit = SCHEDULE_PACKETS;
	qualify_water_fill(served, d, &sw, 100);
	near(served[0] / 100, served[1] / 1000);
}

/* A run with one port whose pauses are given. 1000 quanta at 100 Gb/s are 5.12 us. */
static struct qrun run_of(struct qcase *c, struct qpause *p, uint64_t n)
{
	struct qrun r = {.c = c};

	*c = (struct qcase){.name = "c", .cfg = {.ports = 2, .for_ps = 100 * PS_PER_US}};
	c->rate_bps[0] = c->rate_bps[1] = INT64_C(100000000000);
	r.cap.c = c;
	r.cap.port[0].pause = p;
	r.cap.port[0].n_pause = n;
	return r;
}

#define US(x) ((x)*PS_PER_US)

static void pauses_follow_the_standard(void **state)
{
	struct qpause p[] = {
	        /* two that make one pause, the second replaces the time left */
	        {.end_ps = US(1), .vector = 8, .xoff = 8, .quanta = 1000},
	        {.end_ps = US(3), .vector = 24, .xoff = 24, .quanta = 1000},
	        /* of another priority, of the other direction, not valid: nothing */
	        {.end_ps = US(4), .vector = 16, .xoff = 16, .quanta = 9000},
	        {.end_ps = US(4), .vector = 8, .xoff = 8, .quanta = 9000, .from_switch = true},
	        {.end_ps = US(4), .vector = 8, .xoff = 8, .quanta = 9000, .form = PFC_SHORT},
	        /* a new one, which a frame ends */
	        {.end_ps = US(20), .vector = 8, .xoff = 8, .quanta = 60000},
	        {.end_ps = US(30), .vector = 8, .xoff = 0, .quanta = 0},
	        /* nothing to resume */
	        {.end_ps = US(40), .vector = 8, .xoff = 0, .quanta = 0},
	        {.end_ps = US(50),
	                .vector = 8,
	                .xoff = 8,
	                .quanta = 1,
	                .form = PFC_ZERO_SOURCE},
	};
	struct qcase c;
	struct qrun r = run_of(&c, p, sizeof(p) / sizeof(p[0]));
	struct qinterval *v;
	struct err e = {0};
	uint64_t n;

	(void)state;
	assert_int_equal(qualify_intervals(&v, &n, &r, 0, 3, false, &e), 0);
	assert_int_equal(n, 3);
	assert_int_equal(v[0].told_ps, US(1));
	assert_int_equal(v[0].until_ps, US(3) + 5120000);
	assert_false(v[0].resumed);
	assert_int_equal(v[1].told_ps, US(20));
	assert_int_equal(v[1].until_ps, US(30));
	assert_true(v[1].resumed);
	assert_int_equal(v[2].until_ps, US(50) + 5120);
	free(v);
}

/* A packet is lost once one of its queue that was sent clearly later has come: two frames of
 * 1 us. */
static void what_may_still_come_is_not_lost(void **state)
{
	struct qpacket a[5] = {{0, US(1), false}, {US(1), -1, false}, {US(2), US(3), true},
	        {US(3), -1, false}, {US(4), -1, false}};
	struct qpacket b[1] = {{US(4), US(6), false}};
	struct qstream s[2] = {
	        {.name = "a", .to = 0, .priority = 3, .packets = 5, .wire_bytes = 12500},
	        {.name = "b", .to = 0, .priority = 3, .packets = 0, .wire_bytes = 12500}};
	struct qcase c;
	struct qrun r = run_of(&c, NULL, 0);
	struct qwindow w;

	(void)state;
	c.stream = s;
	c.n_streams = 2;
	r.cap.packet[0] = a;
	r.cap.packet[1] = b;
	w = qualify_window(&r, 0, 0, US(100));
	assert_int_equal(w.sent, 5);
	assert_int_equal(w.received, 2);
	assert_int_equal(w.marked, 1);
	assert_int_equal(w.lost, 1);
	/* another stream of the same queue shows that those of 3 us are gone */
	s[1].packets = 1;
	b[0].sent_ps = US(6);
	w = qualify_window(&r, 0, 0, US(100));
	assert_int_equal(w.lost, 2);
	w = qualify_window(&r, 0, US(2), US(4));
	assert_int_equal(w.sent, 2);
	assert_int_equal(w.lost, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_a_class_does_not_want_goes_to_the_others),
	        cmocka_unit_test(a_strict_class_is_served_first),
	        cmocka_unit_test(small_frames_pay_for_their_gaps),
	        cmocka_unit_test(pauses_follow_the_standard),
	        cmocka_unit_test(what_may_still_come_is_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
