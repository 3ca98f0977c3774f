/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headroom bound against two independent judges: a search over every sequence of legal
 * frames (dynamic programming over the bytes that the peer has begun to send), and an event
 * loop of one link that plays given frames against a given headroom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/pause.h"
#include "dataplane/base/rng.h"
#include "dataplane/fabric/headroom.h"

#define GBPS INT64_C(1000000000)

static const struct frame_cfg roce = {.header_bytes = 58,
        .reth_bytes = 16,
        .ack_bytes = 62,
        .cnp_bytes = 74,
        .pfc_bytes = 60,
        .fcs_bytes = 4,
        .gap_bytes = 20,
        .path_mtu_bytes = 1024,
        .time_step_ps = 1};

static const struct frame_cfg padded = {.header_bytes = 58,
        .reth_bytes = 16,
        .ack_bytes = 62,
        .cnp_bytes = 74,
        .pfc_bytes = 60,
        .min_bytes = 60,
        .pad = 1,
        .fcs_bytes = 4,
        .gap_bytes = 20,
        .path_mtu_bytes = 1024,
        .time_step_ps = 1};

/* ---- One link: a peer that sends frames back to back, a switch that wants them to stop ----
 */

enum what { EFFECT, PEER_SENDS, SWITCH_SENDS, FRAME_IN, PAUSE_IN, N_WHAT };

struct loop {
	const struct headroom_in *in;
	int64_t due_ps[N_WHAT]; /* at most one of each but FRAME_IN, which has its own list */
	const struct headroom_run *run;
	int n_runs, at_run;
	int64_t sent_of_run;
	int64_t peer_carry, switch_carry;
	bool paused, sending_pause;
	int64_t arrive_ps[4096]; /* FIFO */
	int64_t frame_bytes[4096];
	unsigned head, tail;
	bool triggered;
	int64_t used_bytes, dropped;
};

static int64_t wire_ps(const struct loop *l, int64_t frame_bytes, int64_t *carry)
{
	__int128 num =
	        (__int128)(frame_bytes + l->in->frame->fcs_bytes + l->in->frame->gap_bytes) *
	                8 * PS_PER_S +
	        *carry;
	int64_t t_ps = (int64_t)(num / l->in->rate_bps);

	*carry = (int64_t)(num % l->in->rate_bps);
	return t_ps;
}

static int64_t in_buffer(const struct headroom_in *in, int64_t frame_bytes)
{
	int64_t cell = in->cell_bytes ? in->cell_bytes : 1;
	int64_t bytes = frame_bytes + in->frame->fcs_bytes;

	return bytes % cell ? bytes + cell - bytes % cell : bytes;
}

static int64_t biggest(const struct headroom_in *in)
{
	const struct frame_cfg *f = in->frame;
	int64_t payload = f->path_mtu_bytes + (f->pad ? -f->path_mtu_bytes & 3 : 0);
	int64_t data = f->header_bytes + f->reth_bytes + payload;
	int64_t control = f->ack_bytes > f->cnp_bytes ? f->ack_bytes : f->cnp_bytes;

	if (data < f->min_bytes)
		data = f->min_bytes;
	return data > control ? data : control;
}

static void peer_sends(struct loop *l, int64_t now_ps)
{
	int64_t bytes;

	if (l->paused || l->at_run == l->n_runs)
		return;
	bytes = l->run[l->at_run].frame_bytes;
	if (++l->sent_of_run == l->run[l->at_run].count) {
		l->at_run++;
		l->sent_of_run = 0;
	}
	l->due_ps[PEER_SENDS] = now_ps + wire_ps(l, bytes, &l->peer_carry);
	l->arrive_ps[l->tail % 4096] =
	        l->due_ps[PEER_SENDS] + l->in->delay_ps + l->in->latency_ps;
	l->frame_bytes[l->tail % 4096] = bytes;
	l->tail++;
	assert_true(l->tail - l->head <= 4096);
}

static void frame_in(struct loop *l, int64_t now_ps, int64_t phase_ps, int64_t headroom_bytes)
{
	int64_t bytes = in_buffer(l->in, l->frame_bytes[l->head % 4096]);
	int64_t obstacle = biggest(l->in), carry = l->switch_carry;

	l->head++;
	if (l->used_bytes + bytes > headroom_bytes)
		l->dropped++;
	l->used_bytes += bytes;
	if (l->triggered)
		return;
	l->triggered = true;
	if (obstacle < l->in->frame->pfc_bytes)
		obstacle = l->in->frame->pfc_bytes;
	l->due_ps[SWITCH_SENDS] = now_ps - phase_ps + wire_ps(l, obstacle, &carry);
	l->switch_carry = carry;
}

/* Bytes that the frames took up, the first included; dropped ones are counted on. */
static struct loop play(const struct headroom_in *in, const struct headroom_run *run,
        int n_runs, int64_t phase_ps, int64_t headroom_bytes, int64_t carry)
{
	struct loop l = {.in = in,
	        .run = run,
	        .n_runs = n_runs,
	        .peer_carry = carry,
	        .switch_carry = carry};

	for (int i = 0; i < N_WHAT; i++)
		l.due_ps[i] = TIME_NEVER;
	l.due_ps[PEER_SENDS] = 0;
	for (;;) {
		int what = 0;
		int64_t now_ps;

		l.due_ps[FRAME_IN] = l.head == l.tail ? TIME_NEVER : l.arrive_ps[l.head % 4096];
		for (int i = 1; i < N_WHAT; i++)
			if (l.due_ps[i] < l.due_ps[what])
				what = i;
		now_ps = l.due_ps[what];
		if (now_ps == TIME_NEVER)
			return l;
		l.due_ps[what] = TIME_NEVER;
		switch ((enum what)what) {
		case PEER_SENDS:
			peer_sends(&l, now_ps);
			break;
		case FRAME_IN:
			frame_in(&l, now_ps, phase_ps, headroom_bytes);
			break;
		case SWITCH_SENDS:
			l.due_ps[PAUSE_IN] =
			        now_ps + wire_ps(&l, in->frame->pfc_bytes, &l.switch_carry) +
			        in->delay_ps;
			break;
		case PAUSE_IN:
			l.due_ps[EFFECT] = now_ps + in->response_ps;
			break;
		case EFFECT:
			l.paused = true;
			break;
		case N_WHAT:
			break;
		}
	}
}

/* ---- The search ---- */

/* Every message of one packet and every first, middle and last packet, as a NIC builds them. */
static bool *legal_sizes(const struct headroom_in *in, int64_t high)
{
	const struct frame_cfg *f = in->frame;
	bool *legal = calloc((size_t)high + 1, sizeof(*legal));

	assert_non_null(legal);
	for (int64_t message = 1; message <= f->path_mtu_bytes; message++)
		for (int first = 0; first < 2; first++) {
			int64_t payload = f->pad ? (message + 3) / 4 * 4 : message;
			int64_t bytes = f->header_bytes + payload + (first ? f->reth_bytes : 0);

			legal[bytes < f->min_bytes ? f->min_bytes : bytes] = true;
		}
	legal[f->ack_bytes] = legal[f->cnp_bytes] = true;
	return legal;
}

/*
 * most[s]: the most buffer that frames of s wire bytes in all can take, for a peer that may
 * begin a frame while s < limit. The first and the last frame are of the largest size.
 */
static int64_t search(const struct headroom_in *in, int64_t limit)
{
	const struct frame_cfg *f = in->frame;
	int64_t *most = malloc((size_t)limit * sizeof(*most));
	int64_t high = biggest(in), best = 0, before = 0;
	bool *legal = legal_sizes(in, high);

	assert_non_null(most);
	for (int64_t s = 0; s < limit; s++)
		most[s] = s ? -1 : 0;
	for (int64_t bytes = 0; bytes <= high; bytes++) {
		int64_t wire = bytes + f->fcs_bytes + f->gap_bytes;
		int64_t gain = in_buffer(in, bytes);

		/* Of the sizes that take the same cells the smallest is the best. */
		if (!legal[bytes] || gain == before)
			continue;
		before = gain;
		for (int64_t s = wire; s < limit; s++)
			if (most[s - wire] >= 0 && most[s - wire] + gain > most[s])
				most[s] = most[s - wire] + gain;
	}
	for (int64_t s = 0; s < limit; s++)
		if (most[s] > best)
			best = most[s];
	free(most);
	free(legal);
	return best + 2 * in_buffer(in, high);
}

/* For rates with whole picoseconds per byte: bytes that the peer begins before the stop. A stop
 * without response time comes after the frame that begins at that instant. */
static int64_t open_bytes(const struct headroom_in *in)
{
	const struct frame_cfg *f = in->frame;
	int64_t byte_ps = 8 * PS_PER_S / in->rate_bps;
	int64_t obstacle = biggest(in) > f->pfc_bytes ? biggest(in) : f->pfc_bytes;
	int64_t open_ps =
	        byte_ps * (obstacle + f->pfc_bytes + 2 * (f->fcs_bytes + f->gap_bytes)) +
	        2 * in->delay_ps + in->latency_ps + in->response_ps + (in->response_ps == 0);

	return (open_ps + byte_ps - 1) / byte_ps;
}

static void check_search(const struct headroom_in *in, const char *what, uint64_t seed)
{
	int64_t bound = headroom_bound_bytes(in), most = search(in, open_bytes(in));

	if (bound != most)
		fail_msg(
		        "%s seed %llu: bound %lld, the search finds %lld (rate %lld delay %lld "
		        "cell %lld header %lld reth %lld mtu %lld gap %lld fcs %lld pad %lld "
		        "min %lld ack %lld cnp %lld)",
		        what, (unsigned long long)seed, (long long)bound, (long long)most,
		        (long long)in->rate_bps, (long long)in->delay_ps,
		        (long long)in->cell_bytes, (long long)in->frame->header_bytes,
		        (long long)in->frame->reth_bytes, (long long)in->frame->path_mtu_bytes,
		        (long long)in->frame->gap_bytes, (long long)in->frame->fcs_bytes,
		        (long long)in->frame->pad, (long long)in->frame->min_bytes,
		        (long long)in->frame->ack_bytes, (long long)in->frame->cnp_bytes);
}

static int64_t standard_ps(int64_t rate_bps)
{
	return pause_quanta_ps(pause_response_quanta(rate_bps), rate_bps);
}

/* Every cell size that SONiC's tables name, and those around the preamble and gap. */
static const int64_t cell_sizes[] = {
        0, 2, 16, 20, 21, 22, 48, 80, 96, 144, 192, 208, 254, 256, 1024, 2048};

#define N_CELLS (sizeof(cell_sizes) / sizeof(cell_sizes[0]))

static void test_bound_is_the_maximum(void **state)
{
	(void)state;
	for (size_t c = 0; c < 2 * N_CELLS; c++)
		for (int64_t delay_ps = 0; delay_ps <= 60000; delay_ps += 5000) {
			struct frame_cfg f = c % 2 ? padded : roce;
			struct headroom_in in = {.rate_bps = 100 * GBPS,
			        .delay_ps = delay_ps,
			        .response_ps = 1 + delay_ps * 7 / 3,
			        .cell_bytes = cell_sizes[c / 2],
			        .frame = &f};

			if (in.cell_bytes <= 22)
				f.path_mtu_bytes = 256;

			check_search(&in, "cells", 0);
			in.response_ps = 0;
			check_search(&in, "no response time", 0);
		}
}

/* ODD: an ACK, a CNP, a smallest frame or frames with a RETH stand between the steps. */
enum kind { UNPADDED, PADDED, ODD, N_KINDS };
static const char *const kind_names[N_KINDS] = {"all sizes", "padded", "odd sizes"};

/* Short cables with frames of all sizes, long ones with short frames: there the bound picks
 * from a few mixes near the best and the search from all. */
static void check_random(uint64_t seed, enum kind kind)
{
	static const int64_t gbps[] = {10, 25, 40, 50, 100, 200, 400, 800, 1600};
	struct rng rng = rng_make(seed, 0, RNG_LOAD);
	bool is_long = seed % 2;
	int64_t rate_bps = gbps[rng_below(&rng, 9)] * GBPS, byte_ps = 8 * PS_PER_S / rate_bps;
	struct frame_cfg f = {.header_bytes = 1 + (int64_t)rng_below(&rng, is_long ? 20 : 80),
	        .reth_bytes = (int64_t)rng_below(&rng, 20),
	        .path_mtu_bytes = 1 + (int64_t)rng_below(&rng, is_long ? 60 : 300),
	        .fcs_bytes = (int64_t)rng_below(&rng, 5),
	        .gap_bytes = (int64_t)rng_below(&rng, 30),
	        .pfc_bytes = 1 + (int64_t)rng_below(&rng, 80),
	        .time_step_ps = 1};
	struct headroom_in in = {.rate_bps = rate_bps,
	        .delay_ps = (int64_t)rng_below(&rng, byte_ps * (is_long ? 6000 : 600)),
	        .latency_ps = (int64_t)rng_below(&rng, 5000),
	        .response_ps = 1 + (int64_t)rng_below(&rng, 5000),
	        .cell_bytes = (int64_t)rng_below(&rng, is_long ? 60 : 300),
	        .frame = &f};

	f.ack_bytes = f.cnp_bytes = f.header_bytes + 1;
	f.pad = kind != UNPADDED;
	if (kind != UNPADDED) {
		f.reth_bytes &= ~INT64_C(3);
		f.ack_bytes = f.cnp_bytes = f.header_bytes + 4;
	}
	/* Cells below a step and gaps that cost less than what a sum leaves over. */
	if (kind == PADDED && seed % 4 < 2) {
		in.cell_bytes = (int64_t)rng_below(&rng, 3);
		f.gap_bytes = (int64_t)rng_below(&rng, 4);
	}
	if (kind == ODD) {
		f.reth_bytes = (int64_t)rng_below(&rng, 20);
		f.min_bytes = (int64_t)rng_below(&rng, 90);
		f.ack_bytes = 1 + (int64_t)rng_below(&rng, 90);
		f.cnp_bytes = 1 + (int64_t)rng_below(&rng, 90);
		f.pad = (int64_t)rng_below(&rng, 2);
	}
	check_search(&in, kind_names[kind], seed);
}

static void test_random_frames(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++)
		for (int kind = 0; kind < N_KINDS; kind++)
			check_random(seed, (enum kind)kind);
}

/* ---- The worst case played ---- */

static void check_play(const struct headroom_in *in)
{
	struct headroom_run run[HEADROOM_MAX_RUNS + 1];
	int n = headroom_worst(in, run);
	int64_t bound = headroom_bound_bytes(in);
	int64_t one = in->cell_bytes ? in->cell_bytes : 1;
	struct loop l;

	assert_in_range(n, 1, HEADROOM_MAX_RUNS);
	/* The peer would go on for ever: only the pause stops it. */
	run[n] = (struct headroom_run){1000000, biggest(in)};
	l = play(in, run, n + 1, 0, bound, 0);
	if (l.used_bytes != bound || l.dropped)
		fail_msg("rate %lld delay %lld cell %lld: bound %lld, played %lld",
		        (long long)in->rate_bps, (long long)in->delay_ps,
		        (long long)in->cell_bytes, (long long)bound, (long long)l.used_bytes);
	l = play(in, run, n + 1, 0, bound - one, 0);
	assert_int_equal(l.dropped, 1);
	/* A frame in the way that began earlier leaves less. */
	for (int64_t phase_ps = 1; phase_ps < 100000; phase_ps = phase_ps * 3 + 1)
		assert_true(play(in, run, n + 1, phase_ps, bound, 0).used_bytes <= bound);
}

static void test_every_speed_and_length(void **state)
{
	static const int64_t gbps[] = {10, 25, 40, 50, 100, 200, 400, 800, 1600};
	static const int64_t metres[] = {0, 1, 5, 40, 300};

	(void)state;
	for (size_t g = 0; g < sizeof(gbps) / sizeof(gbps[0]); g++)
		for (size_t m = 0; m < sizeof(metres) / sizeof(metres[0]); m++)
			for (size_t c = 0; c < 2 * N_CELLS; c++) {
				struct headroom_in in = {.rate_bps = gbps[g] * GBPS,
				        .delay_ps = metres[m] * 5000,
				        .latency_ps = 300000,
				        .response_ps = standard_ps(gbps[g] * GBPS),
				        .cell_bytes = cell_sizes[c / 2],
				        .frame = c % 2 ? &padded : &roce};

				if (gbps[g] > 400 && metres[m] > 40)
					continue; /* more frames than the loop holds */
				check_play(&in);
				/* a frame that begins at the very instant still goes */
				in.response_ps = 0;
				check_play(&in);
			}
}

/* Whatever is sent in whatever phase: never more than the bound. */
static void test_nothing_exceeds_it(void **state)
{
	static const int64_t mbps[] = {10000, 25000, 30000, 70000, 100000, 3200000};

	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct rng rng = rng_make(seed, 1, RNG_LOAD);
		struct headroom_in in = {.rate_bps = mbps[rng_below(&rng, 6)] * 1000000,
		        .delay_ps = (int64_t)rng_below(&rng, 100000),
		        .latency_ps = (int64_t)rng_below(&rng, 100000),
		        .response_ps = (int64_t)rng_below(&rng, 100000),
		        .cell_bytes = cell_sizes[rng_below(&rng, N_CELLS)],
		        .frame = seed % 3 ? &padded : &roce};
		struct headroom_run run[64];
		int64_t carry = (int64_t)rng_below(&rng, (uint64_t)in.rate_bps);
		int64_t bound = headroom_bound_bytes(&in);

		for (int i = 0; i < 64; i++) {
			run[i] = (struct headroom_run){1 + (int64_t)rng_below(&rng, 8),
			        59 + (int64_t)rng_below(&rng, i % 2 ? 1040 : 10)};
			if (in.frame->pad)
				run[i].frame_bytes = (run[i].frame_bytes + 1) / 4 * 4 + 2;
		}
		run[63].count = 1000000;
		if (play(&in, run, 64, (int64_t)rng_below(&rng, 80000), bound, carry).dropped)
			fail_msg("seed %llu", (unsigned long long)seed);
	}
}

/*
 * One case by hand. 100G, 80 ps a byte, 5 m (25 ns), 394 quanta (394 * 64 bytes), byte-exact,
 * MTU 1024: largest frame 58 + 16 + 1024 + 4 = 1102, on the wire 1122; pause frame 84. Before
 * the stop the peer begins frames for 1122 + 84 + 2 * 312.5 + 25216 = 27047 bytes, so up to
 * 27046 are complete: 24 largest are 26928, the 118 left hold another of 98. Two more of the
 * largest, the first and the last.
 */
static void test_by_hand(void **state)
{
	struct headroom_in in = {.rate_bps = 100 * GBPS,
	        .delay_ps = 25000,
	        .response_ps = standard_ps(100 * GBPS),
	        .frame = &roce};
	struct headroom_run run[HEADROOM_MAX_RUNS];

	(void)state;
	assert_int_equal(headroom_bound_bytes(&in), 26 * 1102 + 98);
	assert_int_equal(headroom_worst(&in, run), 3);
	assert_int_equal(run[0].count, 25);
	assert_int_equal(run[0].frame_bytes, 1098);
	assert_int_equal(run[1].frame_bytes, 94);
	assert_int_equal(run[2].count, 1);
	/* 208-byte cells: the smallest frames (63 bytes, 83 on the wire) take a cell each: 325
	 * fill 26975 of 27046, and one of 2 cells (229) in place of two (166) gains nothing. */
	in.cell_bytes = 208;
	assert_int_equal(headroom_bound_bytes(&in), (325 + 2 * 6) * 208);
}

/*
 * The same with payloads in fours: sizes with FCS are 66, 70 and so on. 24 largest leave 118
 * for one of 98, which is in the row. 95 m are 11250 bytes more there and back: of 38296 bytes
 * 34 largest leave 148, where one of 128 would fit and the next legal one has 126. In cells of
 * 208 and of 254 the smallest (66, on the wire 86) take one: 314 of them are 27004 of 27046.
 */
static void test_by_hand_padded(void **state)
{
	struct headroom_in in = {.rate_bps = 100 * GBPS,
	        .delay_ps = 25000,
	        .response_ps = standard_ps(100 * GBPS),
	        .frame = &padded};
	struct headroom_run run[HEADROOM_MAX_RUNS];

	(void)state;
	assert_int_equal(headroom_bound_bytes(&in), 26 * 1102 + 98);
	in.delay_ps = 475000;
	assert_int_equal(headroom_bound_bytes(&in), 36 * 1102 + 126);
	assert_int_equal(headroom_worst(&in, run), 3);
	assert_int_equal(run[0].count, 35);
	assert_int_equal(run[1].count, 1);
	assert_int_equal(run[1].frame_bytes, 122);
	in.delay_ps = 25000;
	in.cell_bytes = 208;
	assert_int_equal(headroom_bound_bytes(&in), (314 + 2 * 6) * 208);
	in.cell_bytes = 254;
	assert_int_equal(headroom_bound_bytes(&in), (314 + 2 * 5) * 254);
}

/* With times rounded down to steps, frames go faster: the bound must not be smaller. */
static void test_steps_are_covered(void **state)
{
	struct frame_cfg f = roce;
	struct headroom_in in = {.rate_bps = 100 * GBPS,
	        .delay_ps = 1000000,
	        .response_ps = standard_ps(100 * GBPS),
	        .cell_bytes = 208,
	        .frame = &f};
	int64_t exact = headroom_bound_bytes(&in);

	(void)state;
	f.time_step_ps = 1000;
	assert_true(headroom_bound_bytes(&in) >= exact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_bound_is_the_maximum),
	        cmocka_unit_test(test_random_frames),
	        cmocka_unit_test(test_every_speed_and_length),
	        cmocka_unit_test(test_nothing_exceeds_it),
	        cmocka_unit_test(test_by_hand),
	        cmocka_unit_test(test_by_hand_padded),
	        cmocka_unit_test(test_steps_are_covered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
