/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The speed of an interface whose file does not say: eight and more frames of one size in one
 * direction that follow each other at one distance were sent back to back, so their wire bytes
 * over that distance are the speed, or that of a slower sender. The fastest standard speed that
 * is met three times wins.
 *
 * Bursts: slots of 10 us of one direction that are used at 90 % of the speed or more.
 */
#include <string.h>

#include "analysis/trace/trace_int.h"

enum { RUN_FRAMES = 8, VOTES_NEEDED = 3, RUN_MIN_WIRE_BYTES = 500 };
#define SLOT_NS INT64_C(10000)

static const int64_t speeds_bps[SPEEDS] = {INT64_C(1000000000), INT64_C(10000000000),
        INT64_C(25000000000), INT64_C(40000000000), INT64_C(50000000000), INT64_C(100000000000),
        INT64_C(200000000000), INT64_C(400000000000), INT64_C(800000000000),
        INT64_C(1600000000000)};

static void vote(struct iface *i, int64_t bits, int64_t span_ns)
{
	if (span_ns <= 0 || span_ns > INT64_C(1000000000))
		return;
	for (int s = 0; s < SPEEDS; s++) {
		/* bits / span within 2 % of the speed: in bits per 1000 s */
		__int128 a = (__int128)bits * 1000000000 * 100,
		         b = (__int128)speeds_bps[s] * span_ns;

		if (a >= b * 98 && a <= b * 102)
			i->votes[s]++;
	}
}

static void run_frame(struct iface *i, uint32_t dir, const struct obs *o)
{
	int64_t gap_ns = o->t_ns - i->run[dir].last_ns;
	bool same = i->run[dir].n && o->wire_bytes == i->run[dir].wire_bytes && gap_ns > 0 &&
	            (i->run[dir].n == 1 || (gap_ns - i->run[dir].gap_ns <= 1 &&
	                                           i->run[dir].gap_ns - gap_ns <= 1));

	if (!same || o->wire_bytes < RUN_MIN_WIRE_BYTES) {
		i->run[dir].n = 0;
		i->run[dir].begin_ns = o->t_ns;
		i->run[dir].wire_bytes = o->wire_bytes;
	} else if (i->run[dir].n == 1) {
		i->run[dir].gap_ns = gap_ns;
	}
	i->run[dir].last_ns = o->t_ns;
	if (++i->run[dir].n == RUN_FRAMES + 1) {
		vote(i, (int64_t)o->wire_bytes * 8 * RUN_FRAMES,
		        o->t_ns - i->run[dir].begin_ns);
		i->run[dir].n = 0;
	}
}

int64_t iface_inferred_bps(const struct iface *i)
{
	for (int s = SPEEDS - 1; s >= 0; s--)
		if (i->votes[s] >= VOTES_NEEDED)
			return speeds_bps[s];
	return 0;
}

static void burst_end(struct iface *i, uint32_t dir)
{
	struct trace_bursts *b = &i->pub.bursts;
	int64_t longest_ns = (i->slot[dir].slot - i->slot[dir].burst_from) * SLOT_NS;

	if (!i->slot[dir].burst_bytes)
		return;
	b->n++;
	if (longest_ns > b->longest_ns) {
		b->longest_ns = longest_ns;
		b->longest_at_ns = i->slot[dir].burst_from * SLOT_NS;
	}
	if (i->slot[dir].burst_bytes > b->largest_bytes)
		b->largest_bytes = i->slot[dir].burst_bytes;
	i->slot[dir].burst_bytes = 0;
}

/* The slot is over; next is the one that follows in which there is anything. */
static void slot_end(struct iface *i, uint32_t dir, int64_t next)
{
	struct trace_bursts *b = &i->pub.bursts;
	uint64_t bytes = i->slot[dir].bytes;
	int64_t speed_bps = i->pub.speed_bps ? i->pub.speed_bps : iface_inferred_bps(i);
	int64_t bps = bytes > INT64_MAX / 800000 ? INT64_MAX : (int64_t)(bytes * 800000);

	if (bps > b->peak_bps) {
		b->peak_bps = bps;
		b->peak_at_ns = i->slot[dir].slot * SLOT_NS;
	}
	if (speed_bps && bps >= speed_bps / 10 * 9) {
		if (!i->slot[dir].burst_bytes)
			i->slot[dir].burst_from = i->slot[dir].slot;
		i->slot[dir].burst_bytes += bytes;
		i->slot[dir].slot++;
		if (next != i->slot[dir].slot)
			burst_end(i, dir);
	} else {
		burst_end(i, dir);
	}
	i->slot[dir].slot = next;
	i->slot[dir].bytes = 0;
}

static void mac_frame(struct iface *i, const struct obs *o)
{
	static const uint8_t none[6];

	if (!i->mac_seen) {
		i->mac_seen = i->pub.mac_known = true;
		memcpy(i->pub.mac, o->mac, sizeof(i->pub.mac));
	}
	if (memcmp(i->pub.mac, o->mac, sizeof(i->pub.mac)) != 0 ||
	        !memcmp(o->mac, none, sizeof(none)) ||
	        (o->direction == DIRECTION_OUT && o->flags & OBS_ROUTED))
		i->pub.mac_known = false;
}

void iface_frame(struct iface *i, const struct obs *o)
{
	uint32_t dir = o->direction < 3 ? o->direction : 0;
	int64_t slot;

	if (!i->pub.frames++) {
		i->pub.first_ns = i->pub.last_ns = o->t_ns;
		i->pub.first_number = o->number;
	}
	if (o->t_ns < i->pub.first_ns)
		i->pub.first_ns = o->t_ns;
	if (o->t_ns > i->pub.last_ns)
		i->pub.last_ns = o->t_ns;
	if (!i->pub.speed_bps)
		run_frame(i, dir, o);
	if (o->what == OBS_ROCE && o->direction != DIRECTION_UNKNOWN &&
	        (!i->mac_seen || i->pub.mac_known))
		mac_frame(i, o);
	if (o->t_ns >= i->slot[dir].end_ns) {
		slot = o->t_ns / SLOT_NS;
		slot_end(i, dir, slot);
		i->slot[dir].end_ns = (slot + 1) * SLOT_NS;
	}
	i->slot[dir].bytes += o->wire_bytes;
}

void iface_finish(struct trace *t, struct iface *i)
{
	int64_t inferred_bps = iface_inferred_bps(i);

	(void)t;
	for (uint32_t dir = 0; dir < 3; dir++) {
		slot_end(i, dir, i->slot[dir].slot + 2);
		burst_end(i, dir);
	}
	if (!i->pub.speed_bps && inferred_bps) {
		i->pub.speed_bps = inferred_bps;
		i->pub.speed_source = TRACE_SPEED_INFERRED;
	}
}
