/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIRE_EXTRA_BYTES 20

int64_t qualify_after_ps(const struct qrun *r, const struct qcheck *k)
{
	return k->cfg.after_ps >= 0 ? k->cfg.after_ps : r->c->cfg.settle_ps;
}

int64_t qualify_before_ps(const struct qrun *r, const struct qcheck *k)
{
	return k->cfg.before_ps >= 0 ? k->cfg.before_ps : r->c->cfg.for_ps;
}

/* Two streams reach their queue this much apart at most: a frame on the wire of each port. */
static int64_t apart_ps(const struct qrun *r)
{
	int64_t bytes = 84;

	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (r->c->stream[i].wire_bytes > bytes)
			bytes = r->c->stream[i].wire_bytes;
	return 2 * (int64_t)((__int128)bytes * 8 * PS_PER_S / qualify_slowest_bps(r->c));
}

/*
 * An egress queue keeps its order, so what was sent clearly before the last packet of the same
 * port and priority that came, and did not come itself, is lost. What was sent after it may
 * still be under way.
 */
static int64_t horizon_ps(const struct qrun *r, const struct qstream *of)
{
	int64_t last_ps = -1;

	for (uint32_t k = 0; k < r->c->n_streams; k++) {
		const struct qstream *s = &r->c->stream[k];
		const struct qpacket *p = r->cap.packet[k];
		int64_t n = s->packets;

		if (s->to != of->to || s->priority != of->priority)
			continue;
		while (n > 0 && p[n - 1].received_ps < 0)
			n--;
		if (n && p[n - 1].sent_ps > last_ps)
			last_ps = p[n - 1].sent_ps;
	}
	/* nothing came at all: whatever was sent is lost */
	return last_ps < 0 ? TIME_NEVER : last_ps - apart_ps(r);
}

struct qwindow qualify_window(
        const struct qrun *r, uint32_t stream, int64_t after_ps, int64_t before_ps)
{
	const struct qstream *s = &r->c->stream[stream];
	const struct qpacket *p = r->cap.packet[stream];
	const int64_t horizon = horizon_ps(r, s);
	int64_t last = s->packets - 1;
	struct qwindow w = {0};

	while (last >= 0 && p[last].received_ps < 0)
		last--;
	for (int64_t i = 0; i < s->packets; i++) {
		if (p[i].received_ps >= after_ps && p[i].received_ps < before_ps)
			w.in_bytes += s->wire_bytes;
		if (p[i].sent_ps < after_ps || p[i].sent_ps >= before_ps || p[i].sent_ps < 0)
			continue;
		w.sent++;
		w.received += p[i].received_ps >= 0;
		w.lost += p[i].received_ps < 0 && (i < last || p[i].sent_ps < horizon);
		w.marked += p[i].marked;
	}
	return w;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t *qualify_latencies(const struct qrun *r, uint32_t stream, int64_t after_ps,
        int64_t before_ps, uint64_t *n, int *rc)
{
	const struct qstream *s = &r->c->stream[stream];
	const struct qpacket *p = r->cap.packet[stream];
	int64_t *t = malloc((size_t)s->packets * sizeof(*t));

	*n = 0;
	*rc = t ? 0 : -ENOMEM;
	for (int64_t i = 0; t && i < s->packets; i++)
		if (p[i].received_ps >= 0 && p[i].sent_ps >= after_ps &&
		        p[i].sent_ps < before_ps)
			t[(*n)++] = p[i].received_ps - p[i].sent_ps;
	if (t && *n)
		qsort(t, *n, sizeof(*t), by_value);
	return t;
}

int64_t qualify_lag_ps(const struct qrun *r, uint32_t stream)
{
	const struct qstream *s = &r->c->stream[stream];
	const struct qpacket *p = r->cap.packet[stream];
	int64_t worst_ps = 0;

	for (int64_t i = 0; i < s->packets; i++) {
		int64_t planned_ps = s->start_ps + i * s->period_ps;
		int64_t sent_ps = p[i].sent_ps >= 0 ? p[i].sent_ps : r->c->cfg.for_ps;

		if (sent_ps - planned_ps > worst_ps)
			worst_ps = sent_ps - planned_ps;
	}
	return worst_ps;
}

bool qualify_was_paused(const struct qrun *r, uint32_t port, uint8_t priority)
{
	const struct qport *p = &r->cap.port[port];

	for (uint64_t i = 0; i < p->n_pause; i++)
		if (p->pause[i].from_switch && (p->pause[i].xoff & (1u << priority)))
			return true;
	return false;
}

int64_t qualify_pfc_counter(const struct qrun *r, uint32_t port, uint8_t priority)
{
	const uint32_t node = r->scenario->topo->n_hosts;

	for (uint64_t i = 0; i < r->rec->n_port; i++) {
		const struct port_record *p = &r->rec->port[i];

		if (p->node == node && p->port == port && p->priority == priority)
			return p->pfc_received;
	}
	return 0;
}

const struct switch_cfg *qualify_profile(const struct qrun *r, uint32_t port)
{
	return qualify_link_profile(r->scenario, port);
}

int64_t qualify_delay_ps(const struct qrun *r)
{
	return qualify_link(r->scenario, 0)->delay_ps;
}

void qualify_demand(
        struct qdemand demand[8], const struct qrun *r, uint32_t port, int64_t after_ps)
{
	double bytes[8] = {0}, packets[8] = {0};

	memset(demand, 0, 8 * sizeof(*demand));
	for (uint32_t i = 0; i < r->c->n_streams; i++) {
		const struct qstream *s = &r->c->stream[i];
		double bps = (double)r->c->rate_bps[s->from] * (double)s->rate_q32 / Q32_ONE;

		if (s->to != port || s->start_ps > after_ps)
			continue;
		demand[s->priority].wire_bps += bps;
		bytes[s->priority] += bps;
		packets[s->priority] += bps / (double)s->wire_bytes;
	}
	for (int p = 0; p < 8; p++)
		demand[p].frame_bytes =
		        packets[p] > 0 ? bytes[p] / packets[p] - WIRE_EXTRA_BYTES : 1;
}

/* Strict priorities first, the highest number before all others. */
static double serve_strict(double served[8], const struct qdemand demand[8],
        const struct switch_cfg *sw, double left_bps)
{
	for (int p = 7; p >= 0; p--) {
		if (!(sw->strict_priorities & (1 << p)))
			continue;
		served[p] = demand[p].wire_bps < left_bps ? demand[p].wire_bps : left_bps;
		left_bps -= served[p];
	}
	return left_bps;
}

/*
 * The others: priority p gets min(demand, level * weight), the level being such that the sum is
 * what is left. Weights share out frame bytes or packets, time is spent on wire bytes.
 */
void qualify_water_fill(double served[8], const struct qdemand demand[8],
        const struct switch_cfg *sw, double capacity_bps)
{
	double left_bps, low = 0, high = 0, cost[8];

	memset(served, 0, 8 * sizeof(*served));
	left_bps = serve_strict(served, demand, sw, capacity_bps);
	for (int p = 0; p < 8; p++) {
		cost[p] = (double)sw->weights[p] * (demand[p].frame_bytes + WIRE_EXTRA_BYTES);
		if (sw->scheduler_unit == SCHEDULE_BYTES)
			cost[p] /= demand[p].frame_bytes;
		if (demand[p].wire_bps / cost[p] > high)
			high = demand[p].wire_bps / cost[p];
	}
	for (int i = 0; i < 200; i++) {
		double level = (low + high) / 2, sum = 0;

		for (int p = 0; p < 8; p++) {
			if (sw->strict_priorities & (1 << p))
				continue;
			served[p] = level * cost[p] < demand[p].wire_bps ? level * cost[p]
			                                                 : demand[p].wire_bps;
			sum += served[p];
		}
		if (sum > left_bps)
			high = level;
		else
			low = level;
	}
}

const char *qualify_stream_text(char *buf, size_t len, const struct qstream *s)
{
	(void)snprintf(buf, len, "stream %s (port %u to %u, priority %u)", s->name, s->from,
	        s->to, s->priority);
	return buf;
}
