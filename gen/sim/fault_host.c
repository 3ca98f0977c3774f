/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a host's port: its link goes down or slow, or it sends pause frames. */
#include "gen/sim/fault_int.h"
#include "gen/sim/node.h"

/* The NIC holds what it has to send; what it has sent times out. */
static void link_down(struct host_node *h, int64_t now_ps, struct fault_instance *i)
{
	i->active = true;
	if (h->fault->down++)
		return;
	for (int pr = 0; pr < PRIORITIES; pr++)
		pause_rx_xon(&h->host.nic.pause, pr, now_ps);
	h->ctl_ignores_pause = h->host.nic.ctl_ignores_pause;
	h->host.nic.ctl_ignores_pause = 0;
	h->held = 0xff;
	host_pause_changed(h, now_ps);
}

static void link_up(struct host_node *h, int64_t now_ps, struct fault_instance *i)
{
	i->active = false;
	if (--h->fault->down)
		return;
	h->host.nic.ctl_ignores_pause = h->ctl_ignores_pause;
	h->held = 0;
	host_pause_changed(h, now_ps);
}

static void set_rate(struct host_node *h)
{
	int64_t bps = h->fault->usual_bps;

	for (uint32_t k = 0; k < h->fault->n; k++)
		if (h->fault->inst[k].f->kind == FAULT_LINK_RATE && h->fault->inst[k].active)
			bps = h->fault->inst[k].f->rate_bps;
	link_rate_init(&h->host.nic.rate, bps, h->host.nic.rate.step_ps);
}

/* Behind the frame that is being sent, before all others. */
static void storm(
        struct sim_thread *th, struct host_node *h, int64_t now_ps, struct fault_instance *i)
{
	struct rnic *nic = &h->host.nic;
	struct desc d;

	if (nic->busy_until_ps > now_ps) {
		i->next_ps = nic->busy_until_ps;
		return;
	}
	fault_storm_frame(i->f, th->sim, &d);
	(void)rnic_occupy(nic, d.frame_bytes, now_ps); /* only the time matters */
	fault_send(th, h->fault, h->peer, &d, now_ps, nic->busy_until_ps + h->propagation_ps,
	        h->peer_port);
	fault_storm_sent(th, i, nic->host, 0, &d, now_ps, h->xoff_frames);
	i->next_ps = now_ps + fault_storm_interval_ps(i->f, nic->rate.bps);
}

static void apply(struct rnic_behaviour *b, const struct sim_fault *f)
{
	switch (f->kind) {
	case FAULT_SLOW_RECEIVER:
		b->receive_rate_bps = f->rate_bps;
		break;
	case FAULT_PFC_IGNORED:
		b->pfc_ignored = true;
		break;
	case FAULT_PFC_LATE:
		b->pfc_delay_ps += f->delay_ps;
		break;
	case FAULT_DATA_PRIORITY:
		b->data_priority = (int8_t)f->priorities;
		break;
	case FAULT_CNP_PRIORITY:
		b->cnp_priority = (int8_t)f->priorities;
		break;
	case FAULT_CNP_THROTTLED:
		b->cnp_interval_ps = f->interval_ps;
		break;
	case FAULT_ONE_SOURCE_PORT:
		b->source_port = FAULT_ONE_PORT;
		break;
	default:
		break;
	}
}

/* What all active faults make of the NIC; later entries win. */
static void behave(struct sim_thread *th, struct host_node *h, int64_t now_ps)
{
	struct rnic_behaviour b = rnic_behaviour_healthy();
	int rc;

	for (uint32_t k = 0; k < h->fault->n; k++)
		if (h->fault->inst[k].active)
			apply(&b, h->fault->inst[k].f);
	rc = host_behave(h, &b, now_ps);
	if (rc)
		th->failure = rc;
}

void fault_host_pfc(struct host_node *h, int64_t now_ps)
{
	for (uint32_t k = 0; k < h->fault->n; k++) {
		struct fault_instance *i = &h->fault->inst[k];

		if (i->active &&
		        (i->f->kind == FAULT_PFC_IGNORED || i->f->kind == FAULT_PFC_LATE))
			fault_touched(i, now_ps, 1);
	}
}

static void begin_or_end(
        struct sim_thread *th, struct host_node *h, int64_t now_ps, struct fault_instance *i)
{
	const bool begins = now_ps < i->f->until_ps;

	i->next_ps = begins ? i->f->until_ps : TIME_NEVER;
	switch (i->f->kind) {
	case FAULT_LINK_DOWN:
		if (begins)
			link_down(h, now_ps, i);
		else
			link_up(h, now_ps, i);
		break;
	case FAULT_LINK_RATE:
		i->active = begins;
		set_rate(h);
		break;
	case FAULT_PFC_STORM:
		i->active = begins;
		if (begins) {
			storm(th, h, now_ps, i);
			if (i->next_ps > i->f->until_ps)
				i->next_ps = i->f->until_ps;
		}
		break;
	default:
		i->active = begins;
		behave(th, h, now_ps);
	}
}

void fault_host_event(struct sim_thread *th, struct host_node *h, int64_t now_ps)
{
	for (uint32_t k = 0; k < h->fault->n; k++)
		if (h->fault->inst[k].next_ps <= now_ps)
			begin_or_end(th, h, now_ps, &h->fault->inst[k]);
	h->fault_ps = fault_next_ps(h->fault);
	host_refresh(h);
}
