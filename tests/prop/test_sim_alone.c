/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message's alone_ps, against which slowdown is counted, is the FCT of that message in a run
 * where it is alone: to the picosecond, over random fabrics, rates (also such whose byte time
 * is no whole number of picoseconds), cut-through or not, whatever the ACKs.
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
