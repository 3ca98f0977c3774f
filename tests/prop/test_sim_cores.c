/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run is a function of scenario and seed (docs/architecture.md, "Order"): the windows give
 * the record of the plain event heap, and two or three threads that of one, over random fabrics
 * and workloads. A failure prints its seed; SIM_SEED=n replays it, SIM_RUNS=n looks further.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/accounts.h"
#include "tests/support/simkit_random.h"

/* How often the runs did what the comparison is about. */
struct seen {
	uint64_t runs, refused, drops, retransmits, timeouts, pauses, marks, cnps, violations,
	        finished, stalled, failed_messages, threads, storms, restores, sacks,
	        host_drops, rnr, unacknowledged, faults, lost;
};

static void note(struct seen *n, const struct run_record *r)
{
	accounts_check(r);
	n->runs++;
	n->drops += r->n.drops_lossy > 0;
	n->retransmits += r->n.retransmitted_packets > 0;
	n->timeouts += r->n.timeouts > 0;
	n->sacks += r->n.sacks > 0;
	n->host_drops += r->n.drops_host > 0;
	n->rnr += r->n.rnr_naks > 0;
	n->unacknowledged += r->n.unacknowledged_sent > 0;
	n->pauses += r->n.pause_frames > 0;
	n->marks += r->n.ecn_marked_packets > 0;
	n->cnps += r->n.cnp_received > 0;
	n->violations += r->n.headroom_violations > 0;
	n->finished += r->end == RUN_WORKLOAD_DONE;
	n->stalled += r->end == RUN_STALLED;
	n->failed_messages += r->n.messages_failed > 0;
	n->storms += r->n.watchdog_storms > 0;
	n->restores += r->n.watchdog_restores > 0;
	n->lost += r->n.drops_fault + r->n.drops_corrupt > 0;
	for (uint64_t i = 0; i < r->n_fault; i++)
		n->faults += r->fault[i].packets > 0;
}

static void compare(struct simkit *k, const struct run_record *want, uint32_t threads,
        enum sim_core core, struct seen *n)
{
	struct run_record *got;
	const char *difference;

	k->threads = threads;
	k->core = core;
	got = simkit_run(k);
	n->threads += got->threads > 1;
	difference = simkit_difference(want, got);
	if (difference)
		fail_msg("seed %" PRIu64 ", %u threads, %s: %s", k->seed, threads,
		        core == SIM_CORE_HEAP ? "heap" : "windows", difference);
	run_record_free(got);
}

static void try_seed(uint64_t seed, unsigned wishes, struct seen *n)
{
	struct simkit k;
	struct run_record *one;
	struct err e = {0};
	int rc;

	simkit_random(&k, seed, wishes);
	rc = simkit_fit(&one, &k, &e);
	if (rc == -EINVAL) { /* reservations above the buffer, links too different */
		n->refused++;
		simkit_fini(&k);
		return;
	}
	if (rc)
		fail_msg("seed %" PRIu64 ": %s", seed, e.msg);
	note(n, one);
	compare(&k, one, 1, SIM_CORE_HEAP, n);
	compare(&k, one, 2, SIM_CORE_WINDOWS, n);
	compare(&k, one, 3, SIM_CORE_WINDOWS, n);
	run_record_free(one);
	simkit_fini(&k);
}

static void agree(unsigned wishes, uint64_t usual_runs)
{
	struct seen n = {0};
	uint64_t first, runs;

	simkit_seeds(&first, &runs, usual_runs);
	for (uint64_t seed = first; seed < first + runs; seed++)
		try_seed(seed, wishes, &n);
	printf("%" PRIu64 " runs (%" PRIu64 " refused): drops in %" PRIu64
	       ", retransmits %" PRIu64 ", timeouts %" PRIu64 ", pauses %" PRIu64
	       ", marks %" PRIu64 ", CNPs %" PRIu64 ", violations %" PRIu64
	       ", failed messages %" PRIu64 ", stalled %" PRIu64 ", storms %" PRIu64
	       ", restored %" PRIu64 ", finished %" PRIu64 ", several threads %" PRIu64
	       ", faults that did something %" PRIu64 ", with losses %" PRIu64 "\n",
	        n.runs, n.refused, n.drops, n.retransmits, n.timeouts, n.pauses, n.marks,
	        n.cnps, n.violations, n.failed_messages, n.stalled, n.storms, n.restores,
	        n.finished, n.threads, n.faults, n.lost);
	printf("SACKs in %" PRIu64 ", RNR NAKs %" PRIu64 ", drops by hosts %" PRIu64
	       ", no ACKs %" PRIu64 "\n",
	        n.sacks, n.rnr, n.host_drops, n.unacknowledged);
	if (runs < usual_runs)
		return;
	if (wishes & SIMKIT_FAULTS) {
		assert_true(n.faults > runs / 3 && n.lost > runs / 10);
		return;
	}
	/* the draw reaches what it is meant to reach */
	assert_true(n.runs > runs / 2);
	assert_true(n.drops > 10 && n.retransmits > 10 && n.timeouts > 5 && n.pauses > 20);
	assert_true(n.marks > 20 && n.cnps > 20 && n.finished > runs / 4);
	assert_true(n.threads > runs / 4);
	assert_true(n.storms > 5 && n.restores > 5);
	assert_true(n.sacks > 5 && n.host_drops > 3 && n.rnr > 1 && n.unacknowledged > 5);
}

static void cores_and_threads_agree(void **state)
{
	(void)state;
	agree(0, 300);
}

static void with_faults_too(void **state)
{
	(void)state;
	agree(SIMKIT_FAULTS, 150);
}

/* More switches than threads, all of them busy: 24 hosts on 6 leaves under 4 spines. */
static void leaf_spine_under_load(void **state)
{
	struct topo_link link[SIMKIT_MAX_LINKS];
	struct seen n = {0};
	struct simkit k;
	struct load_cfg *c;
	struct run_record *one;
	uint32_t n_links = 0;

	(void)state;
	simkit_init(&k);
	k.nic.cc = NIC_CC_DCQCN;
	k.sw.ecn_enabled = 1;
	k.sw.ecn_kmin_bytes = 20000;
	k.sw.ecn_kmax_bytes = 100000;
	k.sw.buffer_bytes = 2000000;
	for (uint32_t h = 0; h < 24; h++)
		link[n_links++] =
		        (struct topo_link){h, 24 + h / 4, 100 * SIMKIT_GBPS, PS_PER_US};
	for (uint32_t i = 0; i < 24; i++)
		link[n_links++] = (struct topo_link){
		        24 + i / 4, 30 + i % 4, 100 * SIMKIT_GBPS, PS_PER_US};
	simkit_links(&k, 24, 10, link, n_links);
	simkit_load(&k, LOAD_ALL_TO_ALL)->message_bytes = 10000;
	c = simkit_load(&k, LOAD_INCAST);
	c->message_bytes = 50000;
	c->receiver = 5;
	c->repeat = 2;
	k.series_ps = 10 * PS_PER_US;
	one = simkit_run(&k);
	note(&n, one);
	assert_true(n.marks && n.cnps && n.pauses && n.finished);
	for (uint32_t threads = 2; threads <= 6; threads++)
		compare(&k, one, threads, SIM_CORE_WINDOWS, &n);
	assert_int_equal(n.threads, 5);
	compare(&k, one, 1, SIM_CORE_HEAP, &n);
	run_record_free(one);
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(leaf_spine_under_load),
	        cmocka_unit_test(cores_and_threads_agree), cmocka_unit_test(with_faults_too)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
