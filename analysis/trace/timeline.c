/* SPDX-License-Identifier: Apache-2.0 */
/* Bins of one width. When there are too many, two and two become one of twice the width. */
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_int.h"

#define FIRST_WIDTH_NS 1000

void timeline_init(struct timeline *l, int64_t width_ns)
{
	*l = (struct timeline){.fixed = width_ns > 0};
	l->pub.start_ns = TRACE_UNKNOWN;
	l->pub.width_ns = width_ns > 0 ? width_ns : FIRST_WIDTH_NS;
	l->begin_ns = 1; /* no time is in it */
	l->end_ns = 0;
	l->now = &l->none;
}

static void bin_add(struct trace_bin *a, const struct trace_bin *b)
{
	a->payload_bytes += b->payload_bytes;
	a->wire_bytes += b->wire_bytes;
	a->data_packets += b->data_packets;
	a->ce_packets += b->ce_packets;
	a->cnps += b->cnps;
	a->naks += b->naks;
	a->retransmitted += b->retransmitted;
	a->acks += b->acks;
	for (int i = 0; i < TRACE_PRIORITIES; i++)
		a->paused_ns[i] += b->paused_ns[i];
	a->rtt_sum_ns += b->rtt_sum_ns;
	if (b->rtt_max_ns > a->rtt_max_ns)
		a->rtt_max_ns = b->rtt_max_ns;
	a->rtt_n += b->rtt_n;
	if (b->model_bps)
		a->model_bps = b->model_bps;
	a->latency_sum_ns += b->latency_sum_ns;
	if (b->latency_max_ns > a->latency_max_ns)
		a->latency_max_ns = b->latency_max_ns;
	a->latency_n += b->latency_n;
}

static void fold(struct timeline *l)
{
	uint32_t n = (l->pub.n + 1) / 2;

	for (uint32_t i = 0; i < n; i++) {
		if (i)
			l->pub.bin[i] = l->pub.bin[2 * i];
		if (2 * i + 1 < l->pub.n)
			bin_add(&l->pub.bin[i], &l->pub.bin[2 * i + 1]);
	}
	memset(l->pub.bin + n, 0, (l->max - n) * sizeof(*l->pub.bin));
	l->pub.n = n;
	l->pub.width_ns *= 2;
}

static bool grow(struct timeline *l, uint32_t need)
{
	uint32_t max = l->max ? l->max : 64;
	struct trace_bin *bin;

	while (max < need)
		max *= 2;
	if (max == l->max)
		return true;
	bin = realloc(l->pub.bin, max * sizeof(*bin));
	if (!bin)
		return false;
	memset(bin + l->max, 0, (max - l->max) * sizeof(*bin));
	l->pub.bin = bin;
	l->max = max;
	return true;
}

static uint64_t index_at(const struct timeline *l, int64_t t_ns)
{
	if (t_ns <= l->pub.start_ns)
		return 0;
	return ((uint64_t)t_ns - (uint64_t)l->pub.start_ns) / (uint64_t)l->pub.width_ns;
}

struct trace_bin *timeline_bin_slow(struct timeline *l, int64_t t_ns)
{
	uint32_t limit = l->fixed ? TIMELINE_FIXED_BINS : TIMELINE_AUTO_BINS;
	uint64_t i;

	if (l->pub.start_ns == TRACE_UNKNOWN)
		l->pub.start_ns = t_ns - t_ns % l->pub.width_ns;
	while ((i = index_at(l, t_ns)) >= limit)
		fold(l);
	if (i >= l->pub.n) {
		if (!grow(l, (uint32_t)i + 1))
			return l->pub.n ? &l->pub.bin[l->pub.n - 1] : &l->none;
		l->pub.n = (uint32_t)i + 1;
	}
	l->begin_ns = i ? l->pub.start_ns + (int64_t)i * l->pub.width_ns : INT64_MIN;
	l->end_ns = l->pub.start_ns + (int64_t)(i + 1) * l->pub.width_ns;
	l->now = &l->pub.bin[i];
	return l->now;
}

void timeline_pause(struct timeline *l, uint32_t priority, int64_t from_ns, int64_t to_ns)
{
	while (from_ns < to_ns) {
		struct trace_bin *b = timeline_bin(l, from_ns);
		int64_t end_ns = l->end_ns < to_ns && l->end_ns > from_ns ? l->end_ns : to_ns;

		b->paused_ns[priority] += end_ns - from_ns;
		from_ns = end_ns;
	}
}

void timeline_fini(struct timeline *l)
{
	free(l->pub.bin);
	l->pub.bin = NULL;
	l->now = &l->none;
}
