/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which way packets take before a link goes down, while it is down and the routes still lead
 * there, when the switches have turned away from it, and after it came back: by a tap on the
 * links between two leaves and two spines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simkit.h"
#include "tests/support/thread_world.h"

enum { N_HOSTS = 4, L0 = N_HOSTS, L1, S0, S1 };

#define TO_S0      2 /* the port of either leaf */
#define TO_S1      3
#define N_FLOWS    16
#define FLOW_BYTES (1500 * 1024)
#define US         PS_PER_US
#define MAX_FRAMES 200000

struct frame {
	uint32_t to;
	uint16_t flow;
	int64_t start_ps;
};

static struct {
	struct frame f[MAX_FRAMES];
	uint32_t n;
	bool by_s0[1 << 16], by_s1[1 << 16]; /* while all is well */
} tape;

#define WELL_UNTIL (50 * US)

/* Data from L0 to a spine; a flow is told by its source port, which is its own. */
static void note(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	(void)arg;
	if (d->kind != DESC_DATA || to < S0 || d->in_port != 0 || d->t_ps == TIME_NEVER)
		return;
	assert_true(tape.n < MAX_FRAMES);
	tape.f[tape.n++] = (struct frame){to, d->entropy, start_ps};
	if (start_ps < WELL_UNTIL)
		(to == S0 ? tape.by_s0 : tape.by_s1)[d->entropy] = true;
}

/* Hosts 0 and 1 on leaf L0 send to 2 and 3 on L1, each flow with a queue pair of its own. */
static void setup(struct simkit *k)
{
	static const struct topo_link link[] = {
	        {L0, 0, 100 * SIMKIT_GBPS, US},
	        {L0, 1, 100 * SIMKIT_GBPS, US},
	        {L1, 2, 100 * SIMKIT_GBPS, US},
	        {L1, 3, 100 * SIMKIT_GBPS, US},
	        {L0, S0, 100 * SIMKIT_GBPS, US},
	        {L0, S1, 100 * SIMKIT_GBPS, US},
	        {L1, S0, 100 * SIMKIT_GBPS, US},
	        {L1, S1, 100 * SIMKIT_GBPS, US},
	};

	simkit_init(k);
	k->sw.buffer_bytes = 1 << 20; /* what was queued for the old way is soon gone */
	k->nic.retransmit_timeout_ps = 200 * US;
	k->nic.retransmit_backoff = 0;
	k->nic.retry_limit = 100;
	simkit_links(k, N_HOSTS, 4, link, 8);
	for (uint32_t i = 0; i < N_FLOWS; i++)
		(void)simkit_flow(k, i % 2, 2 + i % 2, FLOW_BYTES, 0);
	k->tap = note;
	tape.n = 0;
	memset(tape.by_s0, 0, sizeof(tape.by_s0));
	memset(tape.by_s1, 0, sizeof(tape.by_s1));
}

static struct sim_fault *add_down(
        struct simkit *k, uint16_t port, int64_t from_ps, int64_t until_ps, int64_t reroute_ps)
{
	struct sim_fault *f = simkit_fault(k, FAULT_LINK_DOWN, L0, port);

	simkit_place(f, port == TO_S0 ? S0 : S1, 0);
	f->from_ps = from_ps;
	f->until_ps = until_ps;
	f->reroute_ps = reroute_ps;
	return f;
}

/* Frames from L0 to that spine that started in [from, until). */
static uint32_t count(uint32_t to, int64_t from_ps, int64_t until_ps)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		n += f->to == to && f->start_ps >= from_ps && f->start_ps < until_ps;
	}
	return n;
}

static void finish(struct simkit *k, struct run_record *r)
{
	for (uint64_t i = 0; i < r->n_msg; i++)
		assert_int_equal(r->msg[i].status, MSG_COMPLETED);
	assert_int_equal(r->n.data_packets_sent,
	        r->n.data_packets_delivered + r->n.data_packets_dropped + r->data_packets_left);
	run_record_free(r);
	simkit_fini(k);
}

/* The flows of S0 stand still for the 100 us of convergence, go by S1 until as long after the
 * link is back, and then by S0 again; those of S1 never change. */
static void flows_go_round_a_link_that_is_down(void **state)
{
	struct simkit k;
	struct run_record *r;
	uint32_t moved = 0;

	(void)state;
	setup(&k);
	(void)add_down(&k, TO_S0, 50 * US, 500 * US, 100 * US);
	r = simkit_run(&k);
	assert_true(count(S0, 0, 50 * US) > 150 && count(S1, 0, 50 * US) > 300);
	assert_int_equal(count(S0, 50 * US, 600 * US), 0);
	assert_true(count(S0, 800 * US, 1000 * US) > 150);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		if (f->start_ps < WELL_UNTIL || f->start_ps >= 800 * US)
			assert_int_equal(tape.by_s0[f->flow], f->to == S0);
		else if (f->start_ps < 150 * US)
			assert_true(tape.by_s1[f->flow]);
		else
			moved += tape.by_s0[f->flow] && f->to == S1;
	}
	assert_true(moved > 300);
	/* the one uplink that is left is full: a packet in 88.48 ns */
	assert_in_range(count(S1, 250 * US, 600 * US), 3750, 3956);
	finish(&k, r);
}

/* Routes stay: the flows of S0 wait for the link. */
static void without_it_they_wait(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	setup(&k);
	(void)add_down(&k, TO_S0, 50 * US, 500 * US, TIME_NEVER);
	r = simkit_run(&k);
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		assert_int_equal(tape.by_s0[f->flow], f->to == S0);
		assert_false(f->to == S0 && f->start_ps >= 50 * US && f->start_ps < 500 * US);
	}
	assert_true(count(S0, 500 * US, 900 * US) > 1000);
	finish(&k, r);
}

/* S0's link from 50 to 250 us, S1's from 150 to 350, routes 20 us behind. Where both are
 * avoided no way is left and the usual one stays. */
static void failures_overlap(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	setup(&k);
	(void)add_down(&k, TO_S0, 50 * US, 250 * US, 20 * US);
	(void)add_down(&k, TO_S1, 150 * US, 350 * US, 20 * US);
	r = simkit_run(&k);
	assert_int_equal(count(S0, 50 * US, 250 * US), 0);
	assert_true(count(S1, 70 * US, 150 * US) > 800);
	assert_int_equal(count(S1, 150 * US, 370 * US), 0);
	assert_true(count(S0, 270 * US, 370 * US) > 500);
	assert_true(count(S0, 400 * US, 600 * US) > 500);
	assert_true(count(S1, 400 * US, 600 * US) > 500);
	finish(&k, r);
}

/* The same for every thread count, event core and rank count. */
struct ranks_run {
	const struct simkit *k;
	struct run_record *r;
};

static void on_rank(void *arg, struct world *w)
{
	struct ranks_run *of = arg;
	struct simkit k = *of->k;
	struct run_record *r;

	k.world = w;
	r = simkit_run(&k);
	if (w->rank == 0)
		of->r = r;
	else
		run_record_free(r);
}

static void agree(const struct run_record *a, struct run_record *b)
{
	const char *what = simkit_difference(a, b);

	if (what)
		fail_msg("%s differs", what);
	run_record_free(b);
}

static void all_cores_agree(void **state)
{
	struct simkit k;
	struct ranks_run of = {.k = &k};
	struct run_record *r;

	(void)state;
	setup(&k);
	k.tap = NULL;
	(void)add_down(&k, TO_S0, 50 * US, 250 * US, 20 * US);
	(void)add_down(&k, TO_S1, 150 * US, 350 * US, 777);
	r = simkit_run(&k);
	k.core = SIM_CORE_HEAP;
	agree(r, simkit_run(&k));
	k.core = SIM_CORE_WINDOWS;
	for (k.threads = 2; k.threads <= 4; k.threads *= 2)
		agree(r, simkit_run(&k));
	k.threads = 1;
	thread_world_run(2, on_rank, &of);
	agree(r, of.r);
	run_record_free(r);
	simkit_fini(&k);
}

/* Two leaves and 8 spines: 28 pairs of the one's uplinks and 36 mixed ones. A link that flaps a
 * thousand times makes one table. */
static void sets_are_bounded(void **state)
{
	struct topo_link link[18] = {
	        {2, 0, 100 * SIMKIT_GBPS, US}, {3, 1, 100 * SIMKIT_GBPS, US}};
	struct simkit k;
	struct run_record *r = NULL;
	struct err e = {0};
	int64_t t_ps = 0;

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		link[2 + i] = (struct topo_link){2, 4 + i, 100 * SIMKIT_GBPS, US};
		link[10 + i] = (struct topo_link){3, 4 + i, 100 * SIMKIT_GBPS, US};
	}
	simkit_init(&k);
	simkit_links(&k, 2, 10, link, 18);
	(void)simkit_flow(&k, 0, 1, 100 * 1024, 0);
	for (int i = 0; i < 1000; i++) {
		struct sim_fault *f = simkit_fault(&k, FAULT_LINK_DOWN, 2, 1);

		f->from_ps = i * US;
		f->until_ps = f->from_ps + US / 2;
		f->reroute_ps = 100;
	}
	r = simkit_run(&k);
	run_record_free(r);
	for (uint16_t a = 0; a < 8; a++)
		for (uint16_t b = 0; b < 9; b++, t_ps += US)
			for (int which = 0; which < 2; which++) {
				uint16_t port = (uint16_t)(1 + (which ? b % 8 : a));
				struct sim_fault *f =
				        simkit_fault(&k, FAULT_LINK_DOWN, which ? 3 : 2, port);

				f->from_ps = t_ps + 2000 * US;
				f->until_ps = f->from_ps + US;
				f->reroute_ps = 0;
			}
	assert_int_equal(simkit_try(&r, &k, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "more than 64 different sets of links"));
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(flows_go_round_a_link_that_is_down),
	        cmocka_unit_test(without_it_they_wait),
	        cmocka_unit_test(failures_overlap),
	        cmocka_unit_test(all_cores_agree),
	        cmocka_unit_test(sets_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
