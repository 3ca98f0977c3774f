/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says of each port, and who paused whom because of what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/base/pfc_log.h"
#include "tests/support/simkit.h"

#define DATA_BYTES  1106 /* on the wire: a middle packet of 1024 bytes */
#define ACK_BYTES   86
#define RETH_BYTES  16
#define MSG_PACKETS 500
#define MSG_BYTES   (INT64_C(1024) * MSG_PACKETS)
#define PRIORITY    3

static void small_buffer(struct simkit *k)
{
	k->sw.buffer_bytes = 1 << 20;
	k->sw.pfc_headroom_bytes = 60000;
}

static const struct port_record *port_of(
        const struct run_record *r, uint32_t node, uint16_t port, uint8_t priority)
{
	for (uint64_t i = 0; i < r->n_port; i++)
		if (r->port[i].node == node && r->port[i].port == port &&
		        r->port[i].priority == priority)
			return &r->port[i];
	fail_msg("no record of node %u port %u priority %u", node, port, priority);
	return NULL;
}

/* Every frame that a switch sent stands at its port, by class, PFC frames aside. */
static void test_frames_are_counted_by_port(void **state)
{
	struct simkit k;
	struct run_record *r;
	const struct port_record *p;

	(void)state;
	simkit_init(&k);
	simkit_star(&k, 3, 100 * SIMKIT_GBPS, PS_PER_US);
	simkit_flow(&k, 1, 0, MSG_BYTES, 0);
	r = simkit_run(&k);
	p = port_of(r, 3, 0, PRIORITY);
	assert_int_equal(p->tx_packets, MSG_PACKETS);
	assert_int_equal(p->tx_bytes, MSG_PACKETS * DATA_BYTES + RETH_BYTES);
	p = port_of(r, 3, 1, PRIORITY);
	assert_int_equal(p->tx_packets, MSG_PACKETS);
	assert_int_equal(p->tx_bytes, MSG_PACKETS * ACK_BYTES);
	for (uint64_t i = 0; i < r->n_port; i++)
		assert_int_not_equal(r->port[i].port, 2); /* did nothing */
	run_record_free(r);
	simkit_fini(&k);
}

static void check_sums(const struct run_record *r)
{
	int64_t marked = 0, dropped = 0, xoffs = 0, paused_ps = 0, total_ps = 0;
	uint64_t edges = 0, events = 0;

	for (uint64_t i = 0; i < r->n_port; i++) {
		marked += r->port[i].marked_packets;
		dropped += r->port[i].dropped_packets;
		xoffs += r->port[i].xoff_frames;
		paused_ps += r->port[i].paused_ps;
	}
	for (uint64_t i = 0; i < r->n_pause; i++)
		total_ps += r->pause[i].paused_ps;
	for (uint64_t i = 0; i < r->n_edge; i++)
		edges += r->edge[i].xoffs;
	for (uint64_t i = 0; i < r->n_pfc; i++)
		events += r->pfc[i].kind == PFC_EVENT_XOFF;
	assert_int_equal(marked, r->n.ecn_marked_packets);
	assert_int_equal(dropped, r->n.drops_lossless + r->n.drops_lossy);
	assert_int_equal(xoffs, r->n.pause_frames); /* one priority is paused here */
	assert_int_equal(paused_ps, total_ps);
	assert_int_equal(edges, events);
}

/* 1, 2, 3 and 4 send to 0 on one switch: each ingress is stopped because of the port to 0,
 * which may send all the time. */
static void test_congestion_is_the_root(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	simkit_init(&k);
	small_buffer(&k);
	simkit_star(&k, 5, 100 * SIMKIT_GBPS, PS_PER_US);
	for (uint32_t i = 1; i < 5; i++)
		simkit_flow(&k, i, 0, MSG_BYTES, 0);
	r = simkit_run(&k);
	check_sums(r);
	assert_int_equal(r->n_edge, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const struct pause_edge *e = &r->edge[i];
		const struct port_record *p = port_of(r, i + 1, 0, PRIORITY);

		assert_int_equal(e->node, 5);
		assert_int_equal(e->port, i + 1);
		assert_int_equal(e->cause_port, 0);
		assert_false(e->cause_paused);
		assert_false(e->injected);
		assert_int_equal(e->xoffs, p->pause_episodes);
		/* both ends see the pause equally long: the frames travel the same way */
		assert_int_equal(e->held_ps, p->paused_ps);
		assert_true(e->held_ps > 0);
	}
	run_record_free(r);
	simkit_fini(&k);
}

/* Hosts 0, 3 and 4 on switch 5 (B), hosts 1 and 2 on switch 6 (A); all send to 0. B stops A's
 * uplink because of its port to 0; A stops 1 and 2 because of that uplink, which is paused. */
static void test_pause_propagates(void **state)
{
	static const struct topo_link link[] = {
	        {5, 0, 100 * SIMKIT_GBPS, PS_PER_US},
	        {5, 3, 100 * SIMKIT_GBPS, PS_PER_US},
	        {5, 4, 100 * SIMKIT_GBPS, PS_PER_US},
	        {6, 1, 100 * SIMKIT_GBPS, PS_PER_US},
	        {6, 2, 100 * SIMKIT_GBPS, PS_PER_US},
	        {6, 5, 100 * SIMKIT_GBPS, PS_PER_US},
	};
	struct simkit k;
	struct run_record *r;
	bool uplink_first = false;

	(void)state;
	simkit_init(&k);
	small_buffer(&k);
	simkit_links(&k, 5, 2, link, 6);
	for (uint32_t i = 1; i < 5; i++)
		simkit_flow(&k, i, 0, 4 * MSG_BYTES, 0);
	r = simkit_run(&k);
	check_sums(r);
	for (uint64_t i = 0; i < r->n_edge; i++) {
		const struct pause_edge *e = &r->edge[i];

		if (e->node == 5) { /* all of B's: towards host 0 */
			assert_int_equal(e->cause_port, 0);
			assert_false(e->cause_paused);
			uplink_first |= e->port == 3;
		} else if (e->cause_paused) {
			assert_int_equal(e->cause_port, 2); /* A's port to B */
			assert_true(e->port < 2);
			assert_true(e->xoffs > 0);
		}
	}
	assert_true(uplink_first);
	/* the first stop of a host of A comes after the first one of A, and because of it */
	for (uint64_t i = 0; i < r->n_pfc; i++)
		if (r->pfc[i].node == 6 && r->pfc[i].kind == PFC_EVENT_XOFF &&
		        r->pfc[i].cause_paused) {
			assert_int_equal(r->pfc[i].cause_port, 2);
			run_record_free(r);
			simkit_fini(&k);
			return;
		}
	fail_msg("no pause has propagated");
}

static void test_rows_have_latency(void **state)
{
	struct simkit k;
	struct run_record *r;
	int64_t max_ps = 0;

	(void)state;
	simkit_init(&k);
	simkit_star(&k, 3, 100 * SIMKIT_GBPS, PS_PER_US);
	k.series_ps = 5 * PS_PER_US;
	simkit_flow(&k, 1, 0, MSG_BYTES, 0);
	simkit_flow(&k, 2, 0, MSG_BYTES, 0);
	r = simkit_run(&k);
	assert_true(r->n_row > 5);
	for (uint64_t i = 0; i < r->n_row; i++) {
		const struct series_row *row = &r->row[i];

		assert_true(row->mean_latency_ps <= row->max_latency_ps);
		assert_int_equal(row->mean_latency_ps > 0, row->delivered_bytes > 0);
		max_ps = row->max_latency_ps > max_ps ? row->max_latency_ps : max_ps;
	}
	assert_int_equal(max_ps, r->latency_ps.max); /* the whole run's is kept */
	run_record_free(r);
	simkit_fini(&k);
}

/* The log keeps the window in which it is full to its end, and every XOFF in its sums. */
static void test_log_is_bounded(void **state)
{
	struct pfc_log l = {0};
	struct pause_edge *edge;
	const uint64_t n = RUN_PFC_EVENTS_KEPT + 5000;
	size_t edges;

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		struct pfc_event ev = {
		        .t_ps = (int64_t)i * 10,
		        .node = (uint32_t)(i % 300),
		        .kind = PFC_EVENT_XOFF,
		};

		assert_int_equal(pfc_log_add(&l, &ev, (int64_t)(i / 1000 + 1) * 10000), 0);
		ev.kind = PFC_EVENT_XON;
		ev.t_ps += 4;
		if (i % 300 != 7)
			assert_int_equal(
			        pfc_log_add(&l, &ev, (int64_t)(i / 1000 + 1) * 10000), 0);
	}
	assert_true(l.n_event >= RUN_PFC_EVENTS_KEPT);
	assert_true(l.n_event < RUN_PFC_EVENTS_KEPT + 2100);
	edges = pfc_log_edges(&l, 0, NULL);
	assert_int_equal(edges, 300);
	edge = test_calloc(edges, sizeof(*edge));
	assert_int_equal(pfc_log_edges(&l, (int64_t)n * 10, edge), edges);
	for (size_t i = 0; i < edges; i++) {
		assert_int_equal(edge[i].xoffs, n / 300);
		assert_int_equal(edge[i].first_ps, (int64_t)edge[i].node * 10);
		if (edge[i].node != 7)
			assert_int_equal(edge[i].held_ps, (int64_t)(n / 300) * 4);
	}
	test_free(edge);
	pfc_log_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_frames_are_counted_by_port),
	        cmocka_unit_test(test_congestion_is_the_root),
	        cmocka_unit_test(test_pause_propagates),
	        cmocka_unit_test(test_rows_have_latency),
	        cmocka_unit_test(test_log_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
