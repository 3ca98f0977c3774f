/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/alone_walk.h"

/* How far the gaps of ACKs may stray from those of data frames: a picosecond for each link. */
#define STRAY_PS ((int64_t)2 * WAY_MAX_HOPS)

/* Frames that are walked after a jump without a period, until each link is as late as it is. */
#define CAUGHT_UP 2

struct pace {
	int64_t period; /* packets; 0: longer than may be walked */
	/* No ACK ever finds a link busy with an earlier one, the last of the message aside:
	 * only the one before that need be walked. */
	bool acks_apart;
};

static bool carries(const struct link_rate *r)
{
	return !r->ps_per_byte && r->step_ps == 1;
}

int64_t way_walk(struct way *w, int64_t wire_bytes, int64_t ready_ps)
{
	int64_t whole_ps = ready_ps,
	        head_ps = ready_ps; /* at the node, by last byte and head */

	for (uint32_t i = 0; i < w->n; i++) {
		struct way_hop *h = &w->hop[i];
		int64_t tx_ps = link_rate_tx_ps(&h->rate, wire_bytes);
		bool may_cut = i > 0 && h->rate.bps <= w->hop[i - 1].rate.bps;
		int64_t start_ps = may_cut ? head_ps : whole_ps;

		h->waited = h->free_ps > start_ps;
		if (h->waited)
			start_ps = h->free_ps > whole_ps ? h->free_ps : whole_ps;
		h->always_busy &= h->free_ps >= whole_ps;
		h->free_ps = start_ps + tx_ps;
		whole_ps = h->free_ps + h->delay_ps;
		head_ps = whole_ps;
		if (h->head_bytes)
			head_ps -= link_rate_rest_ps(&h->rate, wire_bytes - h->head_bytes);
	}
	return whole_ps;
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The least common multiple, 0 where it is above max; 0 stays 0. */
static int64_t both(int64_t a, int64_t b, int64_t max)
{
	int64_t turns = a && b ? b / gcd(a, b) : 0;

	return turns && a <= max / turns ? a * turns : 0;
}

/* After so many equal frames what is left over is what it was. */
static int64_t carry_period(const struct link_rate *r, int64_t wire_bytes)
{
	int64_t left;

	if (!carries(r))
		return 1;
	left = (int64_t)((__int128)wire_bytes * INT64_C(8000000000000) % r->bps);
	return r->bps / gcd(r->bps, left);
}

static int64_t way_period(const struct way *w, int64_t wire_bytes, int64_t max)
{
	int64_t period = 1;

	for (uint32_t i = 0; i < w->n; i++)
		period = both(period, carry_period(&w->hop[i].rate, wire_bytes), max);
	return period;
}

/* What a link is busy with so many equal frames; *left: the carry after them. */
static __int128 busy_ps(const struct link_rate *r, int64_t frames, int64_t bytes, int64_t *left)
{
	struct link_rate idle = *r;
	__int128 num;

	*left = r->carry;
	if (!carries(r))
		return (__int128)frames * link_rate_tx_ps(&idle, bytes);
	num = (__int128)frames * bytes * INT64_C(8000000000000) + r->carry;
	*left = (int64_t)(num % r->bps);
	return num / r->bps;
}

static __int128 slowest_ps(const struct way *w, int64_t frames, int64_t wire_bytes)
{
	__int128 slowest = 0;
	int64_t left;

	for (uint32_t i = 0; i < w->n; i++) {
		__int128 t_ps = busy_ps(&w->hop[i].rate, frames, wire_bytes, &left);

		slowest = t_ps > slowest ? t_ps : slowest;
	}
	return slowest;
}

static struct pace pace_of(const struct way *there, const struct way *back,
        const struct alone_msg *m, int64_t max_walked)
{
	struct pace p = {.period = way_period(there, m->full_bytes, max_walked / 4)};
	int64_t acks;

	p.acks_apart = m->ack_every >= m->packets ||
	               slowest_ps(back, 1, m->ack_bytes) + STRAY_PS <
	                       slowest_ps(there, 1, m->full_bytes) * m->ack_every;
	if (p.acks_apart)
		return p;
	acks = way_period(back, m->ack_bytes, max_walked / 4);
	p.period = both(p.period, acks * m->ack_every, max_walked / 4);
	return p;
}

static void mark(struct way *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		w->hop[i].mark_ps = w->hop[i].free_ps;
		w->hop[i].always_busy = true;
	}
}

/*
 * Will each link go through the next period as through this one, later by as much as its
 * input, or than its input where it is never without a frame? *in_ps: how much later the
 * input is; then the output.
 */
static bool repeats(struct way *w, int64_t *in_ps)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct way_hop *h = &w->hop[i];

		h->turn_ps = h->free_ps - h->mark_ps;
		if (h->turn_ps != *in_ps && !(h->turn_ps > *in_ps && h->always_busy))
			return false;
		*in_ps = h->turn_ps;
	}
	return true;
}

static void jump_periods(struct way *w, int64_t periods)
{
	for (uint32_t i = 0; i < w->n; i++)
		w->hop[i].free_ps += periods * w->hop[i].turn_ps;
}

/* No period is known: as far as its own frames alone keep each link busy. What comes later, for
 * it follows a slower link, comes with the next frame that is walked. */
static void jump_frames(struct way *w, int64_t frames, int64_t bytes)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct way_hop *h = &w->hop[i];

		h->free_ps += (int64_t)busy_ps(&h->rate, frames, bytes, &h->rate.carry);
	}
}

/* ACKs that came and went meanwhile leave their fraction of a picosecond, and no more. */
static void pass_acks(struct way *w, int64_t acks, int64_t bytes)
{
	for (uint32_t i = 0; i < w->n; i++)
		(void)busy_ps(&w->hop[i].rate, acks, bytes, &w->hop[i].rate.carry);
}

/* Did the last frame find every link free? */
static bool met_nothing(const struct way *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->hop[i].waited)
			return false;
	return true;
}

/* Packet i was sent; returns the one to go on from as if sent just now. */
static int64_t jump(struct way *there, struct way *back, const struct alone_msg *m,
        const struct pace *p, int64_t i, bool exact)
{
	int64_t stop = m->packets - 1; /* to be walked, and so is the last ACK before it */
	int64_t acked = (m->packets - 1) / m->ack_every * m->ack_every - 1;
	int64_t frames, acks;

	if (p->acks_apart && i < acked)
		stop = acked;
	frames = stop - 1 - i - (exact ? 0 : CAUGHT_UP);
	if (frames <= 0)
		return i;
	if (exact)
		frames -= frames % p->period;
	acks = (i + 1 + frames) / m->ack_every - (i + 1) / m->ack_every;
	if (exact)
		jump_periods(there, frames / p->period);
	else
		jump_frames(there, frames, m->full_bytes);
	if (p->acks_apart)
		pass_acks(back, acks, m->ack_bytes);
	else if (exact)
		jump_periods(back, frames / p->period);
	else
		jump_frames(back, acks, m->ack_bytes);
	return i + frames;
}

/* One period after the mark. */
static bool settled(struct way *there, struct way *back, const struct pace *p)
{
	int64_t in_ps = 0;

	if (!repeats(there, &in_ps))
		return false;
	return p->acks_apart ? met_nothing(back) : repeats(back, &in_ps);
}

int64_t alone_walk_ps(
        struct way *there, struct way *back, const struct alone_msg *m, int64_t max_walked)
{
	const struct pace p = pace_of(there, back, m, max_walked);
	int64_t marked = 0, done_ps = 0;
	bool known = false, exact = false;

	if (slowest_ps(there, m->packets, m->full_bytes) +
	                slowest_ps(back, m->packets / m->ack_every, m->ack_bytes) >
	        INT64_MAX / 4)
		return TIME_NEVER;
	for (int64_t i = 0; i < m->packets; i++) {
		bool last = i == m->packets - 1;
		int64_t t_ps = way_walk(there,
		        last     ? m->last_bytes
		        : i == 0 ? m->first_bytes
		                 : m->full_bytes,
		        0);

		if (last || (i + 1) % m->ack_every == 0)
			done_ps = way_walk(back, m->ack_bytes, t_ps);
		if (last || i == 0)
			continue;
		if (!known && marked && p.period && i - marked == p.period)
			known = exact = settled(there, back, &p);
		if (!known && i >= max_walked)
			known = true;
		if (known) {
			i = jump(there, back, m, &p, i, exact);
		} else if (!marked || i - marked == p.period) {
			mark(there);
			mark(back);
			marked = i;
		}
	}
	return done_ps;
}
