/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headroom bound against traffic that was not made for it. Host a sends lossless frames at
 * line rate to a host on a slower link, through a switch where every packet that must wait is
 * charged to headroom; host c's largest frames keep a's port busy, so that each pause frame
 * waits for one that has begun, just now in one of the phases that are tried:
 *
 * - what came after XOFF (IEEE 802.1Q annex N: there and back, the frame in the way, the pause
 *   frame, the response, the frame just begun) never exceeds the bound, and nothing is lost;
 * - it comes within a few frames of it, so the bound is not just large;
 * - with one cell (one byte) less than what it came to, a packet is lost and reported.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "dataplane/base/pause.h"
#include "dataplane/fabric/headroom.h"
#include "tests/support/simkit.h"

enum { A, B, C, SWITCH };

#define LOSSLESS 3
#define LOSSY    1
#define PHASES   9
#define PS_PER_M INT64_C(5000) /* fibre */

struct place {
	int64_t rate_bps, delay_ps, cell_bytes, mtu_bytes;
	bool unpadded;
};

static int64_t in_buffer(const struct place *p, int64_t frame_bytes)
{
	int64_t cell = p->cell_bytes ? p->cell_bytes : 1;

	return (frame_bytes + 4 + cell - 1) / cell * cell;
}

static int64_t largest_frame(const struct place *p)
{
	int64_t payload = p->unpadded ? p->mtu_bytes : (p->mtu_bytes + 3) / 4 * 4;

	return 58 + 16 + payload > 74 ? 58 + 16 + payload : 74;
}

static int64_t bound_of(const struct place *p, const struct frame_cfg *frame)
{
	return headroom_bound_bytes(&(struct headroom_in){
	        .rate_bps = p->rate_bps,
	        .delay_ps = p->delay_ps,
	        .response_ps = pause_quanta_ps(pause_response_quanta(p->rate_bps), p->rate_bps),
	        .cell_bytes = p->cell_bytes,
	        .frame = frame,
	});
}

static int64_t line_ps(const struct place *p, int64_t bytes)
{
	return bytes * (8 * PS_PER_S / p->rate_bps);
}

/* The links of b and c are long enough for windows beside the shortest of a's. */
#define OTHER_DELAY_PS (5 * PS_PER_US)

/* As slow as the event core bears beside these delays, so that next to nothing leaves headroom
 * while it fills. */
static int64_t slow_bps(const struct place *p)
{
	int64_t window_ps = p->delay_ps < OTHER_DELAY_PS / 256 ? OTHER_DELAY_PS : p->delay_ps;
	int64_t bps =
	        80000 *
	        (PS_PER_S / 8000 / (window_ps > OTHER_DELAY_PS ? OTHER_DELAY_PS : window_ps));

	return bps > p->rate_bps / 1000 ? bps : p->rate_bps / 1000;
}

static int64_t start_ps(const struct place *p, int phase)
{
	return 2 * (p->delay_ps + OTHER_DELAY_PS) + 4 * line_ps(p, 10000) +
	       phase * line_ps(p, 2 * largest_frame(p)) / 9;
}

static struct run_record *play(const struct place *p, int64_t headroom_bytes, int phase)
{
	struct topo_link link[] = {
	        {A, SWITCH, p->rate_bps, p->delay_ps},
	        {B, SWITCH, slow_bps(p), OTHER_DELAY_PS},
	        {C, SWITCH, p->rate_bps, OTHER_DELAY_PS},
	};
	struct simkit k;
	struct run_record *r;

	simkit_init(&k);
	k.frame.path_mtu_bytes = p->mtu_bytes;
	k.frame.pad = !p->unpadded;
	k.sw.cell_bytes = p->cell_bytes;
	k.sw.pfc_priorities = 1 << LOSSLESS;
	k.sw.pfc_reserve_bytes = 0;
	k.sw.pfc_alpha_q32 = Q32_ONE / 256;
	k.sw.lossy_alpha_q32 = 256 * Q32_ONE;
	k.sw.pfc_headroom_bytes = headroom_bytes;
	/* a pool whose 256th part holds no packet */
	k.sw.buffer_bytes = 3 * headroom_bytes + 8 * in_buffer(p, largest_frame(p));
	k.nic.ack_every = 65535;
	k.nic.ack_priority = LOSSY;
	k.nic.retransmit_timeout_ps = 0;
	k.stop_ps = start_ps(p, phase) + line_ps(p, 2 * headroom_bytes) + 4 * p->delay_ps +
	            20 * PS_PER_US;
	simkit_links(&k, 3, 1, link, 3);
	simkit_flow(&k, A, B, p->mtu_bytes * (headroom_bytes / 20 + 20000), start_ps(p, phase))
	        ->priority = LOSSLESS;
	simkit_flow(&k, C, A, p->mtu_bytes * (headroom_bytes / 20 + 20000), 0)->priority =
	        LOSSY;
	r = simkit_run(&k);
	simkit_fini(&k);
	return r;
}

static void check_violation(const struct place *p, int64_t headroom_bytes, int phase)
{
	struct run_record *r = play(p, headroom_bytes, phase);

	assert_true(r->n.headroom_violations > 0 && r->n_violation > 0);
	assert_int_equal(r->n.drops_lossless, r->n.headroom_violations);
	assert_int_equal(r->violation[0].node, SWITCH);
	assert_int_equal(r->violation[0].port, A);
	assert_int_equal(r->violation[0].priority, LOSSLESS);
	assert_int_equal(r->violation[0].missing_bytes, p->cell_bytes ? p->cell_bytes : 1);
	run_record_free(r);
}

static void check(const struct place *p)
{
	int64_t peak = 0, bound;
	int worst = 0;
	struct simkit k;

	simkit_init(&k);
	k.frame.path_mtu_bytes = p->mtu_bytes;
	k.frame.pad = !p->unpadded;
	bound = bound_of(p, &k.frame);
	simkit_fini(&k);
	for (int phase = 0; phase < PHASES; phase++) {
		struct run_record *r = play(p, bound, phase);

		assert_true(r->n.pause_frames > 0);
		assert_int_equal(r->n.headroom_violations, 0);
		assert_int_equal(r->n.drops_lossless, 0);
		if (r->max_headroom_bytes > peak) {
			peak = r->max_headroom_bytes;
			worst = phase;
		}
		run_record_free(r);
	}
	if (peak > bound || peak < bound - bound / 50 - 3 * in_buffer(p, largest_frame(p)))
		fail_msg("%" PRId64 " bps, %" PRId64 " ps, cells of %" PRId64 ", MTU %" PRId64
		         ": bound %" PRId64 ", came to %" PRId64,
		        p->rate_bps, p->delay_ps, p->cell_bytes, p->mtu_bytes, bound, peak);
	check_violation(p, peak - (p->cell_bytes ? p->cell_bytes : 1), worst);
}

static void largest_frames_at_every_speed_and_length(void **state)
{
	static const int64_t gbps[] = {10, 25, 40, 50, 100, 200, 400, 800};
	static const int64_t metres[] = {1, 3, 30, 300, 2000, 10000};

	(void)state;
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++)
		for (size_t m = 0; m < sizeof(metres) / sizeof(metres[0]); m++)
			check(&(struct place){.rate_bps = gbps[i] * SIMKIT_GBPS,
			        .delay_ps = metres[m] * PS_PER_M,
			        .mtu_bytes = (i + m) % 3 ? 1024 : 4096,
			        .unpadded = (i + m) % 2});
}

/* With cells frames of a minimum size fill most per wire byte: 64 bytes take a cell of 208 or
 * 254 and 84 on the wire. */
static void smallest_frames_in_cells(void **state)
{
	static const int64_t gbps[] = {10, 25, 40, 100, 200, 400};
	static const int64_t metres[] = {1, 30, 300};
	static const int64_t cell_bytes[] = {208, 254};

	(void)state;
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++)
		for (size_t m = 0; m < sizeof(metres) / sizeof(metres[0]); m++)
			for (size_t c = 0; c < 2 * sizeof(cell_bytes) / sizeof(cell_bytes[0]);
			        c++)
				check(&(struct place){.rate_bps = gbps[i] * SIMKIT_GBPS,
				        .delay_ps = metres[m] * PS_PER_M,
				        .cell_bytes = cell_bytes[c / 2],
				        .mtu_bytes = 2,
				        .unpadded = c % 2});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(largest_frames_at_every_speed_and_length),
	        cmocka_unit_test(smallest_frames_in_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
