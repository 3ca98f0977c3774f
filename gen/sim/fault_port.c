/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that change a port of a switch: its link goes down or slow, it stops marking, it sends
 * pause frames. Events are few; nothing here is on the packet path.
 */
#include "dataplane/base/heap.h"
#include "gen/sim/fault_int.h"
#include "gen/sim/node.h"
#include "gen/sim/reroute.h"
#include "gen/sim/switch_port.h"

/* Its queue is dropped, as switches do with the queue of a port that lost its signal: what
 * stays there would hold buffer for ever and pause others for a dead link. */
static void flush(struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t now_ps,
        struct fault_instance *i)
{
	struct fsw_port *p = &s->sw.port[port];

	for (unsigned m = p->backlog; m; m = p->backlog) {
		struct desc d;
		struct fsw_port *ing;

		fsw_discard(&s->sw, port, __builtin_ctz(m), &d);
		th->n.drops_fault++;
		th->n.data_packets_dropped += d.kind == DESC_DATA;
		sim_count_lossless(th, &d);
		fault_touched(i, now_ps, 1);
		ing = &s->sw.port[d.in_port];
		if (ing->pfc_xoff | ing->pfc_xon)
			switch_kick(s, d.in_port, now_ps);
	}
}

/* Both ends lose what they knew of each other's pauses. */
static void link_down(struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t now_ps,
        struct fault_instance *i)
{
	struct fsw_port *p = &s->sw.port[port];

	i->active = true;
	if (p->cold->fault->down++)
		return;
	s->n_down++;
	switch_unusual(s);
	for (int pr = 0; pr < PRIORITIES; pr++)
		pause_rx_xon(&p->pause, pr, now_ps);
	p->xoff_sent = p->pfc_xoff = p->pfc_xon = 0;
	p->cold->held = 0xff;
	switch_pause_changed(s, port, now_ps);
	flush(th, s, port, now_ps, i);
}

static void link_up(struct sw_node *s, uint16_t port, int64_t now_ps, struct fault_instance *i)
{
	struct fsw_port *p = &s->sw.port[port];

	i->active = false;
	if (--p->cold->fault->down)
		return;
	s->n_down--;
	switch_unusual(s);
	p->cold->held = 0;
	for (int pr = 0; pr < PRIORITIES; pr++)
		if (p->cls[pr].in.xoff) /* the peer does not know any more */
			p->pfc_xoff |= (uint8_t)(1u << pr);
	switch_pause_changed(s, port, now_ps);
	if (p->pfc_xoff)
		switch_kick(s, port, now_ps);
}

static void set_rate(struct sw_node *s, uint16_t port)
{
	struct fsw_port *p = &s->sw.port[port];
	int64_t bps = p->cold->fault->usual_bps;

	for (uint32_t k = 0; k < p->cold->fault->n; k++)
		if (p->cold->fault->inst[k].f->kind == FAULT_LINK_RATE &&
		        p->cold->fault->inst[k].active)
			bps = p->cold->fault->inst[k].f->rate_bps;
	link_rate_init(&p->rate, bps, p->rate.step_ps);
	p->ps_per_byte = p->rate.ps_per_byte;
}

/* What left a queue meanwhile could have been marked; counted once for all ports. */
void fault_count_unmarked(struct fault_instance *i, const struct sw_node *s, int64_t now_ps)
{
	const uint64_t sent = s->sw.count.sent;

	if (i != fault_find(s->sw.port[0].cold->fault, FAULT_ECN_OFF) || sent == i->matched)
		return;
	if (i->first_ps == TIME_NEVER)
		i->first_ps = i->f->from_ps;
	i->last_ps = now_ps;
	i->packets += (int64_t)(sent - i->matched);
	i->matched = sent;
}

static void set_marking(struct sw_node *s, uint16_t port)
{
	struct fsw_port *p = &s->sw.port[port];

	p->profile = p->cold->fault->ecn_off ? p->cold->fault->marks_not
	                                     : p->cold->fault->usual_profile;
}

/* A service that was to begin now waits until the pause frame is out. */
static void postpone(struct sw_node *s, uint16_t port)
{
	for (uint32_t k = 0; k < s->n_service; k++) {
		if (sim_key_port(s->service[k]) != port)
			continue;
		heap_sift_down(s->service, s->n_service, k,
		        sim_key(s->sw.port[port].busy_until_ps, SIM_SERVICE, port));
		return;
	}
}

/* Behind the frame that is being sent, before all others. */
static void storm(struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t now_ps,
        struct fault_instance *i)
{
	struct fsw_port *p = &s->sw.port[port];
	struct desc d;

	if (p->busy_until_ps > now_ps) {
		i->next_ps = p->busy_until_ps;
		return;
	}
	fault_storm_frame(i->f, th->sim, &d);
	p->busy_until_ps = now_ps + link_rate_tx_ps(&p->rate,
	                                    (int64_t)d.frame_bytes + th->sim->fcs_gap_bytes);
	fault_send(th, p->cold->fault, p->peer, &d, now_ps,
	        p->busy_until_ps + p->propagation_ps, p->peer_port);
	postpone(s, port);
	fault_storm_sent(th, i, s->sw.node, port, &d, now_ps, p->cold->xoff_frames);
	i->next_ps = now_ps + fault_storm_interval_ps(i->f, p->rate.bps);
}

static void begin_or_end(struct sim_thread *th, struct sw_node *s, uint16_t port,
        int64_t now_ps, struct fault_instance *i)
{
	struct port_faults *pf = s->sw.port[port].cold->fault;
	const bool begins = now_ps < i->f->until_ps;

	i->next_ps = begins ? i->f->until_ps : TIME_NEVER;
	switch (i->f->kind) {
	case FAULT_LINK_DOWN:
		if (begins)
			link_down(th, s, port, now_ps, i);
		else
			link_up(s, port, now_ps, i);
		break;
	case FAULT_LINK_RATE:
		i->active = begins;
		set_rate(s, port);
		break;
	case FAULT_ECN_OFF:
		if (begins)
			i->matched = s->sw.count.sent;
		else
			fault_count_unmarked(i, s, now_ps);
		i->active = begins;
		pf->ecn_off = begins ? pf->ecn_off + 1 : pf->ecn_off - 1;
		set_marking(s, port);
		break;
	case FAULT_PFC_STORM:
		i->active = begins;
		if (begins) {
			storm(th, s, port, now_ps, i);
			if (i->next_ps > i->f->until_ps)
				i->next_ps = i->f->until_ps;
		}
		break;
	default:
		break;
	}
}

void fault_switch_event(struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t now_ps)
{
	struct port_faults *pf = s->sw.port[port].cold->fault;
	int64_t next_ps;

	if (th->sim->reroutes)
		sim_reroute(th->sim, s, now_ps);
	if (!pf || fault_next_ps(pf) > now_ps)
		return;
	for (uint32_t k = 0; k < pf->n; k++)
		if (pf->inst[k].next_ps <= now_ps)
			begin_or_end(th, s, port, now_ps, &pf->inst[k]);
	next_ps = fault_next_ps(pf);
	if (next_ps != TIME_NEVER)
		switch_rare_push(s, sim_key_or_never(next_ps, SIM_FAULT, port));
}

NOINLINE bool fault_port_down(struct sim_thread *th, struct sw_node *s, uint16_t port,
        const struct desc *d, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];

	if (!p->cold->held)
		return false;
	th->n.drops_fault++;
	th->n.data_packets_dropped += d->kind == DESC_DATA;
	sim_count_lossless(th, d);
	fault_touched(fault_find(p->cold->fault, FAULT_LINK_DOWN), now_ps, 1);
	return true;
}
