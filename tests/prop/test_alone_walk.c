/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a message alone, of which only some frames are walked, against the walk of all of
 * them: to the picosecond where the pattern of the links can be seen, to one for each link
 * where it is too long. And in a bounded number of steps whatever the rates.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "gen/sim/alone_walk.h"
#include "tests/support/simkit_random.h"

#define GBPS INT64_C(1000000000)

static int64_t draw_rate(struct rng *r, bool odd)
{
	static const int64_t gbps[] = {
	        10, 25, 30, 40, 56, 99, 100, 100, 112, 120, 120, 400, 448, 700, 800, 3200};

	if (odd)
		return simkit_draw(r, GBPS, 900 * GBPS);
	if (simkit_draw(r, 0, 9) == 0)
		return INT64_C(25781250000);
	return gbps[simkit_draw(r, 0, 15)] * GBPS;
}

static void draw_way(struct way *w, struct rng *r, uint32_t hops, bool odd)
{
	const int64_t step_ps = simkit_draw(r, 0, 9) ? 1 : 1000;
	const int64_t rate_bps = simkit_draw(r, 0, 2) ? 0 : draw_rate(r, odd);

	*w = (struct way){.n = hops};
	for (uint32_t i = 0; i < hops; i++) {
		w->hop[i].delay_ps = simkit_draw(r, 0, 3) ? simkit_draw(r, 0, 2000000) : 0;
		w->hop[i].head_bytes = simkit_draw(r, 0, 1) ? 64 : 0;
		link_rate_init(
		        &w->hop[i].rate, rate_bps ? rate_bps : draw_rate(r, odd), step_ps);
	}
}

static struct alone_msg draw_msg(struct rng *r, int64_t packets)
{
	static const int64_t ack_every[] = {1, 1, 2, 5, 64, 65535};
	struct alone_msg m = {
	        .packets = packets,
	        .full_bytes = simkit_draw(r, 0, 2) ? simkit_draw(r, 1000, 4200)
	                                           : simkit_draw(r, 84, 120),
	        .ack_bytes = simkit_draw(r, 84, 90),
	        .ack_every = ack_every[simkit_draw(r, 0, 5)],
	};

	m.first_bytes = m.full_bytes + simkit_draw(r, 0, 16);
	m.last_bytes = packets == 1 ? m.first_bytes : simkit_draw(r, 84, m.full_bytes);
	return m;
}

static int64_t walked_ps(struct way *there, struct way *back, const struct alone_msg *m)
{
	int64_t done_ps = 0;

	for (int64_t i = 0; i < m->packets; i++) {
		bool last = i == m->packets - 1;
		int64_t t_ps = way_walk(there,
		        last     ? m->last_bytes
		        : i == 0 ? m->first_bytes
		                 : m->full_bytes,
		        0);

		if (last || (i + 1) % m->ack_every == 0)
			done_ps = way_walk(back, m->ack_bytes, t_ps);
	}
	return done_ps;
}

/* How far off it is: 0, unless no period is seen within max_walked packets. */
static int64_t off_ps(uint64_t seed, bool odd, int64_t max_walked, int64_t allowed_frames)
{
	struct rng rng = rng_make(seed, 1, RNG_LOAD);
	struct way there, back, t, b;
	uint32_t hops = (uint32_t)simkit_draw(&rng, 1, 6);
	struct alone_msg m;
	int64_t want_ps, got_ps, off;

	draw_way(&there, &rng, hops, odd);
	draw_way(&back, &rng, hops, odd);
	m = draw_msg(&rng, simkit_draw(&rng, 0, 3) ? simkit_draw(&rng, 1, 3000)
	                                           : simkit_draw(&rng, 1, 20));
	t = there;
	b = back;
	want_ps = walked_ps(&t, &b, &m);
	got_ps = alone_walk_ps(&there, &back, &m, max_walked);
	off = got_ps > want_ps ? got_ps - want_ps : want_ps - got_ps;
	if (off > allowed_frames * m.full_bytes * 8 * 1000)
		fail_msg("seed %" PRIu64 ": %" PRId64 " packets of %" PRId64
		         " bytes over %" PRIu32 " links, ACK every %" PRId64 ", take %" PRId64
		         " ps, not %" PRId64,
		        seed, m.packets, m.full_bytes, hops, m.ack_every, want_ps, got_ps);
	return off;
}

static void what_is_not_walked_is_exact(void **state)
{
	uint64_t first, runs;

	(void)state;
	simkit_seeds(&first, &runs, 3000);
	for (uint64_t seed = first; seed < first + runs; seed++)
		assert_int_equal(off_ps(seed, false, 1 << 20, 0), 0);
}

/* No period is to be seen at such rates within the limit. What is left are fractions of a
 * picosecond, and in one of a thousand what nearly equal rates had still to make up: less than
 * a frame. */
static void what_cannot_be_seen_is_off_by_picoseconds(void **state)
{
	uint64_t first, runs, far = 0;

	(void)state;
	simkit_seeds(&first, &runs, 3000);
	for (uint64_t seed = first; seed < first + runs; seed++)
		far += off_ps(seed, true, 512, 1) > 12;
	assert_true(far < 10 + runs / 300);
}

/* The largest messages at the worst rates, as many as unfinished messages of 100 hosts. */
static void largest_messages_take_no_time_to_work_out(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10000; seed++) {
		struct rng rng = rng_make(seed, 1, RNG_LOAD);
		struct way there, back;
		struct alone_msg m;

		draw_way(&there, &rng, 4, seed % 2);
		draw_way(&back, &rng, 4, seed % 2);
		m = draw_msg(&rng, INT64_C(1) << 40);
		assert_true(alone_walk_ps(&there, &back, &m, 512) >
		            (INT64_C(1) << 40) * 84 * 8 * 1000 / 3200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_not_walked_is_exact),
	        cmocka_unit_test(what_cannot_be_seen_is_off_by_picoseconds),
	        cmocka_unit_test(largest_messages_take_no_time_to_work_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
