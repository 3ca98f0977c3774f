/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics on exact integer samples. Percentiles are nearest rank: the smallest sample that
 * at least p percent of all samples do not exceed, never an interpolation.
 */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/hist.h"

#define STATS_NULL      INT64_MIN /* there is no value */
#define STATS_ASKED_MAX 16

/* A distribution in whatever unit its samples had; every field STATS_NULL without samples. */
struct dist {
	int64_t min, mean, p50, p90, p99, p99_9, p99_99, max;
	int64_t samples;                /* 0 without samples */
	int64_t asked[STATS_ASKED_MAX]; /* the percentiles that the scenario names */
};

/* Sorts the samples in place. mean is rounded to the nearest unit. */
void dist_from_samples(
        struct dist *d, int64_t *sample, uint64_t n, const double *asked, uint32_t n_asked);

/* Percentiles are at most HIST_MAX_RELATIVE_ERROR above the true ones; the rest is exact. */
void dist_from_hist(
        struct dist *d, const struct hist *h, const double *asked, uint32_t n_asked);

/* A percentile needs 10/(1-p) samples, so that ten of them lie above it. */
bool stats_weak(int64_t samples, double p);

/* Jain, Chiu, Hawe, "A quantitative measure of fairness" (DEC TR-301, 1984):
 * (sum x)^2 / (n * sum x^2), in 1e-9. STATS_NULL when there is nothing to compare. */
int64_t stats_jain_nano(const double *x, uint64_t n);

#endif
