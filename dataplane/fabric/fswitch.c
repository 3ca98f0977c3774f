/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/fswitch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "dataplane/base/units.h"
#include "dataplane/fabric/balance.h"
#include "dataplane/fabric/blame.h"
#include "dataplane/fabric/defect.h"
#include "dataplane/fabric/ecn_average.h"
#include "dataplane/fabric/headroom.h"
#include "dataplane/fabric/watchdog.h"

/* The DWRR quantum of weight 1: at least the largest frame, so that each visit serves a packet.
 */
#define DWRR_QUANTUM_BYTES 9600

#define CUT_THROUGH_HEAD_BYTES 64

static void wred_init(struct fsw_profile *p, const struct switch_cfg *cfg)
{
	p->wred = (uint8_t)(cfg->ecn_priorities == ECN_NOT_STRICT ? ~cfg->strict_priorities
	                                                          : cfg->ecn_priorities);
	p->average_q32 = cfg->ecn_average_q32;
	p->ecn.drops = cfg->ecn_non_ect == NON_ECT_DROP ? p->wred : 0;
	p->ecn.special = p->average_q32 ? 0xff : (uint8_t)~p->wred;
	p->ecn.looks_above_bytes = p->average_q32 ? -1 : p->ecn.kmin_bytes;
}

int fsw_profile_init(struct fsw_profile *p, const struct switch_cfg *asked, struct err *e)
{
	struct switch_cfg built = *asked;
	const struct switch_cfg *cfg = &built;

	fabric_defect_apply(&built);
	if (cfg->ecn_enabled && cfg->ecn_kmax_bytes < cfg->ecn_kmin_bytes)
		return err_set(e, -EINVAL,
		        "fabric.switch.ecn: kmax %" PRId64 " B is below kmin %" PRId64
		        " B: raise kmax or lower kmin",
		        cfg->ecn_kmax_bytes, cfg->ecn_kmin_bytes);
	*p = (struct fsw_profile){
	        .ecn = {.kmin_bytes = cfg->ecn_enabled ? cfg->ecn_kmin_bytes : INT64_MAX,
	                .kmax_bytes = cfg->ecn_enabled ? cfg->ecn_kmax_bytes : INT64_MAX,
	                .pmax_q32 = cfg->ecn_pmax_q32,
	                .on_enqueue = cfg->ecn_point == ECN_ENQUEUE,
	                .looks_above_bytes = INT64_MAX},
	        .lossless = (uint8_t)cfg->pfc_priorities,
	        .strict = (uint8_t)cfg->strict_priorities,
	        .lossy_alpha_q16 = cfg->lossy_alpha_q32 >> (32 - MMU_ALPHA_SHIFT),
	        .limits = {.alpha_q16 = cfg->pfc_alpha_q32 >> (32 - MMU_ALPHA_SHIFT),
	                .reserve_bytes = cfg->pfc_reserve_bytes,
	                .xon_offset_bytes = cfg->pfc_xon_offset_bytes},
	        .quanta = cfg->pfc_quanta == PFC_NEVER_EXPIRES ? 0 : cfg->pfc_quanta,
	        .expires = cfg->pfc_quanta != PFC_NEVER_EXPIRES,
	        .refresh_percent = cfg->pfc_refresh_percent,
	};
	p->defect = (uint8_t)cfg->defect;
	if (cfg->ecn_enabled)
		wred_init(p, cfg);
	p->by_packets = cfg->scheduler_unit == SCHEDULE_PACKETS;
	for (int i = 0; i < PRIORITIES; i++)
		p->quantum[i] =
		        (int32_t)(cfg->weights[i] * (p->by_packets ? 1 : DWRR_QUANTUM_BYTES));
	return 0;
}

/* The bound of the port before: most ports of a switch have equal links. */
struct last_headroom {
	struct headroom_in in;
	int64_t bytes;
};

static int64_t port_headroom_bytes(const struct topo *t, uint32_t node, uint16_t i,
        const struct frame_cfg *frame, int64_t response_ps, struct last_headroom *last)
{
	const struct topo_node *tn = &t->node[node];
	const struct topo_port *tp = &t->port[tn->first_port + i];
	const struct switch_cfg *cfg = &t->profile[tp->profile];

	if (cfg->pfc_headroom_bytes != PFC_HEADROOM_AUTO)
		return cfg->pfc_headroom_bytes;
	if (last->in.frame != frame || last->in.rate_bps != tp->rate_bps ||
	        last->in.delay_ps != tp->delay_ps || last->in.response_ps != response_ps) {
		last->in = (struct headroom_in){
		        .rate_bps = tp->rate_bps,
		        .delay_ps = tp->delay_ps,
		        .latency_ps = t->profile[tn->profile].latency_ps,
		        .response_ps = response_ps,
		        .cell_bytes = t->profile[tn->profile].cell_bytes,
		        .frame = frame,
		};
		last->bytes = headroom_bound_bytes(&last->in);
	}
	return last->bytes;
}

int64_t fsw_response_ps(const struct topo *t, uint32_t node, uint16_t port)
{
	const struct topo_port *tp = &t->port[t->node[node].first_port + port];
	const struct topo_port *peer =
	        &t->port[t->node[tp->peer_node].first_port + tp->peer_port];
	/* Hosts have no profile of their own: they take that of the switch port they hang on.
	 */
	const struct switch_cfg *cfg =
	        &t->profile[node < t->n_hosts ? peer->profile : tp->profile];

	if (cfg->pfc_response_ps != PFC_RESPONSE_STANDARD)
		return cfg->pfc_response_ps;
	return pause_quanta_ps(pause_response_quanta(tp->rate_bps), tp->rate_bps);
}

/* A cut-through switch decides once it has seen a minimum frame. */
int64_t fsw_head_bytes(const struct topo *t, uint32_t peer, const struct frame_cfg *frame)
{
	if (peer < t->n_hosts ||
	        t->profile[t->node[peer].profile].forwarding != FORWARD_CUT_THROUGH)
		return 0;
	return CUT_THROUGH_HEAD_BYTES + frame->gap_bytes;
}

static int check_reservations(const struct fsw *sw, const struct topo *t, int64_t buffer_bytes,
        int64_t headroom, int64_t reserve, struct err *e)
{
	char a[48], b[48], c[48], d[48];

	if (headroom + reserve < buffer_bytes)
		return 0;
	return err_set(e, -EINVAL,
	        "switch %s: reservations exceed the buffer: headroom %s + reserve %s = %s of "
	        "%s over %u "
	        "ports: raise fabric.switch.buffer, or lower fabric.switch.pfc.headroom, "
	        "fabric.switch.pfc.reserve or the number of lossless priorities",
	        t->node[sw->node].name, unit_format(a, sizeof(a), UNIT_SIZE, headroom),
	        unit_format(b, sizeof(b), UNIT_SIZE, reserve),
	        unit_format(c, sizeof(c), UNIT_SIZE, headroom + reserve),
	        unit_format(d, sizeof(d), UNIT_SIZE, buffer_bytes), sw->n_ports);
}

static void port_init(struct fsw_port *p, const struct topo *t, uint32_t node, uint16_t i,
        const struct fsw_profile *profiles, const struct frame_cfg *frame, uint64_t seed,
        struct last_headroom *last)
{
	const struct topo_port *tp = &t->port[t->node[node].first_port + i];
	const struct topo_node *peer = &t->node[tp->peer_node];
	const int64_t defect = t->profile[tp->profile].defect;

	p->peer = tp->peer_node;
	p->peer_port = tp->peer_port;
	p->propagation_ps = tp->delay_ps;
	p->delay_ps = tp->delay_ps + fabric_defect_delay_ps(defect);
	if (tp->peer_node >= t->n_hosts)
		p->delay_ps += t->profile[peer->profile].latency_ps;
	link_rate_init(
	        &p->rate, fabric_defect_rate_bps(defect, tp->rate_bps), frame->time_step_ps);
	p->ps_per_byte = p->rate.ps_per_byte;
	p->profile = &profiles[tp->profile];
	p->draw_state = hash_combine(hash_combine(seed, node), (uint64_t)i << 8 | RNG_ECN);
	p->response_ps = fsw_response_ps(t, node, i);
	p->refresh_due_ps = TIME_NEVER;
	p->effect_event_ps = TIME_NEVER;
	p->expiry_event_ps = TIME_NEVER;
	p->cold->head_bytes = fsw_head_bytes(t, tp->peer_node, frame);
	p->odd_link = p->cold->head_bytes ? FSW_CUT_THROUGH : 0;
	p->cold->head_in_bytes = fsw_head_bytes(t, node, frame);
	p->headroom_bytes = port_headroom_bytes(
	        t, node, i, frame, fsw_response_ps(t, tp->peer_node, tp->peer_port), last);
	if (defect == DEFECT_HEADROOM_SHORT)
		p->headroom_bytes /= 8;
	if (defect == DEFECT_PFC_SLOW)
		p->response_ps *= 3;
}

/* What few ports have stands beside them: they are as large as they may be. */
static int watch_ports(struct fsw *sw, const struct topo *t, struct err *e)
{
	const struct topo_node *tn = &t->node[sw->node];
	struct watchdog *w = calloc(sw->n_ports, sizeof(*w));
	bool any = false;

	if (!w)
		return err_set(e, -ENOMEM, "switch %s: no memory for its watchdog", tn->name);
	for (uint16_t i = 0; i < sw->n_ports; i++) {
		struct switch_cfg cfg = t->profile[t->port[tn->first_port + i].profile];

		fabric_defect_apply(&cfg);
		any |= watchdog_init(&w[i], &cfg);
	}
	if (any)
		sw->watchdog = w;
	else
		free(w);
	return 0;
}

static int average_ports(
        struct fsw *sw, const struct topo *t, const struct frame_cfg *frame, struct err *e)
{
	const int64_t wire_bytes = frame->min_bytes + frame->fcs_bytes + frame->gap_bytes;

	for (uint16_t i = 0; i < sw->n_ports; i++) {
		const struct fsw_port *p = &sw->port[i];
		int64_t frame_ps = tx_ps_floor(wire_bytes, p->rate.bps);

		if (!p->profile->average_q32)
			continue;
		if (!sw->average)
			sw->average = calloc(sw->n_ports, sizeof(*sw->average));
		if (!sw->average)
			return err_set(e, -ENOMEM, "switch %s: no memory for its averages",
			        t->node[sw->node].name);
		sw->average[i].idle_frame_ps = frame_ps > 1 ? frame_ps : 1;
	}
	return 0;
}

int fsw_init(struct fsw *sw, const struct topo *t, uint32_t node,
        const struct fsw_profile *profiles, const struct frame_cfg *frame, uint64_t seed,
        struct err *e)
{
	const struct topo_node *tn = &t->node[node];
	const struct switch_cfg *cfg = &t->profile[tn->profile];
	struct last_headroom last = {0};
	int64_t headroom = 0, reserve = 0;
	int rc;

	*sw = (struct fsw){
	        .node = node,
	        .n_ports = tn->n_ports,
	        .cell_bytes = cfg->cell_bytes > 1 ? cfg->cell_bytes : 0,
	        .fcs_bytes = frame->fcs_bytes,
	};
	sw->port = aligned_alloc(
	        CACHE_LINE, ((size_t)tn->n_ports * sizeof(*sw->port) + CACHE_LINE - 1) /
	                            CACHE_LINE * CACHE_LINE);
	sw->cold = calloc(tn->n_ports + 1u, sizeof(*sw->cold));
	if (!sw->port || !sw->cold) {
		sw->n_ports = 0; /* they are not there to be looked at */
		fsw_fini(sw);
		return err_set(
		        e, -ENOMEM, "switch %s: no memory for %u ports", tn->name, tn->n_ports);
	}
	for (uint16_t i = 0; i < tn->n_ports; i++) {
		sw->port[i] = (struct fsw_port){.cold = &sw->cold[i]};
		port_init(&sw->port[i], t, node, i, profiles, frame, seed, &last);
		for (int pr = 0; pr < PRIORITIES; pr++) {
			if (!(sw->port[i].profile->lossless & (1u << pr)))
				continue;
			headroom += sw->port[i].headroom_bytes;
			reserve += sw->port[i].profile->limits.reserve_bytes;
		}
	}
	rc = check_reservations(sw, t, cfg->buffer_bytes, headroom, reserve, e);
	if (!rc)
		rc = watch_ports(sw, t, e);
	if (!rc)
		rc = average_ports(sw, t, frame, e);
	if (!rc)
		rc = balance_open(&sw->balance, cfg, node, seed, e);
	if (rc) {
		fsw_fini(sw);
		return rc;
	}
	sw->mmu.pool_bytes = cfg->buffer_bytes - headroom - reserve;
	return 0;
}

void fsw_fini(struct fsw *sw)
{
	free(sw->watchdog);
	free(sw->average);
	balance_close(sw->balance);
	sw->balance = NULL;
	sw->watchdog = NULL;
	sw->average = NULL;
	free(sw->port);
	free(sw->cold);
	sw->port = NULL;
	sw->cold = NULL;
}

void fsw_average_arrival(struct fsw *sw, uint16_t port, int priority, int64_t now_ps)
{
	const struct fsw_port *p = &sw->port[port];
	struct fsw_average *a = &sw->average[port];
	const int64_t queue_bytes = p->cls[priority].q.bytes;
	int64_t idle_frames = -1;

	if (!queue_bytes && p->busy_until_ps <= now_ps)
		idle_frames = (now_ps - p->busy_until_ps) / a->idle_frame_ps;
	a->avg_q16[priority] = ecn_average_next(
	        a->avg_q16[priority], queue_bytes, p->profile->average_q32, idle_frames);
}

int64_t fsw_wred_bytes(
        const struct fsw *sw, const struct fsw_port *p, int priority, int64_t queue_bytes)
{
	const uint16_t port = (uint16_t)(p - sw->port);

	if (!(p->profile->wred >> priority & 1))
		return 0;
	return fsw_averages(sw, port) ? sw->average[port].avg_q16[priority] >> ECN_AVERAGE_SHIFT
	                              : queue_bytes;
}

NOINLINE bool fsw_wred_hits(
        const struct fsw *sw, struct fsw_port *eg, const struct desc *d, int64_t queue_bytes)
{
	return ecn_marks(&eg->profile->ecn, fsw_wred_bytes(sw, eg, d->priority, queue_bytes),
	        &eg->draw_state);
}

NOINLINE void fsw_count_drop(
        struct fsw *sw, uint16_t out, const struct desc *d, enum fsw_verdict v)
{
	const struct fsw_port *ing = &sw->port[d->in_port];

	sw->port[out].cold->dropped_packets[d->priority]++;
	sw->n->data_packets_dropped += d->kind == DESC_DATA;
	if (v == FSW_DROPPED_WRED) {
		sw->n->drops_wred++;
		return;
	}
	if (v == FSW_DROPPED_LOSSY) {
		sw->n->drops_lossy++;
		return;
	}
	sw->n->drops_lossless++;
	sw->n->headroom_violations++;
	sw->n->headroom_missing_bytes += ing->cls[d->priority].in.headroom_bytes +
	                                 fsw_buffer_bytes(sw, d->frame_bytes) -
	                                 ing->headroom_bytes;
}

NOINLINE void fsw_discard(struct fsw *sw, uint16_t out, int priority, struct desc *d)
{
	struct fsw_port *eg = &sw->port[out];
	struct fifo *q = &eg->cls[priority].q;
	int64_t bytes;

	*d = *fifo_head(q);
	bytes = fsw_buffer_bytes(sw, d->frame_bytes);
	fifo_pop(sw->pool, q, bytes);
	if (q->packets == 0) {
		eg->backlog &= (uint8_t) ~(1u << priority);
		eg->deficit[priority] = 0;
	}
	fsw_release(sw, d, bytes);
	sw->count.discarded++;
}

COLD void fsw_wants_xoff(struct fsw *sw, uint16_t out, const struct desc *d)
{
	struct fsw_port *ing = &sw->port[d->in_port];
	struct mmu_ingress *in = &ing->cls[d->priority].in;
	const uint8_t bit = (uint8_t)(1u << d->priority);
	struct blame why;

	sw->n_xoff++;
	/* a peer that was not told to go on need not be told to stop */
	ing->pfc_xon &= (uint8_t)~bit;
	ing->pfc_xoff |= (uint8_t)(bit & ~ing->xoff_sent);
	if (ing->xoff_sent & bit)
		return; /* what holds it is older */
	why = fsw_blame(sw, out, d);
	in->cause_port = why.port;
	in->cause_paused = why.paused;
}

NOINLINE int fsw_pick_slow(struct fsw_port *p, const struct fsw *sw, uint8_t ready)
{
	unsigned strict = ready & p->profile->strict;

	if (strict)
		return 31 - __builtin_clz(strict);
	for (;;) {
		int pr = p->cursor;

		if (ready & (1u << pr)) {
			int32_t need = 1;

			if (!p->profile->by_packets) /* what it sends, not what it stores */
				need = (int32_t)(fifo_head(&p->cls[pr].q)->frame_bytes +
				                 sw->fcs_bytes);

			if (p->deficit[pr] >= need) {
				p->deficit[pr] -= need;
				return pr;
			}
		}
		p->cursor = (uint8_t)((pr + 1) % PRIORITIES);
		if (ready & (1u << p->cursor))
			p->deficit[p->cursor] += p->profile->quantum[p->cursor];
	}
}

void fsw_check(const struct fsw *sw)
{
	int64_t shared = sw->mmu.lossy_bytes;
	uint64_t queued = 0;

	for (uint16_t i = 0; i < sw->n_ports; i++) {
		const struct fsw_port *p = &sw->port[i];

		for (int pr = 0; pr < PRIORITIES; pr++) {
			const struct fsw_class *c = &p->cls[pr];

			queued += c->q.packets;
			shared += mmu_above_reserve(&c->in, p->profile->limits.reserve_bytes);
			CHECK((c->q.packets != 0) == ((p->backlog >> pr) & 1));
			CHECK((c->q.packets != 0) == (c->q.bytes != 0));
			CHECK(c->in.headroom_bytes >= 0 &&
			        c->in.headroom_bytes <= p->headroom_bytes);
		}
	}
	CHECK(sw->count.admitted == queued + sw->count.sent + sw->count.discarded);
	CHECK(shared == sw->mmu.shared_bytes);
}
