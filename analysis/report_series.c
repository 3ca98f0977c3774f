/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time line for the page: a long one is reduced to intervals of several rows, in which
 * counts are added up, depths and latencies keep their maximum, and the rate its lowest, mean
 * and highest value, so that no peak is lost.
 */
#include <stdbool.h>
#include <stddef.h>

#include "analysis/put.h"
#include "analysis/report_int.h"
#include "analysis/stats.h"
#include "dataplane/base/units.h"

enum how { SUM, HIGHEST, LOWEST, MEAN };

struct column {
	const char *name;
	size_t offset; /* in struct series_row */
	enum how how;
	int decimals;
	bool only_reduced; /* says nothing of a single row */
};

#define AT(field) offsetof(struct series_row, field)

static const struct column columns[] = {
        {"delivered_bytes", AT(delivered_bytes), SUM, 0, false},
        {"queue_bytes", AT(max_queue_bytes), HIGHEST, 0, false},
        {"shared_bytes", AT(max_shared_bytes), HIGHEST, 0, false},
        {"marked", AT(ecn_marked), SUM, 0, false},
        {"cnps", AT(cnp_received), SUM, 0, false},
        {"cuts", AT(rate_cuts), SUM, 0, false},
        {"xoffs", AT(pause_frames), SUM, 0, false},
        {"xons", AT(resume_frames), SUM, 0, false},
        {"paused_ports", AT(paused_ports), HIGHEST, 0, false},
        {"drops", AT(drops), SUM, 0, false},
        {"retransmits", AT(retransmits), SUM, 0, false},
        {"active_qps", AT(active_qps), HIGHEST, 0, false},
        {"rate_bps", AT(mean_rate_bps), MEAN, 0, false},
        {"rate_low_bps", AT(mean_rate_bps), LOWEST, 0, true},
        {"rate_high_bps", AT(mean_rate_bps), HIGHEST, 0, true},
        {"latency_us", AT(mean_latency_ps), MEAN, 6, false},
        {"max_latency_us", AT(max_latency_ps), HIGHEST, 6, false},
};

static int64_t value_of(const struct series_row *row, const struct column *c)
{
	return *(const int64_t *)(const void *)((const char *)row + c->offset);
}

/* A rate or a latency of zero is none. */
static int64_t reduce(const struct series_row *row, uint64_t n, const struct column *c)
{
	__int128 sum = 0;
	int64_t low = INT64_MAX, high = 0, some = 0;

	for (uint64_t i = 0; i < n; i++) {
		const int64_t v = value_of(&row[i], c);

		sum += v;
		some += v != 0;
		high = v > high ? v : high;
		low = v && v < low ? v : low;
	}
	switch (c->how) {
	case SUM:
		return (int64_t)sum;
	case HIGHEST:
		return high || (c->decimals == 0 && !c->only_reduced) ? high : STATS_NULL;
	case LOWEST:
		return some ? low : STATS_NULL;
	case MEAN:
		return some ? (int64_t)(sum / some) : STATS_NULL;
	}
	return STATS_NULL;
}

/* A point of the page: some rows, or the beginning of a silence, which has their state from its
 * first interval on. */
struct point {
	uint64_t first, n;
	int64_t t_ps;
};

struct points {
	const struct run_record *r;
	uint64_t step, i;  /* rows of a point; next row */
	int64_t silent_ps; /* a row that spans so much says that nothing happened */
	bool begun;        /* the beginning of row i's silence was given */
};

static struct points points_of(const struct run_record *r)
{
	struct points p = {.r = r};
	const int64_t whole_ps = r->n_row ? r->row[r->n_row - 1].t_ps : 0;

	p.step = (r->n_row + REPORT_SERIES_POINTS - 1) / REPORT_SERIES_POINTS;
	p.step = p.step ? p.step : 1;
	if (r->n_row)
		p.silent_ps = r->row[0].t_ps + r->row[0].t_ps / 2;
	if (p.silent_ps < whole_ps / REPORT_SERIES_POINTS) /* no more of them than of points */
		p.silent_ps = whole_ps / REPORT_SERIES_POINTS;
	return p;
}

static bool is_silent(const struct points *p, uint64_t i)
{
	return i > 0 && p->r->row[i].t_ps - p->r->row[i - 1].t_ps > p->silent_ps;
}

static bool next_point(struct points *p, struct point *at)
{
	const struct run_record *r = p->r;
	uint64_t n = 1;

	if (p->i >= r->n_row)
		return false;
	if (is_silent(p, p->i)) {
		*at = (struct point){p->i, 1, r->row[p->i].t_ps};
		if (!p->begun)
			at->t_ps = r->row[p->i - 1].t_ps + r->row[0].t_ps;
		p->i += p->begun;
		p->begun = !p->begun;
		return true;
	}
	while (n < p->step && p->i + n < r->n_row && !is_silent(p, p->i + n))
		n++;
	*at = (struct point){p->i, n, r->row[p->i + n - 1].t_ps};
	p->i += n;
	return true;
}

static void write_column(FILE *f, const struct run_record *r, const struct column *c)
{
	struct points p = points_of(r);
	struct point at;
	char between = '[';

	if (c->only_reduced && p.step == 1)
		return;
	put(f, ",\n\"%s\":", c->name);
	while (next_point(&p, &at)) {
		put_char(between, f);
		report_number(f, reduce(&r->row[at.first], at.n, c), c->decimals);
		between = ',';
	}
	put_text(between == '[' ? "[]" : "]", f);
}

void report_series(FILE *f, const struct run_record *r)
{
	struct points p = points_of(r);
	struct point at;
	char between = '[';

	put(f, "\"series\":{\"rows\":%llu,\"step\":%llu,\"t_us\":",
	        (unsigned long long)r->n_row, (unsigned long long)p.step);
	while (next_point(&p, &at)) {
		put_char(between, f);
		report_number(f, at.t_ps, 6);
		between = ',';
	}
	put_text(between == '[' ? "[]" : "]", f);
	for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
		write_column(f, r, &columns[k]);
	put_text("},\n", f);
}
