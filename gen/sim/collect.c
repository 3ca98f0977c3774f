/* SPDX-License-Identifier: Apache-2.0 */
/* After the run: adds up what the threads counted and puts records in an order that does not
 * depend on them. */
#include "gen/sim/deadlock.h"
#include "gen/sim/fault_int.h"
#include "gen/sim/ranks.h"
#include "gen/sim/sim_int.h"
#include "gen/sim/switch_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_completion(const void *pa, const void *pb)
{
	const struct msg_record *a = pa, *b = pb;

	if (a->done_ps != b->done_ps)
		return a->done_ps < b->done_ps ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int by_depth(const void *pa, const void *pb)
{
	const struct queue_record *a = pa, *b = pb;

	if (a->max_bytes != b->max_bytes)
		return a->max_bytes > b->max_bytes ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return a->priority < b->priority ? -1 : a->priority > b->priority;
}

static int by_time(const void *pa, const void *pb)
{
	const struct headroom_violation *a = pa, *b = pb;

	if (a->t_ps != b->t_ps)
		return a->t_ps < b->t_ps ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

static int collect_messages(struct sim *s, struct msg_log *all)
{
	for (uint32_t i = 0; i < s->topo->n_hosts; i++)
		host_log_unfinished(&s->host[i].host);
	for (uint32_t t = 0; t < s->n_threads; t++)
		if (s->thread[t]->failure || msg_log_merge(all, &s->thread[t]->log))
			return -ENOMEM;
	return 0;
}

/* Takes over the log. */
static void order_messages(struct run_record *r, struct msg_log *log)
{
	r->msg = log->rec;
	r->n_msg = log->n;
	r->sample_one_in = UINT64_C(1) << log->shift;
	r->all = log->rest;
	*log = (struct msg_log){0};
	if (r->n_msg)
		qsort(r->msg, r->n_msg, sizeof(*r->msg), by_completion);
	for (uint64_t i = 0; r->all && i < r->n_msg; i++)
		msg_stats_add(r->all, &r->msg[i]);
}

static int by_pair(const void *pa, const void *pb)
{
	const struct pair_record *a = pa, *b = pb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

static void add_pair(struct run_record *r, const struct pair_record *p)
{
	struct pair_record *last = r->n_pair ? &r->pair[r->n_pair - 1] : NULL;

	if (!last || by_pair(last, p)) {
		r->pair[r->n_pair++] = *p;
		return;
	}
	last->bytes += p->bytes;
	if (p->first_post_ps < last->first_post_ps)
		last->first_post_ps = p->first_post_ps;
	if (p->last_done_ps > last->last_done_ps)
		last->last_done_ps = p->last_done_ps;
}

/* By QP for now: several may join one pair. */
static int collect_pairs(struct sim *s, struct run_record *r)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < s->topo->n_hosts; i++)
		total += s->host[i].host.nic.n_slots;
	r->pair = malloc((total + 1) * sizeof(*r->pair));
	if (!r->pair)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->topo->n_hosts; i++) {
		const struct host *h = &s->host[i].host;

		for (uint32_t k = 0; k < h->nic.n_slots; k++)
			if (h->flow[k].last_done_ps)
				r->pair[r->n_pair++] = (struct pair_record){.src = i,
				        .dst = s->arena.conn[h->nic.slot_conn[k]].req.dst,
				        .bytes = h->flow[k].completed_bytes,
				        .first_post_ps = h->flow[k].first_post_ps,
				        .last_done_ps = h->flow[k].last_done_ps};
	}
	return 0;
}

static void order_pairs(struct run_record *r)
{
	const uint64_t n = r->n_pair;

	if (n)
		qsort(r->pair, n, sizeof(*r->pair), by_pair);
	r->n_pair = 0;
	for (uint64_t i = 0; i < n; i++) {
		const struct pair_record p = r->pair[i];

		add_pair(r, &p);
	}
}

static int add_queue(struct run_record *r, const struct queue_record *q, uint64_t *cap)
{
	if (r->n_queue == *cap) {
		void *p = reallocarray(r->queue, *cap * 2, sizeof(*q));

		if (!p)
			return -ENOMEM;
		r->queue = p;
		*cap *= 2;
	}
	r->queue[r->n_queue++] = *q;
	return 0;
}

static int collect_queues(struct sim *s, struct run_record *r)
{
	uint64_t cap = 64;

	r->queue = malloc(cap * sizeof(*r->queue));
	if (!r->queue)
		return -ENOMEM;
	for (uint32_t n = s->topo->n_hosts; n < s->topo->n_nodes; n++) {
		const struct fsw *sw = &s->sw[n - s->topo->n_hosts].sw;

		if (sw->mmu.max_shared_bytes > r->max_shared_bytes)
			r->max_shared_bytes = sw->mmu.max_shared_bytes;
		if (sw->mmu.max_headroom_bytes > r->max_headroom_bytes)
			r->max_headroom_bytes = sw->mmu.max_headroom_bytes;
		for (uint32_t k = 0; k < (uint32_t)sw->n_ports * PRIORITIES; k++) {
			struct queue_record q = {
			        .node = n,
			        .port = (uint16_t)(k / PRIORITIES),
			        .priority = (uint8_t)(k % PRIORITIES),
			        .max_bytes = sw->port[k / PRIORITIES]
			                             .cls[k % PRIORITIES]
			                             .max_queue_bytes,
			};

			if (q.max_bytes && add_queue(r, &q, &cap))
				return -ENOMEM;
		}
	}
	return 0;
}

static void order_queues(struct run_record *r)
{
	if (r->n_queue)
		qsort(r->queue, r->n_queue, sizeof(*r->queue), by_depth);
	r->max_queue_bytes = r->n_queue ? r->queue[0].max_bytes : 0;
	if (r->n_queue > RUN_TOP_QUEUES)
		r->n_queue = RUN_TOP_QUEUES;
}

static int add_pause(
        struct run_record *r, uint32_t node, uint16_t port, const struct pause_rx *p)
{
	for (int pr = 0; pr < PRIORITIES; pr++) {
		int64_t paused_ps = pause_rx_total_ps(p, pr, r->t_end_ps);
		void *grown;

		if (paused_ps <= 0)
			continue;
		if ((r->n_pause & (r->n_pause - 1)) == 0) {
			grown = reallocarray(
			        r->pause, r->n_pause ? r->n_pause * 2 : 1, sizeof(*r->pause));
			if (!grown)
				return -ENOMEM;
			r->pause = grown;
		}
		r->pause[r->n_pause++] = (struct pause_record){
		        .node = node,
		        .port = port,
		        .priority = (uint8_t)pr,
		        .paused_ps = paused_ps,
		        .episodes = p->episodes[pr],
		};
	}
	return 0;
}

static int by_port(const void *pa, const void *pb)
{
	const struct pause_record *a = pa, *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return a->priority < b->priority ? -1 : a->priority > b->priority;
}

static int collect_pauses(struct sim *s, struct run_record *r)
{
	for (uint32_t n = 0; n < s->topo->n_hosts; n++)
		if (add_pause(r, n, 0, &s->host[n].host.nic.pause))
			return -ENOMEM;
	for (uint32_t n = s->topo->n_hosts; n < s->topo->n_nodes; n++) {
		const struct fsw *sw = &s->sw[n - s->topo->n_hosts].sw;

		for (uint16_t i = 0; i < sw->n_ports; i++)
			if (add_pause(r, n, i, &sw->port[i].pause))
				return -ENOMEM;
	}
	return 0;
}

void sim_counters_add(struct run_counters *to, const struct run_counters *from)
{
#define X(name) to->name += from->name;
	RUN_COUNTERS(X)
#undef X
}

static void collect_rates(struct sim *s, struct run_record *r)
{
	for (uint32_t i = 0; i < s->topo->n_hosts; i++) {
		const struct rnic *nic = &s->host[i].host.nic;

		for (uint32_t k = 0; k < nic->n_slots; k++) {
			const struct dcqcn_rp *rp = &s->arena.conn[nic->slot_conn[k]].req.rp;

			r->n.rate_cuts += rp->cuts;
			r->n.rate_increases += rp->increases;
		}
	}
}

void sim_series_add(struct series_row *to, const struct series_row *from)
{
	to->delivered_bytes += from->delivered_bytes;
	if (from->max_queue_bytes > to->max_queue_bytes)
		to->max_queue_bytes = from->max_queue_bytes;
	if (from->max_shared_bytes > to->max_shared_bytes)
		to->max_shared_bytes = from->max_shared_bytes;
	if (from->queue_bytes_at_t > to->queue_bytes_at_t)
		to->queue_bytes_at_t = from->queue_bytes_at_t;
	to->ecn_marked += from->ecn_marked;
	to->cnp_received += from->cnp_received;
	to->pause_frames += from->pause_frames;
	to->resume_frames += from->resume_frames;
	to->drops += from->drops;
	to->retransmits += from->retransmits;
	to->rate_cuts += from->rate_cuts;
	to->paused_ports += from->paused_ports;
	to->active_qps += from->active_qps;
	to->mean_rate_bps += from->mean_rate_bps;
	to->mean_alpha_q32 += from->mean_alpha_q32;
	if (from->max_latency_ps > to->max_latency_ps)
		to->max_latency_ps = from->max_latency_ps;
}

static int64_t mean_latency_ps(const struct sim *s, uint64_t row)
{
	struct row_latency sum = {0};

	for (uint32_t t = 0; t < s->n_threads; t++) {
		sum.sum_ps += s->thread[t]->row_latency[row].sum_ps;
		sum.packets += s->thread[t]->row_latency[row].packets;
	}
	return sum.packets ? (int64_t)(sum.sum_ps / (__int128)sum.packets) : 0;
}

static void collect_series(struct sim *s, struct run_record *r)
{
	r->row = s->thread[0]->row;
	r->n_row = s->thread[0]->n_row;
	s->thread[0]->row = NULL;
	for (uint32_t t = 1; t < s->n_threads; t++)
		for (uint64_t i = 0; i < r->n_row; i++)
			sim_series_add(&r->row[i], &s->thread[t]->row[i]);
}

static void order_series(const struct sim *s, struct run_record *r)
{
	for (uint64_t i = 0; i < r->n_row; i++) {
		r->row[i].mean_latency_ps = mean_latency_ps(s, i);
		if (!r->row[i].active_qps)
			continue;
		r->row[i].mean_rate_bps /= r->row[i].active_qps;
		r->row[i].mean_alpha_q32 /= r->row[i].active_qps;
	}
}

static int collect_violations(struct sim *s, struct run_record *r)
{
	uint64_t total = 0;

	for (uint32_t t = 0; t < s->n_threads; t++)
		total += s->thread[t]->n_violation;
	if (!total)
		return 0;
	r->violation = malloc(total * sizeof(*r->violation));
	if (!r->violation)
		return -ENOMEM;
	for (uint32_t t = 0; t < s->n_threads; t++) {
		const struct sim_thread *th = s->thread[t];

		if (th->n_violation)
			memcpy(&r->violation[r->n_violation], th->violation,
			        th->n_violation * sizeof(*r->violation));
		r->n_violation += th->n_violation;
	}
	return 0;
}

static void order_violations(struct run_record *r)
{
	if (r->n_violation)
		qsort(r->violation, r->n_violation, sizeof(*r->violation), by_time);
	if (r->n_violation > RUN_VIOLATIONS_KEPT)
		r->n_violation = RUN_VIOLATIONS_KEPT;
}

static int64_t data_in_fifo(const struct fifo *f)
{
	const struct chunk *c = f->head;
	uint32_t at = f->head_i;
	int64_t n = 0;

	for (uint32_t i = 0; i < f->packets; i++, at++) {
		if (at == CHUNK_DESCS) {
			c = c->next;
			at = 0;
		}
		n += c->d[at].kind == DESC_DATA;
	}
	return n;
}

static int64_t data_in_switch(const struct sw_node *s)
{
	int64_t n = 0;

	for (uint16_t i = 0; i < s->sw.n_ports; i++)
		for (int pr = 0; pr < PRIORITIES; pr++)
			n += data_in_fifo(&s->sw.port[i].cls[pr].q);
	for (uint32_t i = 0; i < s->n_rare; i++) /* put off until their last byte is in */
		if (sim_key_kind(s->rare[i]) == SIM_ARRIVAL)
			n += s->deferred[sim_key_port(s->rare[i])].kind == DESC_DATA;
	return n;
}

/* Data packets that are still somewhere, for the sum that must come out. */
static int64_t data_left(const struct sim *s)
{
	const uint32_t n_nodes = s->topo->n_nodes;
	int64_t n = 0;

	for (uint32_t i = 0; i < s->topo->n_hosts; i++)
		n += s->host[i].host.nic.rx.q.packets;
	for (uint32_t i = s->topo->n_hosts; i < n_nodes; i++)
		n += data_in_switch(&s->sw[i - s->topo->n_hosts]);
	for (uint32_t t = 0; t < s->n_threads; t++) {
		const struct sim_thread *th = s->thread[t];

		n += th->data_packets_late;
		for (size_t i = 0; i < (size_t)n_nodes * s->ring; i++)
			for (uint32_t k = 0; k < th->inbox[i].n; k++)
				n += th->inbox[i].d[k].kind == DESC_DATA;
		for (size_t i = 0; th->out && i < sim_mailboxes(s); i++)
			for (uint32_t k = 0; k < th->out[i].n; k++)
				n += th->out[i].m[k].d.kind == DESC_DATA;
	}
	return n;
}

/* When the run ended: known before what was still paused then can be summed up. */
static int64_t end_ps(const struct sim *s)
{
	int64_t t_ps = 0;

	if (s->end == RUN_TIME_UP || s->end == RUN_OUT_OF_TIME)
		return s->stop_ps;
	for (uint32_t t = 0; t < s->n_threads; t++)
		if (s->thread[t]->last_done_ps > t_ps)
			t_ps = s->thread[t]->last_done_ps;
	if ((s->end != RUN_WORKLOAD_DONE || s->unacknowledged) && s->thread[0]->end_ps > t_ps)
		t_ps = s->thread[0]->end_ps;
	return s->ranks ? world_max(s->ranks->world, t_ps) : t_ps;
}

/* What the nodes of this process did, in any order. */
static int collect(struct sim *s, struct run_record *r, struct msg_log *log)
{
	int rc;

	for (uint32_t t = 0; t < s->n_threads; t++) {
		struct sim_thread *th = s->thread[t];

		if (th->max_latency_ps > th->latency_ps.max)
			th->latency_ps.max = th->max_latency_ps;
		sim_counters_add(&r->n, &th->n);
		hist_merge(&r->latency_ps, &th->latency_ps);
		hist_merge(&r->queue_bytes, &th->queue_bytes);
		if (th->max_shared_bytes > r->max_shared_bytes)
			r->max_shared_bytes = th->max_shared_bytes;
	}
	r->data_packets_left = data_left(s);
	if (s->cfg->nic->ect)
		r->n.ecn_eligible_packets += r->n.data_packets_sent;
	collect_rates(s, r);
	collect_series(s, r);
	rc = collect_messages(s, log);
	if (!rc && s->cfg->max_messages)
		rc = collect_pairs(s, r);
	if (!rc)
		rc = collect_queues(s, r);
	if (!rc)
		rc = collect_pauses(s, r);
	if (!rc)
		rc = collect_violations(s, r);
	if (!rc)
		rc = switch_watch_collect(s, r);
	if (!rc)
		rc = sim_collect_ports(s, r);
	if (!rc)
		rc = sim_collect_pfc(s, r);
	if (!rc)
		rc = sim_fault_collect(s, r);
	return rc;
}

/* The order and the cuts that depend on nothing but the whole. */
static void order(const struct sim *s, struct run_record *r, struct msg_log *log)
{
	order_messages(r, log);
	if (!r->all)
		r->n_pair = 0; /* their messages say it */
	order_pairs(r);
	order_series(s, r);
	order_queues(r);
	if (r->n_pause)
		qsort(r->pause, r->n_pause, sizeof(*r->pause), by_port);
	order_violations(r);
	if (s->ranks) { /* else they are in order already */
		sim_order_ports(r);
		sim_order_pfc(r);
		switch_watch_order(r);
		sim_fault_order(r, s->cfg->n_faults);
	}
}

int sim_collect(struct sim *s, struct run_record **out, struct err *e)
{
	struct run_record *r = calloc(1, sizeof(*r));
	struct msg_log log = {.limit = s->cfg->max_messages, .sample = s->cfg->sample_messages};
	int rc = r ? 0 : -ENOMEM;

	if (r) {
		hist_init(&r->latency_ps);
		hist_init(&r->queue_bytes);
		r->end = s->end;
		r->threads = s->n_threads;
		r->ranks = s->ranks ? s->ranks->world->n_ranks : 1;
		r->t_end_ps = end_ps(s);
		rc = collect(s, r, &log);
		/* nothing has happened since the look that was due */
		deadlocks_look(s, s->thread[0]->look_ps < r->t_end_ps ? s->thread[0]->look_ps
		                                                      : r->t_end_ps);
		deadlocks_collect(s, r);
	}
	if (rc)
		(void)err_set(e, rc, "no memory for the results"); /* rc is returned below */
	rc = world_agree(s->cfg->world, rc, e);
	if (!rc && s->ranks)
		rc = ranks_gather(s, r, &log, e);
	if (!rc) {
		order(s, r, &log);
		rc = sim_collect_iterations(s, r);
		if (rc)
			(void)err_set(e, rc, "no memory for the results"); /* as above */
	}
	rc = world_agree(s->cfg->world, rc, e);
	msg_log_fini(&log);
	if (rc)
		run_record_free(r);
	else
		*out = r;
	return rc;
}
