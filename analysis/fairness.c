/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fairness.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/stats.h"

struct share {
	uint64_t pair; /* source in the high half */
	uint64_t msg;
};

static int by_pair(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (x->pair > y->pair) - (x->pair < y->pair);
}

static double goodput_bps(int64_t bytes, int64_t first_ps, int64_t last_ps)
{
	return last_ps > first_ps ? (double)bytes * 8e12 / (double)(last_ps - first_ps) : 0;
}

/* The pair's goodput; moves *i past its messages. */
static double pair_bps(
        const struct run_record *rec, const struct share *share, uint64_t n, uint64_t *i)
{
	uint64_t pair = share[*i].pair;
	int64_t first_ps = TIME_NEVER, last_ps = 0, bytes = 0;

	for (; *i < n && share[*i].pair == pair; (*i)++) {
		const struct msg_record *m = &rec->msg[share[*i].msg];

		bytes += m->bytes;
		if (m->post_ps < first_ps)
			first_ps = m->post_ps;
		if (m->done_ps > last_ps)
			last_ps = m->done_ps;
	}
	return goodput_bps(bytes, first_ps, last_ps);
}

/* Messages are not all on record, but what each pair completed is. */
static int jain_of_pairs(int64_t *out, const struct run_record *rec)
{
	double *bps = malloc((rec->n_pair + 1) * sizeof(*bps));

	if (!bps)
		return -ENOMEM;
	for (uint64_t i = 0; i < rec->n_pair; i++) {
		const struct pair_record *p = &rec->pair[i];

		bps[i] = goodput_bps(p->bytes, p->first_post_ps, p->last_done_ps);
	}
	*out = stats_jain_nano(bps, rec->n_pair);
	free(bps);
	return 0;
}

int fairness_jain_nano(int64_t *out, const struct run_record *rec)
{
	struct share *share = malloc((rec->n_msg + 1) * sizeof(*share));
	double *bps = malloc((rec->n_msg + 1) * sizeof(*bps));
	uint64_t n = 0, pairs = 0;

	if (rec->all) {
		free(share);
		free(bps);
		return jain_of_pairs(out, rec);
	}
	if (!share || !bps) {
		free(share);
		free(bps);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < rec->n_msg; i++) {
		const struct msg_record *m = &rec->msg[i];

		if (m->status == MSG_COMPLETED)
			share[n++] = (struct share){(uint64_t)m->src << 32 | m->dst, i};
	}
	qsort(share, n, sizeof(*share), by_pair);
	for (uint64_t i = 0; i < n; pairs++)
		bps[pairs] = pair_bps(rec, share, n, &i);
	*out = stats_jain_nano(bps, pairs);
	free(share);
	free(bps);
	return 0;
}
