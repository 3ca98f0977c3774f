/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/rnic/rnic_behaviour.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/rng.h"
#include "gen/rnic/rnic.h"

/* As host.c does for workload[].udp_source_port: only the addresses tell flows apart. */
uint16_t rnic_entropy(const struct rnic *nic, const struct qp_req *q)
{
	const uint16_t port = nic->behave.source_port;
	const uint64_t addresses = (uint64_t)nic->host << 32 | q->dst;

	return port ? (uint16_t)hash_combine(hash_combine(nic->sh->seed, addresses), port)
	            : q->own_entropy;
}

static uint8_t priority_of(const struct rnic_behaviour *b, const struct qp_req *q)
{
	return b->data_priority >= 0 ? (uint8_t)b->data_priority : q->own_priority;
}

/* A ready set for every class that is now in use. */
static int make_room(struct rnic *nic, const struct rnic_behaviour *b)
{
	for (uint32_t i = 0; i < nic->n_slots; i++) {
		uint8_t pr = priority_of(b, &nic->sh->conn[nic->slot_conn[i]].req);

		if (nic->ready[pr])
			continue;
		nic->ready[pr] = calloc((nic->cap_slots + 63) / 64, sizeof(uint64_t));
		if (!nic->ready[pr])
			return -ENOMEM;
	}
	return 0;
}

static bool same_storm(const struct rnic_behaviour *a, const struct rnic_behaviour *b)
{
	return a->storm_classes == b->storm_classes && a->storm_quanta == b->storm_quanta &&
	       a->storm_interval_ps == b->storm_interval_ps;
}

int rnic_behave(struct rnic *nic, const struct rnic_behaviour *b, int64_t now_ps)
{
	const struct rnic_behaviour was = nic->behave;
	int rc = make_room(nic, b);

	if (rc)
		return rc;
	nic->behave = *b;
	nic->np = *nic->sh->np;
	if (b->cnp_interval_ps >= 0)
		nic->np.min_time_between_cnps_ps = b->cnp_interval_ps;
	nic->cnp_priority =
	        (uint8_t)(b->cnp_priority >= 0 ? b->cnp_priority : nic->sh->cfg->cnp_priority);
	for (uint32_t i = 0; i < nic->n_slots; i++) {
		struct qp_req *q = &nic->sh->conn[nic->slot_conn[i]].req;

		q->entropy = rnic_entropy(nic, q);
		rnic_requester_move(nic, q, priority_of(b, q));
	}
	for (int pr = 0; b->pfc_ignored && pr < PRIORITIES; pr++)
		pause_rx_xon(&nic->pause, pr, now_ps);
	if (b->receive_rate_bps != was.receive_rate_bps)
		rnic_rx_set_rate(nic,
		        b->receive_rate_bps == RNIC_AS_CONFIGURED
		                ? nic->sh->cfg->receive_rate_bps
		                : b->receive_rate_bps,
		        now_ps);
	if (!same_storm(&was, b))
		rnic_pfc_storm(nic, &was, now_ps);
	return 0;
}
