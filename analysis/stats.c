/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/stats.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

bool stats_weak(int64_t samples, double p)
{
	return (double)samples * (100.0 - p) < 1000.0 * (1 - 1e-9);
}

static int64_t rounded_mean(__int128 sum, uint64_t n)
{
	return (int64_t)((sum + n / 2) / n);
}

static const struct dist dist_empty = {
        .min = STATS_NULL,
        .mean = STATS_NULL,
        .p50 = STATS_NULL,
        .p90 = STATS_NULL,
        .p99 = STATS_NULL,
        .p99_9 = STATS_NULL,
        .p99_99 = STATS_NULL,
        .max = STATS_NULL,
};

static void no_samples(struct dist *d)
{
	*d = dist_empty;
	for (int i = 0; i < STATS_ASKED_MAX; i++)
		d->asked[i] = STATS_NULL;
}

void dist_from_samples(
        struct dist *d, int64_t *sample, uint64_t n, const double *asked, uint32_t n_asked)
{
	__int128 sum = 0;

	no_samples(d);
	if (!n)
		return;
	qsort(sample, n, sizeof(*sample), by_value);
	for (uint64_t i = 0; i < n; i++)
		sum += sample[i];
	d->samples = (int64_t)n;
	d->min = sample[0];
	d->max = sample[n - 1];
	d->mean = rounded_mean(sum, n);
	d->p50 = sample[hist_rank(n, 50) - 1];
	d->p90 = sample[hist_rank(n, 90) - 1];
	d->p99 = sample[hist_rank(n, 99) - 1];
	d->p99_9 = sample[hist_rank(n, 99.9) - 1];
	d->p99_99 = sample[hist_rank(n, 99.99) - 1];
	for (uint32_t i = 0; i < n_asked && i < STATS_ASKED_MAX; i++)
		d->asked[i] = sample[hist_rank(n, asked[i]) - 1];
}

void dist_from_hist(struct dist *d, const struct hist *h, const double *asked, uint32_t n_asked)
{
	no_samples(d);
	if (!h->count)
		return;
	d->samples = (int64_t)h->count;
	d->min = h->min;
	d->max = h->max;
	d->mean = rounded_mean(h->sum, h->count);
	d->p50 = hist_percentile(h, 50);
	d->p90 = hist_percentile(h, 90);
	d->p99 = hist_percentile(h, 99);
	d->p99_9 = hist_percentile(h, 99.9);
	d->p99_99 = hist_percentile(h, 99.99);
	for (uint32_t i = 0; i < n_asked && i < STATS_ASKED_MAX; i++)
		d->asked[i] = hist_percentile(h, asked[i]);
}

int64_t stats_jain_nano(const double *x, uint64_t n)
{
	double sum = 0, squares = 0;

	for (uint64_t i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	if (squares <= 0)
		return STATS_NULL;
	return llround(sum * sum / ((double)n * squares) * 1e9);
}
