/* SPDX-License-Identifier: Apache-2.0 */
/* FCT of a message alone: the frames and links, for alone_walk.h, and for alone_balanced.h
 * where switches balance packet by packet. */
#include <stdatomic.h>

#include "gen/sim/alone_balanced.h"
#include "gen/sim/alone_walk.h"
#include "gen/sim/sim_int.h"

/* Packets; of a completed message, each of which was simulated, and of one of which maybe none
 * was. */
#define MAX_WALKED_COMPLETED  (1 << 20)
#define MAX_WALKED_UNFINISHED 512

static void way_init(
        struct way *w, const struct sim *s, uint32_t src, uint32_t dst, uint16_t entropy)
{
	const struct topo *t = s->topo;
	struct route_hop r[WAY_MAX_HOPS];

	w->n = routes_path(s->routes, t, src, dst, entropy, r, WAY_MAX_HOPS);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct topo_port *p = &t->port[t->node[r[i].node].first_port + r[i].port];
		struct way_hop *h = &w->hop[i];

		*h = (struct way_hop){.delay_ps = p->delay_ps,
		        .head_bytes = fsw_head_bytes(t, p->peer_node, s->cfg->frame)};
		link_rate_init(&h->rate, p->rate_bps, s->cfg->frame->time_step_ps);
		if (p->peer_node >= t->n_hosts)
			h->delay_ps += t->profile[t->node[p->peer_node].profile].latency_ps;
	}
}

static int64_t data_wire_bytes(const struct frame_cfg *f, int64_t payload_bytes, bool first)
{
	int64_t frame_bytes = f->header_bytes + frame_payload_bytes(f, payload_bytes) +
	                      (first ? f->reth_bytes : 0);

	return (frame_bytes > f->min_bytes ? frame_bytes : f->min_bytes) + f->fcs_bytes +
	       f->gap_bytes;
}

int64_t sim_alone_ps(const void *sim, uint32_t src, uint32_t dst, uint16_t entropy,
        int64_t bytes, bool completed)
{
	const struct sim *s = sim;
	const struct frame_cfg *f = s->cfg->frame;
	const int64_t packets = bytes ? (bytes + f->path_mtu_bytes - 1) / f->path_mtu_bytes : 1;
	const int64_t last_bytes = bytes - (packets - 1) * f->path_mtu_bytes;
	const struct alone_msg m = {
	        .packets = packets,
	        .first_bytes = data_wire_bytes(f, f->path_mtu_bytes, true),
	        .full_bytes = data_wire_bytes(f, f->path_mtu_bytes, false),
	        .last_bytes = data_wire_bytes(f, last_bytes, packets == 1),
	        .ack_bytes = f->ack_bytes + f->fcs_bytes + f->gap_bytes,
	        .ack_every = s->cfg->nic->ack_every,
	};
	struct way there, back;
	int64_t arrival_ps;

	/* who asks to stop is not kept waiting for what nobody has received */
	if (!completed && s->cfg->stop &&
	        atomic_load_explicit(s->cfg->stop, memory_order_relaxed))
		return TIME_NEVER;
	way_init(&there, s, src, dst, entropy);
	way_init(&back, s, dst, src, entropy);
	if (!there.n || !back.n)
		return 0;
	arrival_ps = alone_balanced_ps(s, src, dst, entropy, &m);
	if (arrival_ps == TIME_NEVER)
		return TIME_NEVER;
	if (arrival_ps) /* the ACKs before it are not in the way: their number is the draws' */
		return way_walk(&back, m.ack_bytes, arrival_ps);
	return alone_walk_ps(
	        &there, &back, &m, completed ? MAX_WALKED_COMPLETED : MAX_WALKED_UNFINISHED);
}
