/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a message alone is complete at its receiver if switches on its way balance packet by
 * packet: not what their draws come to but what no draw can undercut, so that slowdown is never
 * below 1. The links that its packets may take, as many hops from the sender, are one station
 * with a server for each; every packet takes the server that is free first, at the rate of the
 * fastest link and the delay of the shortest.
 *
 * Why it is a bound: the first link is the sender's own and keeps the order. Behind it all
 * packets but the last have one size (the RETH of the first counts on its own link alone), and
 * among equal jobs first come, first served on the earliest free server makes the n-th
 * departure of a station as early as any assignment does, for every n. The last packet may be
 * shorter and overtake; it passes every station without waiting and counts again on the
 * receiver's own link, which has to carry them all. Flowlets keep packets together, which only
 * costs time. Rounding is downwards.
 */
#include <string.h>

#include "gen/sim/alone_balanced.h"

#define MAX_LAYERS  32
#define LONGEST_PS  (INT64_MAX / 8)
#define MAX_SERVERS 128  /* with more no packet waits */
#define MAX_WALKED  1024 /* packets; the rest at the rate of the slowest station */
#define LATEST      16   /* packets at the receiver's link that the last one is seen among */

struct layer {
	struct link_rate rate; /* of the fastest */
	int64_t slowest_bps;
	int64_t delay_ps;   /* with the pipeline latency of the switch it leads to */
	int64_t head_bytes; /* of a frame, after which it counts as arrived there; 0: all */
	uint32_t n_links;
	uint32_t next; /* server that is free first: they are taken in turn */
	int64_t free_ps[MAX_SERVERS];
};

struct layers {
	struct layer layer[MAX_LAYERS];
	uint32_t n;
	bool several;
};

/* Where a frame is, by its last byte and by its head. */
struct place {
	int64_t whole_ps, head_ps;
};

struct frontier {
	uint64_t seen[TOPO_MAX_SWITCHES / 64];
	uint16_t sw[TOPO_MAX_SWITCHES];
	uint32_t n;
};

static void layer_add(struct layer *l, const struct sim *s, uint32_t node, uint16_t port)
{
	const struct topo *t = s->topo;
	const struct topo_port *p = &t->port[t->node[node].first_port + port];
	int64_t delay_ps = p->delay_ps;
	int64_t head_bytes = fsw_head_bytes(t, p->peer_node, s->cfg->frame);

	if (p->peer_node >= t->n_hosts)
		delay_ps += t->profile[t->node[p->peer_node].profile].latency_ps;
	if (l->n_links++ == 0) {
		link_rate_init(&l->rate, p->rate_bps, s->cfg->frame->time_step_ps);
		l->slowest_bps = p->rate_bps;
		l->delay_ps = delay_ps;
		l->head_bytes = head_bytes;
		return;
	}
	if (p->rate_bps > l->rate.bps)
		link_rate_init(&l->rate, p->rate_bps, s->cfg->frame->time_step_ps);
	if (p->rate_bps < l->slowest_bps)
		l->slowest_bps = p->rate_bps;
	if (delay_ps < l->delay_ps)
		l->delay_ps = delay_ps;
	if (head_bytes && (!l->head_bytes || head_bytes < l->head_bytes))
		l->head_bytes = head_bytes;
}

static void frontier_add(struct frontier *f, uint32_t sw)
{
	if (f->seen[sw / 64] >> (sw % 64) & 1)
		return;
	f->seen[sw / 64] |= UINT64_C(1) << (sw % 64);
	f->sw[f->n++] = (uint16_t)sw;
}

/* The ports that one packet after another may leave a switch by. */
static uint32_t ports_of(const struct sim *s, uint32_t node, uint32_t dst, uint16_t entropy,
        const uint16_t **port, uint16_t *one)
{
	const struct topo *t = s->topo;
	uint32_t n = routes_ports(s->routes, node, (uint16_t)dst, port, one);

	if (n > 1 && t->profile[t->node[node].profile].load_balancing == BALANCE_ECMP) {
		*one = routes_port(s->routes, node, (uint16_t)dst, entropy);
		*port = one;
		n = 1;
	}
	return n;
}

/* From here one hop on; true: some way has come to the receiver, by the link that all take. */
static bool layer_fill(struct layer *l, const struct sim *s, const struct frontier *from,
        struct frontier *to, uint32_t dst, uint16_t entropy)
{
	const struct topo *t = s->topo;

	memset(to->seen, 0, sizeof(to->seen));
	to->n = 0;
	l->n_links = 0;
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t node = t->n_hosts + from->sw[i];
		const uint16_t *port = NULL;
		uint16_t one;
		uint32_t n = ports_of(s, node, dst, entropy, &port, &one);

		for (uint32_t j = 0; j < n; j++) {
			uint32_t peer = t->port[t->node[node].first_port + port[j]].peer_node;

			if (peer == dst)
				l->n_links = 0;
			layer_add(l, s, node, port[j]);
			if (peer == dst)
				return true;
			frontier_add(to, peer - t->n_hosts);
		}
	}
	return false;
}

/* False: there is one way alone, or none. */
static bool layers_init(
        struct layers *w, const struct sim *s, uint32_t src, uint32_t dst, uint16_t entropy)
{
	const struct topo *t = s->topo;
	struct frontier side[2];

	w->several = false;
	w->layer[0].n_links = 0;
	layer_add(&w->layer[0], s, src, 0);
	memset(side[0].seen, 0, sizeof(side[0].seen));
	side[0].n = 0;
	frontier_add(&side[0], t->port[t->node[src].first_port].peer_node - t->n_hosts);
	for (w->n = 1; w->n < MAX_LAYERS;) {
		struct layer *l = &w->layer[w->n];
		bool there =
		        layer_fill(l, s, &side[(w->n - 1) & 1], &side[w->n & 1], dst, entropy);

		w->n++;
		w->several |= l->n_links > 1;
		if (there)
			return w->several;
		if (!l->n_links)
			return false;
	}
	return false;
}

static void layers_start(struct layers *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		w->layer[i].next = 0;
		memset(w->layer[i].free_ps, 0, sizeof(w->layer[i].free_ps));
	}
}

static int64_t rounded_down_ps(const struct layer *l, int64_t wire_bytes)
{
	struct link_rate r = l->rate;

	r.carry = 0;
	return link_rate_tx_ps(&r, wire_bytes);
}

static bool may_cut(const struct layers *w, uint32_t i)
{
	return i > 0 && w->layer[i].slowest_bps <= w->layer[i - 1].rate.bps;
}

static int64_t released_ps(const struct layers *w, uint32_t i, const struct place *at)
{
	return may_cut(w, i) ? at->head_ps : at->whole_ps;
}

/* Through one layer whose server is free at free_ps; returns when it is free again. */
static int64_t pass(const struct layers *w, uint32_t i, struct place *at, int64_t wire_bytes,
        int64_t tx_ps, int64_t free_ps)
{
	const struct layer *l = &w->layer[i];
	int64_t from_ps = may_cut(w, i) && free_ps <= at->head_ps ? at->head_ps : at->whole_ps;
	int64_t end_ps = (free_ps > from_ps ? free_ps : from_ps) + tx_ps;

	at->whole_ps = end_ps + l->delay_ps;
	at->head_ps = at->whole_ps;
	if (l->head_bytes)
		at->head_ps -= link_rate_rest_ps(&l->rate, wire_bytes - l->head_bytes);
	return end_ps;
}

/* The sender's own link, exact. */
static struct place leave(struct layers *w, int64_t wire_bytes)
{
	struct layer *l = &w->layer[0];
	struct place at = {0, 0};

	l->free_ps[0] = pass(
	        w, 0, &at, wire_bytes, link_rate_tx_ps(&l->rate, wire_bytes), l->free_ps[0]);
	return at;
}

/* Returns when it is released at the receiver's link; that link is then taken until free_ps. */
static int64_t walk_full(struct layers *w, struct place at, int64_t wire_bytes)
{
	int64_t released = 0;

	for (uint32_t i = 1; i < w->n; i++) {
		struct layer *l = &w->layer[i];
		int64_t tx_ps = rounded_down_ps(l, wire_bytes);

		released = released_ps(w, i, &at);
		if (l->n_links > MAX_SERVERS) {
			(void)pass(w, i, &at, wire_bytes, tx_ps, 0);
			continue;
		}
		l->free_ps[l->next] = pass(w, i, &at, wire_bytes, tx_ps, l->free_ps[l->next]);
		l->next = l->next + 1 == l->n_links ? 0 : l->next + 1;
	}
	return released;
}

/*
 * The last packet, when `latest` of the n before it were released at the receiver's link: that
 * link is done not before it has carried what was released since any of them.
 */
static int64_t walk_last(
        struct layers *w, const struct alone_msg *f, const int64_t latest[LATEST], int64_t n)
{
	struct layer *own = &w->layer[w->n - 1];
	int64_t tx_ps = rounded_down_ps(own, f->last_bytes);
	int64_t full_ps = rounded_down_ps(own, f->full_bytes);
	struct place at = leave(w, f->last_bytes);
	int64_t done_ps = own->free_ps[0], released;

	for (uint32_t i = 1; i + 1 < w->n; i++)
		(void)pass(w, i, &at, f->last_bytes,
		        rounded_down_ps(&w->layer[i], f->last_bytes), 0);
	released = released_ps(w, w->n - 1, &at);
	if (n == 0 || released >= latest[(n - 1) % LATEST]) {
		(void)pass(w, w->n - 1, &at, f->last_bytes, tx_ps, own->free_ps[0]);
		return at.whole_ps;
	}
	(void)pass(w, w->n - 1, &at, f->last_bytes, tx_ps, 0);
	for (int64_t back = 1; back <= n && back <= LATEST; back++) {
		int64_t since_ps = latest[(n - back) % LATEST];

		if (since_ps <= released && since_ps + back * full_ps + tx_ps > done_ps)
			done_ps = since_ps + back * full_ps + tx_ps;
	}
	done_ps += own->delay_ps;
	return done_ps > at.whole_ps ? done_ps : at.whole_ps;
}

/* What the slowest station takes for at most so many packets, in whole rounds of its servers;
 * *packets: for how many. TIME_NEVER: virtual time has no room for it. */
static int64_t rounds_ps(const struct layers *w, int64_t wire_bytes, int64_t *packets)
{
	const struct layer *slow = &w->layer[0];
	int64_t rounds;
	__int128 took_ps;

	for (uint32_t i = 1; i < w->n; i++) {
		const struct layer *l = &w->layer[i];

		if (l->n_links <= MAX_SERVERS &&
		        rounded_down_ps(l, wire_bytes) * slow->n_links >
		                rounded_down_ps(slow, wire_bytes) * l->n_links)
			slow = l;
	}
	rounds = *packets / slow->n_links;
	*packets = rounds * slow->n_links;
	took_ps = slow == w->layer && slow->rate.step_ps == 1
	                  ? (__int128)rounds * wire_bytes * 8 * PS_PER_S / slow->rate.bps
	                  : (__int128)rounds * rounded_down_ps(slow, wire_bytes);
	return took_ps < LONGEST_PS ? (int64_t)took_ps : TIME_NEVER;
}

static int64_t arrival_ps(struct layers *w, const struct alone_msg *f)
{
	const bool short_last = f->packets == 1 || f->last_bytes != f->full_bytes;
	int64_t full = f->packets - short_last, skipped_ps = 0, latest[LATEST];

	layers_start(w);
	if (full > 2 * MAX_WALKED) {
		int64_t skip = full - MAX_WALKED;

		skipped_ps = rounds_ps(w, f->full_bytes, &skip);
		if (skipped_ps == TIME_NEVER)
			return TIME_NEVER;
		full -= skip;
	}
	for (int64_t i = 0; i < full; i++) {
		struct place at = leave(w, i == 0 ? f->first_bytes : f->full_bytes);

		latest[i % LATEST] = walk_full(w, at, f->full_bytes);
	}
	if (short_last)
		return skipped_ps + walk_last(w, f, latest, full);
	return skipped_ps + w->layer[w->n - 1].free_ps[0] + w->layer[w->n - 1].delay_ps;
}

int64_t alone_balanced_ps(const struct sim *s, uint32_t src, uint32_t dst, uint16_t entropy,
        const struct alone_msg *f)
{
	struct layers w;
	bool balances = false;

	for (uint32_t i = 0; i < s->topo->n_profiles; i++)
		balances |= s->topo->profile[i].load_balancing != BALANCE_ECMP;
	if (!balances || !layers_init(&w, s, src, dst, entropy))
		return 0;
	return arrival_ps(&w, f);
}
