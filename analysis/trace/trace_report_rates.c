/* SPDX-License-Identifier: Apache-2.0 */
/* Senders next to the model of their reaction point: those with most CNPs. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/trace/trace_report_int.h"

static uint64_t cnps_of(const struct trace_flow *w)
{
	return w->loop.cnps_ce + w->loop.cnps_loss + w->loop.cnps_unexplained;
}

/* Those that sent something after their first CNP. */
static uint64_t rate_weight(const struct trace_result *r, uint32_t i)
{
	const struct trace_rate *a = &r->rate[i];
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < a->n; k++)
		bytes += a->bin[k].wire_bytes;
	return bytes && a->n > 1 ? cnps_of(&r->flow[a->flow]) : 0;
}

static void write_rate(FILE *f, const struct trace_result *r, const struct trace_rate *a)
{
	const struct trace_flow *w = &r->flow[a->flow];
	char src[TRACE_ADDR_LEN], dst[TRACE_ADDR_LEN];

	put(f, "{\"flow\":%u,\"src\":\"%s\",\"dst\":\"%s\",\"dqp\":", a->flow,
	        trace_addr_text(src, &w->src), trace_addr_text(dst, &w->dst));
	report_value(f, w->dqp, 0);
	put(f, ",\"cnps\":%" PRIu64 ",\"at\":", cnps_of(w));
	json_text(f, r->interface[a->interface].capture.name);
	put_text(",\"of_model_permille\":", f);
	report_value(f, trace_span_mean(&w->loop.of_model_permille), 0);
	put_text(",\"start_us\":", f);
	report_since(f, r, a->start_ns);
	put_text(",\"width_us\":", f);
	report_value(f, a->width_ns, 3);
	put_text(",\"wire_bytes\":[", f);
	for (uint32_t i = 0; i < a->n; i++)
		put(f, "%s%" PRIu64, i ? "," : "", a->bin[i].wire_bytes);
	put_text("],\"model_bps\":[", f);
	for (uint32_t i = 0; i < a->n; i++) {
		put_text(i ? "," : "", f);
		report_value(f, a->bin[i].model_bps ? a->bin[i].model_bps : TRACE_UNKNOWN, 0);
	}
	put_text("]}", f);
}

int report_rates(FILE *f, const struct trace_result *r)
{
	uint32_t n = REPORT_RATES;
	uint32_t *shown = report_largest(&n, r->n_rates, rate_weight, r);

	if (!shown)
		return -ENOMEM;
	put(f, "\"rates\":{\"all\":%u,\"rows\":[", r->n_rates);
	for (uint32_t i = 0; i < n; i++) {
		put_text(i ? ",\n" : "\n", f);
		write_rate(f, r, &r->rate[shown[i]]);
	}
	put_text("]},\n", f);
	free(shown);
	return 0;
}
