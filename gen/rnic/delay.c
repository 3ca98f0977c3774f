/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What held a message up at its sender: clocks of its class (pause) and of its QP (rate,
 * recovery) are read at its post and when its last packet leaves. Once per message.
 */
#include "gen/rnic/rnic.h"

static int64_t recovery_ps(const struct qp_req *q, int64_t now_ps)
{
	return q->recovered_ps +
	       (q->recovering_ps == TIME_NEVER ? 0 : now_ps - q->recovering_ps);
}

void rnic_delay_begin(
        const struct rnic *nic, const struct qp_req *q, struct qp_msg *m, int64_t now_ps)
{
	m->paused_from_ps = pause_rx_total_ps(&nic->pause, q->priority, now_ps);
	m->limited_from_ps = q->limited_ps;
	if (q->next_ps > nic->busy_until_ps && q->next_ps > now_ps) /* the gap that runs */
		m->limited_from_ps -= q->next_ps - now_ps;
	m->recovery_from_ps = recovery_ps(q, now_ps);
	m->paused_ps = m->limited_ps = m->recovery_ps = 0;
}

/* Its last packet leaves, perhaps once more. */
void rnic_delay_sent(
        const struct rnic *nic, const struct qp_req *q, struct qp_msg *m, int64_t now_ps)
{
	m->paused_ps = pause_rx_total_ps(&nic->pause, q->priority, now_ps) - m->paused_from_ps;
	/* with a clock step a gap may be shorter than the frame before it */
	m->limited_ps =
	        q->limited_ps > m->limited_from_ps ? q->limited_ps - m->limited_from_ps : 0;
}

int64_t rnic_delay_recovery_ps(const struct qp_req *q, const struct qp_msg *m, int64_t now_ps)
{
	int64_t t_ps = recovery_ps(q, now_ps) - m->recovery_from_ps;

	/* a timer may have been started before the message was posted */
	return t_ps < now_ps - m->post_ps ? t_ps : now_ps - m->post_ps;
}
