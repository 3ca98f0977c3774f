/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each fault does, to which frame and when, seen by a tap on every link: which PSN was
 * lost and how it came again, who was paused from when to when, what a link that is down costs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/pause.h"
#include "tests/support/simkit.h"

#define MAX_FRAMES 100000

struct frame {
	uint32_t to;
	int64_t start_ps;
	struct desc d;
};

struct tape {
	struct frame *f;
	uint32_t n;
};

static struct tape tape;

static void note(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct tape *t = arg;

	assert_true(t->n < MAX_FRAMES);
	t->f[t->n++] = (struct frame){to, start_ps, *d};
}

/* Two hosts on one switch (node 2; host h at its port h), 100G, 1 us. */
static void setup(struct simkit *k, uint32_t n_hosts)
{
	simkit_init(k);
	simkit_star(k, n_hosts, 100 * SIMKIT_GBPS, PS_PER_US);
	free(tape.f);
	tape.f = calloc(MAX_FRAMES, sizeof(*tape.f));
	assert_non_null(tape.f);
	tape.n = 0;
	k->tap = note;
	k->tap_arg = &tape;
}

static uint32_t count(uint32_t to, uint16_t in_port, int kind, uint32_t psn, bool lost)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		n += f->to == to && f->d.in_port == in_port && f->d.kind == kind &&
		     (psn == UINT32_MAX || f->d.psn == psn) &&
		     (f->d.t_ps == TIME_NEVER) == lost;
	}
	return n;
}

static void finish(struct simkit *k, struct run_record *r)
{
	assert_int_equal(r->n.data_packets_sent,
	        r->n.data_packets_delivered + r->n.data_packets_dropped + r->data_packets_left);
	run_record_free(r);
	simkit_fini(k);
}

/* PSN 5 is lost on the sender's link once; all from 5 on come again, in go-back-N. */
static void a_psn_is_dropped_once(void **state)
{
	static const struct fault_psns psn = {5, 5};
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;

	(void)state;
	for (int kind = FAULT_DROP; kind <= FAULT_CORRUPT; kind++) {
		setup(&k, 2);
		(void)simkit_flow(&k, 0, 1, 20 * 1024, 0);
		f = simkit_fault(&k, (enum fault_kind)kind, 0, 0);
		f->filter.psn = &psn;
		f->filter.n_psn = 1;
		f->filter.sent = FAULT_SENT_FIRST;
		r = simkit_run(&k);
		assert_int_equal(count(2, 0, DESC_DATA, 5, true), 1);
		assert_int_equal(count(2, 0, DESC_DATA, UINT32_MAX, true), 1);
		assert_int_equal(count(2, 0, DESC_DATA, 5, false), 1);
		assert_int_equal(count(2, 0, DESC_DATA, 6, false), 2);
		assert_int_equal(count(2, 0, DESC_DATA, 4, false), 1);
		assert_int_equal(r->n.naks, 1);
		assert_int_equal(r->n.timeouts, 0);
		assert_int_equal(r->n.retransmitted_packets, 15);
		assert_int_equal(r->n.drops_fault, kind == FAULT_DROP);
		assert_int_equal(r->n.drops_corrupt, kind == FAULT_CORRUPT);
		assert_int_equal(r->fault[0].packets, 1);
		assert_int_equal(r->fault[0].first_ps, r->fault[0].last_ps);
		assert_int_equal(r->msg[0].status, MSG_COMPLETED);
		finish(&k, r);
	}
}

/* The last packet has none behind it that shows the gap: only the timer finds out. */
static void the_last_is_found_by_the_timer(void **state)
{
	static const struct fault_psns psn = {19, 19};
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;

	(void)state;
	setup(&k, 2);
	(void)simkit_flow(&k, 0, 1, 20 * 1024, 0);
	f = simkit_fault(&k, FAULT_DROP, 2, 1);
	f->filter.psn = &psn;
	f->filter.n_psn = 1;
	f->filter.sent = FAULT_SENT_FIRST;
	r = simkit_run(&k);
	assert_int_equal(r->n.timeouts, 1);
	assert_int_equal(r->n.naks, 0);
	assert_int_equal(count(1, 0, DESC_DATA, 19, true), 1);
	assert_true(r->msg[0].done_ps > k.nic.retransmit_timeout_ps);
	finish(&k, r);
}

/* Every 4th; at most 3; a chance within five sigma of what it says. */
static void every_count_and_chance(void **state)
{
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;

	(void)state;
	setup(&k, 2);
	k.nic.ect = 1;
	(void)simkit_flow(&k, 0, 1, 20 * 1024, 0);
	f = simkit_fault(&k, FAULT_MARK, 0, 0);
	f->filter.frames = FAULT_FRAMES_DATA;
	f->filter.every = 4;
	f->filter.count = 3;
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++)
		if (tape.f[i].d.kind == DESC_DATA)
			assert_int_equal((tape.f[i].d.flags & DESC_CE) != 0,
			        tape.f[i].d.psn % 4 == 3 && tape.f[i].d.psn < 12);
	assert_int_equal(r->fault[0].packets, 3);
	assert_int_equal(r->n.ecn_marked_packets, 0);
	finish(&k, r);
	setup(&k, 2);
	(void)simkit_flow(&k, 0, 1, 10000 * 1024, 0);
	f = simkit_fault(&k, FAULT_MARK, 0, 0);
	f->filter.frames = FAULT_FRAMES_DATA;
	f->filter.probability_q32 = Q32_ONE / 10;
	r = simkit_run(&k);
	assert_in_range(r->fault[0].packets, 850, 1150);
	finish(&k, r);
}

/* PSN 3 comes 20 us later than it would, behind others: the receiver asks for it again. */
static void held_packets_are_overtaken(void **state)
{
	static const struct fault_psns psn = {3, 3};
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;
	int64_t at3_ps = 0, at4_ps = 0;

	(void)state;
	setup(&k, 2);
	(void)simkit_flow(&k, 0, 1, 20 * 1024, 0);
	f = simkit_fault(&k, FAULT_HOLD, 2, 1);
	f->delay_ps = 20 * PS_PER_US;
	f->filter.psn = &psn;
	f->filter.n_psn = 1;
	f->filter.sent = FAULT_SENT_FIRST;
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *p = &tape.f[i];

		if (p->to != 1 || p->d.kind != DESC_DATA || (p->d.flags & DESC_RETRANSMIT))
			continue;
		if (p->d.psn == 3)
			at3_ps = p->d.t_ps;
		if (p->d.psn == 4)
			at4_ps = p->d.t_ps;
	}
	assert_true(at3_ps > at4_ps + 19 * PS_PER_US && at3_ps < at4_ps + 20 * PS_PER_US);
	assert_true(r->n.naks >= 1);
	assert_int_equal(r->n.data_packets_dropped, 0);
	finish(&k, r);
}

/* 100 us without a signal, both ways: no frame of the sender's link arrives in that time, the
 * NIC sends none, and afterwards the message is completed. */
static void a_link_goes_down_and_comes_back(void **state)
{
	const int64_t from_ps = 20 * PS_PER_US, until_ps = 120 * PS_PER_US;
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;
	uint32_t in_time = 0, lost = 0;

	(void)state;
	setup(&k, 2);
	(void)simkit_flow(&k, 0, 1, 2000 * 1024, 0);
	f = simkit_fault(&k, FAULT_LINK_DOWN, 0, 0);
	simkit_place(f, 2, 0);
	f->from_ps = from_ps;
	f->until_ps = until_ps;
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *p = &tape.f[i];
		bool here = (p->to == 2 && p->d.in_port == 0) || p->to == 0;

		if (!here)
			continue;
		assert_false(p->start_ps >= from_ps && p->start_ps < until_ps);
		assert_false(p->d.t_ps > from_ps && p->d.t_ps < until_ps);
		lost += p->d.t_ps == TIME_NEVER;
		in_time += p->start_ps < from_ps;
	}
	/* what was sent in the last 1 us and what was being sent: 88 ns a packet */
	assert_in_range(lost, 12, 26);
	assert_true(in_time > 200);
	/* and the ACKs that the switch had no way for */
	assert_in_range(r->n.drops_fault, lost + 10, lost + 40);
	assert_int_equal(r->fault[0].packets, r->n.drops_fault);
	assert_int_equal(r->msg[0].status, MSG_COMPLETED);
	assert_true(r->msg[0].done_ps > until_ps);
	finish(&k, r);
}

/* The queue of the port that went down is lost with it, and its buffer is free again. */
static void a_dead_port_holds_nothing(void **state)
{
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;

	(void)state;
	setup(&k, 3);
	k.nic.retransmit_timeout_ps = 0; /* sent once */
	(void)simkit_flow(&k, 1, 0, 500 * 1024, 0);
	(void)simkit_flow(&k, 2, 0, 500 * 1024, 0);
	k.stop_ps = PS_PER_MS;
	f = simkit_fault(&k, FAULT_LINK_DOWN, 3, 0);
	simkit_place(f, 0, 0);
	f->from_ps = 30 * PS_PER_US;
	r = simkit_run(&k);
	assert_int_equal(r->data_packets_left, 0);
	assert_true(r->n.drops_fault > 500);
	for (uint32_t i = 0; i < tape.n; i++)
		assert_false(tape.f[i].to == 0 && tape.f[i].start_ps >= f->from_ps);
	finish(&k, r);
}

/* At 25G a packet takes four times as long; frames are 88 ns at 100G. */
static void a_link_is_slower_for_a_time(void **state)
{
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;
	int64_t before_ps = 0;
	uint32_t slow = 0;

	(void)state;
	setup(&k, 2);
	(void)simkit_flow(&k, 0, 1, 1000 * 1024, 0);
	f = simkit_fault(&k, FAULT_LINK_RATE, 0, 0);
	f->rate_bps = 25 * SIMKIT_GBPS;
	f->from_ps = 20 * PS_PER_US;
	f->until_ps = 40 * PS_PER_US;
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *p = &tape.f[i];

		if (p->to != 2 || p->d.in_port != 0 || p->d.kind != DESC_DATA)
			continue;
		if (before_ps > f->from_ps && before_ps < f->until_ps) {
			assert_int_equal(p->start_ps - before_ps, 1106 * 320);
			slow++;
		} else if (before_ps && p->d.psn > 1) {
			assert_int_equal(p->start_ps - before_ps, 1106 * 80);
		}
		before_ps = p->start_ps;
	}
	assert_in_range(slow, 55, 58);
	finish(&k, r);
}

/* 5 us more; no frame overtakes another when the link is short again, so that at line rate all
 * that follow queue up behind the late ones. */
static void a_link_is_longer_for_a_time(void **state)
{
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;
	int64_t last_ps = 0;
	uint32_t late = 0;

	(void)state;
	setup(&k, 2);
	(void)simkit_flow(&k, 0, 1, 1000 * 1024, 0);
	f = simkit_fault(&k, FAULT_LINK_DELAY, 2, 1);
	f->delay_ps = 5 * PS_PER_US;
	f->from_ps = 20 * PS_PER_US;
	f->until_ps = 70 * PS_PER_US;
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *p = &tape.f[i];

		if (p->to != 1 || p->d.kind != DESC_DATA)
			continue;
		assert_true(p->d.t_ps >= last_ps + 1106 * 80 || p->d.psn < 2);
		last_ps = p->d.t_ps;
		late += p->d.t_ps - p->start_ps > 6 * PS_PER_US;
	}
	assert_in_range(late, 780, 790); /* all from 20 us on, of 1000 in 88.48 ns each */
	assert_int_equal(r->n.retransmitted_packets, 0);
	finish(&k, r);
}

/* A storm of host 0: it sends its pause frames every interval, behind whatever it is sending;
 * the switch's port to it stands still from the response time on until the last pause has run
 * out; the other classes go on. */
static void a_storm_pauses_the_port(void **state)
{
	const int64_t from_ps = 20 * PS_PER_US, until_ps = 60 * PS_PER_US;
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;
	int64_t quiet_from_ps, quiet_until_ps;
	uint32_t pauses = 0, others = 0;

	(void)state;
	setup(&k, 3);
	k.sw.pfc_response_ps = 0;
	(void)simkit_flow(&k, 1, 0, 1000 * 1024, 0);
	simkit_flow(&k, 2, 0, 500 * 1024, 0)->priority = 4;
	f = simkit_fault(&k, FAULT_PFC_STORM, 0, 0);
	f->quanta = 2000; /* 10.24 us */
	f->from_ps = from_ps;
	f->until_ps = until_ps;
	r = simkit_run(&k);
	quiet_from_ps =
	        from_ps + 2 * PS_PER_US + pause_response_quanta(100 * SIMKIT_GBPS) * 5120;
	quiet_until_ps = until_ps + PS_PER_US;
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *p = &tape.f[i];

		if (p->to == 3 && p->d.in_port == 0 && p->d.kind == DESC_PFC) {
			assert_in_range(p->start_ps, from_ps, until_ps);
			assert_int_equal(p->d.psn, 1 << 3);
			assert_int_equal(p->d.conn, 2000);
			pauses++;
		}
		if (p->to != 0 || p->d.kind != DESC_DATA || p->start_ps < quiet_from_ps ||
		        p->start_ps > quiet_until_ps)
			continue;
		assert_int_equal(p->d.priority, 4);
		others++;
	}
	assert_in_range(pauses, 7, 9); /* 5.12 us apart */
	assert_true(others > 100);
	assert_int_equal(r->fault[0].packets, pauses);
	assert_int_equal(r->n_pause, 1);
	assert_int_equal(r->pause[0].node, 3);
	assert_int_equal(r->pause[0].priority, 3);
	assert_int_equal(r->msg[0].status, MSG_COMPLETED);
	finish(&k, r);
}

/* From a switch port its host is stopped; resume frames alone stop nobody. */
static void a_switch_port_storms(void **state)
{
	(void)state;
	for (int quanta = 0; quanta <= 2000; quanta += 2000) {
		struct simkit k;
		struct run_record *r;
		struct sim_fault *f;
		uint32_t quiet = 0;

		setup(&k, 2);
		(void)simkit_flow(&k, 0, 1, 1000 * 1024, 0);
		f = simkit_fault(&k, FAULT_PFC_STORM, 2, 0);
		f->quanta = quanta;
		f->interval_ps = 5 * PS_PER_US;
		f->from_ps = 20 * PS_PER_US;
		f->until_ps = 60 * PS_PER_US;
		r = simkit_run(&k);
		for (uint32_t i = 0; i < tape.n; i++)
			quiet += tape.f[i].to == 2 && tape.f[i].d.in_port == 0 &&
			         tape.f[i].start_ps > 25 * PS_PER_US &&
			         tape.f[i].start_ps < 60 * PS_PER_US;
		assert_int_equal(count(0, 0, DESC_PFC, UINT32_MAX, false), 8);
		assert_int_equal(r->n.pause_frames, quanta ? 8 : 0);
		assert_int_equal(r->n.resume_frames, quanta ? 0 : 8);
		if (quanta)
			assert_int_equal(quiet, 0);
		else
			assert_true(quiet > 300);
		finish(&k, r);
	}
}

/* Incast of two: the switch pauses both; one of them does not listen, and its packets are what
 * overruns the headroom. */
static void a_nic_does_not_obey(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	simkit_init(&k);
	k.sw.buffer_bytes = 600000;
	simkit_fini(&k);
	setup(&k, 3);
	k.topo->profile[0].buffer_bytes = 600000;
	(void)simkit_flow(&k, 1, 0, 2000 * 1024, 0);
	(void)simkit_flow(&k, 2, 0, 2000 * 1024, 0);
	k.stop_ps = 5 * PS_PER_MS;
	(void)simkit_fault(&k, FAULT_PFC_IGNORED, 1, 0);
	r = simkit_run(&k);
	assert_true(r->n.headroom_violations > 0);
	for (uint64_t i = 0; i < r->n_violation; i++)
		assert_int_equal(r->violation[i].port, 1);
	assert_true(r->fault[0].packets > 0);
	for (uint64_t i = 0; i < r->n_pause; i++)
		assert_int_not_equal(r->pause[i].node, 1);
	finish(&k, r);
}

/* Two senders at line rate: a switch that does not mark for a time marks before and after. */
static void a_switch_stops_marking(void **state)
{
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;
	uint32_t before = 0, meanwhile = 0, after = 0;

	(void)state;
	setup(&k, 3);
	k.topo->profile[0].ecn_enabled = 1;
	k.topo->profile[0].ecn_kmin_bytes = k.topo->profile[0].ecn_kmax_bytes = 1000;
	(void)simkit_flow(&k, 1, 0, 1000 * 1024, 0);
	(void)simkit_flow(&k, 2, 0, 1000 * 1024, 0);
	f = simkit_fault(&k, FAULT_ECN_OFF, 3, 0);
	f->from_ps = 50 * PS_PER_US;
	f->until_ps = 100 * PS_PER_US;
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *p = &tape.f[i];

		if (p->to != 0 || !(p->d.flags & DESC_CE))
			continue;
		before += p->start_ps < f->from_ps;
		meanwhile += p->start_ps >= f->from_ps && p->start_ps < f->until_ps;
		after += p->start_ps >= f->until_ps;
	}
	assert_true(before > 300 && after > 300);
	assert_int_equal(meanwhile, 0);
	assert_in_range(r->fault[0].packets, 500, 600);
	finish(&k, r);
}

/* What a NIC sends in the wrong class is in that class on every link. */
static void a_nic_uses_the_wrong_class(void **state)
{
	struct simkit k;
	struct run_record *r;
	struct sim_fault *f;
	uint32_t wrong = 0;

	(void)state;
	setup(&k, 3);
	(void)simkit_flow(&k, 1, 0, 100 * 1024, 0);
	(void)simkit_flow(&k, 2, 0, 100 * 1024, 0);
	f = simkit_fault(&k, FAULT_DATA_PRIORITY, 1, 0);
	f->priorities = 0;
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *p = &tape.f[i];

		if (p->to != 3 || p->d.kind != DESC_DATA)
			continue;
		assert_int_equal(p->d.priority, p->d.in_port == 1 ? 0 : 3);
		wrong += p->d.in_port == 1;
	}
	assert_int_equal(wrong, 100);
	assert_int_equal(r->fault[0].packets, 100);
	finish(&k, r);
}

static int close_tape(void **state)
{
	(void)state;
	free(tape.f);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_psn_is_dropped_once),
	        cmocka_unit_test(the_last_is_found_by_the_timer),
	        cmocka_unit_test(every_count_and_chance),
	        cmocka_unit_test(held_packets_are_overtaken),
	        cmocka_unit_test(a_link_goes_down_and_comes_back),
	        cmocka_unit_test(a_dead_port_holds_nothing),
	        cmocka_unit_test(a_link_is_slower_for_a_time),
	        cmocka_unit_test(a_link_is_longer_for_a_time),
	        cmocka_unit_test(a_storm_pauses_the_port),
	        cmocka_unit_test(a_switch_port_storms),
	        cmocka_unit_test(a_nic_does_not_obey),
	        cmocka_unit_test(a_switch_stops_marking),
	        cmocka_unit_test(a_nic_uses_the_wrong_class),
	};

	return cmocka_run_group_tests(tests, NULL, close_tape);
}
