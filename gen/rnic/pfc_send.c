/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PFC frames that a NIC sends: for its receive buffer, with refreshes, as a switch does for its
 * ingress, and those of a storm that no buffer asked for.
 */
#include "gen/rnic/rnic.h"

static void queue_frame(struct rnic *nic)
{
	if (nic->pfc.xoff | nic->pfc.xon)
		nic->ctl_mask |= 1u << RNIC_CTL_PFC;
	else
		nic->ctl_mask &= (uint16_t) ~(1u << RNIC_CTL_PFC);
}

/* The buffer of these classes is full. A peer that was told to stop need not be told again. */
void rnic_pfc_xoff(struct rnic *nic, uint8_t classes)
{
	nic->pfc.xon &= (uint8_t)~classes;
	nic->pfc.xoff |= classes & (uint8_t)~nic->pfc.told;
	queue_frame(nic);
}

/* They may go on, unless a storm holds them. Only a peer that was told to stop is told so. */
void rnic_pfc_xon(struct rnic *nic, uint8_t classes)
{
	classes &= (uint8_t)~nic->behave.storm_classes;
	nic->pfc.xoff &= (uint8_t)~classes;
	nic->pfc.xon |= classes & nic->pfc.told;
	queue_frame(nic);
}

/* One frame for all classes whose state changed. */
void rnic_pfc_build(struct rnic *nic, int64_t now_ps, struct desc *d)
{
	struct rnic_pfc_tx *p = &nic->pfc;
	const bool storm = p->xoff & nic->behave.storm_classes;

	*d = (struct desc){
	        .conn = storm ? nic->behave.storm_quanta : (uint32_t)nic->port.quanta,
	        .psn = p->xoff | p->xon,
	        .sent_unit = p->xoff,
	        .frame_bytes = (uint16_t)nic->port.pfc_bytes,
	        .kind = DESC_PFC,
	        .priority = 7,
	};
	if (p->xoff)
		nic->n->pause_frames++;
	else
		nic->n->resume_frames++;
	p->held = p->told;
	p->told = (uint8_t)((p->told | p->xoff) & ~p->xon);
	p->xoff = p->xon = 0;
	queue_frame(nic);
	if ((p->told & p->full) && nic->port.refresh_ps && p->refresh_due_ps == TIME_NEVER) {
		p->refresh_due_ps = now_ps + nic->port.refresh_ps;
		rnic_timer_at(nic, p->refresh_due_ps);
	}
}

/* A storm begins, changes or ends. Where it ends nothing is sent: the pause of its last frame
 * runs out. */
void rnic_pfc_storm(struct rnic *nic, const struct rnic_behaviour *was, int64_t now_ps)
{
	struct rnic_pfc_tx *p = &nic->pfc;
	const uint8_t ended = was->storm_classes & (uint8_t)~nic->behave.storm_classes;

	p->told &= (uint8_t) ~(ended & ~p->full);
	p->xoff &= (uint8_t) ~(ended & ~p->full);
	p->xoff |= ended & p->full; /* the buffer still needs its pause, with its own quanta */
	p->storm_due_ps = nic->behave.storm_classes ? now_ps : TIME_NEVER;
	queue_frame(nic);
	rnic_timer_at(nic, p->storm_due_ps);
}

void rnic_pfc_timers(struct rnic *nic, int64_t now_ps)
{
	struct rnic_pfc_tx *p = &nic->pfc;

	if (p->refresh_due_ps <= now_ps) {
		p->refresh_due_ps = TIME_NEVER;
		p->xoff |= p->told & p->full;
		queue_frame(nic);
	}
	if (p->storm_due_ps <= now_ps) {
		p->storm_due_ps = now_ps + nic->behave.storm_interval_ps;
		p->xoff |= nic->behave.storm_classes;
		p->xon &= (uint8_t)~nic->behave.storm_classes;
		queue_frame(nic);
	}
}
