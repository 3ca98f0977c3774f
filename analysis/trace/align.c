/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_result.h"

enum { WINDOWS = 32, WINDOWS_FOR_DRIFT = 8, STEPS = 120 };
/* One direction alone: an offset smaller than this may as well be latency. */
#define COMMON_CLOCK_NS INT64_C(1000000)
/* What no two clocks differ by in rate, nor in time (73 years; one may count from its boot):
 * the packets are not the same. */
#define DRIFT_MAX     1e-3
#define OFFSET_MAX_NS (INT64_C(1) << 61)
/* What packets spend on their way at most, both ways together. */
#define LATENCY_MAX_NS 50e6
/* A drift has to stand out of what windows scatter by so much, and so much more. */
#define SIGMAS     4
#define LEAST_GAIN 20.0

/* From an origin on, so that a double is exact. */
struct point {
	double t, d;
	uint32_t group;
	bool dir;
};

/* Points that a line below (sign 1) or above (-1) all of them can touch; ascending t. */
struct hull {
	struct point *p;
	uint32_t n;
	double sign;
};

/* d = at + slope * t lies in the middle between there and back. */
struct line {
	double at, slope, margin; /* margin: from back to there */
};

static int by_d(const void *a, const void *b)
{
	const struct align_match *x = a, *y = b;

	return (x->d_ns > y->d_ns) - (x->d_ns < y->d_ns);
}

static int by_group(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->dir != y->dir)
		return x->dir ? 1 : -1;
	return (x->t > y->t) - (x->t < y->t);
}

/*
 * What is of one kind shows nearly one distance of clocks: the most matches within what drift
 * and latency may make of it. The rest are packets that only look the same, as PSNs that come
 * round again do.
 */
static uint32_t agreeing(struct align_match *m, uint32_t n)
{
	int64_t first_ns = m[0].t_ns, last_ns = m[0].t_ns;
	uint32_t best = 0, best_n = 0, to = 0;
	double width;

	for (uint32_t i = 1; i < n; i++) {
		first_ns = m[i].t_ns < first_ns ? m[i].t_ns : first_ns;
		last_ns = m[i].t_ns > last_ns ? m[i].t_ns : last_ns;
	}
	width = LATENCY_MAX_NS + DRIFT_MAX * (double)(last_ns - first_ns);
	qsort(m, n, sizeof(*m), by_d);
	for (uint32_t from = 0; from < n; from++) {
		while (to < n && (double)(m[to].d_ns - m[from].d_ns) <= width)
			to++;
		if (to - from > best_n) {
			best_n = to - from;
			best = from;
		}
	}
	if (best)
		memmove(m, m + best, best_n * sizeof(*m));
	return best_n;
}

static double cross(const struct point *o, const struct point *a, const struct point *b)
{
	return (a->t - o->t) * (b->d - o->d) - (a->d - o->d) * (b->t - o->t);
}

static void hull_add(struct hull *h, const struct point *p)
{
	while (h->n >= 2 && h->sign * cross(&h->p[h->n - 2], &h->p[h->n - 1], p) <= 0)
		h->n--;
	h->p[h->n++] = *p;
}

/* Where the line of this slope that touches the hull is at t = 0. */
static double touch(const struct hull *h, double slope)
{
	double least = h->sign * (h->p[0].d - slope * h->p[0].t);

	for (uint32_t i = 1; i < h->n; i++) {
		double x = h->sign * (h->p[i].d - slope * h->p[i].t);

		if (x < least)
			least = x;
	}
	return h->sign * least;
}

static struct line line_of(const struct hull *there, const struct hull *back, double slope)
{
	double up = touch(there, slope), down = touch(back, slope);

	return (struct line){(up + down) / 2, slope, up - down};
}

/* The slope that leaves most room between both; the room is a concave function of it. */
static struct line widest(const struct hull *there, const struct hull *back)
{
	double lo = -DRIFT_MAX, hi = DRIFT_MAX;

	for (int i = 0; i < STEPS; i++) {
		double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;

		if (line_of(there, back, a).margin < line_of(there, back, b).margin)
			lo = a;
		else
			hi = b;
	}
	return line_of(there, back, (lo + hi) / 2);
}

/* Sorted by group, direction and time: where the group's second direction and its end are. */
static void group_at(
        const struct point *p, uint32_t n, uint32_t from, uint32_t *split, uint32_t *to)
{
	for (*split = from; *split < n && p[*split].group == p[from].group && !p[*split].dir;)
		++*split;
	for (*to = *split; *to < n && p[*to].group == p[from].group;)
		++*to;
}

static struct line group_line(const struct point *p, uint32_t from, uint32_t split, uint32_t to,
        bool there, struct point *room)
{
	struct hull up = {room, 0, 1}, down = {room + (to - from), 0, -1};

	for (uint32_t i = from; i < split; i++)
		hull_add(there ? &down : &up, &p[i]);
	for (uint32_t i = split; i < to; i++)
		hull_add(there ? &up : &down, &p[i]);
	return widest(&up, &down);
}

static double mean_above(const struct point *p, uint32_t n, const struct line *l)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += p[i].d - l->at - l->slope * p[i].t;
	return sum / n;
}

/*
 * Which direction goes from a to b: that which takes longer by these clocks. Of the largest
 * group it is the one that leaves more room for a line; of the others that which lies above
 * this line. Groups of one direction are left out; returns what is kept, in front, with dir
 * saying whether it goes from a to b.
 */
static uint32_t orient(struct point *p, uint32_t n, struct point *room)
{
	uint32_t kept = 0, most = 0, split, to, at[3] = {0};
	struct line one, other;

	for (uint32_t from = 0; from < n; from = to) {
		uint32_t least;

		group_at(p, n, from, &split, &to);
		least = split - from < to - split ? split - from : to - split;
		if (least > most) {
			most = least;
			at[0] = from;
			at[1] = split;
			at[2] = to;
		}
	}
	if (!most)
		return 0;
	one = group_line(p, at[0], at[1], at[2], true, room);
	other = group_line(p, at[0], at[1], at[2], false, room);
	if (other.margin > one.margin)
		one = other;
	for (uint32_t from = 0; from < n; from = to) {
		bool there;

		group_at(p, n, from, &split, &to);
		if (split == from || split == to)
			continue;
		there = mean_above(p + split, to - split, &one) >
		        mean_above(p + from, split - from, &one);
		for (uint32_t i = from; i < to; i++) {
			p[kept] = p[i];
			p[kept++].dir = p[i].dir == there;
		}
	}
	return kept;
}

/* How far the windows' extremes lie from the line, root of the mean square; negative where too
 * few windows have what is needed to say. */
static double scatter(const struct point *p, uint32_t n, const struct line *l, bool both)
{
	double up[WINDOWS], down[WINDOWS], sum = 0, first = 0, squares = 0;
	bool has_up[WINDOWS] = {0}, has_down[WINDOWS] = {0};
	double span = 0;
	int windows = 0;

	for (uint32_t i = 0; i < n; i++)
		span = p[i].t > span ? p[i].t : span;
	for (uint32_t i = 0; i < n; i++) {
		/* a time as large as the span rounds up to it, one before the first is below 0
		 */
		double part = p[i].t / (span + 1) * WINDOWS;
		int w = part < 0 ? 0 : part < WINDOWS - 1 ? (int)part : WINDOWS - 1;
		double x = p[i].d - l->at - l->slope * p[i].t;

		if (p[i].dir && (!has_up[w] || x < up[w])) {
			up[w] = x;
			has_up[w] = true;
		} else if (!p[i].dir && (!has_down[w] || x > down[w])) {
			down[w] = x;
			has_down[w] = true;
		}
	}
	for (int w = 0; w < WINDOWS; w++) {
		double x;

		if (!has_up[w] || (both && !has_down[w]))
			continue;
		x = both ? (up[w] + down[w]) / 2 : up[w];
		if (!windows++)
			first = x;
		sum += x - first;
		squares += (x - first) * (x - first);
	}
	if (windows < WINDOWS_FOR_DRIFT)
		return -1;
	squares = squares / windows - sum / windows * (sum / windows);
	return squares > 0 ? sqrt(squares) : 0;
}

static double whole(double x)
{
	return x < 0 ? ceil(x - 0.5) : floor(x + 0.5);
}

/* The fix that takes the line's distance off, referred to the middle of the points. */
static struct clock_fix fix_of(
        const struct line *l, double middle, int64_t origin_ns, int64_t base_ns)
{
	return (struct clock_fix){.estimated = true,
	        .reference_ns = origin_ns + (int64_t)middle,
	        .offset_ns =
	                -base_ns - (int64_t)whole(l->at + l->slope * (double)(int64_t)middle),
	        .drift_ppt = -(int64_t)whole(l->slope * 1e12),
	        .residual_ns = (int64_t)whole(fabs(l->margin) / 2)};
}

static struct clock_fix enclosed(struct point *p, uint32_t n, double span, int64_t origin_ns,
        int64_t base_ns, struct point *room)
{
	struct hull there = {room, 0, 1}, back = {room + n, 0, -1};
	struct line flat, tilted;
	struct clock_fix c;
	double noise, gain;

	for (uint32_t i = 0; i < n; i++)
		p[i].group = 0;
	qsort(p, n, sizeof(*p), by_group);
	for (uint32_t i = 0; i < n; i++)
		hull_add(p[i].dir ? &there : &back, &p[i]);
	flat = line_of(&there, &back, 0);
	tilted = widest(&there, &back);
	noise = scatter(p, n, &tilted, true);
	gain = noise < 0 ? fabs(tilted.slope) * span - tilted.margin
	                 : tilted.margin - flat.margin - SIGMAS * noise;
	if (gain > LEAST_GAIN)
		return fix_of(&tilted, span / 2, origin_ns, base_ns);
	c = fix_of(&flat, span / 2, origin_ns, base_ns);
	/* The clocks agree as far as can be known: nothing is added. */
	if (touch(&there, 0) + (double)base_ns >= 0 && touch(&back, 0) + (double)base_ns <= 0)
		c.offset_ns = 0;
	return c;
}

/* Packets of one direction alone: all latency but the least is theirs, and what moves it
 * steadily is drift. */
static struct clock_fix one_way(struct point *p, uint32_t n, double span, int64_t origin_ns,
        int64_t base_ns, struct point *room)
{
	struct hull there = {room, 0, 1};
	struct clock_fix c = {
	        .estimated = true, .reference_ns = origin_ns + (int64_t)(span / 2)};
	struct line l = {0};
	double least, most = 0, noise;
	uint32_t i = 0;

	for (i = 0; i < n; i++) {
		p[i].group = 0;
		p[i].dir = true;
	}
	qsort(p, n, sizeof(*p), by_group);
	for (i = 0; i < n; i++)
		hull_add(&there, &p[i]);
	least = touch(&there, 0) + (double)base_ns;
	if (least > -COMMON_CLOCK_NS && least < COMMON_CLOCK_NS) {
		c.residual_ns = (int64_t)fabs(least);
		return c;
	}
	for (i = 1; i + 1 < there.n && there.p[i].t < span / 2; i++)
		;
	if (there.n > 1 && there.p[i].t > there.p[i - 1].t)
		l.slope = (there.p[i].d - there.p[i - 1].d) / (there.p[i].t - there.p[i - 1].t);
	noise = scatter(p, n, &l, false);
	if (noise < 0 || fabs(l.slope) * span < SIGMAS * noise + LEAST_GAIN ||
	        fabs(l.slope) > DRIFT_MAX)
		l.slope = 0;
	l.at = touch(&there, l.slope);
	for (i = 0; i < n; i++)
		most = fmax(most, p[i].d - l.at - l.slope * p[i].t);
	l.margin = 2 * most;
	return fix_of(&l, span / 2, origin_ns, base_ns);
}

static const struct clock_fix none = {.residual_ns = TRACE_UNKNOWN};

static struct clock_fix fit(struct align_match *m, uint32_t n, struct point *p)
{
	int64_t origin_ns = m[0].t_ns, base_ns = m[n / 2].d_ns;
	double span = 0;
	uint32_t kept;

	for (uint32_t i = 1; i < n; i++)
		origin_ns = m[i].t_ns < origin_ns ? m[i].t_ns : origin_ns;
	for (uint32_t i = 0; i < n; i++) {
		p[i] = (struct point){(double)(m[i].t_ns - origin_ns),
		        (double)(m[i].d_ns - base_ns), m[i].group, m[i].dir};
		span = fmax(span, p[i].t);
	}
	qsort(p, n, sizeof(*p), by_group);
	kept = orient(p, n, p + n);
	return kept ? enclosed(p, kept, span, origin_ns, base_ns, p + n)
	            : one_way(p, n, span, origin_ns, base_ns, p + n);
}

struct clock_fix align_matches(struct align_match *m, uint32_t n)
{
	struct clock_fix c = none;
	struct point *p;

	if (!n)
		return c;
	n = agreeing(m, n);
	p = malloc(3 * (size_t)n * sizeof(*p));
	if (p)
		c = fit(m, n, p);
	free(p);
	return c.offset_ns < -OFFSET_MAX_NS || c.offset_ns > OFFSET_MAX_NS ? none : c;
}

void align_chain(struct clock_fix *b, const struct clock_fix *a)
{
	int64_t there_ns = b->reference_ns + b->offset_ns;

	b->offset_ns += clock_fixed(a, there_ns) - there_ns;
	b->drift_ppt +=
	        a->drift_ppt + (int64_t)((double)a->drift_ppt * (double)b->drift_ppt * 1e-12);
	b->residual_ns += a->residual_ns;
	if (b->offset_ns < -OFFSET_MAX_NS || b->offset_ns > OFFSET_MAX_NS)
		*b = none;
}
