/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of single senders over time; a line that grows too long gets bins of twice the width.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_int.h"

#define FIRST_WIDTH_NS 1000

struct trace_rate *rate_begin(struct trace *t, const struct view *v, int64_t t_ns)
{
	struct trace_rate *r = &t->r.rate[t->r.n_rates];

	if (t->r.n_rates == TRACE_RATES)
		return NULL;
	r->bin = calloc(TRACE_RATE_BINS, sizeof(*r->bin));
	if (!r->bin)
		return NULL; /* the analysis does without */
	t->r.n_rates++;
	r->flow = v->flow;
	r->interface = v->interface;
	r->start_ns = t_ns;
	r->width_ns = FIRST_WIDTH_NS;
	return r;
}

static void fold(struct trace_rate *r)
{
	for (uint32_t i = 0; i < TRACE_RATE_BINS / 2; i++) {
		const struct trace_rate_bin *a = &r->bin[2 * i], *b = a + 1;

		r->bin[i] = (struct trace_rate_bin){a->wire_bytes + b->wire_bytes,
		        b->model_bps ? b->model_bps : a->model_bps};
	}
	memset(r->bin + TRACE_RATE_BINS / 2, 0, TRACE_RATE_BINS / 2 * sizeof(*r->bin));
	r->n = (r->n + 1) / 2;
	r->width_ns *= 2;
}

void rate_add(struct trace_rate *r, int64_t t_ns, uint32_t wire_bytes, int64_t model_bps)
{
	uint64_t i;

	if (t_ns < r->start_ns)
		t_ns = r->start_ns;
	while ((i = (uint64_t)(t_ns - r->start_ns) / (uint64_t)r->width_ns) >= TRACE_RATE_BINS)
		fold(r);
	if (i >= r->n)
		r->n = (uint32_t)i + 1;
	r->bin[i].wire_bytes += wire_bytes;
	r->bin[i].model_bps = model_bps;
}

void rates_fini(struct trace *t)
{
	for (uint32_t i = 0; i < t->r.n_rates; i++)
		free(t->r.rate[i].bin);
}
