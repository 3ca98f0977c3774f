/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FCT of a message alone on its path, exact: each packet starts on a link when the link is free
 * and the packet is there (whole, or its head where a switch cuts through), and the ACKs come
 * back the same way on their own path. Once packets follow each other as the slowest link lets
 * them, on every link, the rest of the message is multiplied instead of walked.
 */
#include "gen/sim/sim_int.h"

#define MAX_HOPS   32
#define MAX_WALKED (1 << 20) /* packets; beyond, exact to a picosecond for each link */

struct hop {
	struct link_rate rate;
	int64_t delay_ps;   /* with the pipeline latency of the switch it leads to */
	int64_t head_bytes; /* of a frame, after which it counts as arrived there; 0: all */
	int64_t free_ps;    /* end of the last frame */
	int64_t gap_ps;     /* between the ends of the last two */
};

struct way {
	struct hop hop[MAX_HOPS];
	uint32_t n;
};

static void way_init(
        struct way *w, const struct sim *s, uint32_t src, uint32_t dst, uint16_t entropy)
{
	const struct topo *t = s->topo;
	struct route_hop r[MAX_HOPS];

	w->n = routes_path(s->routes, t, src, dst, entropy, r, MAX_HOPS);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct topo_port *p = &t->port[t->node[r[i].node].first_port + r[i].port];
		struct hop *h = &w->hop[i];

		*h = (struct hop){.delay_ps = p->delay_ps,
		        .head_bytes = fsw_head_bytes(t, p->peer_node, s->cfg->frame)};
		link_rate_init(&h->rate, p->rate_bps, s->cfg->frame->time_step_ps);
		if (p->peer_node >= t->n_hosts)
			h->delay_ps += t->profile[t->node[p->peer_node].profile].latency_ps;
	}
}

/* Where fractions of a picosecond are carried from frame to frame no two need be alike. */
static bool carries(const struct link_rate *r)
{
	return !r->ps_per_byte && r->step_ps == 1;
}

/*
 * Sends one frame that is ready at ready_ps; returns when it is at the other end. *steady:
 * every gap is what the slowest link so far takes for such a frame, so the next equal frame
 * will find the same.
 */
static int64_t walk(struct way *w, int64_t wire_bytes, int64_t ready_ps, bool *steady)
{
	int64_t whole_ps = ready_ps,
	        head_ps = ready_ps; /* at the node, by last byte and head */
	int64_t slowest_ps = 0;

	*steady = true;
	for (uint32_t i = 0; i < w->n; i++) {
		struct hop *h = &w->hop[i];
		int64_t tx_ps = link_rate_tx_ps(&h->rate, wire_bytes);
		bool cut =
		        i > 0 && h->free_ps <= head_ps && h->rate.bps <= w->hop[i - 1].rate.bps;
		int64_t from_ps = cut ? head_ps : whole_ps;
		int64_t start_ps = h->free_ps > from_ps ? h->free_ps : from_ps;

		h->gap_ps = start_ps + tx_ps - h->free_ps;
		slowest_ps = tx_ps > slowest_ps ? tx_ps : slowest_ps;
		*steady &= h->gap_ps == slowest_ps && !carries(&h->rate);
		h->free_ps = start_ps + tx_ps;
		whole_ps = h->free_ps + h->delay_ps;
		head_ps = whole_ps;
		if (h->head_bytes)
			head_ps -= link_rate_rest_ps(&h->rate, wire_bytes - h->head_bytes);
	}
	return whole_ps;
}

static int64_t data_wire_bytes(const struct frame_cfg *f, int64_t payload_bytes, bool first)
{
	int64_t frame_bytes = f->header_bytes + frame_payload_bytes(f, payload_bytes) +
	                      (first ? f->reth_bytes : 0);

	return (frame_bytes > f->min_bytes ? frame_bytes : f->min_bytes) + f->fcs_bytes +
	       f->gap_bytes;
}

/* Does the last ACK depend on earlier ones, this far apart? */
static bool acks_matter(const struct way *back, int64_t wire_bytes, int64_t apart_ps)
{
	for (uint32_t i = 0; i < back->n; i++)
		if (carries(&back->hop[i].rate) ||
		        tx_ps_floor(wire_bytes, back->hop[i].rate.bps) >= apart_ps)
			return true;
	return false;
}

/* What so many packets take on the slowest link of the way. */
static int64_t burst_ps(const struct way *w, int64_t packets, int64_t wire_bytes)
{
	int64_t slowest_bps = w->hop[0].rate.bps;

	for (uint32_t i = 1; i < w->n; i++)
		if (w->hop[i].rate.bps < slowest_bps)
			slowest_bps = w->hop[i].rate.bps;
	return (int64_t)((__int128)packets * wire_bytes * 8 * PS_PER_S / slowest_bps);
}

int64_t sim_alone_ps(
        const void *sim, uint32_t src, uint32_t dst, uint16_t entropy, int64_t bytes)
{
	const struct sim *s = sim;
	const struct frame_cfg *f = s->cfg->frame;
	const int64_t ack_bytes = f->ack_bytes + f->fcs_bytes + f->gap_bytes;
	const int64_t ack_every = s->cfg->nic->ack_every;
	const int64_t packets = bytes ? (bytes + f->path_mtu_bytes - 1) / f->path_mtu_bytes : 1;
	const int64_t last_bytes = bytes - (packets - 1) * f->path_mtu_bytes;
	struct way there, back;
	int64_t skipped_ps = 0, done_ps = 0;
	bool steady, ignored;

	way_init(&there, s, src, dst, entropy);
	way_init(&back, s, dst, src, entropy);
	if (!there.n || !back.n)
		return 0;
	for (int64_t i = 0; i < packets; i++) {
		bool last = i == packets - 1;
		int64_t t_ps = walk(&there,
		        data_wire_bytes(f, last ? last_bytes : f->path_mtu_bytes, i == 0), 0,
		        &steady);

		if (last || (i + 1) % ack_every == 0)
			done_ps = walk(&back, ack_bytes, t_ps + skipped_ps, &ignored);
		/* whole turns of ack_every, so that the ACKs fall as they do */
		if (i > 0 && !skipped_ps && packets - i > 2 * ack_every + 2) {
			int64_t gap_ps = there.hop[there.n - 1].gap_ps;
			int64_t skip = (packets - i - ack_every - 2) / ack_every * ack_every;

			if (steady && !acks_matter(&back, ack_bytes, gap_ps * ack_every))
				skipped_ps = skip * gap_ps;
			else if (i >= MAX_WALKED)
				skipped_ps = burst_ps(&there, skip,
				        data_wire_bytes(f, f->path_mtu_bytes, false));
			if (skipped_ps)
				i += skip;
		}
	}
	return done_ps;
}
