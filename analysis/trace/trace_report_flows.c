/* SPDX-License-Identifier: Apache-2.0 */
/* Flows and the traffic matrix of a capture, the largest of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/trace/trace_report_int.h"

static void write_addr(FILE *f, const struct trace_addr *a)
{
	char text[TRACE_ADDR_LEN];

	json_text(f, trace_addr_text(text, a));
}

static void write_qp(FILE *f, uint32_t qp)
{
	report_next(f, qp == TRACE_NONE ? TRACE_UNKNOWN : qp, 0);
}

static void write_flow(FILE *f, const struct trace_result *r, uint32_t i)
{
	const struct trace_flow *w = &r->flow[i];
	const struct trace_counts *c = &w->counts;
	const uint64_t count[] = {c->data_packets, c->payload_bytes, c->messages, c->ce_packets,
	        w->loop.cnps_ce + w->loop.cnps_loss + w->loop.cnps_unexplained,
	        c->retransmitted_packets, c->missing_psns, c->unfilled_psns,
	        w->loss_events[TRACE_CAUSE_NAK], w->loss_events[TRACE_CAUSE_RNR],
	        w->loss_events[TRACE_CAUSE_TIMEOUT], c->reordered_packets};

	put(f, "[%u,", i);
	write_addr(f, &w->src);
	put_char(',', f);
	write_addr(f, &w->dst);
	write_qp(f, w->src_qp);
	write_qp(f, w->dqp);
	put(f, ",\"%s\"", trace_transport_name((enum trace_transport)w->transport));
	report_next(f, w->sport, 0);
	report_next(f, w->dscp, 0);
	report_next(f, w->pcp == 255 ? TRACE_UNKNOWN : w->pcp, 0);
	for (size_t k = 0; k < sizeof(count) / sizeof(*count); k++)
		put(f, ",%" PRIu64, count[k]);
	report_next(f, w->goodput_bps, 0);
	report_next(f, trace_span_mean(&w->rtt_ns), 3);
	report_next(f, w->rtt_ns.n ? w->rtt_ns.max : TRACE_UNKNOWN, 3);
	report_next(f, trace_span_mean(&w->net_fct_ns), 3);
	report_next(f, w->net_fct_ns.n ? w->net_fct_ns.max : TRACE_UNKNOWN, 3);
	report_next(f, trace_span_mean(&w->latency_ns), 3);
	put_char(',', f);
	report_since(f, r, w->first_ns);
	put_char(',', f);
	report_since(f, r, w->last_ns);
	put_char(']', f);
}

/* Those with data alone; without payload by their packets. */
static uint64_t flow_weight(const struct trace_result *r, uint32_t i)
{
	const struct trace_counts *c = &r->flow[i].counts;

	return c->data_packets ? (c->payload_bytes << 1) + 1 : 0;
}

int report_flows(FILE *f, const struct trace_result *r)
{
	uint32_t n = REPORT_FLOWS, all = 0;
	uint32_t *shown = report_largest(&n, r->n_flows, flow_weight, r);

	if (!shown)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_flows; i++)
		all += r->flow[i].counts.data_packets > 0;
	put(f, "\"flows\":{\"all\":%u,\"rows\":[", all);
	for (uint32_t i = 0; i < n; i++) {
		put_text(i ? ",\n" : "\n", f);
		write_flow(f, r, shown[i]);
	}
	put_text("]},\n", f);
	free(shown);
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct trace_addr *x = a, *y = b;

	return x->kind != y->kind ? x->kind - y->kind : memcmp(x->ip, y->ip, sizeof(x->ip));
}

struct order {
	struct trace_addr addr; /* first: by_address */
	uint32_t host;
};

struct matrix {
	uint64_t *bytes; /* of each host, in and out */
	uint32_t *place; /* of each host in the picture; n: with all others */
	uint64_t *cell;  /* (n + 1) x (n + 1) bytes, then as many messages */
	uint32_t n;
};

static void matrix_fini(struct matrix *m)
{
	free(m->bytes);
	free(m->place);
	free(m->cell);
}

/* The hosts with most traffic, in the order of their addresses. */
static int choose(struct matrix *m, const struct trace_result *r, struct order *o)
{
	for (uint32_t i = 0; i < r->n_cells; i++) {
		m->bytes[r->cell[i].src] += r->cell[i].payload_bytes;
		m->bytes[r->cell[i].dst] += r->cell[i].payload_bytes;
	}
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		uint32_t at = m->n;

		if (!m->bytes[h])
			continue;
		while (at && m->bytes[o[at - 1].host] < m->bytes[h])
			at--;
		if (at == REPORT_HOSTS)
			continue;
		m->n += m->n < REPORT_HOSTS;
		memmove(o + at + 1, o + at, (m->n - 1 - at) * sizeof(*o));
		o[at] = (struct order){r->host[h].addr, h};
	}
	qsort(o, m->n, sizeof(*o), by_address);
	for (uint32_t h = 0; h < r->n_hosts; h++)
		m->place[h] = m->n;
	for (uint32_t i = 0; i < m->n; i++)
		m->place[o[i].host] = i;
	m->cell = calloc((size_t)(m->n + 1) * (m->n + 1) * 2, sizeof(*m->cell));
	return m->cell ? 0 : -ENOMEM;
}

static void write_cells(FILE *f, const struct matrix *m)
{
	uint32_t wide = m->n + 1;
	const char *between = "";

	for (uint32_t i = 0; i < wide * wide; i++) {
		if (!m->cell[2 * i] && !m->cell[2 * i + 1])
			continue;
		put(f, "%s[%u,%u,%" PRIu64 ",%" PRIu64 "]", between, i / wide, i % wide,
		        m->cell[2 * i], m->cell[2 * i + 1]);
		between = ",";
	}
}

static void fill(struct matrix *m, const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_cells; i++) {
		const struct trace_cell *c = &r->cell[i];
		size_t at = 2 * ((size_t)m->place[c->src] * (m->n + 1) + m->place[c->dst]);

		m->cell[at] += c->payload_bytes;
		for (int k = 0; k < TRACE_SIZE_CLASSES; k++)
			m->cell[at + 1] += c->messages[k];
	}
}

int report_matrix(FILE *f, const struct trace_result *r)
{
	struct order o[REPORT_HOSTS + 1];
	struct matrix m = {.bytes = calloc(r->n_hosts + 1u, sizeof(*m.bytes)),
	        .place = calloc(r->n_hosts + 1u, sizeof(*m.place))};
	uint32_t others = 0;
	int rc = m.bytes && m.place ? choose(&m, r, o) : -ENOMEM;

	if (!rc) {
		fill(&m, r);
		for (uint32_t h = 0; h < r->n_hosts; h++)
			others += m.bytes[h] && m.place[h] == m.n;
		put(f, "\"matrix\":{\"others\":%u,\"hosts\":[", others);
		for (uint32_t i = 0; i < m.n; i++) {
			put_text(i ? "," : "", f);
			write_addr(f, &o[i].addr);
		}
		put_text("],\n\"cells\":[", f);
		write_cells(f, &m);
		put_text("]},\n", f);
	}
	matrix_fini(&m);
	return rc;
}
