/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/entry_figures.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/csv_line.h"
#include "analysis/put.h"
#include "analysis/summary.h"

static void count(struct entry_figures *x, const struct msg_record *m)
{
	x->messages++;
	x->retransmits += m->retransmits;
	x->failed += m->status == MSG_FAILED;
	if (m->status != MSG_COMPLETED)
		return;
	if (!x->completed || m->post_ps < x->first_post_ps)
		x->first_post_ps = m->post_ps;
	if (!x->completed || m->done_ps > x->last_done_ps)
		x->last_done_ps = m->done_ps;
	x->completed++;
	x->bytes += m->bytes;
}

/* The samples of one entry after those of the one before: where each begins. */
static void places(uint64_t *at, const struct entry_figures *x, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		at[i] = sum;
		sum += (uint64_t)x[i].completed;
	}
}

static int64_t fct_ps(const struct msg_record *m)
{
	return m->done_ps - m->post_ps;
}

/* Of messages whose path has no time alone there is no slowdown: they are left out. */
static void dists(struct entry_figures *x, uint32_t n, const struct run_record *rec,
        int64_t *sample, uint64_t *at, int64_t (*value)(const struct msg_record *m),
        size_t offset, const double *asked, uint32_t n_asked)
{
	uint64_t first = 0;

	places(at, x, n);
	for (uint64_t i = 0; i < rec->n_msg; i++) {
		const struct msg_record *m = &rec->msg[i];
		int64_t v = m->status == MSG_COMPLETED ? value(m) : STATS_NULL;

		if (v != STATS_NULL)
			sample[at[m->entry]++] = v;
	}
	for (uint32_t i = 0; i < n; i++) {
		dist_from_samples((struct dist *)((char *)&x[i] + offset), sample + first,
		        at[i] - first, asked, n_asked);
		first += (uint64_t)x[i].completed;
	}
}

int entry_figures_make(struct entry_figures **out, const struct run_record *rec,
        const char *const pattern[], uint32_t n, const double *asked, uint32_t n_asked,
        struct err *e)
{
	struct entry_figures *x = calloc(n + 1, sizeof(*x));
	int64_t *sample = malloc((rec->n_msg + 1) * sizeof(*sample));
	uint64_t *at = calloc(n + 1, sizeof(*at));
	int rc = 0;

	if (!x || !sample || !at) {
		free(x);
		x = NULL;
		rc = err_set(
		        e, -ENOMEM, "results: out of memory for the figures of %u entries", n);
		goto out_free;
	}
	for (uint32_t i = 0; i < n; i++)
		x[i] = (struct entry_figures){.pattern = pattern[i],
		        .first_post_ps = STATS_NULL,
		        .last_done_ps = STATS_NULL};
	for (uint64_t i = 0; i < rec->n_msg; i++)
		count(&x[rec->msg[i].entry], &rec->msg[i]);
	dists(x, n, rec, sample, at, fct_ps, offsetof(struct entry_figures, fct_ps), asked,
	        n_asked);
	dists(x, n, rec, sample, at, summary_slowdown_micro,
	        offsetof(struct entry_figures, slowdown_micro), asked, n_asked);
out_free:
	free(sample);
	free(at);
	*out = x;
	return rc;
}

int64_t entry_goodput_bps(const struct entry_figures *x)
{
	int64_t time_ps = x->last_done_ps - x->first_post_ps;

	if (!x->completed || time_ps <= 0)
		return STATS_NULL;
	return (int64_t)((__int128)x->bytes * INT64_C(8000000000000) / time_ps);
}

void entries_csv_write(FILE *f, const struct entry_figures *x, uint32_t n, uint64_t one_in)
{
	struct csv_line l = {0};

	put_text("entry,pattern,messages,completed,failed,bytes,retransmits,first_post_us,"
	         "last_done_us,goodput_bps,fct_min_us,fct_p50_us,fct_p99_us,fct_max_us,"
	         "slowdown_p50,slowdown_p99,slowdown_max,one_in\n",
	        f);
	for (uint32_t i = 0; i < n; i++) {
		csv_whole(&l, i);
		csv_word(&l, x[i].pattern);
		csv_whole(&l, x[i].messages);
		csv_whole(&l, x[i].completed);
		csv_whole(&l, x[i].failed);
		csv_whole(&l, x[i].bytes);
		csv_whole(&l, x[i].retransmits);
		csv_fixed(&l, x[i].first_post_ps, 6);
		csv_fixed(&l, x[i].last_done_ps, 6);
		csv_fixed(&l, entry_goodput_bps(&x[i]), 0);
		csv_fixed(&l, x[i].fct_ps.min, 6);
		csv_fixed(&l, x[i].fct_ps.p50, 6);
		csv_fixed(&l, x[i].fct_ps.p99, 6);
		csv_fixed(&l, x[i].fct_ps.max, 6);
		csv_fixed(&l, x[i].slowdown_micro.p50, 6);
		csv_fixed(&l, x[i].slowdown_micro.p99, 6);
		csv_fixed(&l, x[i].slowdown_micro.max, 6);
		csv_whole(&l, (int64_t)one_in);
		csv_end(&l, f);
	}
}
