/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FCT of a message alone on its path, exact: each packet starts on a link when the link is free
 * and the packet is there (whole, or its head where a switch cuts through), and the last ACK
 * comes back the same way. Once the gaps between packets repeat on every link, the rest of the
 * message is multiplied instead of walked.
 */
#include "gen/sim/sim_int.h"

#define MAX_HOPS 32

struct hop {
	struct link_rate rate;
	int64_t delay_ps;   /* forward, with the pipeline latency of the switch it leads to */
	int64_t back_ps;    /* reverse, likewise */
	int64_t head_bytes; /* forward */
	int64_t free_ps;    /* end of the last frame */
	int64_t gap_ps;     /* between the ends of the last two */
};

static uint32_t path(
        const struct sim *s, uint32_t src, uint32_t dst, uint16_t entropy, struct hop *hop)
{
	const struct topo *t = s->topo;
	struct route_hop r[MAX_HOPS];
	uint32_t n = routes_path(s->routes, t, src, dst, entropy, r, MAX_HOPS);

	for (uint32_t i = 0; i < n; i++) {
		const struct topo_node *node = &t->node[r[i].node];
		const struct topo_port *p = &t->port[node->first_port + r[i].port];

		hop[i] = (struct hop){.delay_ps = p->delay_ps, .back_ps = p->delay_ps};
		link_rate_init(&hop[i].rate, p->rate_bps, s->cfg->frame->time_step_ps);
		if (p->peer_node >= t->n_hosts)
			hop[i].delay_ps += t->profile[t->node[p->peer_node].profile].latency_ps;
		if (r[i].node >= t->n_hosts)
			hop[i].back_ps += t->profile[node->profile].latency_ps;
		hop[i].head_bytes = fsw_head_bytes(t, p->peer_node, s->cfg->frame);
	}
	return n;
}

/* Sends one packet down the path; true if every gap was the same as the one before. */
static bool walk(struct hop *hop, uint32_t n, int64_t wire_bytes)
{
	int64_t whole_ps = 0,
	        head_ps = 0; /* when the packet is at the node, by last byte and by head */
	bool steady = true;

	for (uint32_t i = 0; i < n; i++) {
		struct hop *h = &hop[i];
		int64_t tx_ps = link_rate_tx_ps(&h->rate, wire_bytes);
		bool cut = i > 0 && h->free_ps <= head_ps && h->rate.bps <= hop[i - 1].rate.bps;
		int64_t ready_ps = cut ? head_ps : whole_ps;
		int64_t start_ps = h->free_ps > ready_ps ? h->free_ps : ready_ps;
		int64_t gap_ps = start_ps + tx_ps - h->free_ps;

		steady &= gap_ps == h->gap_ps;
		h->gap_ps = gap_ps;
		h->free_ps = start_ps + tx_ps;
		whole_ps = h->free_ps + h->delay_ps;
		head_ps = whole_ps;
		if (h->head_bytes && wire_bytes > h->head_bytes)
			head_ps -= (wire_bytes - h->head_bytes) * h->rate.ps_per_byte;
	}
	return steady;
}

static int64_t data_wire_bytes(const struct frame_cfg *f, int64_t payload_bytes, bool first)
{
	int64_t frame_bytes = f->header_bytes + payload_bytes + (first ? f->reth_bytes : 0);

	return (frame_bytes > f->min_bytes ? frame_bytes : f->min_bytes) + f->fcs_bytes +
	       f->gap_bytes;
}

int64_t sim_alone_ps(
        const void *sim, uint32_t src, uint32_t dst, uint16_t entropy, int64_t bytes)
{
	const struct sim *s = sim;
	const struct frame_cfg *f = s->cfg->frame;
	const int64_t packets = bytes ? (bytes + f->path_mtu_bytes - 1) / f->path_mtu_bytes : 1;
	const int64_t last_bytes = bytes - (packets - 1) * f->path_mtu_bytes;
	struct hop hop[MAX_HOPS];
	uint32_t n = path(s, src, dst, entropy, hop);
	int64_t t_ps;

	if (!n)
		return 0;
	for (int64_t i = 0; i < packets - 1; i++) {
		bool steady = walk(hop, n, data_wire_bytes(f, f->path_mtu_bytes, i == 0));
		int64_t rest = packets - 2 - i;

		if (!steady || i < 2)
			continue;
		for (uint32_t k = 0; k < n; k++)
			hop[k].free_ps += rest * hop[k].gap_ps;
		break;
	}
	(void)walk(hop, n, data_wire_bytes(f, last_bytes, packets == 1)); /* the last one */
	t_ps = hop[n - 1].free_ps + hop[n - 1].delay_ps;
	for (uint32_t i = n; i-- > 0;)
		t_ps += link_rate_tx_ps(
		                &hop[i].rate, f->ack_bytes + f->fcs_bytes + f->gap_bytes) +
		        hop[i].back_ps;
	return t_ps;
}
