/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/align.h"

#include <stdlib.h>

#include "analysis/trace/trace_result.h"

enum { WINDOWS = 32, WINDOWS_FOR_DRIFT = 4 };
/* One direction alone: an offset smaller than this may as well be latency. */
#define COMMON_CLOCK_NS INT64_C(1000000)
/* What no two clocks differ by in rate, nor in time (36 years): the packets are not the same.
 */
#define DRIFT_MAX     1e-3
#define OFFSET_MAX_NS (INT64_C(1) << 60)

struct window {
	int64_t there_ns, back_ns; /* least of the one way, greatest of the other */
	bool there, back;
};

static int by_group(const void *a, const void *b)
{
	const struct align_match *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->dir != y->dir)
		return x->dir ? 1 : -1;
	return (x->d_ns > y->d_ns) - (x->d_ns < y->d_ns);
}

/* Of one direction, sorted by d: the median. */
static int64_t median(const struct align_match *m, uint32_t n)
{
	return m[n / 2].d_ns;
}

/*
 * Which direction goes from a to b: that which takes longer by these clocks. Groups of one
 * direction are left out (n in *used is what is kept, in front) unless there is nothing else.
 */
static uint32_t orient(struct align_match *m, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t from = 0, to; from < n; from = to) {
		uint32_t split;
		bool there;

		for (split = from;
		        split < n && m[split].group == m[from].group && !m[split].dir; split++)
			;
		for (to = split; to < n && m[to].group == m[from].group; to++)
			;
		if (split == from || split == to)
			continue;
		there = median(m + split, to - split) > median(m + from, split - from);
		for (uint32_t i = from; i < to; i++) {
			struct align_match x = m[i];

			x.dir = x.dir == there;
			m[kept++] = x;
		}
	}
	return kept;
}

static void windows_of(struct window *w, const struct align_match *m, uint32_t n,
        int64_t first_ns, int64_t width_ns, double drift, int64_t reference_ns)
{
	for (uint32_t i = 0; i < n; i++) {
		struct window *x = &w[(m[i].t_ns - first_ns) / width_ns];
		int64_t d = m[i].d_ns - (int64_t)(drift * (double)(m[i].t_ns - reference_ns));

		if (m[i].dir) {
			if (!x->there || d < x->there_ns)
				x->there_ns = d;
			x->there = true;
		} else {
			if (!x->back || d > x->back_ns)
				x->back_ns = d;
			x->back = true;
		}
	}
}

/* Least squares over the middles of the windows that have both directions. */
static double drift_of(const struct window *w, int64_t width_ns)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, base = 0;

	for (int i = 0; i < WINDOWS; i++) {
		double x = ((double)i + 0.5) * (double)width_ns, y;

		if (!w[i].there || !w[i].back)
			continue;
		y = ((double)w[i].there_ns + (double)w[i].back_ns) / 2;
		if (n == 0)
			base = y;
		y -= base;
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	if (n < WINDOWS_FOR_DRIFT || n * sxx - sx * sx <= 0)
		return 0;
	sxy = (n * sxy - sx * sy) / (n * sxx - sx * sx);
	return sxy > -DRIFT_MAX && sxy < DRIFT_MAX ? sxy : 0;
}

static struct clock_fix enclosed(
        const struct align_match *m, uint32_t n, int64_t reference_ns, double drift)
{
	struct clock_fix c = {.estimated = true, .reference_ns = reference_ns};
	struct window w[1] = {{0}};
	int64_t half_ns;

	windows_of(w, m, n, reference_ns, INT64_MAX, drift, reference_ns);
	half_ns = (w->there_ns - w->back_ns) / 2;
	c.residual_ns = half_ns < 0 ? -half_ns : half_ns;
	/* The clocks agree as far as can be known: nothing is added. */
	if (drift == 0 && w->there_ns >= 0 && w->back_ns <= 0)
		return c;
	c.offset_ns = -(w->back_ns + half_ns);
	c.drift_ppb = -(int64_t)(drift * 1e9 + (drift < 0 ? -0.5 : 0.5));
	return c;
}

/* Packets of one direction alone. */
static struct clock_fix one_way(const struct align_match *m, uint32_t n)
{
	struct clock_fix c = {.estimated = true, .reference_ns = m[0].t_ns};
	int64_t least_ns = m[0].d_ns, most_ns = m[0].d_ns;

	for (uint32_t i = 1; i < n; i++) {
		if (m[i].d_ns < least_ns)
			least_ns = m[i].d_ns;
		if (m[i].d_ns > most_ns)
			most_ns = m[i].d_ns;
	}
	c.residual_ns = most_ns - least_ns;
	if (least_ns > -COMMON_CLOCK_NS && least_ns < COMMON_CLOCK_NS)
		c.residual_ns = least_ns < 0 ? -least_ns : least_ns;
	else
		c.offset_ns = -least_ns;
	return c;
}

static struct clock_fix fit(struct align_match *m, uint32_t n)
{
	struct window w[WINDOWS] = {{0}};
	int64_t first_ns, last_ns, width_ns;
	struct clock_fix flat, tilted;
	uint32_t kept;
	double drift;

	qsort(m, n, sizeof(*m), by_group);
	kept = orient(m, n);
	if (!kept)
		return one_way(m, n);
	first_ns = last_ns = m[0].t_ns;
	for (uint32_t i = 1; i < kept; i++) {
		if (m[i].t_ns < first_ns)
			first_ns = m[i].t_ns;
		if (m[i].t_ns > last_ns)
			last_ns = m[i].t_ns;
	}
	width_ns = (last_ns - first_ns) / WINDOWS + 1;
	windows_of(w, m, kept, first_ns, width_ns, 0, 0);
	drift = drift_of(w, width_ns);
	flat = enclosed(m, kept, first_ns, 0);
	if (drift == 0)
		return flat;
	tilted = enclosed(m, kept, first_ns, drift);
	/* A slope is believed only where it moves the clock by more than is uncertain anyway.
	 */
	if (drift * (double)(last_ns - first_ns) < 2 * (double)tilted.residual_ns &&
	        -drift * (double)(last_ns - first_ns) < 2 * (double)tilted.residual_ns)
		return flat;
	return tilted;
}

static const struct clock_fix none = {.residual_ns = TRACE_UNKNOWN};

struct clock_fix align_matches(struct align_match *m, uint32_t n)
{
	struct clock_fix c = n ? fit(m, n) : none;

	return c.offset_ns < -OFFSET_MAX_NS || c.offset_ns > OFFSET_MAX_NS ? none : c;
}

void align_chain(struct clock_fix *b, const struct clock_fix *a)
{
	int64_t more_ns = clock_fixed(a, b->reference_ns) - b->reference_ns;

	b->offset_ns += more_ns;
	b->drift_ppb += a->drift_ppb;
	b->residual_ns += a->residual_ns;
	if (b->offset_ns < -OFFSET_MAX_NS || b->offset_ns > OFFSET_MAX_NS)
		*b = none;
}
