/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/simkit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/knob_value.h"

void simkit_init(struct simkit *k)
{
	*k = (struct simkit){.seed = 1, .stop_ps = TIME_NEVER, .threads = 1};
	knob_defaults(&switch_knobs, &k->sw);
	knob_defaults(&frame_knobs, &k->frame);
	knob_defaults(&fabric_knobs, &k->frame);
	knob_defaults(&nic_knobs, &k->nic);
	knob_defaults(&dcqcn_knobs, &k->dcqcn);
	knob_defaults(&np_knobs, &k->np);
	k->nic.cc = NIC_CC_NONE;
	k->sw.ecn_enabled = 0;
}

void simkit_fini(struct simkit *k)
{
	topo_free(k->topo);
	free(k->flow);
	for (uint32_t i = 0; i < k->n_faults; i++)
		free((void *)(uintptr_t)k->fault[i].place);
	free(k->fault);
	*k = (struct simkit){0};
}

void simkit_links(struct simkit *k, uint32_t n_hosts, uint32_t n_switches,
        const struct topo_link *link, uint32_t n_links)
{
	struct topo_node *node = calloc(n_hosts + n_switches, sizeof(*node));
	struct err e = {0};

	assert_non_null(node);
	for (uint32_t i = 0; i < n_hosts + n_switches; i++) {
		bool host = i < n_hosts;

		(void)snprintf(node[i].name, sizeof(node[i].name), "%s%u", host ? "host" : "sw",
		        host ? i : i - n_hosts);
		node[i].tier = !host;
		node[i].outside_id = i;
	}
	topo_free(k->topo);
	if (topo_from_links(
	            &k->topo, node, n_hosts + n_switches, n_hosts, link, n_links, &k->sw, &e))
		fail_msg("%s", e.msg);
	free(node);
}

void simkit_star(struct simkit *k, uint32_t n_hosts, int64_t rate_bps, int64_t delay_ps)
{
	struct topo_link link[SIMKIT_MAX_LINKS];

	assert_true(n_hosts <= SIMKIT_MAX_LINKS);
	for (uint32_t i = 0; i < n_hosts; i++)
		link[i] = (struct topo_link){i, n_hosts, rate_bps, delay_ps};
	simkit_links(k, n_hosts, 1, link, n_hosts);
}

void simkit_chain(
        struct simkit *k, uint32_t n_links, const int64_t *rate_bps, const int64_t *delay_ps)
{
	struct topo_link link[SIMKIT_MAX_LINKS];

	assert_true(n_links >= 2 && n_links <= SIMKIT_MAX_LINKS);
	for (uint32_t i = 0; i < n_links; i++)
		link[i] = (struct topo_link){
		        i ? 1 + i : 0, i == n_links - 1 ? 1 : 2 + i, rate_bps[i], delay_ps[i]};
	simkit_links(k, 2, n_links - 1, link, n_links);
}

struct load_flow *simkit_flow(
        struct simkit *k, uint32_t src, uint32_t dst, int64_t bytes, int64_t start_ps)
{
	k->flow = reallocarray(k->flow, (size_t)k->n_flows + 1, sizeof(*k->flow));
	assert_non_null(k->flow);
	k->flow[k->n_flows] = (struct load_flow){
	        .src = src, .dst = dst, .bytes = bytes, .start_ps = start_ps, .priority = -1};
	return &k->flow[k->n_flows++];
}

void simkit_place(struct sim_fault *f, uint32_t node, uint16_t port)
{
	struct fault_place *p =
	        reallocarray((void *)(uintptr_t)f->place, f->n_places + 1, sizeof(*p));

	assert_non_null(p);
	p[f->n_places++] = (struct fault_place){node, port};
	f->place = p;
}

struct sim_fault *simkit_fault(
        struct simkit *k, enum fault_kind kind, uint32_t node, uint16_t port)
{
	struct sim_fault *f;

	k->fault = reallocarray(k->fault, k->n_faults + 1, sizeof(*k->fault));
	assert_non_null(k->fault);
	f = &k->fault[k->n_faults++];
	*f = (struct sim_fault){
	        .kind = kind,
	        .until_ps = TIME_NEVER,
	        .reroute_ps = TIME_NEVER,
	        .filter = {.src = FAULT_ANY_HOST,
	                .dst = FAULT_ANY_HOST,
	                .qp = FAULT_ANY_QP,
	                .frames = FAULT_FRAMES_ALL,
	                .every = 1,
	                .probability_q32 = Q32_ONE,
	                .count = FAULT_NO_LIMIT},
	        .quanta = 65535,
	        .priorities = kind == FAULT_PFC_STORM ? 1 << 3 : 0,
	};
	simkit_place(f, node, port);
	return f;
}

struct load_cfg *simkit_load(struct simkit *k, enum load_pattern_kind pattern)
{
	struct load_cfg *c = &k->load[k->n_loads++];

	assert_true(k->n_loads <= SIMKIT_MAX_LOADS);
	knob_defaults(&load_knobs, c);
	c->pattern = pattern;
	return c;
}

static void add_entry(const struct simkit *k, struct load_entry *entry, uint32_t *n,
        const struct load_cfg *c, const int64_t *host_rate_bps)
{
	struct load_env env = {
	        .n_hosts = k->topo->n_hosts,
	        .seed = k->seed,
	        .stop_ps = k->stop_ps,
	        .path_mtu_bytes = k->frame.path_mtu_bytes,
	        .pads_payload = k->frame.pad != 0,
	        .header_wire_bytes =
	                k->frame.header_bytes + k->frame.fcs_bytes + k->frame.gap_bytes,
	        .message_wire_bytes = k->frame.reth_bytes,
	        .host_rate_bps = host_rate_bps,
	};
	struct err e = {0};

	if (load_entry_init(&entry[*n], c, &env, (uint16_t)*n, &e))
		fail_msg("%s", e.msg);
	++*n;
}

static uint32_t make_entries(
        const struct simkit *k, struct load_entry *entry, const int64_t *host_rate_bps)
{
	struct load_cfg flows = {0};
	uint32_t n = 0;

	if (k->n_flows) {
		knob_defaults(&load_knobs, &flows);
		flows.pattern = LOAD_FLOWS;
		flows.transport = k->transport;
		flows.n_flows = k->n_flows;
		flows.flow = malloc((size_t)k->n_flows * sizeof(*flows.flow));
		assert_non_null(flows.flow);
		memcpy(flows.flow, k->flow, (size_t)k->n_flows * sizeof(*flows.flow));
		add_entry(k, entry, &n, &flows, host_rate_bps);
	}
	for (uint32_t i = 0; i < k->n_loads; i++)
		add_entry(k, entry, &n, &k->load[i], host_rate_bps);
	return n;
}

struct sim_cfg simkit_cfg(const struct simkit *k)
{
	return (struct sim_cfg){.topo = k->topo,
	        .frame = &k->frame,
	        .nic = &k->nic,
	        .dcqcn = &k->dcqcn,
	        .np = &k->np,
	        .fault = k->fault,
	        .n_faults = k->n_faults,
	        .seed = k->seed,
	        .stop_ps = k->stop_ps,
	        .stop_on_deadlock = k->stop_on_deadlock,
	        .series_ps = k->series_ps,
	        .threads = k->threads,
	        .world = k->world,
	        .core = k->core,
	        .tap = k->tap,
	        .tap_arg = k->tap_arg};
}

int simkit_try(struct run_record **out, const struct simkit *k, struct err *e)
{
	struct load_entry entry[SIMKIT_MAX_LOADS + 1];
	int64_t *host_rate_bps = malloc(k->topo->n_hosts * sizeof(*host_rate_bps));
	struct sim_cfg cfg;
	uint32_t n_entries;
	int rc;

	assert_non_null(host_rate_bps);
	for (uint32_t h = 0; h < k->topo->n_hosts; h++)
		host_rate_bps[h] = k->topo->port[k->topo->node[h].first_port].rate_bps;
	n_entries = make_entries(k, entry, host_rate_bps);
	*out = NULL;
	cfg = simkit_cfg(k);
	cfg.entry = entry;
	cfg.n_entries = n_entries;
	rc = sim_run(out, &cfg, e);
	for (uint32_t i = 0; i < n_entries; i++)
		load_entry_fini(&entry[i]);
	free(host_rate_bps);
	return rc;
}

struct run_record *simkit_run(const struct simkit *k)
{
	struct run_record *r;
	struct err e = {0};

	if (simkit_try(&r, k, &e))
		fail_msg("%s", e.msg);
	return r;
}

const struct msg_record *simkit_msg(
        const struct run_record *r, uint32_t src, uint32_t dst, uint32_t n)
{
	for (uint64_t i = 0; i < r->n_msg; i++)
		if (r->msg[i].src == src && r->msg[i].dst == dst && n-- == 0)
			return &r->msg[i];
	fail_msg("no such message from %u to %u", src, dst);
	return NULL;
}

static const char *say(const char *what, uint64_t i, int64_t a, int64_t b)
{
	static char text[160];

	(void)snprintf(text, sizeof(text), "%s[%llu]: %lld and %lld", what,
	        (unsigned long long)i, (long long)a, (long long)b);
	return text;
}

#define SAME(what, i, x, y)                                                                    \
	do {                                                                                   \
		if ((x) != (y))                                                                \
			return say(what, (uint64_t)(i), (int64_t)(x), (int64_t)(y));           \
	} while (0)

static const char *hist_difference(const char *name, const struct hist *a, const struct hist *b)
{
	SAME(name, 0, a->count, b->count);
	SAME(name, 1, a->min, b->min);
	SAME(name, 2, a->max, b->max);
	SAME(name, 3, a->sum, b->sum);
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		SAME(name, i, a->bucket[i], b->bucket[i]);
	return NULL;
}

static const char *counters_difference(
        const struct run_counters *a, const struct run_counters *b)
{
	struct run_counters x = *a, y = *b;

	x.events = y.events = 0; /* how a core finds its work is its own affair */
#define X(name) SAME(#name, 0, x.name, y.name);
	RUN_COUNTERS(X)
#undef X
	return NULL;
}

static const char *messages_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_msg", 0, a->n_msg, b->n_msg);
	for (uint64_t i = 0; i < a->n_msg; i++) {
		const struct msg_record *x = &a->msg[i], *y = &b->msg[i];

		SAME("msg.src", i, x->src, y->src);
		SAME("msg.seq", i, x->seq, y->seq);
		SAME("msg.done_ps", i, x->done_ps, y->done_ps);
		SAME("msg.post_ps", i, x->post_ps, y->post_ps);
		SAME("msg.first_ps", i, x->first_ps, y->first_ps);
		SAME("msg.alone_ps", i, x->alone_ps, y->alone_ps);
		SAME("msg.bytes", i, x->bytes, y->bytes);
		SAME("msg.dst", i, x->dst, y->dst);
		SAME("msg.conn", i, x->conn, y->conn);
		SAME("msg.tag", i, x->tag, y->tag);
		SAME("msg.entry", i, x->entry, y->entry);
		SAME("msg.priority", i, x->priority, y->priority);
		SAME("msg.status", i, x->status, y->status);
		SAME("msg.retransmits", i, x->retransmits, y->retransmits);
		SAME("msg.paused_ps", i, x->paused_ps, y->paused_ps);
		SAME("msg.limited_ps", i, x->limited_ps, y->limited_ps);
		SAME("msg.recovery_ps", i, x->recovery_ps, y->recovery_ps);
	}
	return NULL;
}

static const char *places_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_queue", 0, a->n_queue, b->n_queue);
	for (uint64_t i = 0; i < a->n_queue; i++) {
		SAME("queue.node", i, a->queue[i].node, b->queue[i].node);
		SAME("queue.port", i, a->queue[i].port, b->queue[i].port);
		SAME("queue.priority", i, a->queue[i].priority, b->queue[i].priority);
		SAME("queue.max_bytes", i, a->queue[i].max_bytes, b->queue[i].max_bytes);
	}
	SAME("n_pause", 0, a->n_pause, b->n_pause);
	for (uint64_t i = 0; i < a->n_pause; i++) {
		SAME("pause.node", i, a->pause[i].node, b->pause[i].node);
		SAME("pause.port", i, a->pause[i].port, b->pause[i].port);
		SAME("pause.priority", i, a->pause[i].priority, b->pause[i].priority);
		SAME("pause.paused_ps", i, a->pause[i].paused_ps, b->pause[i].paused_ps);
		SAME("pause.episodes", i, a->pause[i].episodes, b->pause[i].episodes);
	}
	SAME("n_watchdog", 0, a->n_watchdog, b->n_watchdog);
	for (uint64_t i = 0; i < a->n_watchdog; i++) {
		const struct watchdog_event *x = &a->watchdog[i], *y = &b->watchdog[i];

		SAME("watchdog.t_ps", i, x->t_ps, y->t_ps);
		SAME("watchdog.node", i, x->node, y->node);
		SAME("watchdog.port", i, x->port, y->port);
		SAME("watchdog.priority", i, x->priority, y->priority);
		SAME("watchdog.kind", i, x->kind, y->kind);
		SAME("watchdog.paused_since_ps", i, x->paused_since_ps, y->paused_since_ps);
		SAME("watchdog.dropped_packets", i, x->dropped_packets, y->dropped_packets);
	}
	SAME("n_violation", 0, a->n_violation, b->n_violation);
	for (uint64_t i = 0; i < a->n_violation; i++) {
		const struct headroom_violation *x = &a->violation[i], *y = &b->violation[i];

		SAME("violation.t_ps", i, x->t_ps, y->t_ps);
		SAME("violation.node", i, x->node, y->node);
		SAME("violation.port", i, x->port, y->port);
		SAME("violation.priority", i, x->priority, y->priority);
		SAME("violation.missing_bytes", i, x->missing_bytes, y->missing_bytes);
	}
	return NULL;
}

static const char *ports_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_port", 0, a->n_port, b->n_port);
	for (uint64_t i = 0; i < a->n_port; i++) {
		const struct port_record *x = &a->port[i], *y = &b->port[i];

		SAME("port.node", i, x->node, y->node);
		SAME("port.port", i, x->port, y->port);
		SAME("port.priority", i, x->priority, y->priority);
		SAME("port.tx_packets", i, x->tx_packets, y->tx_packets);
		SAME("port.tx_bytes", i, x->tx_bytes, y->tx_bytes);
		SAME("port.max_queue_bytes", i, x->max_queue_bytes, y->max_queue_bytes);
		SAME("port.marked_packets", i, x->marked_packets, y->marked_packets);
		SAME("port.dropped_packets", i, x->dropped_packets, y->dropped_packets);
		SAME("port.paused_ps", i, x->paused_ps, y->paused_ps);
		SAME("port.pause_episodes", i, x->pause_episodes, y->pause_episodes);
		SAME("port.xoff_frames", i, x->xoff_frames, y->xoff_frames);
	}
	return NULL;
}

static const char *pfc_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_pfc", 0, a->n_pfc, b->n_pfc);
	for (uint64_t i = 0; i < a->n_pfc; i++) {
		const struct pfc_event *x = &a->pfc[i], *y = &b->pfc[i];

		SAME("pfc.t_ps", i, x->t_ps, y->t_ps);
		SAME("pfc.node", i, x->node, y->node);
		SAME("pfc.port", i, x->port, y->port);
		SAME("pfc.cause_port", i, x->cause_port, y->cause_port);
		SAME("pfc.priority", i, x->priority, y->priority);
		SAME("pfc.kind", i, x->kind, y->kind);
		SAME("pfc.cause_paused", i, x->cause_paused, y->cause_paused);
		SAME("pfc.injected", i, x->injected, y->injected);
	}
	SAME("n_edge", 0, a->n_edge, b->n_edge);
	for (uint64_t i = 0; i < a->n_edge; i++) {
		const struct pause_edge *x = &a->edge[i], *y = &b->edge[i];

		SAME("edge.node", i, x->node, y->node);
		SAME("edge.port", i, x->port, y->port);
		SAME("edge.cause_port", i, x->cause_port, y->cause_port);
		SAME("edge.priority", i, x->priority, y->priority);
		SAME("edge.cause_paused", i, x->cause_paused, y->cause_paused);
		SAME("edge.injected", i, x->injected, y->injected);
		SAME("edge.xoffs", i, x->xoffs, y->xoffs);
		SAME("edge.first_ps", i, x->first_ps, y->first_ps);
		SAME("edge.held_ps", i, x->held_ps, y->held_ps);
	}
	return NULL;
}

static const char *iterations_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_iteration", 0, a->n_iteration, b->n_iteration);
	for (uint64_t i = 0; i < a->n_iteration; i++) {
		const struct iteration_record *x = &a->iteration[i], *y = &b->iteration[i];

		SAME("iteration.start_ps", i, x->start_ps, y->start_ps);
		SAME("iteration.end_ps", i, x->end_ps, y->end_ps);
		SAME("iteration.slowest_host", i, x->slowest_host, y->slowest_host);
		SAME("iteration.iteration", i, x->iteration, y->iteration);
		SAME("iteration.entry", i, x->entry, y->entry);
		SAME("iteration.part", i, x->part, y->part);
	}
	return NULL;
}

static const char *deadlocks_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_deadlock", 0, a->n_deadlock, b->n_deadlock);
	for (uint64_t i = 0; i < a->n_deadlock; i++) {
		SAME("deadlock.t_ps", i, a->deadlock[i].t_ps, b->deadlock[i].t_ps);
		SAME("deadlock.n_hops", i, a->deadlock[i].n_hops, b->deadlock[i].n_hops);
		for (uint32_t k = 0; k < a->deadlock[i].n_hops; k++) {
			SAME("deadlock.hop.node", k, a->deadlock[i].hop[k].node,
			        b->deadlock[i].hop[k].node);
			SAME("deadlock.hop.port", k, a->deadlock[i].hop[k].port,
			        b->deadlock[i].hop[k].port);
		}
	}
	return NULL;
}

static const char *faults_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_fault", 0, a->n_fault, b->n_fault);
	for (uint64_t i = 0; i < a->n_fault; i++) {
		SAME("fault.packets", i, a->fault[i].packets, b->fault[i].packets);
		SAME("fault.first_ps", i, a->fault[i].first_ps, b->fault[i].first_ps);
		SAME("fault.last_ps", i, a->fault[i].last_ps, b->fault[i].last_ps);
	}
	return NULL;
}

static const char *rows_difference(const struct run_record *a, const struct run_record *b)
{
	SAME("n_row", 0, a->n_row, b->n_row);
	for (uint64_t i = 0; i < a->n_row; i++) {
		const struct series_row *x = &a->row[i], *y = &b->row[i];

		SAME("row.t_ps", i, x->t_ps, y->t_ps);
		SAME("row.delivered_bytes", i, x->delivered_bytes, y->delivered_bytes);
		SAME("row.max_queue_bytes", i, x->max_queue_bytes, y->max_queue_bytes);
		SAME("row.max_shared_bytes", i, x->max_shared_bytes, y->max_shared_bytes);
		SAME("row.ecn_marked", i, x->ecn_marked, y->ecn_marked);
		SAME("row.cnp_received", i, x->cnp_received, y->cnp_received);
		SAME("row.pause_frames", i, x->pause_frames, y->pause_frames);
		SAME("row.resume_frames", i, x->resume_frames, y->resume_frames);
		SAME("row.drops", i, x->drops, y->drops);
		SAME("row.retransmits", i, x->retransmits, y->retransmits);
		SAME("row.rate_cuts", i, x->rate_cuts, y->rate_cuts);
		SAME("row.paused_ports", i, x->paused_ports, y->paused_ports);
		SAME("row.active_qps", i, x->active_qps, y->active_qps);
		SAME("row.mean_rate_bps", i, x->mean_rate_bps, y->mean_rate_bps);
		SAME("row.mean_alpha_q32", i, x->mean_alpha_q32, y->mean_alpha_q32);
		SAME("row.queue_bytes_at_t", i, x->queue_bytes_at_t, y->queue_bytes_at_t);
		SAME("row.mean_latency_ps", i, x->mean_latency_ps, y->mean_latency_ps);
		SAME("row.max_latency_ps", i, x->max_latency_ps, y->max_latency_ps);
	}
	return NULL;
}

const char *simkit_difference(const struct run_record *a, const struct run_record *b)
{
	const char *d = counters_difference(&a->n, &b->n);

	SAME("end", 0, a->end, b->end);
	SAME("data_packets_left", 0, a->data_packets_left, b->data_packets_left);
	SAME("t_end_ps", 0, a->t_end_ps, b->t_end_ps);
	SAME("max_queue_bytes", 0, a->max_queue_bytes, b->max_queue_bytes);
	SAME("max_shared_bytes", 0, a->max_shared_bytes, b->max_shared_bytes);
	SAME("max_headroom_bytes", 0, a->max_headroom_bytes, b->max_headroom_bytes);
	if (!d)
		d = messages_difference(a, b);
	if (!d)
		d = hist_difference("latency_ps", &a->latency_ps, &b->latency_ps);
	if (!d)
		d = hist_difference("queue_bytes", &a->queue_bytes, &b->queue_bytes);
	if (!d)
		d = places_difference(a, b);
	if (!d)
		d = iterations_difference(a, b);
	if (!d)
		d = ports_difference(a, b);
	if (!d)
		d = pfc_difference(a, b);
	if (!d)
		d = faults_difference(a, b);
	if (!d)
		d = deadlocks_difference(a, b);
	return d ? d : rows_difference(a, b);
}
