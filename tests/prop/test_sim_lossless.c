/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where every priority is under PFC with the headroom that the switches work out themselves,
 * and no circle of buffers can lock up: nothing is lost, whatever buffers, cells, delays and
 * rates there are, so nothing is asked for again, each QP's packets arrive once and in order on
 * its path, and every message ends. No sender goes faster than its link.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/simkit_random.h"
#include "tests/support/trace_check.h"

static int64_t payload_of(const struct run_record *r)
{
	int64_t sum = 0;

	for (uint64_t i = 0; i < r->n_msg; i++)
		sum += r->msg[i].bytes;
	return sum;
}

static void check_messages(const struct simkit *k, const struct run_record *r)
{
	bool stores = true;

	for (uint32_t i = 0; i < k->topo->n_profiles; i++)
		stores &= k->topo->profile[i].forwarding == FORWARD_STORE;
	assert_int_equal(r->end, RUN_WORKLOAD_DONE);
	assert_int_equal(r->n.messages_started, r->n_msg);
	assert_int_equal(r->n.messages_failed, 0);
	for (uint64_t i = 0; i < r->n_msg; i++) {
		const struct msg_record *m = &r->msg[i];

		assert_int_equal(m->status, MSG_COMPLETED);
		assert_int_equal(m->retransmits, 0);
		assert_true(m->post_ps <= m->first_ps && m->first_ps < m->done_ps);
		/*
		 * A picosecond for each link whose byte time is no whole number of them: what
		 * a link carries over depends on what it sent before. Where switches cut
		 * through, a wait at the sender may let packets through that are stored if
		 * they follow each other closely.
		 */
		if (stores && m->done_ps - m->post_ps + 2 * k->topo->n_nodes < m->alone_ps)
			fail_msg("seed %" PRIu64 ": message of %" PRId64 " bytes took %" PRId64
			         " ps, alone it takes %" PRId64,
			        k->seed, m->bytes, m->done_ps - m->post_ps, m->alone_ps);
	}
	assert_int_equal(r->n.payload_delivered_bytes, payload_of(r));
	assert_int_equal(r->data_packets_left, 0);
}

/* The packets of each connection, in the order in which they reach their host. */
static void check_order(const struct trace *t, const struct simkit *k)
{
	uint32_t max_conn = 0, *next;

	for (uint64_t i = 0; i < t->n; i++)
		if (t->f[i].d.kind == DESC_DATA && t->f[i].d.conn > max_conn)
			max_conn = t->f[i].d.conn;
	next = calloc(max_conn + 1, sizeof(*next));
	assert_non_null(next);
	for (uint64_t i = 0; i < t->n; i++) {
		const struct desc *d = &t->f[i].d;

		if (d->kind != DESC_DATA || t->f[i].to >= k->topo->n_hosts)
			continue;
		assert_int_equal(t->f[i].to, d->dst);
		if (d->psn != next[d->conn]++)
			fail_msg("seed %" PRIu64 ": PSN %u of connection %u comes when %u is "
			         "due",
			        k->seed, d->psn, d->conn, next[d->conn] - 1);
	}
	free(next);
}

static void check_rates(const struct simkit *k, const struct run_record *r)
{
	int64_t line_bps = 0;

	for (uint32_t h = 0; h < k->topo->n_hosts; h++) {
		int64_t bps = k->topo->port[k->topo->node[h].first_port].rate_bps;

		if (bps > line_bps)
			line_bps = bps;
	}
	if (k->nic.cc == NIC_CC_DCQCN && k->dcqcn.rpg_max_rate_bps &&
	        k->dcqcn.rpg_max_rate_bps < line_bps)
		line_bps = k->dcqcn.rpg_max_rate_bps;
	for (uint64_t i = 0; i < r->n_row; i++)
		if (r->row[i].active_qps)
			assert_in_range(r->row[i].mean_rate_bps,
			        k->nic.cc == NIC_CC_DCQCN ? k->dcqcn.rpg_min_rate_bps : 1,
			        line_bps);
}

static void nothing_is_lost_or_reordered(void **state)
{
	uint64_t first, runs, done = 0, pauses = 0, headroom = 0;

	(void)state;
	simkit_seeds(&first, &runs, 200);
	for (uint64_t seed = first; seed < first + runs; seed++) {
		struct trace t = {0};
		struct simkit k;
		struct run_record *r;
		struct err e = {0};

		simkit_random(&k, seed,
		        SIMKIT_LOSSLESS | SIMKIT_NO_CYCLE | SIMKIT_NO_STOP | SIMKIT_ECMP);
		k.nic.retransmit_timeout_ps = 0;
		k.nic.ack_obeys_pause = 1; /* or headroom would have to hold ACKs without end */
		k.tap = trace_tap;
		k.tap_arg = &t;
		if (simkit_fit(&r, &k, &e) == 0) {
			if (r->n.drops_lossless || r->n.drops_lossy || r->n.naks ||
			        r->n.retransmitted_packets || r->end != RUN_WORKLOAD_DONE)
				fail_msg("seed %" PRIu64 ": %" PRId64 " drops, %" PRId64
				         " NAKs, %" PRId64 " sent again, end %d",
				        seed, r->n.drops_lossless + r->n.drops_lossy, r->n.naks,
				        r->n.retransmitted_packets, (int)r->end);
			check_order(&t, &k);
			trace_check(&t, &k, r);
			check_messages(&k, r);
			check_rates(&k, r);
			done++;
			pauses += r->n.pause_frames > 0;
			headroom += r->max_headroom_bytes > 0;
		}
		run_record_free(r);
		trace_fini(&t);
		simkit_fini(&k);
	}
	printf("%" PRIu64 " runs, pauses in %" PRIu64 ", headroom used in %" PRIu64 "\n", done,
	        pauses, headroom);
	if (runs >= 200)
		assert_true(done > runs * 3 / 4 && pauses > runs / 8 && headroom > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_or_reordered)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
