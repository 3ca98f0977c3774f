/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlock by PFC on a ring of switches whose routes all go one way round (Hu et al., HotNets
 * 2016, figure 1): seen, named, permanent to the last packet, the same for every number of
 * threads and either event core; and not seen where the way back is open.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

#define RING 4

/* Hosts 0 .. 3 on switches 4 .. 7. A switch has its host at port 0, then its ring links in the
 * order of the list: the way on is port 1 at switch 0 and port 2 at the others. */
static uint16_t way_on(uint32_t sw)
{
	return sw == 0 ? 1 : 2;
}

static void make_ring(struct simkit *k, bool one_way)
{
	struct topo_link link[2 * RING];

	k->sw.buffer_bytes = 1000000;
	k->nic.retry_limit = NIC_RETRY_UNLIMITED;
	for (uint32_t i = 0; i < RING; i++) {
		link[i] = (struct topo_link){i, RING + i, 100 * SIMKIT_GBPS, PS_PER_US};
		link[RING + i] = (struct topo_link){
		        RING + i, RING + (i + 1) % RING, 100 * SIMKIT_GBPS, PS_PER_US};
	}
	simkit_links(k, RING, RING, link, 2 * RING);
	if (!one_way)
		return;
	k->topo->route = calloc(RING * (RING - 1), sizeof(*k->topo->route));
	assert_non_null(k->topo->route);
	for (uint32_t i = 0; i < RING; i++)
		for (uint32_t d = 1; d < RING; d++)
			k->topo->route[k->topo->n_routes++] =
			        (struct topo_route){.sw = RING + i,
			                .to = RING + (i + d) % RING,
			                .via = RING + (i + 1) % RING};
}

static void add_flows(struct simkit *k, int64_t bytes)
{
	for (uint32_t i = 0; i < RING; i++) {
		(void)simkit_flow(k, i, (i + 2) % RING, bytes, 0);
		(void)simkit_flow(k, i, (i + 3) % RING, bytes, 0);
	}
}

/* Frames of the lossless class that start on a ring link, the last of them. */
struct seen {
	int64_t last_ps;
	uint64_t frames;
};

static void note_ring(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct seen *s = arg;

	if (to < RING || d->in_port == 0 || d->kind == DESC_PFC || d->priority != 3)
		return;
	s->frames++;
	if (start_ps > s->last_ps)
		s->last_ps = start_ps;
}

static void check_cycle(const struct run_record *r)
{
	const struct deadlock_record *d = &r->deadlock[0];

	assert_int_equal(r->n_deadlock, 1);
	assert_int_equal(d->n_hops, RING);
	for (uint32_t i = 0; i < RING; i++) {
		assert_int_equal(d->hop[i].node, RING + i);
		assert_int_equal(d->hop[i].port, way_on(i));
		assert_int_equal(d->hop[i].priority, 3);
	}
}

/* Nothing in the ring moves any more from before it is seen to the end of a long run, with
 * pauses that never expire as with those that are refreshed. */
static void is_named_and_for_ever(void **state)
{
	const int64_t quanta[] = {PFC_NEVER_EXPIRES, 65535, 600};

	(void)state;
	for (size_t i = 0; i < sizeof(quanta) / sizeof(quanta[0]); i++) {
		struct seen seen = {0};
		struct simkit k;
		struct run_record *r;

		simkit_init(&k);
		k.sw.pfc_quanta = quanta[i];
		make_ring(&k, true);
		add_flows(&k, 10000000);
		k.stop_ps = 5 * PS_PER_MS;
		k.tap = note_ring;
		k.tap_arg = &seen;
		r = simkit_run(&k);
		check_cycle(r);
		assert_int_equal(r->end, RUN_TIME_UP);
		assert_true(seen.frames > 100);
		assert_true(seen.last_ps <= r->deadlock[0].t_ps);
		assert_true(r->deadlock[0].t_ps < seen.last_ps + 30 * PS_PER_US);
		assert_int_equal(r->n.drops_lossless, 0);
		run_record_free(r);
		simkit_fini(&k);
	}
}

static void is_the_same_everywhere(void **state)
{
	struct simkit k;
	struct run_record *one, *got;

	(void)state;
	simkit_init(&k);
	make_ring(&k, true);
	add_flows(&k, 10000000);
	k.stop_ps = 5 * PS_PER_MS;
	k.stop_on_deadlock = true;
	one = simkit_run(&k);
	check_cycle(one);
	assert_int_equal(one->end, RUN_DEADLOCKED);
	assert_int_equal(one->t_end_ps, one->deadlock[0].t_ps);
	for (uint32_t variant = 0; variant < 3; variant++) {
		const char *difference;

		k.threads = variant == 0 ? 2 : variant == 1 ? 3 : 1;
		k.core = variant == 2 ? SIM_CORE_HEAP : SIM_CORE_WINDOWS;
		got = simkit_run(&k);
		difference = simkit_difference(one, got);
		if (difference)
			fail_msg("variant %u: %s", variant, difference);
		run_record_free(got);
	}
	run_record_free(one);
	simkit_fini(&k);
}

/* The same ring and traffic over shortest paths, or too little of it: pauses come and go, and
 * none of them is taken for a deadlock. */
static void pauses_alone_are_none(void **state)
{
	(void)state;
	for (int variant = 0; variant < 3; variant++) {
		struct simkit k;
		struct run_record *r;

		simkit_init(&k);
		make_ring(&k, variant != 0);
		add_flows(&k, variant == 1 ? 20000 : 1000000);
		if (variant == 2) { /* all to one host: a tree of pauses, no cycle */
			k.n_flows = 0;
			for (uint32_t i = 1; i < RING; i++)
				(void)simkit_flow(&k, i, 0, 2000000, 0);
		}
		k.stop_ps = 20 * PS_PER_MS;
		r = simkit_run(&k);
		assert_int_equal(r->end, RUN_WORKLOAD_DONE);
		assert_int_equal(r->n_deadlock, 0);
		assert_true(variant != 2 || r->n.pause_frames > 0);
		run_record_free(r);
		simkit_fini(&k);
	}
}

/* A watchdog ends it, so that it is none. */
static void a_watchdog_ends_it(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	simkit_init(&k);
	k.sw.watchdog_detect_ps = 200 * PS_PER_US;
	k.sw.watchdog_restore_ps = 200 * PS_PER_US;
	make_ring(&k, true);
	add_flows(&k, 1000000);
	k.stop_ps = 100 * PS_PER_MS;
	r = simkit_run(&k);
	assert_int_equal(r->n_deadlock, 0);
	assert_true(r->n.watchdog_storms > 0);
	run_record_free(r);
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(is_named_and_for_ever),
	        cmocka_unit_test(is_the_same_everywhere),
	        cmocka_unit_test(pauses_alone_are_none),
	        cmocka_unit_test(a_watchdog_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
