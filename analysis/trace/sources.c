/* SPDX-License-Identifier: Apache-2.0 */
/* UDP source ports of each host's data flows: ECMP spreads only what differs in them. Entropy
 * in thousandths of a bit: -sum p log2 p over the ports, weighed by flows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/trace/trace_int.h"

struct source {
	uint32_t host;
	uint16_t sport;
};

static int by_host_and_port(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return (x->sport > y->sport) - (x->sport < y->sport);
}

static void host_done(struct trace *t, const struct source *s, uint32_t n)
{
	struct trace_host *h = &host_at(t, s->host)->pub;
	double bits = 0;
	uint32_t run = 0;

	h->sports_out = 0;
	for (uint32_t i = 0; i < n; i++) {
		run++;
		if (i + 1 < n && s[i + 1].sport == s[i].sport)
			continue;
		bits -= (double)run / n * log2((double)run / n);
		h->sports_out++;
		run = 0;
	}
	h->sport_bits_milli = (uint32_t)lround(bits * 1000);
}

void sources_result(struct trace *t)
{
	struct source *s = malloc((t->flows.n ? t->flows.n : 1) * sizeof(*s));
	uint32_t n = 0, from = 0;

	if (!s) {
		t->failed = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < t->flows.n; i++) {
		const struct flow *f = flow_at(t, i);

		if (f->has_data)
			s[n++] = (struct source){cell_at(t, f->cell)->pub.src, f->sport};
	}
	qsort(s, n, sizeof(*s), by_host_and_port);
	for (uint32_t i = 0; i < n; i++)
		if (i + 1 == n || s[i + 1].host != s[i].host) {
			host_done(t, s + from, i + 1 - from);
			from = i + 1;
		}
	free(s);
}
