/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message's alone_ps, against which slowdown is counted, is the FCT of that message in a run
 * where it is alone: to the picosecond, over random fabrics, rates (also such whose byte time
 * is no whole number of picoseconds), cut-through or not, whatever the ACKs. Where switches
 * spray packets it is a bound that no message undercuts.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/simkit_random.h"

static int64_t draw_bytes(struct rng *r, int64_t mtu_bytes)
{
	switch (simkit_draw(r, 0, 3)) {
	case 0:
		return simkit_draw(r, 1, 3 * mtu_bytes);
	case 1: /* the last packet full, or with a byte or so */
		return simkit_draw(r, 1, 20) * mtu_bytes + simkit_draw(r, 0, 4);
	case 2:
		return simkit_draw(r, 1, 400) * mtu_bytes - simkit_draw(r, 0, 1);
	default:
		return simkit_draw(r, 1, 2000000);
	}
}

static void try_seed(uint64_t seed, uint64_t *done)
{
	struct rng rng = rng_make(seed, 1, RNG_LOAD);
	struct run_record *r;
	struct simkit k;
	struct err e = {0};
	uint32_t src, dst;

	simkit_random(
	        &k, seed, SIMKIT_LOSSLESS | SIMKIT_NO_STOP | SIMKIT_ECMP | SIMKIT_PLAIN_NIC);
	for (uint32_t i = 0; i < k.topo->n_profiles; i++)
		k.topo->profile[i].buffer_bytes = INT64_C(256000000);
	k.nic.window_bytes = NIC_WINDOW_OFF;
	k.dcqcn.rpg_max_rate_bps = 0;
	k.nic.retransmit_timeout_ps = 0;
	k.n_flows = 0;
	k.n_loads = 0;
	src = (uint32_t)rng_below(&rng, k.topo->n_hosts);
	dst = (src + 1 + (uint32_t)rng_below(&rng, k.topo->n_hosts - 1)) % k.topo->n_hosts;
	simkit_flow(&k, src, dst, draw_bytes(&rng, k.frame.path_mtu_bytes),
	        simkit_draw(&rng, 0, 1000));
	if (simkit_fit(&r, &k, &e) == 0 && r->n.pause_frames == 0 && r->n.cnp_sent == 0) {
		const struct msg_record *m = &r->msg[0];

		if (m->done_ps - m->post_ps != m->alone_ps)
			fail_msg("seed %" PRIu64 ": %" PRId64 " bytes take %" PRId64
			         " ps, alone_ps is %" PRId64,
			        seed, m->bytes, m->done_ps - m->post_ps, m->alone_ps);
		++*done;
	}
	run_record_free(r);
	simkit_fini(&k);
}

static void alone_is_the_fct_of_a_message_alone(void **state)
{
	uint64_t first, runs, done = 0;

	(void)state;
	simkit_seeds(&first, &runs, 500);
	for (uint64_t seed = first; seed < first + runs; seed++)
		try_seed(seed, &done);
	printf("%" PRIu64 " of %" PRIu64 " messages met nothing\n", done, runs);
	assert_true(done > runs / 2 || runs < 100);
}

/* Hosts of 400G behind leaves with four spines, links of 50G between: 200G in all. */
static void four_spines(struct simkit *k, enum load_balancing balancing)
{
	enum { LEAF = 2, SPINE = 4 };
	struct topo_link link[2 + 8];

	simkit_init(k);
	for (uint32_t i = 0; i < 2; i++) {
		link[i] = (struct topo_link){i, LEAF + i, 400 * SIMKIT_GBPS, PS_PER_US};
		for (uint32_t j = 0; j < 4; j++)
			link[2 + 4 * i + j] = (struct topo_link){
			        LEAF + i, SPINE + j, 50 * SIMKIT_GBPS, PS_PER_US};
	}
	simkit_links(k, 2, 6, link, 10);
	for (uint32_t i = 0; i < k->topo->n_profiles; i++)
		k->topo->profile[i].load_balancing = balancing;
	k->nic.retransmit = NIC_SELECTIVE_REPEAT;
	k->nic.reorder_threshold = 1024;
}

/*
 * The fourth of the four links begins with the fourth packet and carries every fourth; then its
 * last one has the other half of the way before it, and the ACK comes back. With balancing by
 * queue that is what a message takes, but for draws among equal queues; one path would take
 * four times as long.
 */
static void several_links_carry_a_message_together(void **state)
{
	const int64_t rounds[] = {1, 2, 700, INT64_C(1) << 28};

	(void)state;
	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++)
		for (int b = BALANCE_SPRAY; b <= BALANCE_ADAPTIVE; b++) {
			const int64_t want_ps = (1122 + 3 * 1106) * 20 +
			                        (rounds[i] + 1) * 1106 * 160 + 1106 * 20 +
			                        2 * 86 * (20 + 160) + 8 * PS_PER_US;
			struct run_record *r;
			struct simkit k;

			four_spines(&k, (enum load_balancing)b);
			simkit_flow(&k, 0, 1, rounds[i] * 4 * 1024, 0);
			k.stop_ps = 10 * PS_PER_MS;
			r = simkit_run(&k);
			assert_int_equal(r->msg[0].alone_ps, want_ps);
			if (b == BALANCE_ADAPTIVE && rounds[i] < 1000)
				assert_in_range(
				        r->msg[0].done_ps, want_ps, want_ps + want_ps / 500);
			else if (rounds[i] < 1000)
				assert_true(r->msg[0].done_ps >= want_ps);
			run_record_free(r);
			simkit_fini(&k);
		}
}

/* Whatever the switches draw, the NICs do and the other flows are at, no message is faster. */
static void try_balanced(uint64_t seed, uint64_t *messages, uint64_t *balanced)
{
	struct rng rng = rng_make(seed, 2, RNG_LOAD);
	struct run_record *r;
	struct simkit k;
	struct err e = {0};
	bool alone = simkit_draw(&rng, 0, 2) > 0;
	int64_t faster;

	/* among others a message finds another fraction of a picosecond left over by a link */
	simkit_random(
	        &k, seed, SIMKIT_NO_STOP | SIMKIT_LOSSLESS | (alone ? 0 : SIMKIT_WHOLE_RATES));
	for (uint32_t i = 0; i < k.topo->n_profiles; i++) {
		k.topo->profile[i].load_balancing = simkit_draw(&rng, 0, 4);
		if (k.topo->profile[i].load_balancing > BALANCE_ADAPTIVE)
			k.topo->profile[i].load_balancing = BALANCE_SPRAY;
	}
	/* hosts faster than the fabric */
	faster = (int64_t)1 << simkit_draw(&rng, 0, 2);
	for (uint32_t i = 0; i < k.topo->n_hosts && faster > 1; i++) {
		struct topo_port *p = &k.topo->port[k.topo->node[i].first_port];

		p->rate_bps *= faster;
		k.topo->port[k.topo->node[p->peer_node].first_port + p->peer_port].rate_bps =
		        p->rate_bps;
	}
	if (alone) {
		k.nic.window_bytes = NIC_WINDOW_OFF;
		k.dcqcn.rpg_max_rate_bps = 0;
		k.nic.retransmit_timeout_ps = 0;
		k.nic.retransmit = NIC_SELECTIVE_REPEAT; /* else a NAK for every packet */
		k.nic.reorder_threshold = 1024;
		k.n_flows = 0;
		k.n_loads = 0;
		simkit_flow(&k, 0, k.topo->n_hosts - 1,
		        draw_bytes(&rng, k.frame.path_mtu_bytes), 0);
	}
	if (simkit_fit(&r, &k, &e) == 0)
		for (uint64_t i = 0; i < r->n_msg; i++) {
			const struct msg_record *m = &r->msg[i];

			if (m->status != MSG_COMPLETED)
				continue;
			++*messages;
			*balanced += m->done_ps - m->post_ps == m->alone_ps;
			if (m->done_ps - m->post_ps < m->alone_ps)
				fail_msg("seed %" PRIu64 ": %" PRId64 " bytes take %" PRId64
				         " ps, alone_ps is %" PRId64,
				        seed, m->bytes, m->done_ps - m->post_ps, m->alone_ps);
		}
	run_record_free(r);
	simkit_fini(&k);
}

static void no_message_is_faster_than_alone(void **state)
{
	uint64_t first, runs, messages = 0, equal = 0;

	(void)state;
	simkit_seeds(&first, &runs, 300);
	for (uint64_t seed = first; seed < first + runs; seed++)
		try_balanced(seed, &messages, &equal);
	printf("%" PRIu64 " messages, %" PRIu64 " as fast as alone\n", messages, equal);
	assert_true(messages > runs || runs < 100);
}

/* 2^30 packets, the largest message there may be, at a rate without whole picoseconds per byte:
 * not walked packet by packet, and still exact to a picosecond for each link. */
static void largest_message_takes_no_time_to_work_out(void **state)
{
	const int64_t rate_bps[] = {99 * SIMKIT_GBPS, 99 * SIMKIT_GBPS};
	const int64_t delay_ps[] = {PS_PER_US, PS_PER_US};
	const int64_t packets = INT64_C(1) << 30;
	__int128 wire_bytes = (__int128)packets * 1106 + 16 + 1122 + 2 * 86;
	int64_t want_ps = (int64_t)(wire_bytes * 8 * PS_PER_S / rate_bps[0]) + 4 * PS_PER_US;
	struct run_record *r;
	struct simkit k;

	(void)state;
	simkit_init(&k);
	simkit_chain(&k, 2, rate_bps, delay_ps);
	simkit_flow(&k, 0, 1, packets * 1024, 0);
	k.stop_ps = PS_PER_US;
	r = simkit_run(&k);
	assert_int_equal(r->msg[0].status, MSG_UNFINISHED);
	assert_in_range(r->msg[0].alone_ps, want_ps - 4, want_ps + 4);
	run_record_free(r);
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(largest_message_takes_no_time_to_work_out),
	        cmocka_unit_test(alone_is_the_fct_of_a_message_alone),
	        cmocka_unit_test(several_links_carry_a_message_together),
	        cmocka_unit_test(no_message_is_faster_than_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
