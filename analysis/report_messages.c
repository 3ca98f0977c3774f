/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions with their tails, the slowest messages, and what the time of all went into. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/report_int.h"
#include "analysis/stats.h"
#include "dataplane/base/hist.h"

#define TAIL_STEP 40 /* a point each time that 1/40 of the samples left are behind */

enum measure { FCT, SLOWDOWN };

struct shares {
	__int128 alone_ps, paused_ps, limited_ps, recovery_ps, queued_ps;
	uint64_t n;
};

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t fct_ps(const struct msg_record *m)
{
	return m->done_ps - m->post_ps;
}

static int64_t delay_ps(const struct msg_record *m)
{
	return fct_ps(m) - m->alone_ps;
}

/* Pairs of a value and how many samples are above the one before it, dense where few are. */
static void write_tail(FILE *f, const int64_t *sorted, uint64_t n)
{
	uint64_t left = n;

	put(f, "\"n\":%llu,\"tail\":[", (unsigned long long)n);
	while (left) {
		const uint64_t step = left / TAIL_STEP;

		put_text(left == n ? "[" : ",[", f);
		report_number(f, sorted[n - left], 6);
		put(f, ",%llu]", (unsigned long long)left);
		left -= step ? step : 1;
	}
	put_char(']', f);
}

static uint64_t take_samples(
        int64_t *to, const struct run_record *r, enum measure what, int64_t entry)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < r->n_msg; i++) {
		const struct msg_record *m = &r->msg[i];

		if (m->status != MSG_COMPLETED || (entry >= 0 && m->entry != entry))
			continue;
		to[n++] = what == FCT ? fct_ps(m) : summary_slowdown_micro(m);
	}
	if (n)
		qsort(to, n, sizeof(*to), by_value);
	return n;
}

static uint32_t count_entries(const struct run_record *r)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < r->n_msg; i++)
		if (r->msg[i].entry >= n)
			n = r->msg[i].entry + 1u;
	return n;
}

/* Of all messages and, where there are several, of each workload entry. */
static void write_cdf(FILE *f, const struct run_record *r, enum measure what, int64_t *scratch)
{
	const uint32_t entries = count_entries(r);

	put(f, "\"%s\":[", what == FCT ? "fct_us" : "slowdown");
	for (int64_t entry = -1; entry < (int64_t)entries && entry < REPORT_ENTRIES; entry++) {
		if (entry >= 0 && entries == 1)
			break;
		put(f, "%s{\"entry\":%d,", entry >= 0 ? ",\n" : "", (int)entry);
		write_tail(f, scratch, take_samples(scratch, r, what, entry));
		put_char('}', f);
	}
	put_text("],\n", f);
}

static void write_latency(FILE *f, const struct hist *h)
{
	uint64_t left = h->count, written = 0;

	put(f, "\"latency_us\":[{\"entry\":-1,\"n\":%llu,\"tail\":[",
	        (unsigned long long)h->count);
	for (uint32_t i = 0; i < HIST_BUCKETS && left; i++) {
		if (!h->bucket[i])
			continue;
		/* the bucket's upper end, by the histogram's own rule */
		if (!written || left <= written - written / TAIL_STEP || left == h->bucket[i]) {
			put_text(written ? ",[" : "[", f);
			report_number(f, hist_bucket_top(h, i), 6);
			put(f, ",%llu]", (unsigned long long)left);
			written = left;
		}
		left -= h->bucket[i];
	}
	put_text("]}],\n", f);
}

/* What is left of what is left: the parts never make more than the whole. */
static int64_t part(int64_t *rest_ps, int64_t ps)
{
	const int64_t p = ps < 0 ? 0 : ps < *rest_ps ? ps : *rest_ps;

	*rest_ps -= p;
	return p;
}

static void write_parts(FILE *f, const struct msg_record *m)
{
	int64_t rest_ps = fct_ps(m);

	report_number(f, part(&rest_ps, m->alone_ps), 6);
	put_char(',', f);
	report_number(f, part(&rest_ps, m->paused_ps), 6);
	put_char(',', f);
	report_number(f, part(&rest_ps, m->recovery_ps), 6);
	put_char(',', f);
	report_number(f, part(&rest_ps, m->limited_ps), 6);
	put_char(',', f);
	report_number(f, rest_ps, 6);
}

static void add_parts(struct shares *s, const struct msg_record *m)
{
	int64_t rest_ps = fct_ps(m);

	s->alone_ps += part(&rest_ps, m->alone_ps);
	s->paused_ps += part(&rest_ps, m->paused_ps);
	s->recovery_ps += part(&rest_ps, m->recovery_ps);
	s->limited_ps += part(&rest_ps, m->limited_ps);
	s->queued_ps += rest_ps;
	s->n++;
}

/* In millionths of all time. */
static void write_shares(FILE *f, const struct shares *s)
{
	const __int128 v[] = {
	        s->alone_ps, s->paused_ps, s->recovery_ps, s->limited_ps, s->queued_ps};
	__int128 all = 0;

	for (size_t i = 0; i < 5; i++)
		all += v[i];
	put(f, "[%llu", (unsigned long long)s->n);
	for (size_t i = 0; i < 5; i++) {
		put_char(',', f);
		report_number(f, all ? (int64_t)(v[i] * 1000000 / all) : 0, 6);
	}
	put_char(']', f);
}

/* Of all, and of the hundredth that lost most: of equals the first, so that it is no more. */
static void write_where(FILE *f, const struct run_record *r, int64_t *scratch)
{
	struct shares all = {0}, slow = {0};
	uint64_t n = 0, equals;
	int64_t least;

	for (uint64_t i = 0; i < r->n_msg; i++)
		if (r->msg[i].status == MSG_COMPLETED)
			scratch[n++] = delay_ps(&r->msg[i]);
	if (n)
		qsort(scratch, n, sizeof(*scratch), by_value);
	least = n ? scratch[n - 1 - (n - 1) / 100] : 0;
	equals = n ? (n - 1) / 100 + 1 : 0;
	for (uint64_t i = n; i-- > 0 && scratch[i] > least;)
		equals--;
	for (uint64_t i = 0; i < r->n_msg; i++) {
		const int64_t delay = delay_ps(&r->msg[i]);

		if (r->msg[i].status != MSG_COMPLETED)
			continue;
		add_parts(&all, &r->msg[i]);
		if (delay > least || (delay == least && equals))
			add_parts(&slow, &r->msg[i]);
		equals -= delay == least && equals;
	}
	put_text("\"where\":[", f);
	write_shares(f, &all);
	put_char(',', f);
	write_shares(f, &slow);
	put_text("],\n", f);
}

static void write_message(FILE *f, const struct msg_record *m, const struct run_result *r)
{
	put(f, "[%u,", m->entry);
	json_text(f, r->node_name ? r->node_name[m->src] : "");
	put_char(',', f);
	json_text(f, r->node_name ? r->node_name[m->dst] : "");
	put(f, ",%u,%u,%u,", m->conn, m->seq, m->priority);
	report_number(f, m->bytes, 0);
	put_char(',', f);
	report_number(f, m->post_ps, 6);
	put_char(',', f);
	report_number(f, fct_ps(m), 6);
	put_char(',', f);
	report_number(f, summary_slowdown_micro(m), 6);
	put(f, ",%u,", m->retransmits);
	write_parts(f, m);
	put_char(']', f);
}

/* Those that lost most to others, the first of equals. */
static void write_slowest(FILE *f, const struct run_result *r)
{
	const struct msg_record *top[REPORT_SLOWEST + 1];
	uint32_t n = 0;

	for (uint64_t i = 0; i < r->rec->n_msg; i++) {
		const struct msg_record *m = &r->rec->msg[i];
		uint32_t k = n;

		if (m->status != MSG_COMPLETED ||
		        (n == REPORT_SLOWEST && delay_ps(m) <= delay_ps(top[n - 1])))
			continue;
		for (; k > 0 && delay_ps(top[k - 1]) < delay_ps(m); k--)
			top[k] = top[k - 1];
		top[k] = m;
		n = n < REPORT_SLOWEST ? n + 1 : n;
	}
	put_text("\"slowest\":[", f);
	for (uint32_t i = 0; i < n; i++) {
		put_text(i ? ",\n" : "", f);
		write_message(f, top[i], r);
	}
	put_text("],\n", f);
}

static bool same_pair(const struct msg_record *a, const struct msg_record *b)
{
	return a->src == b->src && a->dst == b->dst;
}

/* Those that were paused longest, one of each pair of hosts: among them are the victims of
 * pauses that others caused. */
static void write_paused(FILE *f, const struct run_result *r)
{
	const struct msg_record *top[REPORT_SLOWEST + 1];
	uint32_t n = 0;

	for (uint64_t i = 0; i < r->rec->n_msg; i++) {
		const struct msg_record *m = &r->rec->msg[i];
		uint32_t k = 0;

		if (m->status != MSG_COMPLETED || m->paused_ps <= 0 ||
		        (n == REPORT_SLOWEST && m->paused_ps <= top[n - 1]->paused_ps))
			continue;
		while (k < n && !same_pair(top[k], m))
			k++;
		if (k < n && m->paused_ps <= top[k]->paused_ps)
			continue;
		if (k == n && n < REPORT_SLOWEST)
			n++;
		else if (k == n)
			k = n - 1; /* the last makes room */
		for (; k > 0 && top[k - 1]->paused_ps < m->paused_ps; k--)
			top[k] = top[k - 1];
		top[k] = m;
	}
	put_text("\"paused\":[", f);
	for (uint32_t i = 0; i < n; i++) {
		put_text(i ? ",\n" : "", f);
		write_message(f, top[i], r);
	}
	put_text("],\n", f);
}

int report_messages(FILE *f, const struct run_result *r)
{
	int64_t *scratch = malloc((r->rec->n_msg + 1) * sizeof(*scratch));

	if (!scratch)
		return -ENOMEM;
	put_text("\"cdf\":{", f);
	write_cdf(f, r->rec, FCT, scratch);
	write_cdf(f, r->rec, SLOWDOWN, scratch);
	write_latency(f, &r->rec->latency_ps);
	write_where(f, r->rec, scratch);
	write_slowest(f, r);
	write_paused(f, r);
	put_text("\"of\":\"messages\"},\n", f);
	free(scratch);
	return 0;
}
