/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/simkit_random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define KB INT64_C(1000)

int64_t simkit_draw(struct rng *r, int64_t lo, int64_t hi)
{
	return lo + (int64_t)rng_below(r, (uint64_t)(hi - lo + 1));
}

/* One of n values. */
#define PICK(r, ...)                                                                           \
	((const int64_t[]){__VA_ARGS__}[rng_below(                                             \
	        r, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))])

static bool chance(struct rng *r, int percent)
{
	return simkit_draw(r, 1, 100) <= percent;
}

void simkit_seeds(uint64_t *first, uint64_t *runs, uint64_t usual_runs)
{
	const char *seed = getenv("SIM_SEED"), *n = getenv("SIM_RUNS");

	*first = seed ? strtoull(seed, NULL, 0) : 1;
	*runs = n ? strtoull(n, NULL, 0) : seed ? 1 : usual_runs;
}

static int64_t draw_rate(struct rng *r, unsigned wishes)
{
	if (!(wishes & SIMKIT_WHOLE_RATES) && chance(r, 15))
		return PICK(r, 30, 99, 56, 360) * SIMKIT_GBPS;
	return PICK(r, 10, 25, 40, 100, 100, 200, 400) * SIMKIT_GBPS;
}

/* Delays of one fabric: all alike, spread out, or with links too short for a window. */
static int64_t draw_delay(struct rng *r, int kind)
{
	switch (kind) {
	case 0:
		return PS_PER_US;
	case 1:
		return simkit_draw(r, 200 * PS_PER_NS, 5 * PS_PER_US);
	case 2:
		return PICK(r, 0, 0, 1, 700, 3000, 100000, PS_PER_US);
	case 3:
		return 0;
	case 4:
		return PICK(r, 1000, 1500, 2000000, 20000000);
	default:
		return 500 * PS_PER_NS;
	}
}

struct graph {
	struct topo_link link[SIMKIT_MAX_LINKS];
	uint32_t n_links, n_hosts, n_switches;
};

static void connect(struct graph *g, struct rng *r, uint32_t a, uint32_t b, int kind, bool same,
        unsigned wishes)
{
	g->link[g->n_links++] = (struct topo_link){
	        a, b, same ? 100 * SIMKIT_GBPS : draw_rate(r, wishes), draw_delay(r, kind)};
}

static void draw_graph(struct simkit *k, struct rng *r, unsigned wishes)
{
	struct graph g = {.n_hosts = (uint32_t)simkit_draw(r, 2, 9)};
	int shape = (int)simkit_draw(r, 0, wishes & SIMKIT_NO_CYCLE ? 2 : 3);
	int kind = (int)simkit_draw(r, 0, 5);
	bool same = chance(r, 40);
	uint32_t leaves;

	g.n_switches = shape == 0 ? 1 : (uint32_t)simkit_draw(r, 2, 5);
	leaves = shape == 2 ? (g.n_switches + 1) / 2 : g.n_switches;
	for (uint32_t h = 0; h < g.n_hosts; h++)
		connect(&g, r, h, g.n_hosts + (uint32_t)rng_below(r, leaves), kind, same,
		        wishes);
	for (uint32_t s = 1; s < g.n_switches && shape != 2; s++) /* a tree */
		connect(&g, r, g.n_hosts + (uint32_t)rng_below(r, s), g.n_hosts + s, kind, same,
		        wishes);
	if (shape == 3 && g.n_switches > 2) /* and a second way */
		connect(&g, r, g.n_hosts, g.n_hosts + g.n_switches - 1, kind, same, wishes);
	for (uint32_t s = leaves; s < g.n_switches && shape == 2; s++) /* spines */
		for (uint32_t l = 0; l < leaves; l++)
			connect(&g, r, g.n_hosts + l, g.n_hosts + s, kind, same, wishes);
	simkit_links(k, g.n_hosts, g.n_switches, g.link, g.n_links);
}

static void draw_switch(struct switch_cfg *s, struct rng *r, unsigned wishes)
{
	bool lossless = wishes & SIMKIT_LOSSLESS;

	s->buffer_bytes = PICK(r, 40, 100, 400, 4000) * KB;
	s->latency_ps = PICK(r, 0, 0, 1, 500000, 1200000);
	s->forwarding =
	        !(wishes & SIMKIT_STORE) && chance(r, 25) ? FORWARD_CUT_THROUGH : FORWARD_STORE;
	s->cell_bytes = PICK(r, 0, 0, 1, 80, 208, 254);
	s->ecn_enabled = chance(r, 70);
	s->ecn_kmin_bytes = PICK(r, 0, 2, 5, 20, 100) * KB;
	s->ecn_kmax_bytes = s->ecn_kmin_bytes + PICK(r, 0, 1, 20, 200) * KB;
	s->ecn_pmax_q32 = PICK(r, 1, 10, 50, 100) * Q32_ONE / 100;
	s->ecn_point = chance(r, 50) ? ECN_ENQUEUE : ECN_DEQUEUE;
	s->pfc_priorities = lossless ? 0xff : PICK(r, 0x08, 0x08, 0x18, 0x00, 0xff, 0x48);
	s->pfc_alpha_q32 = PICK(r, 1, 2, 8, 16, 64) * Q32_ONE / 64;
	s->pfc_reserve_bytes = PICK(r, 0, 0, 1, 4) * KB;
	s->pfc_headroom_bytes =
	        lossless || chance(r, 40) ? PFC_HEADROOM_AUTO : PICK(r, 0, 1, 3, 10) * KB;
	s->pfc_xon_offset_bytes = PICK(r, 0, 1, 3) * KB;
	s->pfc_response_ps = PICK(r, PFC_RESPONSE_STANDARD, 0, 1, 300000);
	s->pfc_quanta = PICK(r, PFC_NEVER_EXPIRES, 65535, 600, 1500);
	/* an XOFF must be repeated in time, behind a frame that has just begun */
	s->pfc_refresh_percent = PICK(r, 50, 50, 20);
	if (!lossless && chance(r, 20)) {
		s->pfc_quanta = PICK(r, 2, 3, 10, 40);
		s->pfc_refresh_percent = PICK(r, 0, 50, 99);
	}
	s->lossy_alpha_q32 = PICK(r, 1, 8, 64) * Q32_ONE / 16;
	s->scheduler_unit = simkit_draw(r, SCHEDULE_BYTES, SCHEDULE_PACKETS);
	s->strict_priorities = PICK(r, 0x40, 0, 0xc1);
	for (int i = 0; i < 8; i++)
		s->weights[i] = simkit_draw(r, 1, 5);
}

/* Some ports, and some switches as a whole, differ from the rest. */
static void draw_second_profile(struct simkit *k, struct rng *r, unsigned wishes)
{
	struct topo *t = k->topo;

	t->profile = reallocarray(t->profile, 2, sizeof(*t->profile));
	assert_non_null(t->profile);
	t->n_profiles = 2;
	t->profile[1] = t->profile[0];
	draw_switch(&t->profile[1], r, wishes);
	for (uint32_t n = t->n_hosts; n < t->n_nodes; n++) {
		t->node[n].profile = (uint16_t)simkit_draw(r, 0, 1);
		for (uint32_t i = 0; i < t->node[n].n_ports; i++)
			t->port[t->node[n].first_port + i].profile =
			        (uint16_t)simkit_draw(r, 0, 1);
	}
}

static void draw_frame(struct frame_cfg *f, struct rng *r, unsigned wishes)
{
	f->min_bytes = PICK(r, 60, 60, 0);
	f->path_mtu_bytes = PICK(r, 256, 1024, 1024, 4096, 1000);
	if (!(wishes & SIMKIT_STEP_OFF) && chance(r, 20)) {
		f->header_bytes = 48;
		f->reth_bytes = 0;
		f->ack_bytes = 60;
		f->pfc_bytes = 43;
		f->fcs_bytes = f->gap_bytes = 0;
		f->time_step_ps = PS_PER_NS;
	}
}

static void draw_nic(struct simkit *k, struct rng *r)
{
	struct rnic_cfg *n = &k->nic;

	n->ack_every = PICK(r, 1, 1, 2, 5, 64);
	n->nak_interval_ps = PICK(r, 0, 20, 500) * PS_PER_US;
	n->ack_duplicates = simkit_draw(r, 0, 1);
	n->retransmit_timeout_ps = PICK(r, 30, 100, 400) * PS_PER_US;
	n->retransmit_backoff = simkit_draw(r, 0, 1);
	n->retry_limit = PICK(r, 0, 2, 7, 7, NIC_RETRY_UNLIMITED);
	n->window_bytes = PICK(r, NIC_WINDOW_OFF, NIC_WINDOW_OFF, NIC_WINDOW_BDP, 1, 5000);
	n->window_scales_with_rate = simkit_draw(r, 0, 1);
	n->pacing = chance(r, 70) ? NIC_PACING_FOLLOWS_RATE : NIC_PACING_FIXED;
	n->ect = chance(r, 90);
	n->ack_priority = PICK(r, NIC_PRIORITY_SAME, NIC_PRIORITY_SAME, 5, 7);
	n->ack_ect = simkit_draw(r, 0, 1);
	n->cnp_priority = PICK(r, 6, 3, 0);
	n->ack_obeys_pause = simkit_draw(r, 0, 1);
	n->cc = chance(r, 65) ? NIC_CC_DCQCN : NIC_CC_NONE;
	k->np.scope = simkit_draw(r, NP_SCOPE_QP, NP_SCOPE_PORT);
	k->np.min_time_between_cnps_ps = PICK(r, 0, 1, 4, 50) * PS_PER_US;
	k->np.delay_ps = PICK(r, 0, 0, 1, 3000000);
	k->np.carrier = chance(r, 30) ? NP_CARRIER_ACK : NP_CARRIER_PACKET;
}

/* What came later draws from a stream of its own: seeds keep their meaning. */
static void draw_endpoint(struct simkit *k, uint64_t seed, unsigned wishes)
{
	struct rng own = rng_make(seed, 1, RNG_LOAD), *r = &own;
	struct rnic_cfg *n = &k->nic;

	if (wishes & SIMKIT_PLAIN_NIC)
		return;
	if (chance(r, 35)) {
		n->retransmit = NIC_SELECTIVE_REPEAT;
		n->reorder_window = PICK(r, 2, 16, 100, 1024, 2048);
		n->reorder_threshold = PICK(r, 0, 0, 3, 30);
	}
	if (chance(r, 15) && !(wishes & SIMKIT_LOSSLESS))
		k->transport = TRANSPORT_UC;
	if (chance(r, 20) && n->retransmit != NIC_SELECTIVE_REPEAT &&
	        !(wishes & SIMKIT_LOSSLESS)) {
		n->receive_queue = PICK(r, 1, 1, 2, 5);
		n->receive_time_ps = PICK(r, 0, 1, 20, 60) * PS_PER_US;
		n->rnr_timer_ps = PICK(r, 10, 40) * PS_PER_US;
		n->rnr_retry = PICK(r, 0, 3, 7, 7);
	}
	if (!chance(r, 35))
		return;
	n->receive_rate_bps = PICK(r, 1, 9, 40, 99, 350) * SIMKIT_GBPS;
	if (wishes & SIMKIT_LOSSLESS || chance(r, 50))
		return;
	n->pfc_priorities = PICK(r, 0x08, 0, 0xff);
	n->receive_buffer_bytes = PICK(r, 1500, 20000, 60000);
	n->pfc_xoff_bytes = n->receive_buffer_bytes / PICK(r, 1, 2, 4);
	n->pfc_xon_offset_bytes = PICK(r, 0, 1000, 30000);
}

static void draw_dcqcn(struct dcqcn_cfg *d, struct rng *r)
{
	d->rpg_max_rate_bps = chance(r, 20) ? 7 * SIMKIT_GBPS : 0;
	d->rpg_time_reset_ps = PICK(r, 5, 55, 300) * PS_PER_US;
	d->rpg_byte_reset_bytes = PICK(r, 0, 5000, 2097088);
	d->rpg_ai_rate_bps = PICK(r, 5, 1000) * 1000000;
	d->rpg_hai_rate_bps = PICK(r, 50, 5000) * 1000000;
	d->dce_tcp_rtt_ps = PICK(r, 1, 5, 55) * PS_PER_US;
	d->rate_reduce_monitor_period_ps = PICK(r, 1, 4, 50) * PS_PER_US;
	d->cut = chance(r, 25) ? DCQCN_CUT_ON_GRID : DCQCN_CUT_ON_CNP;
	d->cut_grid_offset_ps = d->cut == DCQCN_CUT_ON_GRID ? PS_PER_NS : 0;
	d->alpha_timer_restart = simkit_draw(r, 0, 1);
	d->alpha_update_on_cnp = simkit_draw(r, 0, 1);
	d->first_cnp_cuts = simkit_draw(r, 0, 1);
	d->hai_needs_both = simkit_draw(r, 0, 1);
}

static void draw_flows(struct simkit *k, struct rng *r)
{
	const uint32_t n_hosts = k->topo->n_hosts;
	int64_t n = simkit_draw(r, 1, 14), sink = simkit_draw(r, 0, n_hosts - 1);

	for (int64_t i = 0; i < n; i++) {
		uint32_t src = (uint32_t)rng_below(r, n_hosts);
		uint32_t dst = chance(r, 60) ? (uint32_t)sink : (uint32_t)rng_below(r, n_hosts);
		int64_t bytes =
		        chance(r, 50) ? simkit_draw(r, 1, 3000) : simkit_draw(r, 10000, 150000);
		struct load_flow *f;

		if (dst == src)
			dst = (src + 1) % n_hosts;
		f = simkit_flow(k, src, dst, bytes,
		        chance(r, 50) ? 0 : simkit_draw(r, 0, 30 * PS_PER_US));
		f->priority = (int8_t)PICK(r, -1, -1, 3, 4, 0, 6);
	}
}

static void draw_loads(struct simkit *k, struct rng *r)
{
	struct load_cfg *c;

	if (k->topo->n_hosts < 3 || !chance(r, 40))
		return;
	c = simkit_load(k, (enum load_pattern_kind)simkit_draw(r, LOAD_INCAST, LOAD_RING));
	c->message_bytes = simkit_draw(r, 1, 20000);
	c->repeat = simkit_draw(r, 1, 3);
	c->period_ps = PICK(r, 0, 10, 40) * PS_PER_US;
	c->qps = simkit_draw(r, 1, 3);
}

/* Messages of one packet without acknowledgements. */
static void draw_datagrams(struct simkit *k, uint64_t seed, unsigned wishes)
{
	struct rng own = rng_make(seed, 2, RNG_LOAD), *r = &own;
	const int64_t mtu = k->frame.path_mtu_bytes;

	if (wishes & (SIMKIT_LOSSLESS | SIMKIT_PLAIN_NIC) || !chance(r, 12))
		return;
	k->transport = TRANSPORT_UD;
	for (int more = 0; more < 4; more++)
		draw_flows(k, r);
	for (int64_t i = 0; i < k->n_flows; i++)
		k->flow[i].bytes = simkit_draw(r, 1, mtu);
	for (uint32_t i = 0; i < k->n_loads; i++) {
		k->load[i].transport = TRANSPORT_UD;
		k->load[i].message_bytes = simkit_draw(r, 1, mtu);
		k->load[i].repeat = simkit_draw(r, 1, 40);
	}
}

/* What came later has draws of its own, so that the seeds above mean what they meant. */
static void draw_fabric(struct simkit *k, uint64_t seed, unsigned wishes)
{
	struct rng r = rng_make(seed, 0, RNG_BALANCE);

	for (uint32_t i = 0; i < k->topo->n_profiles; i++) {
		struct switch_cfg *s = &k->topo->profile[i];

		s->load_balancing = wishes & SIMKIT_ECMP
		                            ? BALANCE_ECMP
		                            : PICK(&r, BALANCE_ECMP, BALANCE_ECMP, BALANCE_ECMP,
		                                      BALANCE_SPRAY, BALANCE_ADAPTIVE);
		s->flowlet_gap_ps = PICK(&r, 0, 0, 300, 2000) * PS_PER_NS;
		s->ecn_priorities = PICK(&r, ECN_NOT_STRICT, 0xff, 0x08, 0x19);
		s->ecn_non_ect = chance(&r, 50) ? NON_ECT_DROP : NON_ECT_PASS;
		s->ecn_average_q32 =
		        PICK(&r, 0, 0, 0, 1, Q32_ONE / 500, Q32_ONE / 16, Q32_ONE / 2, Q32_ONE);
		if (wishes & SIMKIT_LOSSLESS) {
			s->ecn_non_ect = NON_ECT_PASS;
			continue;
		}
		s->watchdog_detect_ps = PICK(
		        &r, WATCHDOG_OFF, 1, 300 * PS_PER_NS, 10 * PS_PER_US, 50 * PS_PER_US);
		s->watchdog_restore_ps = PICK(&r, 1, PS_PER_US, 20 * PS_PER_US);
		s->watchdog_poll_ps = PICK(&r, 0, 0, 1, 700000, 5 * PS_PER_US);
		s->watchdog_action = PICK(
		        &r, WATCHDOG_DROP, WATCHDOG_DROP, WATCHDOG_FORWARD, WATCHDOG_ALERT);
		s->watchdog_drop_ingress = simkit_draw(&r, 0, 1);
	}
}

static void draw_filter(struct simkit *k, struct rng *r, struct fault_filter *m)
{
	static const struct fault_psns psn[] = {{0, 0}, {3, 3}, {5, 9}};

	m->frames = (uint8_t)PICK(r, FAULT_FRAMES_ALL, FAULT_FRAMES_ALL, FAULT_FRAMES_DATA,
	        FAULT_FRAMES_ACK, FAULT_FRAMES_CNP, FAULT_FRAMES_PFC);
	m->probability_q32 = PICK(r, 1, 10, 50, 100) * Q32_ONE / 100;
	m->every = PICK(r, 1, 1, 2, 7);
	m->count = PICK(r, FAULT_NO_LIMIT, FAULT_NO_LIMIT, 1, 5);
	m->sent = (uint8_t)simkit_draw(r, FAULT_SENT_ANY, FAULT_SENT_AGAIN);
	if (chance(r, 25)) {
		m->psn = psn;
		m->n_psn = (uint32_t)simkit_draw(r, 1, 3);
	}
	if (chance(r, 25))
		m->src = (uint32_t)rng_below(r, k->topo->n_hosts);
	if (chance(r, 25))
		m->dst = (uint32_t)rng_below(r, k->topo->n_hosts);
	if (chance(r, 10))
		m->qp = 0;
}

static void draw_fault(struct simkit *k, struct rng *r)
{
	static const int64_t kinds[] = {FAULT_DROP, FAULT_DROP, FAULT_CORRUPT, FAULT_MARK,
	        FAULT_HOLD, FAULT_LINK_DOWN, FAULT_LINK_DOWN, FAULT_LINK_RATE, FAULT_LINK_DELAY,
	        FAULT_PFC_STORM, FAULT_PFC_STORM, FAULT_ECN_OFF, FAULT_SLOW_RECEIVER,
	        FAULT_PFC_IGNORED, FAULT_PFC_LATE, FAULT_DATA_PRIORITY, FAULT_CNP_PRIORITY,
	        FAULT_CNP_THROTTLED, FAULT_ONE_SOURCE_PORT};
	enum fault_kind kind =
	        (enum fault_kind)kinds[rng_below(r, sizeof(kinds) / sizeof(kinds[0]))];
	const struct topo *t = k->topo;
	uint32_t first = kind == FAULT_ECN_OFF ? t->n_hosts : 0;
	bool of_host = kind > FAULT_PFC_STORM && kind < FAULT_ECN_OFF;
	uint32_t n_nodes = of_host ? t->n_hosts : t->n_nodes - first;
	uint32_t node = first + (uint32_t)rng_below(r, n_nodes);
	uint16_t port =
	        kind == FAULT_ECN_OFF ? 0 : (uint16_t)rng_below(r, t->node[node].n_ports);
	const struct topo_port *p = &t->port[t->node[node].first_port + port];
	struct sim_fault *f = simkit_fault(k, kind, node, port);

	if (kind <= FAULT_LINK_DELAY && chance(r, 70)) /* both directions */
		simkit_place(f, p->peer_node, p->peer_port);
	if (chance(r, 75)) {
		f->from_ps = PICK(r, 0, 1, 777777, 3000000) + simkit_draw(r, 0, 30 * PS_PER_US);
		f->until_ps = f->from_ps + simkit_draw(r, 1, 40 * PS_PER_US);
	}
	if (kind == FAULT_LINK_DOWN && chance(r, 70))
		f->reroute_ps = PICK(r, 0, 1, 777, 5000) * PS_PER_NS;
	draw_filter(k, r, &f->filter);
	f->rate_bps = PICK(r, 1, 5, 25, 30, 200) * SIMKIT_GBPS;
	f->delay_ps = PICK(r, 1, 300, 5000, 50000) * PS_PER_NS;
	f->interval_ps = kind == FAULT_PFC_STORM ? PICK(r, 0, 0, 300, 10000) * PS_PER_NS : 0;
	f->quanta = PICK(r, 65535, 600, 5, 0);
	f->priorities = (uint8_t)PICK(r, 0x08, 0x08, 0xff, 0x48, 0x01);
	if (kind == FAULT_CNP_THROTTLED)
		f->interval_ps = PICK(r, 1, 50) * PS_PER_US;
	if (kind == FAULT_DATA_PRIORITY || kind == FAULT_CNP_PRIORITY)
		f->priorities = (uint8_t)simkit_draw(r, 0, 7);
}

void simkit_random(struct simkit *k, uint64_t seed, unsigned wishes)
{
	struct rng r = rng_make(seed, 0, RNG_LOAD);

	simkit_init(k);
	k->seed = seed;
	draw_switch(&k->sw, &r, wishes);
	draw_frame(&k->frame, &r, wishes);
	draw_graph(k, &r, wishes);
	if (chance(&r, 30))
		draw_second_profile(k, &r, wishes);
	draw_fabric(k, seed, wishes);
	draw_nic(k, &r);
	draw_endpoint(k, seed, wishes);
	draw_dcqcn(&k->dcqcn, &r);
	draw_flows(k, &r);
	draw_loads(k, &r);
	draw_datagrams(k, seed, wishes);
	if (wishes & SIMKIT_FAULTS) {
		struct rng faults = rng_make(seed, 0, RNG_FAULT);

		for (int64_t n = simkit_draw(&faults, 0, 3); n > 0; n--)
			draw_fault(k, &faults);
	}
	k->series_ps = PICK(&r, 0, 0, 7 * PS_PER_US, 10 * PS_PER_US);
	if (wishes & SIMKIT_NO_STOP)
		return;
	k->stop_ps = simkit_draw(&r, 1, 3) == 1 ? simkit_draw(&r, 1, 100 * PS_PER_US)
	                                        : 3 * PS_PER_MS + simkit_draw(&r, 0, 1000);
}

int simkit_fit(struct run_record **out, struct simkit *k, struct err *e)
{
	for (int tries = 0;; tries++) {
		int rc = simkit_try(out, k, e);

		if (rc != -EINVAL || tries == 60)
			return rc;
		for (uint32_t i = 0; i < k->topo->n_profiles; i++)
			k->topo->profile[i].buffer_bytes +=
			        k->topo->profile[i].buffer_bytes / 8;
	}
}
