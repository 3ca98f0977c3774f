/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A switch in virtual time: when its ports serve, when pauses bite and when they are refreshed.
 * What it decides is in dataplane/fabric/fswitch.h. Budget: under 25 ns for a packet that goes
 * straight through, under 40 ns for one that is queued.
 */
#include "gen/sim/node.h"
#include "gen/sim/sort.h"
#include "gen/sim/switch_calm.h"
#include "gen/sim/switch_port.h"
#include "gen/sim/switch_watch.h"

#include <stdlib.h>

#include "dataplane/base/heap.h"
#include "dataplane/fabric/balance.h"
#include "dataplane/fabric/pfc_frame.h"

NOINLINE void switch_rare_push(struct sw_node *s, uint64_t key)
{
	if (s->n_rare == s->cap_rare) {
		s->cap_rare = s->cap_rare ? s->cap_rare * 2 : 16;
		s->rare = reallocarray(s->rare, s->cap_rare, sizeof(*s->rare));
		CHECK(s->rare);
	}
	heap_push(s->rare, &s->n_rare, key);
	switch_rare_changed(s);
}

static void rare_pop(struct sw_node *s)
{
	heap_pop(s->rare, &s->n_rare);
	switch_rare_changed(s);
}

/* What the frame that is about to leave tells the peer. */
static void log_pfc(struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];

	for (unsigned m = p->pfc_xoff | p->pfc_xon; m; m &= m - 1) {
		const int pr = __builtin_ctz(m);
		const bool xoff = p->pfc_xoff & (1u << pr);
		struct pfc_event ev = {
		        .t_ps = now_ps,
		        .node = s->sw.node,
		        .port = port,
		        .cause_port = p->cls[pr].in.cause_port,
		        .priority = (uint8_t)pr,
		        .kind = (uint8_t)(!xoff                       ? PFC_EVENT_XON
		                          : p->xoff_sent & (1u << pr) ? PFC_EVENT_REFRESH
		                                                      : PFC_EVENT_XOFF),
		        .cause_paused = p->cls[pr].in.cause_paused,
		};

		p->cold->xoff_frames[pr] += xoff;
		CHECK(!pfc_log_add(&th->pfc, &ev, th->full_end_ps));
	}
}

/* One PFC frame for all priorities whose state changed; it waits for the frame being sent and
 * overtakes everything queued. */
static NOINLINE void send_pfc(
        struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];
	int64_t refresh_ps;
	struct desc d;

	if (UNLIKELY(p->profile->defect) && !fsw_pfc_give(p))
		return;
	d = (struct desc){
	        .conn = (uint32_t)p->profile->quanta,
	        .psn = p->pfc_xoff | p->pfc_xon,
	        .sent_unit = p->pfc_xoff,
	        .frame_bytes = (uint16_t)th->sim->pfc_bytes,
	        .entropy = fsw_pfc_form(p),
	        .kind = DESC_PFC,
	        .priority = 7,
	};
	log_pfc(th, s, port, now_ps);
	if (p->pfc_xoff)
		th->n.pause_frames++;
	else
		th->n.resume_frames++;
	p->xoff_sent = (uint8_t)((p->xoff_sent | p->pfc_xoff) & ~p->pfc_xon);
	p->pfc_xoff = p->pfc_xon = 0;
	p->busy_until_ps = now_ps + link_rate_tx_ps(&p->rate,
	                                    (int64_t)d.frame_bytes + th->sim->fcs_gap_bytes);
	if (p->odd_link & ODD_FAULT)
		fault_send(th, p->cold->fault, p->peer, &d, now_ps,
		        p->busy_until_ps + p->propagation_ps, p->peer_port);
	else
		sim_send(th, p->peer, &d, now_ps, p->busy_until_ps + p->propagation_ps,
		        p->peer_port);
	if (!p->xoff_sent || !p->profile->expires || !p->profile->refresh_percent ||
	        p->refresh_due_ps != TIME_NEVER)
		return;
	refresh_ps = pause_quanta_ps(p->profile->quanta, p->rate.bps) / 100 *
	             p->profile->refresh_percent;
	p->refresh_due_ps = now_ps + refresh_ps;
	switch_rare_push(s, sim_key(p->refresh_due_ps, SIM_TIMER, port));
}

static void refresh(struct sw_node *s, uint16_t port, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];

	p->refresh_due_ps = TIME_NEVER;
	for (int pr = 0; pr < PRIORITIES; pr++)
		if (p->cls[pr].in.xoff && (p->xoff_sent & (1u << pr)))
			p->pfc_xoff |= (uint8_t)(1u << pr);
	if (p->pfc_xoff) {
		switch_kick(s, port, now_ps);
	} else if (p->pfc_xon & p->xoff_sent) {
		/* an XON waits for its turn: if it is called off, this is still due */
		p->refresh_due_ps = p->busy_until_ps > now_ps ? p->busy_until_ps : now_ps;
		switch_rare_push(s, sim_key(p->refresh_due_ps, SIM_TIMER, port));
	}
}

/* After the pause state of a port changed: events for what it will do by itself, service if it
 * may send again. Stale events stay in the heap and find nothing to do. */
void switch_pause_changed(struct sw_node *s, uint16_t port, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];
	const uint8_t was = p->blocked;
	int64_t effect_ps, expiry_ps;

	(void)pause_rx_update(
	        &p->pause, now_ps); /* both parts of its answer are asked for below */
	switch_blocked(s, port,
	        switch_watched(s, port) ? switch_watch_look(s, port, now_ps)
	                                : p->pause.blocked);
	for (unsigned m = was & ~p->blocked; m; m &= m - 1)
		p->cold->resumed_ps[__builtin_ctz(m)] = now_ps;
	effect_ps = pause_rx_next_effect_ps(&p->pause);
	expiry_ps = pause_rx_next_expiry_ps(&p->pause);
	if (effect_ps < p->effect_event_ps) {
		p->effect_event_ps = effect_ps;
		switch_rare_push(s, sim_key(effect_ps, SIM_PAUSE_EFFECT, port));
	}
	if (expiry_ps < p->expiry_event_ps && expiry_ps < SIM_TIME_MAX) {
		p->expiry_event_ps = expiry_ps;
		switch_rare_push(s, sim_key(expiry_ps, SIM_PAUSE_EXPIRY, port));
	}
	if (fsw_ready(p))
		switch_kick(s, port, now_ps);
}

static NOINLINE void pfc_arrival(struct sw_node *s, const struct desc *d, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[d->in_port];
	struct desc taken = *d;

	if (!fsw_pfc_take(p, &taken))
		return;
	pause_rx_frame(&p->pause, &taken, p->rate.bps, now_ps, p->response_ps);
	switch_pause_changed(s, d->in_port, now_ps);
}

static NOINLINE void record_violation(
        struct sim_thread *th, const struct sw_node *s, const struct desc *d, int64_t now_ps)
{
	const struct fsw_port *p = &s->sw.port[d->in_port];

	/* The first ones by time, and nodes of a window run one after the other: the window in
	 * which there are enough is recorded to its end. */
	if (th->n_violation >= RUN_VIOLATIONS_KEPT && now_ps >= th->violations_until_ps)
		return;
	if (th->n_violation < RUN_VIOLATIONS_KEPT)
		th->violations_until_ps = th->full_end_ps;
	if (th->n_violation == th->cap_violation) {
		th->cap_violation = th->cap_violation ? th->cap_violation * 2 : 64;
		th->violation =
		        reallocarray(th->violation, th->cap_violation, sizeof(*th->violation));
		CHECK(th->violation);
	}
	th->violation[th->n_violation++] = (struct headroom_violation){
	        .t_ps = now_ps,
	        .node = s->sw.node,
	        .port = d->in_port,
	        .priority = d->priority,
	        .missing_bytes = p->cls[d->priority].in.headroom_bytes +
	                         fsw_buffer_bytes(&s->sw, d->frame_bytes) - p->headroom_bytes,
	};
}

/*
 * Cut-through: only the head of the frame is here. It may go on at once if its way is free and
 * the egress is not faster than the ingress; otherwise it counts as arrived when its last byte
 * is in. Returns true if the frame was put off.
 */
static NOINLINE bool defer(
        struct sw_node *s, uint16_t out, const struct desc *d, int64_t wire_bytes)
{
	const struct fsw_port *eg = &s->sw.port[out];
	const struct fsw_port *ing = &s->sw.port[d->in_port];
	int64_t rest_ps = link_rate_rest_ps(&ing->rate, wire_bytes - ing->cold->head_in_bytes);

	if (rest_ps == 0) /* it is here whole */
		return false;
	if (fsw_port_idle(eg, d->t_ps, d->priority) && eg->rate.bps <= ing->rate.bps &&
	        fsw_passes(&s->sw, out, d, fsw_buffer_bytes(&s->sw, d->frame_bytes)))
		return false;
	s->deferred[d->in_port] = *d;
	s->deferred[d->in_port].t_ps += rest_ps;
	s->deferred_out[d->in_port] = out;
	switch_rare_push(s, sim_key(s->deferred[d->in_port].t_ps, SIM_ARRIVAL, d->in_port));
	return true;
}

static ALWAYS_INLINE void arrival_whole(
        struct sim_thread *th, struct sw_node *s, struct desc *d, uint16_t out, bool may_pass)
{
	const int64_t now_ps = d->t_ps;
	const uint16_t in_port = d->in_port;
	struct fsw_port *eg = &s->sw.port[out];
	const uint8_t bit = (uint8_t)(1u << d->priority);

	may_pass = may_pass && fsw_port_idle(eg, now_ps, d->priority);
	switch (fsw_arrival(&s->sw, out, d, may_pass)) {
	case FSW_PASS:
		switch_transmit(th, eg, d, now_ps);
		return;
	case FSW_QUEUED:
		if (!eg->scheduled && !(eg->blocked & bit))
			switch_kick(s, out, now_ps);
		break;
	case FSW_DROPPED_LOSSLESS:
		record_violation(th, s, d, now_ps);
		break;
	case FSW_DROPPED_LOSSY:
	case FSW_DROPPED_WRED:
	case FSW_UNSURE: /* not of fsw_arrival */
		return;
	}
	if (UNLIKELY(s->sw.port[in_port].pfc_xoff | s->sw.port[in_port].pfc_xon))
		switch_kick(s, in_port, now_ps);
}

/* Its port is no way out now. */
static bool arrival_lost(
        struct sim_thread *th, struct sw_node *s, uint16_t out, const struct desc *d)
{
	return (s->n_storms && switch_watch_drops(th, s, out, d)) ||
	       (s->n_down && fault_port_down(th, s, out, d, d->t_ps));
}

static NOINLINE void admit_unusual(
        struct sim_thread *th, struct sw_node *s, struct desc *d, uint16_t out)
{
	const bool averages = fsw_averages(&s->sw, out);

	if (arrival_lost(th, s, out, d))
		return;
	if (averages)
		fsw_average_arrival(&s->sw, out, d->priority, d->t_ps);
	arrival_whole(th, s, d, out, !averages);
}

/* Where something about the switch is not as usual. */
static NOINLINE void arrival_unusual(struct sim_thread *th, struct sw_node *s, struct desc *d)
{
	uint16_t out = s->sw.balance ? balance_port(&s->sw, s->routes, d, d->t_ps)
	                             : routes_port(s->routes, s->sw.node, d->dst, d->entropy);

	if (s->cut_through &&
	        defer(s, out, d, (int64_t)d->frame_bytes + th->sim->fcs_gap_bytes))
		return;
	admit_unusual(th, s, d, out);
}

static ALWAYS_INLINE void arrival(struct sim_thread *th, struct sw_node *s, struct desc *d)
{
	uint16_t out;

	if (UNLIKELY(d->kind == DESC_PFC)) {
		pfc_arrival(s, d, d->t_ps);
		return;
	}
	if (UNLIKELY(s->unusual)) {
		arrival_unusual(th, s, d);
		return;
	}
	out = routes_port(s->routes, s->sw.node, d->dst, d->entropy);
	arrival_whole(th, s, d, out, true);
}

static ALWAYS_INLINE void service(struct sim_thread *th, struct sw_node *s, uint64_t key)
{
	const uint16_t port = sim_key_port(key);
	const int64_t now_ps = sim_key_ps(key);
	struct fsw_port *p = &s->sw.port[port];
	struct desc d;
	struct fsw_port *ing = NULL;
	uint16_t in_port = 0;

	if (UNLIKELY(p->pfc_xoff | p->pfc_xon)) {
		heap_pop(s->service, &s->n_service);
		p->scheduled = false;
		send_pfc(th, s, port, now_ps);
		if (fsw_ready(p))
			switch_kick(s, port, now_ps);
		return;
	}
	if (UNLIKELY(!fsw_ready(p))) {
		p->scheduled = false;
		heap_pop(s->service, &s->n_service);
		return;
	}
	fsw_departure(&s->sw, port, &d);
	in_port = d.in_port;
	switch_transmit(th, p, &d, now_ps);
	if (fsw_ready(p)) {
		heap_replace_top(
		        s->service, s->n_service, sim_key(p->busy_until_ps, SIM_SERVICE, port));
	} else {
		p->scheduled = false;
		heap_pop(s->service, &s->n_service);
	}
	ing = &s->sw.port[in_port];
	if (UNLIKELY(ing->pfc_xoff | ing->pfc_xon))
		switch_kick(s, in_port, now_ps);
}

static NOINLINE void own_other(struct sim_thread *th, struct sw_node *s, uint64_t key)
{
	const uint16_t port = sim_key_port(key);
	const int64_t now_ps = sim_key_ps(key);
	struct fsw_port *p = &s->sw.port[port];

	if (switch_watch_is(s, key)) {
		switch_watch_fire(th, s, key);
		return;
	}
	rare_pop(s);
	switch (sim_key_kind(key)) {
	case SIM_PAUSE_EFFECT:
		if (p->effect_event_ps <= now_ps)
			p->effect_event_ps = TIME_NEVER;
		switch_pause_changed(s, port, now_ps);
		break;
	case SIM_PAUSE_EXPIRY:
		if (p->expiry_event_ps <= now_ps)
			p->expiry_event_ps = TIME_NEVER;
		switch_pause_changed(s, port, now_ps);
		break;
	case SIM_ARRIVAL: {
		struct desc d = s->deferred[port];

		admit_unusual(th, s, &d, s->deferred_out[port]);
		break;
	}
	case SIM_TIMER:
		refresh(s, port, now_ps);
		break;
	case SIM_FAULT:
		fault_switch_event(th, s, port, now_ps);
		break;
	default:
		CHECK(!"no such event on a switch");
	}
}

static ALWAYS_INLINE void own_event(struct sim_thread *th, struct sw_node *s, uint64_t key)
{
	if (LIKELY(sim_key_kind(key) == SIM_SERVICE))
		service(th, s, key);
	else
		own_other(th, s, key);
	th->n.events++;
	switch_check(s);
}

void switch_own(struct sim_thread *th, struct sw_node *s, uint64_t key)
{
	own_event(th, s, key);
}

void switch_arrival(struct sim_thread *th, struct sw_node *s, struct desc *d)
{
	arrival(th, s, d);
	switch_check(s);
}

uint64_t switch_window(struct sim_thread *th, struct sw_node *s, struct desc *d, uint32_t n)
{
	const uint64_t start_key = sim_key(th->start_ps, SIM_FAULT, 0);
	const uint64_t end_key = sim_key(th->end_ps, SIM_FAULT, 0);
	uint32_t i = 0;

	if (switch_calm(s)) {
		uint64_t next = SIM_KEY_NEVER;

		i = switch_calm_window(th, s, d, n, &next);
		if (LIKELY(s->calm))
			return next;
	}
	for (;;) {
		const uint64_t own = switch_next_key(s);
		const uint64_t k = th->key[i]; /* UINT64_MAX after the last */

		if (k < (own < end_key ? sort_key_limit(own, start_key) : UINT64_MAX)) {
			arrival(th, s, &d[sort_key_index(k)]);
			switch_check(s);
			i++;
		} else if (own < end_key) {
			own_event(th, s, own);
		} else {
			ASSERT(i == n);
			return own;
		}
	}
}
