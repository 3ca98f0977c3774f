/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what happened between two looks at a result. */
#include "analysis/trace/trace_live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_live_int.h"

#define NS_PER_S INT64_C(1000000000)
#define PPM      1000000

int trace_live_open(struct trace_live **out, struct err *e)
{
	struct trace_live *l = calloc(1, sizeof(*l));

	if (l) {
		l->rtt = malloc(sizeof(*l->rtt));
		l->fct = malloc(sizeof(*l->fct));
	}
	if (!l || !l->rtt || !l->fct) {
		trace_live_close(l);
		return err_set(e, -ENOMEM, "analyze: out of memory");
	}
	hist_init(l->rtt);
	hist_init(l->fct);
	for (int i = 0; i < LIVE_FIGURES; i++)
		l->now[i] = l->peak[i] = TRACE_UNKNOWN;
	*out = l;
	return 0;
}

void trace_live_close(struct trace_live *l)
{
	if (!l)
		return;
	free(l->rtt);
	free(l->fct);
	free(l->flow);
	free(l);
}

/* Judgements of older packets can still change: no rate is below zero for that. */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static int64_t per_second(uint64_t n, int64_t ns)
{
	return ns > 0 ? (int64_t)((unsigned __int128)n * NS_PER_S / (uint64_t)ns) : 0;
}

static int64_t share_ppm(uint64_t n, uint64_t of)
{
	return of ? (int64_t)((unsigned __int128)n * PPM / of) : TRACE_UNKNOWN;
}

/* The 99th percentile of what came since; at most one bucket above the true one. */
static int64_t percentile_since(const struct hist *now, struct hist *before, uint64_t *n)
{
	uint64_t rank, seen = 0;
	uint32_t i;

	*n = now->count - before->count;
	if (!*n)
		return TRACE_UNKNOWN;
	rank = hist_rank(*n, 99);
	for (i = 0; i < HIST_BUCKETS - 1; i++) {
		seen += now->bucket[i] - before->bucket[i];
		if (seen >= rank)
			break;
	}
	*before = *now;
	return hist_bucket_top(now, i);
}

static void measure_counts(struct trace_live *l, const struct trace_counts *c, int64_t ns)
{
	const struct trace_counts *b = &l->counts;
	uint64_t data = more(c->data_packets, b->data_packets);
	uint64_t fresh = more(c->payload_bytes - c->retransmitted_bytes,
	        b->payload_bytes - b->retransmitted_bytes);

	l->now[LIVE_GOODPUT] = per_second(8 * fresh, ns);
	l->now[LIVE_WIRE] = per_second(8 * more(c->wire_bytes, b->wire_bytes), ns);
	l->now[LIVE_PACKETS] = per_second(more(c->packets, b->packets), ns);
	l->now[LIVE_CE] = share_ppm(more(c->ce_packets, b->ce_packets), data);
	l->now[LIVE_CNPS] = per_second(more(c->cnps, b->cnps), ns);
	l->now[LIVE_NAKS] = per_second(more(c->naks + c->rnr_naks, b->naks + b->rnr_naks), ns);
	l->now[LIVE_AGAIN] =
	        per_second(more(c->retransmitted_packets, b->retransmitted_packets), ns);
}

static void measure_pauses(struct trace_live *l, const struct trace_result *r, int64_t ns)
{
	l->no_speed = false;
	for (int k = 0; k < TRACE_PRIORITIES; k++) {
		int64_t before = l->paused_ns[k] > 0 ? l->paused_ns[k] : 0;

		l->now[LIVE_PAUSED + k] = TRACE_UNKNOWN;
		if (r->paused_ns[k] == TRACE_UNKNOWN) {
			l->no_speed = l->ever_paused[k] = true;
			continue;
		}
		l->ever_paused[k] = l->ever_paused[k] || r->paused_ns[k] > 0;
		if (ns > 0 && l->ever_paused[k])
			l->now[LIVE_PAUSED + k] =
			        (int64_t)((__int128)PPM *
			                  (r->paused_ns[k] > before ? r->paused_ns[k] - before
			                                            : 0) /
			                  ns);
		l->paused_ns[k] = r->paused_ns[k];
	}
}

static void rank_flow(struct trace_live *l, const struct live_flow *f)
{
	uint32_t at = l->n_top;

	while (at && l->top[at - 1].bytes < f->bytes)
		at--;
	if (at == LIVE_FLOWS)
		return;
	if (l->n_top < LIVE_FLOWS)
		l->n_top++;
	memmove(l->top + at + 1, l->top + at, (l->n_top - 1 - at) * sizeof(*f));
	l->top[at] = *f;
}

static int grow_flows(struct trace_live *l, uint32_t n)
{
	uint32_t max = l->max_flows ? l->max_flows : 64;
	struct live_flow *more_flows;

	while (max < n)
		max *= 2;
	if (max != l->max_flows) {
		more_flows = realloc(l->flow, max * sizeof(*more_flows));
		if (!more_flows)
			return -ENOMEM;
		l->flow = more_flows;
		l->max_flows = max;
	}
	if (n > l->n_flows) /* a result names its flows in order of appearance */
		memset(l->flow + l->n_flows, 0, (n - l->n_flows) * sizeof(*l->flow));
	l->n_flows = n;
	return 0;
}

static int measure_flows(struct trace_live *l, const struct trace_result *r)
{
	l->n_top = l->n_active = 0;
	if (grow_flows(l, r->n_flows))
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_counts *c = &r->flow[i].counts;
		const struct trace_loop *p = &r->flow[i].loop;
		struct live_flow now = {i, c->payload_bytes, c->data_packets, c->ce_packets,
		        p->cnps_ce + p->cnps_loss + p->cnps_unexplained,
		        c->retransmitted_packets};
		struct live_flow *b = &l->flow[i];
		struct live_flow since = {i, more(now.bytes, b->bytes), more(now.data, b->data),
		        more(now.ce, b->ce), more(now.cnps, b->cnps),
		        more(now.again, b->again)};

		*b = now;
		l->n_active += since.data > 0;
		if (since.data)
			rank_flow(l, &since);
	}
	return 0;
}

static void keep_findings(struct trace_live *l, const struct diagnosis *d)
{
	bool found[FINDINGS] = {false};

	l->n_findings = 0;
	for (uint32_t i = 0; d && i < d->n; i++) {
		const struct finding *f = &d->finding[i];

		if (l->found[f->id])
			l->finding[l->n_findings++] =
			        (struct live_finding){f->id, f->severity, f->depth};
		found[f->id] = true;
	}
	memcpy(l->found, found, sizeof(found));
}

int trace_live_look(struct trace_live *l, const struct trace_result *r,
        const struct diagnosis *d, const struct trace_live_source *s, int64_t now_ns,
        struct err *e)
{
	int64_t ns = now_ns - l->now_ns;

	l->source = *s;
	if (!l->begin_ns) {
		l->begin_ns = now_ns;
		ns = 0;
	}
	l->before_ns = l->now_ns;
	l->now_ns = now_ns;
	measure_counts(l, &r->roce, ns);
	measure_pauses(l, r, ns);
	keep_findings(l, d);
	l->now[LIVE_RTT] = percentile_since(r->rtt_ns, l->rtt, &l->n_rtt);
	l->now[LIVE_FCT] = percentile_since(r->net_fct_ns, l->fct, &l->n_fct);
	l->counts = r->roce;
	if (measure_flows(l, r))
		return err_set(e, -ENOMEM, "analyze: out of memory");
	if (!ns)
		return 0;
	for (int i = 0; i < LIVE_FIGURES; i++)
		if (l->now[i] > l->peak[i])
			l->peak[i] = l->now[i];
	memcpy(l->history[l->looks % LIVE_HISTORY], l->now, sizeof(l->now));
	l->looks++;
	return 0;
}
