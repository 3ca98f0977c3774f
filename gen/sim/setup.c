/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the state of a run from its configuration: everything before the first packet. */
#include "gen/sim/sim_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/rnic/rnic_check.h"
#include "gen/sim/deadlock.h"
#include "gen/sim/fault_int.h"
#include "gen/sim/heap_core.h"
#include "gen/sim/host_port.h"
#include "gen/sim/node.h"
#include "gen/sim/partition.h"
#include "gen/sim/ranks.h"
#include "gen/sim/reroute.h"
#include "gen/sim/switch_port.h"

static int setup_profiles(struct sim *s, struct err *e)
{
	s->profile = calloc(s->topo->n_profiles, sizeof(*s->profile));
	if (!s->profile)
		return err_set(
		        e, -ENOMEM, "no memory for %u port profiles", s->topo->n_profiles);
	for (uint32_t i = 0; i < s->topo->n_profiles; i++) {
		int rc = fsw_profile_init(&s->profile[i], &s->topo->profile[i], e);

		if (rc)
			return rc;
	}
	return 0;
}

static int setup_switches(struct sim *s, struct err *e)
{
	const struct topo *t = s->topo;

	s->sw = calloc(t->n_nodes - t->n_hosts, sizeof(*s->sw));
	if (!s->sw)
		return err_set(
		        e, -ENOMEM, "no memory for %u switches", t->n_nodes - t->n_hosts);
	for (uint32_t node = t->n_hosts; node < t->n_nodes; node++) {
		struct sw_node *w = &s->sw[node - t->n_hosts];
		struct sim_thread *th;
		int rc;

		if (s->owner[node] == SIM_ELSEWHERE)
			continue;
		th = s->thread[s->owner[node]];
		rc = fsw_init(&w->sw, t, node, s->profile, s->cfg->frame, s->cfg->seed, e);

		if (rc)
			return rc;
		w->sw.pool = &th->pool;
		w->sw.n = &th->n;
		w->sw.queue_hist = &th->queue_bytes;
		w->sw.interval_max_queue_bytes = &th->interval_max_queue_bytes;
		w->routes = s->routes;
		w->rare_key = SIM_KEY_NEVER;
		w->service = malloc(w->sw.n_ports * sizeof(*w->service));
		w->queued = calloc((w->sw.n_ports + 63u) / 64, sizeof(*w->queued));
		w->cut_through =
		        t->profile[t->node[node].profile].forwarding == FORWARD_CUT_THROUGH;
		switch_unusual(w);
		if (w->cut_through) {
			w->deferred = calloc(w->sw.n_ports, sizeof(*w->deferred));
			w->deferred_out = calloc(w->sw.n_ports, sizeof(*w->deferred_out));
		}
		if (!w->service || !w->queued ||
		        (w->cut_through && (!w->deferred || !w->deferred_out)))
			return err_set(
			        e, -ENOMEM, "no memory for switch %s", t->node[node].name);
	}
	return 0;
}

static struct dcqcn_rp_params *rp_params(struct sim *s, int64_t rate_bps)
{
	for (uint32_t i = 0; i < s->n_rp; i++)
		if (s->rp_rate_bps[i] == rate_bps)
			return s->rp[i];
	if (s->n_rp == SIM_MAX_HOST_RATES)
		return NULL;
	s->rp[s->n_rp] = malloc(sizeof(*s->rp[0]));
	if (!s->rp[s->n_rp])
		return NULL;
	s->rp_rate_bps[s->n_rp] = rate_bps;
	dcqcn_rp_params_init(s->rp[s->n_rp], s->cfg->dcqcn, rate_bps);
	return s->rp[s->n_rp++];
}

static int setup_host(struct sim *s, uint32_t i, struct err *e)
{
	const struct topo *t = s->topo;
	const struct topo_port *p = &t->port[t->node[i].first_port];
	struct host_node *h = &s->host[i];
	struct sim_thread *th = s->thread[s->owner[i]];
	const struct dcqcn_rp_params *rp = rp_params(s, p->rate_bps);
	int rc;

	if (!rp)
		return err_set(e, -ENOMEM, "host %s: more than %d different host link rates",
		        t->node[i].name, SIM_MAX_HOST_RATES);
	rc = rnic_init(&h->host.nic, &s->rnic_shared, rp, i, t->n_hosts, p->rate_bps, e);
	if (rc)
		return rc;
	rc = host_port_init(&h->host.nic.port, t, i, s->cfg->frame, s->cfg->nic, e);
	if (rc)
		return rc;
	h->host.nic.pool = &th->pool;
	h->host.nic.n = &th->n;
	h->host.nic.latency = &th->latency_ps;
	h->host.nic.delivered_bytes = &th->delivered_bytes;
	h->host.log = &th->log;
	h->host.marks = &th->marks;
	h->host.n = &th->n;
	h->host.failure = &th->failure;
	h->host.unfinished = &th->unfinished;
	h->peer = p->peer_node;
	h->peer_port = p->peer_port;
	h->delay_ps = h->propagation_ps = p->delay_ps;
	if (p->peer_node >= t->n_hosts)
		h->delay_ps += t->profile[t->node[p->peer_node].profile].latency_ps;
	h->head_bytes = fsw_head_bytes(t, p->peer_node, s->cfg->frame);
	h->response_ps = fsw_response_ps(t, i, 0);
	h->odd_link = h->head_bytes ? ODD_CUT_THROUGH : 0;
	h->effect_event_ps = h->expiry_event_ps = h->fault_ps = TIME_NEVER;
	rc = host_init(&h->host, &s->host_shared, e);
	host_refresh(h);
	return rc;
}

static int setup_hosts(struct sim *s, struct err *e)
{
	const struct frame_cfg *f = s->cfg->frame;

	s->rnic_shared = (struct rnic_shared){
	        .cfg = s->cfg->nic,
	        .np = s->cfg->np,
	        .frame = {.header_bytes = (uint32_t)f->header_bytes,
	                .reth_bytes = (uint32_t)f->reth_bytes,
	                .min_bytes = (uint32_t)f->min_bytes,
	                .full_bytes = (uint32_t)(f->header_bytes +
	                                         frame_payload_bytes(f, f->path_mtu_bytes)),
	                .pad_mask = f->pad ? 3 : 0,
	                .ack_bytes = (uint32_t)f->ack_bytes,
	                .cnp_bytes = (uint32_t)f->cnp_bytes,
	                .fcs_bytes = (uint32_t)f->fcs_bytes,
	                .gap_bytes = (uint32_t)f->gap_bytes,
	                .mtu_bytes = (uint32_t)f->path_mtu_bytes,
	                .time_step_ps = f->time_step_ps},
	        .conn = s->arena.conn,
	        .seed = s->cfg->seed,
	        .dcqcn = s->cfg->nic->cc == NIC_CC_DCQCN,
	        .pacing_follows = s->cfg->nic->cc == NIC_CC_DCQCN &&
	                          s->cfg->nic->pacing == NIC_PACING_FOLLOWS_RATE,
	};
	s->host_shared = (struct host_shared){
	        .entry = s->cfg->entry,
	        .n_entries = s->cfg->n_entries,
	        .arena = &s->arena,
	        .seed = s->cfg->seed,
	        .window_bytes = sim_window_bytes(s),
	        .nic = s->cfg->nic,
	        .alone_ps = sim_alone_ps,
	        .alone_arg = s,
	        .opened = s->ranks ? ranks_opened : NULL,
	        .opened_arg = s,
	};
	for (uint32_t i = 0; i < s->cfg->n_entries; i++)
		s->unacknowledged |= s->cfg->entry[i].cfg.transport != TRANSPORT_RC;
	s->host = calloc(s->topo->n_hosts, sizeof(*s->host));
	if (!s->host)
		return err_set(e, -ENOMEM, "no memory for %u hosts", s->topo->n_hosts);
	for (uint32_t i = 0; i < s->topo->n_hosts; i++) {
		int rc;

		if (s->owner[i] == SIM_ELSEWHERE)
			continue;
		rc = setup_host(s, i, e);
		if (rc)
			return rc;
		if (s->host[i].host.wake_ps < s->stop_ps)
			sim_first_wake(s, i, s->host[i].host.wake_ps);
		else if (s->host[i].host.wake_ps != TIME_NEVER)
			s->thread[s->owner[i]]->beyond_stop = true;
	}
	return 0;
}

static int setup_slots(const struct sim *s, struct sim_thread *th)
{
	const uint32_t n_nodes = s->topo->n_nodes;

	th->slot = aligned_alloc(_Alignof(struct slot), s->wake_ring * sizeof(*th->slot));
	th->inbox = calloc((size_t)n_nodes * s->ring, sizeof(*th->inbox));
	th->active = calloc(s->wake_ring, s->active_stride);
	if (!th->slot || !th->inbox || !th->active)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->wake_ring; i++)
		th->slot[i] = (struct slot){
		        .inbox = &th->inbox[(size_t)(i & s->ring_mask) * n_nodes],
		        .active = &th->active[i * s->active_stride],
		};
	return 0;
}

size_t sim_mailboxes(const struct sim *s)
{
	if (s->ranks)
		return (size_t)s->n_threads * s->ring + s->ranks->world->n_ranks;
	return s->n_threads > 1 ? (size_t)s->n_threads * s->ring : 0;
}

static struct sim_thread *thread_open(struct sim *s, uint32_t id)
{
	struct sim_thread *th = aligned_alloc(
	        CACHE_LINE, (sizeof(*th) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);

	if (!th)
		return NULL;
	memset(th, 0, sizeof(*th));
	th->sim = s;
	th->id = id;
	fifo_pool_init(&th->pool);
	hist_init(&th->latency_ps);
	hist_init(&th->queue_bytes);
	th->log.limit = s->cfg->max_messages;
	th->log.sample = s->cfg->sample_messages;
	th->next_sample_ps = s->cfg->series_ps;
	if (sim_mailboxes(s))
		th->out = calloc(sim_mailboxes(s), sizeof(*th->out));
	if (s->n_groups) {
		th->heap_core = malloc(sizeof(*th->heap_core));
		if (th->heap_core && heap_core_init(th->heap_core, s->topo->n_nodes))
			th->failure = -ENOMEM;
	}
	if (setup_slots(s, th) || (sim_mailboxes(s) && !th->out) ||
	        (s->n_groups && !th->heap_core))
		th->failure = -ENOMEM;
	return th;
}

static int setup_threads(struct sim *s, struct err *e)
{
	s->thread = calloc(s->n_threads, sizeof(*s->thread));
	s->vote = aligned_alloc(CACHE_LINE, 2 * s->n_threads * sizeof(*s->vote));
	s->barrier = sim_barrier_open(s->n_threads);
	s->far_window = malloc(s->topo->n_nodes * sizeof(*s->far_window));
	if (!s->thread || !s->vote || !s->barrier || !s->far_window)
		return err_set(e, -ENOMEM, "no memory for %u nodes", s->topo->n_nodes);
	memset(s->far_window, 0xff, s->topo->n_nodes * sizeof(*s->far_window));
	for (uint32_t i = 0; i < s->n_threads; i++) {
		s->thread[i] = thread_open(s, i);
		if (!s->thread[i] || s->thread[i]->failure)
			return err_set(
			        e, -ENOMEM, "no memory for thread %u of %u", i, s->n_threads);
	}
	return 0;
}

int sim_setup(struct sim *s, const struct sim_cfg *cfg, struct err *e)
{
	int rc;

	*s = (struct sim){.cfg = cfg, .topo = cfg->topo};
	s->stop_ps = cfg->stop_ps < SIM_TIME_MAX ? cfg->stop_ps : SIM_TIME_MAX;
	s->tapped = cfg->tap || cfg->capture;
	s->fcs_gap_bytes = (uint32_t)(cfg->frame->fcs_bytes + cfg->frame->gap_bytes);
	s->pfc_bytes = (uint32_t)cfg->frame->pfc_bytes;
	s->n_threads = cfg->threads ? cfg->threads : 1;
	s->active_stride = ((size_t)s->topo->n_nodes + 7) & ~(size_t)7;
	rc = rnic_cfg_check(cfg->nic, e);
	if (rc)
		return rc;
	rc = routes_build(&s->routes, s->topo, cfg->seed, e);
	if (!rc)
		rc = ranks_open(&s->ranks, cfg->world, s->topo->n_nodes, e);
	if (!rc)
		rc = sim_partition(s, e);
	if (!rc)
		rc = setup_profiles(s, e);
	if (!rc)
		rc = conn_arena_open(&s->arena, e);
	if (!rc && s->ranks)
		rc = conn_arena_share(&s->arena, cfg->world->rank, cfg->world->n_ranks, e);
	if (!rc)
		rc = setup_threads(s, e);
	if (!rc)
		rc = setup_switches(s, e);
	if (!rc)
		rc = setup_hosts(s, e);
	if (!rc)
		rc = sim_fault_setup(s, e);
	if (!rc)
		rc = sim_reroute_setup(s, e);
	if (!rc && deadlocks_open(&s->deadlocks))
		rc = err_set(e, -ENOMEM, "no memory for a run");
	for (uint32_t i = 0; !rc && i < s->n_threads; i++)
		s->thread[i]->look_ps = s->topo->n_nodes - s->topo->n_hosts > 1
		                                ? deadlocks_next_ps(s, 0)
		                                : TIME_NEVER;
	return rc;
}

static void thread_close(struct sim *s, struct sim_thread *th)
{
	if (!th)
		return;
	fifo_pool_fini(&th->pool);
	for (size_t i = 0; th->out && i < sim_mailboxes(s); i++)
		free(th->out[i].m);
	bytes_fini(&th->opened);
	if (th->heap_core)
		heap_core_fini(th->heap_core);
	free(th->heap_core);
	free(th->out);
	for (size_t i = 0; th->inbox && i < (size_t)s->topo->n_nodes * s->ring; i++)
		free(th->inbox[i].d);
	free(th->inbox);
	free(th->slot);
	free(th->active);
	free(th->far);
	free(th->key);
	free(th->key2);
	msg_log_fini(&th->log);
	mark_log_fini(&th->marks);
	free(th->row);
	free(th->violation);
	free(th->watchdog);
	free(th->row_latency);
	free(th->captured.at);
	pfc_log_fini(&th->pfc);
	free(th);
}

void sim_teardown(struct sim *s)
{
	const struct topo *t = s->topo;

	deadlocks_close(s->deadlocks);
	sim_fault_teardown(s);
	sim_reroute_teardown(s);
	for (uint32_t i = 0; s->host && i < t->n_hosts; i++) {
		host_fini(&s->host[i].host);
		if (s->host[i].host.nic.sh)
			rnic_fini(&s->host[i].host.nic);
	}
	for (uint32_t i = 0; s->sw && i < t->n_nodes - t->n_hosts; i++) {
		fsw_fini(&s->sw[i].sw);
		free(s->sw[i].service);
		free(s->sw[i].rare);
		free(s->sw[i].watch);
		free(s->sw[i].queued);
		free(s->sw[i].deferred);
		free(s->sw[i].deferred_out);
	}
	for (uint32_t i = 0; s->thread && i < s->n_threads; i++)
		thread_close(s, s->thread[i]);
	for (uint32_t i = 0; i < s->n_groups; i++)
		free(s->group[i].node);
	for (uint32_t i = 0; i < s->n_rp; i++)
		free(s->rp[i]);
	sim_barrier_close(s->barrier);
	ranks_close(s->ranks);
	conn_arena_close(&s->arena);
	routes_free(s->routes);
	free(s->group);
	free(s->group_of);
	free(s->host);
	free(s->sw);
	free(s->far_window);
	free(s->thread);
	free(s->vote);
	free(s->owner);
	free(s->profile);
}
