/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who paused whom because of a fault: from the port that sends pause frames, over two switches,
 * to a sender whose traffic never comes near it. Without the fault nothing is paused at all, so
 * that every other pause has to name a paused port as its cause, up to the root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

enum { SENDER, VICTIM, ROOT, HEALTHY, N_HOSTS, A = N_HOSTS, B };
enum { A_TO_SENDER, A_TO_VICTIM, A_TO_B };
enum { B_TO_A, B_TO_ROOT, B_TO_HEALTHY };

#define PRIORITY 3
#define FROM_PS  (20 * PS_PER_US)
#define UNTIL_PS (420 * PS_PER_US)

/* SENDER and VICTIM on switch A, ROOT and HEALTHY on B; the link between has room for all. */
static void setup(struct simkit *k)
{
	static const struct topo_link link[] = {
	        {A, SENDER, 100 * SIMKIT_GBPS, PS_PER_US},
	        {A, VICTIM, 100 * SIMKIT_GBPS, PS_PER_US},
	        {A, B, 400 * SIMKIT_GBPS, PS_PER_US},
	        {B, ROOT, 100 * SIMKIT_GBPS, PS_PER_US},
	        {B, HEALTHY, 100 * SIMKIT_GBPS, PS_PER_US},
	};

	simkit_init(k);
	k->sw.buffer_bytes = 1 << 20;
	simkit_links(k, N_HOSTS, 2, link, 5);
	(void)simkit_flow(k, SENDER, ROOT, 4000 * 1024, 0);
	(void)simkit_flow(k, VICTIM, HEALTHY, 4000 * 1024, 0);
}

/* The first pause of this ingress: later ones, once the fault lets go of what has piled up, may
 * be plain congestion. */
static const struct pause_edge *edge_of(
        const struct run_record *r, uint32_t node, uint16_t port)
{
	const struct pause_edge *found = NULL;

	for (uint64_t i = 0; i < r->n_edge; i++)
		if (r->edge[i].node == node && r->edge[i].port == port &&
		        (!found || r->edge[i].first_ps < found->first_ps))
			found = &r->edge[i];
	return found;
}

/* What has another root comes after the fault. */
static void check_others(const struct run_record *r, int64_t from_ps)
{
	for (uint64_t i = 0; i < r->n_edge; i++)
		if (r->edge[i].node >= N_HOSTS && !r->edge[i].cause_paused &&
		        !r->edge[i].injected)
			assert_true(r->edge[i].first_ps > from_ps);
}

/* This ingress was paused because that egress was. */
static int64_t check_passed_on(
        const struct run_record *r, uint32_t node, uint16_t port, uint16_t cause_port)
{
	const struct pause_edge *e = edge_of(r, node, port);

	assert_non_null(e);
	assert_int_equal(e->priority, PRIORITY);
	assert_true(e->cause_paused);
	assert_false(e->injected);
	assert_int_equal(e->cause_port, cause_port);
	return e->first_ps;
}

/* From the root, which has just been looked at, down to both senders. */
static void check_tree(const struct run_record *r, int64_t root_ps)
{
	int64_t b_ps = check_passed_on(r, B, B_TO_A, B_TO_ROOT);
	int64_t sender_ps = check_passed_on(r, A, A_TO_SENDER, A_TO_B);
	int64_t victim_ps = check_passed_on(r, A, A_TO_VICTIM, A_TO_B);

	assert_true(root_ps < b_ps && b_ps < sender_ps && b_ps < victim_ps);
	assert_true(simkit_msg(r, VICTIM, HEALTHY, 0)->paused_ps > 50 * PS_PER_US);
	assert_int_equal(r->n.data_packets_dropped, 0);
}

static void healthy_hosts_pause_nobody(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	setup(&k);
	r = simkit_run(&k);
	assert_int_equal(r->n_edge, 0);
	assert_int_equal(r->n_pfc, 0);
	run_record_free(r);
	simkit_fini(&k);
}

/* The frames of a storm are on record one by one, the first as what begins it. */
static void check_storm(const struct run_record *r, uint32_t node, uint16_t port)
{
	const struct pause_edge *e = edge_of(r, node, port);
	int64_t n = 0, last_ps = 0;

	assert_non_null(e);
	assert_true(e->injected);
	assert_false(e->cause_paused);
	assert_int_equal(e->priority, PRIORITY);
	assert_int_equal(e->xoffs, 1);
	assert_int_equal(e->first_ps, r->fault[0].first_ps);
	assert_int_equal(e->held_ps, r->fault[0].last_ps - r->fault[0].first_ps);
	for (uint64_t i = 0; i < r->n_pfc; i++) {
		const struct pfc_event *ev = &r->pfc[i];

		if (!ev->injected)
			continue;
		assert_int_equal(ev->node, node);
		assert_int_equal(ev->port, port);
		assert_int_equal(ev->kind, n ? PFC_EVENT_REFRESH : PFC_EVENT_XOFF);
		assert_true(ev->t_ps >= FROM_PS && ev->t_ps < UNTIL_PS);
		assert_true(!n || ev->t_ps - last_ps >= 20 * PS_PER_US);
		last_ps = ev->t_ps;
		n++;
	}
	assert_in_range(n, 19, 20); /* one in 20 us, behind what is being sent */
	assert_int_equal(n, r->fault[0].packets);
	for (uint64_t i = 0; i < r->n_port; i++)
		if (r->port[i].node == node && r->port[i].port == port)
			assert_true(r->port[i].xoff_frames >=
			            (r->port[i].priority == PRIORITY ? n : 0));
}

static struct sim_fault *add_storm(struct simkit *k, uint32_t node, uint16_t port)
{
	struct sim_fault *f = simkit_fault(k, FAULT_PFC_STORM, node, port);

	f->interval_ps = 20 * PS_PER_US;
	f->from_ps = FROM_PS;
	f->until_ps = UNTIL_PS;
	return f;
}

static void a_storm_of_a_host_is_the_root(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	setup(&k);
	(void)add_storm(&k, ROOT, 0);
	r = simkit_run(&k);
	check_storm(r, ROOT, 0);
	check_tree(r, edge_of(r, ROOT, 0)->first_ps);
	check_others(r, UNTIL_PS);
	run_record_free(r);
	simkit_fini(&k);
}

static void a_storm_of_a_switch_port_is_the_root(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	setup(&k);
	(void)add_storm(&k, B, B_TO_A);
	r = simkit_run(&k);
	check_storm(r, B, B_TO_A);
	(void)check_passed_on(r, A, A_TO_SENDER, A_TO_B);
	(void)check_passed_on(r, A, A_TO_VICTIM, A_TO_B);
	check_others(r, UNTIL_PS);
	run_record_free(r);
	simkit_fini(&k);
}

/* Frames that resume are XONs, and what is no PFC frame is no pause. */
static void other_storms_are_no_pauses(void **state)
{
	(void)state;
	for (int form = PFC_VALID; form <= PFC_ZERO_VECTOR; form++) {
		struct simkit k;
		struct run_record *r;
		struct sim_fault *f;

		setup(&k);
		f = add_storm(&k, ROOT, 0);
		f->quanta = form == PFC_VALID ? 0 : 65535;
		f->form = (uint8_t)form;
		r = simkit_run(&k);
		assert_int_equal(r->n_edge, 0);
		assert_int_equal(r->n_pfc, form == PFC_VALID ? r->fault[0].packets : 0);
		for (uint64_t i = 0; i < r->n_pfc; i++) {
			assert_int_equal(r->pfc[i].kind, PFC_EVENT_XON);
			assert_true(r->pfc[i].injected);
		}
		run_record_free(r);
		simkit_fini(&k);
	}
}

/* A host that takes 10 of 100 Gb/s: its NIC's own PFC is the root. */
static void a_slow_receiver_is_the_root(void **state)
{
	struct simkit k;
	struct run_record *r;
	const struct pause_edge *e;
	struct sim_fault *f;

	(void)state;
	setup(&k);
	f = simkit_fault(&k, FAULT_SLOW_RECEIVER, ROOT, 0);
	f->rate_bps = 10 * SIMKIT_GBPS;
	f->from_ps = FROM_PS;
	f->until_ps = UNTIL_PS;
	r = simkit_run(&k);
	e = edge_of(r, ROOT, 0);
	assert_non_null(e);
	assert_false(e->injected);
	assert_true(e->first_ps > FROM_PS);
	assert_true(e->held_ps > 200 * PS_PER_US);
	check_tree(r, e->first_ps);
	check_others(r, UNTIL_PS);
	assert_true(r->fault[0].packets > 0);
	run_record_free(r);
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(healthy_hosts_pause_nobody),
	        cmocka_unit_test(a_storm_of_a_host_is_the_root),
	        cmocka_unit_test(a_storm_of_a_switch_port_is_the_root),
	        cmocka_unit_test(other_storms_are_no_pauses),
	        cmocka_unit_test(a_slow_receiver_is_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
