/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time line, off the packet path: at the first window at or after the end of an interval,
 * each thread adds up what its nodes counted since the last row and looks at their queues and
 * rates. Window lengths divide the interval, so a sample falls between two windows.
 */
#include "gen/sim/sim_int.h"

#include <stdlib.h>

struct rates {
	int64_t cuts, qps;
	__int128 sum_rate_bps, sum_alpha_q32;
};

static void look_at_hosts(
        struct sim_thread *th, int64_t t_ps, struct rates *r, struct series_row *row)
{
	struct sim *s = th->sim;

	for (uint32_t i = 0; i < s->topo->n_hosts; i++) {
		struct rnic *nic = &s->host[i].host.nic;

		if (s->owner[i] != th->id)
			continue;
		row->paused_ports += __builtin_popcount(nic->pause.blocked);
		for (uint32_t k = 0; k < nic->n_slots; k++) {
			struct qp_req *q = &s->arena.conn[nic->slot_conn[k]].req;

			r->cuts += q->rp.cuts;
			if (q->msgs.una == q->msgs.tail)
				continue;
			if (s->rnic_shared.dcqcn) {
				struct dcqcn_rp rp =
				        q->rp; /* the rate at t, without touching the state */

				dcqcn_rp_advance(&rp, nic->rp_params, t_ps);
				r->sum_rate_bps += dcqcn_rp_rate_bps(&rp);
				r->sum_alpha_q32 +=
				        dcqcn_rp_alpha_q62(&rp, nic->rp_params, t_ps) >> 30;
			} else {
				r->sum_rate_bps += nic->rate.bps;
			}
			r->qps++;
		}
	}
}

static void look_at_switches(struct sim_thread *th, struct series_row *row)
{
	struct sim *s = th->sim;

	for (uint32_t n = s->topo->n_hosts; n < s->topo->n_nodes; n++) {
		struct fsw *sw = &s->sw[n - s->topo->n_hosts].sw;

		if (s->owner[n] != th->id)
			continue;
		if (sw->mmu.max_shared_bytes > row->max_shared_bytes)
			row->max_shared_bytes = sw->mmu.max_shared_bytes;
		sw->mmu.max_shared_bytes = sw->mmu.shared_bytes; /* of the next interval */
		for (uint16_t i = 0; i < sw->n_ports; i++) {
			row->paused_ports += __builtin_popcount(sw->port[i].pause.blocked);
			for (unsigned m = sw->port[i].backlog; m; m &= m - 1) {
				int64_t q_bytes = sw->port[i].cls[__builtin_ctz(m)].q.bytes;

				if (q_bytes > row->queue_bytes_at_t)
					row->queue_bytes_at_t = q_bytes;
			}
		}
	}
	if (row->max_shared_bytes > th->max_shared_bytes)
		th->max_shared_bytes = row->max_shared_bytes;
}

/* The histogram is of the whole run; what it grew by is of the interval. */
static struct row_latency look_at_latency(struct sim_thread *th, struct series_row *row)
{
	const struct row_latency now = {th->latency_ps.sum, th->latency_ps.count};
	const struct row_latency grown = {
	        now.sum_ps - th->latency_base.sum_ps, now.packets - th->latency_base.packets};

	row->max_latency_ps = th->latency_ps.max;
	if (row->max_latency_ps > th->max_latency_ps)
		th->max_latency_ps = row->max_latency_ps;
	th->latency_ps.max = 0; /* of the next interval */
	th->latency_base = now;
	return grown;
}

static void grow_rows(struct sim_thread *th)
{
	th->cap_row = th->cap_row ? th->cap_row * 2 : 256;
	th->row = reallocarray(th->row, th->cap_row, sizeof(*th->row));
	th->row_latency = reallocarray(th->row_latency, th->cap_row, sizeof(*th->row_latency));
	CHECK(th->row && th->row_latency);
}

static int64_t drops(const struct run_counters *n)
{
	return n->drops_lossless + n->drops_lossy + n->drops_watchdog + n->drops_wred +
	       n->drops_fault + n->drops_corrupt;
}

static void add_row(struct sim_thread *th, int64_t t_ps)
{
	const struct run_counters *n = &th->n, *b = &th->row_base;
	struct series_row row = {
	        .t_ps = t_ps,
	        .delivered_bytes = th->delivered_bytes,
	        .max_queue_bytes = th->interval_max_queue_bytes,
	        .ecn_marked = n->ecn_marked_packets - b->ecn_marked_packets,
	        .cnp_received = n->cnp_received - b->cnp_received,
	        .pause_frames = n->pause_frames - b->pause_frames,
	        .resume_frames = n->resume_frames - b->resume_frames,
	        .drops = drops(n) - drops(b),
	        .retransmits = n->retransmitted_packets - b->retransmitted_packets,
	};
	struct rates r = {0};

	look_at_hosts(th, t_ps, &r, &row);
	look_at_switches(th, &row);
	row.rate_cuts = n->rate_cuts + r.cuts - th->row_cuts;
	row.active_qps = r.qps;
	/* sums for now: sim_collect adds up the threads and divides */
	row.mean_rate_bps = (int64_t)r.sum_rate_bps;
	row.mean_alpha_q32 = (int64_t)r.sum_alpha_q32;
	th->row_cuts = n->rate_cuts + r.cuts;
	th->row_base = *n;
	th->delivered_bytes = 0;
	th->interval_max_queue_bytes = row.queue_bytes_at_t;
	if (th->n_row == th->cap_row)
		grow_rows(th);
	th->row_latency[th->n_row] = look_at_latency(th, &row);
	th->row[th->n_row++] = row;
}

/* Rows for the intervals that end by t; a long silence gets its first and its last row. */
void sim_series_advance(struct sim_thread *th, int64_t t_ps)
{
	const int64_t step_ps = th->sim->cfg->series_ps;

	if (th->next_sample_ps > t_ps)
		return;
	add_row(th, th->next_sample_ps);
	th->next_sample_ps += step_ps;
	if (th->next_sample_ps > t_ps)
		return;
	th->next_sample_ps = t_ps - t_ps % step_ps;
	add_row(th, th->next_sample_ps);
	th->next_sample_ps += step_ps;
}

/* The interval that the end of the run cuts short. All threads ended with the same window. */
void sim_series_finish(struct sim_thread *th)
{
	const int64_t step_ps = th->sim->cfg->series_ps;

	sim_series_advance(th, th->end_ps);
	if (th->end_ps > th->next_sample_ps - step_ps)
		add_row(th, th->end_ps);
}
