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

/* The same transmission at several interfaces, its copy at others: all without identification.
 */
static void show(struct tracekit *k, uint32_t interface, uint32_t psn, int64_t t_ns)
{
	k->interface = interface;
	k->t_ns = t_ns;
	k->ip_id = 0;
	kit_data(k, BTH_SEND_ONLY, psn, 256);
}

static const struct trace_path *path_between(
        const struct trace_result *r, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < r->n_paths; i++)
		if (r->path[i].from == from && r->path[i].to == to)
			return &r->path[i];
	return NULL;
}

/* A queue of 50 us and a timer of 30: both copies are under way at once and both arrive. */
static void copies_under_way(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	(void)kit_interface(&k, "tap1", 0);
	for (int i = 0; i < 10; i++) {
		show(&k, 0, i, 10000 * i);
		show(&k, 1, i, 10000 * i + 700);
	}
	show(&k, 0, 10, 100000);
	show(&k, 0, 10, 130000);
	show(&k, 1, 10, 150000);
	show(&k, 1, 10, 180000);
	show(&k, 0, 11, 200000);
	show(&k, 1, 11, 200700);
	/* One that is lost at the end of what is sent, and its copy after a timeout. */
	show(&k, 0, 12, 210000);
	show(&k, 0, 12, 900000);
	show(&k, 1, 12, 900800);
	show(&k, 0, 13, 910000);
	show(&k, 1, 13, 910700);
	r = kit_finish(&k);
	assert_int_equal(r->n_paths, 1);
	assert_int_equal(r->path[0].matched, 15);
	assert_int_equal(r->path[0].lost, 1);
	assert_int_equal(r->path[0].latency_ns.min, 700);
	assert_int_equal(r->path[0].latency_ns.max, 50000);
	assert_int_equal(r->path[0].latency_ns.sum, 10 * 700 + 2 * 50000 + 700 + 800 + 700);
	assert_int_equal(kit_flow(&k, r)->latency_ns.max, 50000);
	kit_close(&k);
}

/* Go-back-N behind a queue: the copies are sent while the first ones still wait, one PSN of
 * them was lost. Each packet takes 20 us. */
static void go_back_n_behind_a_queue(void **state)
{
	enum { N = 60, LOST = 20 };
	struct {
		int64_t t_ns;
		uint32_t psn, interface;
	} e[4 * N], x;
	const struct trace_result *r;
	struct tracekit k;
	uint32_t n = 0;

	(void)state;
	kit_open(&k, NULL, 0);
	(void)kit_interface(&k, "tap1", 0);
	for (uint32_t i = 0; i < 2 * N - LOST; i++) {
		uint32_t psn = i < N ? i : i - N + LOST;
		int64_t t_ns = 100 * i;

		e[n].t_ns = t_ns;
		e[n].psn = psn;
		e[n++].interface = 0;
		if (i == LOST)
			continue;
		e[n].t_ns = t_ns + 20000;
		e[n].psn = psn;
		e[n++].interface = 1;
	}
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = i; j && e[j].t_ns < e[j - 1].t_ns; j--) {
			x = e[j];
			e[j] = e[j - 1];
			e[j - 1] = x;
		}
	for (uint32_t i = 0; i < n; i++)
		show(&k, e[i].interface, e[i].psn, e[i].t_ns);
	r = kit_finish(&k);
	assert_int_equal(r->roce.data_packets, 2 * N - LOST);
	assert_int_equal(r->path[0].matched, 2 * N - LOST - 1);
	assert_int_equal(r->path[0].lost, 1);
	assert_int_equal(r->path[0].latency_ns.min, 20000);
	assert_int_equal(r->path[0].latency_ns.max, 20000);
	kit_close(&k);
}

/* 0 in a row to 1; from there by 2 or 3 to 4. What is lost is lost between neighbours. */
static void ways_that_part(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	for (int i = 1; i < 5; i++)
		(void)kit_interface(&k, "tap", 0);
	for (uint32_t psn = 0; psn < 1000; psn++) {
		int64_t t_ns = 1000 * psn;
		uint32_t way = psn * 7 % 3 ? 2 : 3;

		show(&k, 0, psn, t_ns);
		if (psn % 100 == 50)
			continue;
		show(&k, 1, psn, t_ns + 100);
		if (psn % 100 == 60 || psn % 100 == 61)
			continue;
		show(&k, way, psn, t_ns + 200);
		if (psn % 100 == 70 && way == 3)
			continue;
		show(&k, 4, psn, t_ns + 300);
	}
	r = kit_finish(&k);
	assert_int_equal(r->roce.data_packets, 1000);
	assert_int_equal(path_between(r, 0, 1)->lost, 10);
	assert_int_equal(path_between(r, 1, 2)->lost + path_between(r, 1, 3)->lost, 20);
	assert_int_equal(path_between(r, 2, 4)->lost, 0);
	assert_int_equal(path_between(r, 3, 4)->lost, 3); /* 270, 570, 870 */
	assert_null(path_between(r, 0, 4));
	assert_int_equal(r->roce.missing_psns, 33);
	assert_int_equal(r->roce.unfilled_psns, 33);
	kit_close(&k);
}

/* Two places one after the other in time, and two side by side: together they show all but what
 * none does. */
static void several_ends(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	for (int aside = 0; aside < 2; aside++) {
		kit_open(&k, NULL, 0);
		(void)kit_interface(&k, "tap0", 0);
		for (uint32_t psn = 0; psn < 1000; psn++)
			if (psn % 100 != 50)
				show(&k, aside ? psn % 2 : psn >= 500, psn, 1000 * psn);
		r = kit_finish(&k);
		assert_int_equal(r->roce.data_packets, 990);
		assert_int_equal(r->roce.missing_psns, 10);
		assert_int_equal(r->roce.unfilled_psns, 10);
		kit_close(&k);
	}
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
	        cmocka_unit_test(copies_under_way),
	        cmocka_unit_test(go_back_n_behind_a_queue),
	        cmocka_unit_test(ways_that_part),
	        cmocka_unit_test(several_ends),
	        cmocka_unit_test(both_ends_of_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
