/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coffman's circular wait on the "channel wait-for graph" of PFC: Hu et al., "Deadlocks in
 * Datacenter Networks: Why Do They Form, and How to Avoid Them", HotNets 2016, section 2.
 * The facts are flat arrays, so that several processes can put theirs together.
 */
#include "gen/sim/deadlock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/fabric/watchdog.h"
#include "gen/sim/bytes.h"
#include "gen/sim/ranks.h"

/* An egress queue that is paused and waits for its peer's ingress. */
struct queue_wait {
	uint32_t node, peer;
	uint16_t port, peer_port;
	uint8_t priority;
	bool stuck; /* until something is found that frees it */
};

/* An ingress: what it holds, and what it would need to go on. */
struct ingress_hold {
	uint32_t node;
	uint16_t port;
	uint8_t priority;
	bool xoff; /* and repeated for as long as need be */
	int64_t used_bytes, headroom_bytes;
	int64_t reserve_bytes, xon_offset_bytes, alpha_q16;
	int64_t pool_bytes;  /* of its switch */
	int64_t stuck_bytes; /* of those, in queues that are stuck */
};

/* Bytes of one ingress in one paused queue of the same switch. */
struct part {
	uint32_t node;
	uint16_t in_port, out_port;
	uint8_t priority;
	int64_t bytes;
};

struct deadlocks {
	struct bytes wait, hold, part; /* arrays of the three */
	struct bytes known;            /* struct pause_hop of the queues that are on record */
	uint8_t *waiting;              /* [nodes] priorities with queues in wait */
	struct deadlock_record *record;
	uint64_t n;
};

#define COUNT(b, type) ((b).len / sizeof(type))
#define AT(b, type)    ((type *)(void *)(b).at)

int deadlocks_open(struct deadlocks **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

void deadlocks_close(struct deadlocks *d)
{
	if (!d)
		return;
	bytes_fini(&d->wait);
	bytes_fini(&d->hold);
	bytes_fini(&d->part);
	bytes_fini(&d->known);
	free(d->waiting);
	free(d->record);
	free(d);
}

int64_t deadlocks_next_ps(const struct sim *s, int64_t now_ps)
{
	const int64_t windows = (DEADLOCK_PERIOD_PS + s->window_ps - 1) / s->window_ps;
	const int64_t period_ps = windows * s->window_ps;

	return (now_ps / period_ps + 1) * period_ps;
}

/* A pause that runs out is no wait for ever; one that is repeated so late may run out. */
#define LATEST_REFRESH_PERCENT 90

static bool pauses_for_ever(const struct fsw_profile *p)
{
	return !p->expires ||
	       (p->refresh_percent && p->refresh_percent <= LATEST_REFRESH_PERCENT);
}

static void add_parts(struct deadlocks *d, const struct fsw *sw, uint16_t out, int pr)
{
	const struct fifo *q = &sw->port[out].cls[pr].q;
	const struct chunk *c = q->head;
	const size_t first = COUNT(d->part, struct part);
	uint32_t at = q->head_i;

	for (uint32_t i = 0; i < q->packets; i++, at++) {
		struct part p = {.node = sw->node, .out_port = out, .priority = (uint8_t)pr};
		size_t k = first;

		if (at == CHUNK_DESCS) {
			c = c->next;
			at = 0;
		}
		p.in_port = c->d[at].in_port;
		while (k < COUNT(d->part, struct part) &&
		        AT(d->part, struct part)[k].in_port != p.in_port)
			k++;
		if (k == COUNT(d->part, struct part))
			bytes_add(&d->part, &p, sizeof(p));
		AT(d->part, struct part)[k].bytes += fsw_buffer_bytes(sw, c->d[at].frame_bytes);
	}
}

static void add_hold(struct deadlocks *d, const struct fsw *sw, uint16_t port, int pr)
{
	const struct fsw_port *p = &sw->port[port];
	const struct mmu_ingress *in = &p->cls[pr].in;
	const struct ingress_hold h = {
	        .node = sw->node,
	        .port = port,
	        .priority = (uint8_t)pr,
	        .xoff = in->xoff && pauses_for_ever(p->profile),
	        .used_bytes = in->used_bytes,
	        .headroom_bytes = in->headroom_bytes,
	        .reserve_bytes = p->profile->limits.reserve_bytes,
	        .xon_offset_bytes = p->profile->limits.xon_offset_bytes,
	        .alpha_q16 = p->profile->limits.alpha_q16,
	        .pool_bytes = sw->mmu.pool_bytes,
	};

	bytes_add(&d->hold, &h, sizeof(h));
}

static unsigned ended_by_watchdog(const struct fsw *sw, uint16_t port)
{
	return sw->watchdog && sw->watchdog[port].action != WATCHDOG_ALERT
	               ? sw->watchdog[port].watched
	               : 0;
}

static void add_waits(struct deadlocks *d, const struct fsw *sw)
{
	for (uint16_t i = 0; i < sw->n_ports; i++) {
		const struct fsw_port *p = &sw->port[i];
		const unsigned blocked = p->pause.blocked & p->backlog & p->profile->lossless;

		for (unsigned m = blocked & ~ended_by_watchdog(sw, i); m; m &= m - 1) {
			const struct queue_wait w = {.node = sw->node,
			        .peer = p->peer,
			        .port = i,
			        .peer_port = p->peer_port,
			        .priority = (uint8_t)__builtin_ctz(m),
			        .stuck = true};

			bytes_add(&d->wait, &w, sizeof(w));
		}
	}
}

/* Forgets the waits for a switch that has itself no queue of that priority in wait: whatever
 * its ingress holds can move. In a tree of pauses, as an incast makes them, none is left, and
 * nobody need count the packets in its queues. */
static void forget_free(struct deadlocks *d)
{
	struct queue_wait *w = AT(d->wait, struct queue_wait);
	size_t n = COUNT(d->wait, struct queue_wait), before;

	do {
		before = n;
		for (size_t i = 0; i < before; i++)
			d->waiting[w[i].node] = d->waiting[w[i].peer] = 0;
		for (size_t i = 0; i < before; i++)
			d->waiting[w[i].node] |= (uint8_t)(1u << w[i].priority);
		n = 0;
		for (size_t i = 0; i < before; i++)
			if (d->waiting[w[i].peer] >> w[i].priority & 1)
				w[n++] = w[i];
	} while (n && n < before);
	d->wait.len = n * sizeof(*w);
}

/* What the ingresses of the switches in question hold, and where. */
static void add_contents(struct deadlocks *d, const struct sim *s)
{
	const struct queue_wait *w = AT(d->wait, struct queue_wait);
	uint32_t node = UINT32_MAX; /* the waits are in order */

	for (size_t i = 0; i < COUNT(d->wait, struct queue_wait); i++) {
		const struct fsw *sw = &s->sw[w[i].node - s->topo->n_hosts].sw;

		if (s->owner[w[i].node] == SIM_ELSEWHERE)
			continue;
		add_parts(d, sw, w[i].port, w[i].priority);
		if (w[i].node == node)
			continue;
		node = w[i].node;
		for (uint16_t k = 0; k < sw->n_ports; k++)
			for (unsigned m = sw->port[k].profile->lossless; m; m &= m - 1)
				if (sw->port[k].cls[__builtin_ctz(m)].in.used_bytes ||
				        sw->port[k].cls[__builtin_ctz(m)].in.headroom_bytes)
					add_hold(d, sw, k, __builtin_ctz(m));
	}
}

static int by_place(const void *pa, const void *pb)
{
	const struct queue_wait *a = pa, *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return a->priority < b->priority ? -1 : a->priority > b->priority;
}

static struct queue_wait *find_wait(
        const struct deadlocks *d, uint32_t node, uint16_t port, uint8_t priority)
{
	const struct queue_wait key = {.node = node, .port = port, .priority = priority};

	return d->wait.len ? bsearch(&key, d->wait.at, COUNT(d->wait, struct queue_wait),
	                             sizeof(key), by_place)
	                   : NULL;
}

static struct ingress_hold *find_hold(
        const struct deadlocks *d, uint32_t node, uint16_t port, uint8_t priority)
{
	struct ingress_hold *h = AT(d->hold, struct ingress_hold);

	for (size_t i = 0; i < COUNT(d->hold, struct ingress_hold); i++)
		if (h[i].node == node && h[i].port == port && h[i].priority == priority)
			return &h[i];
	return NULL;
}

static int64_t above(int64_t bytes, int64_t reserve_bytes)
{
	return bytes > reserve_bytes ? bytes - reserve_bytes : 0;
}

/* What each ingress would still hold once all that can move has moved. */
static void sum_stuck(struct deadlocks *d)
{
	struct ingress_hold *h = AT(d->hold, struct ingress_hold);
	const struct part *p = AT(d->part, struct part);

	for (size_t i = 0; i < COUNT(d->hold, struct ingress_hold); i++)
		h[i].stuck_bytes = 0;
	for (size_t i = 0; i < COUNT(d->part, struct part); i++) {
		const struct queue_wait *w =
		        find_wait(d, p[i].node, p[i].out_port, p[i].priority);
		struct ingress_hold *of = find_hold(d, p[i].node, p[i].in_port, p[i].priority);

		if (w && w->stuck && of)
			of->stuck_bytes += p[i].bytes;
	}
}

/* Would it tell its peer to go on, with only what is stuck left in the switch? */
static bool would_resume(const struct deadlocks *d, const struct ingress_hold *of)
{
	const struct ingress_hold *h = AT(d->hold, struct ingress_hold);
	const int64_t gone_bytes = of->used_bytes + of->headroom_bytes - of->stuck_bytes;
	int64_t shared_bytes = 0, over_bytes;

	if (!of->xoff)
		return true;
	if (gone_bytes < of->headroom_bytes)
		return false;
	over_bytes = above(of->stuck_bytes, of->reserve_bytes);
	for (size_t i = 0; i < COUNT(d->hold, struct ingress_hold); i++)
		if (h[i].node == of->node)
			shared_bytes += above(h[i].stuck_bytes, h[i].reserve_bytes);
	return over_bytes == 0 || over_bytes + of->xon_offset_bytes <=
	                                  ((of->pool_bytes - shared_bytes) * of->alpha_q16) >>
	                                  MMU_ALPHA_SHIFT;
}

/* Leaves stuck only what nothing can free: the greatest such set. */
static bool reduce(struct deadlocks *d)
{
	struct queue_wait *w = AT(d->wait, struct queue_wait);
	bool changed = true, any = false;

	while (changed) {
		changed = any = false;
		sum_stuck(d);
		for (size_t i = 0; i < COUNT(d->wait, struct queue_wait); i++) {
			const struct ingress_hold *of;

			if (!w[i].stuck)
				continue;
			of = find_hold(d, w[i].peer, w[i].peer_port, w[i].priority);
			w[i].stuck = of && !would_resume(d, of);
			changed |= !w[i].stuck;
			any |= w[i].stuck;
		}
	}
	return any;
}

/* The stuck queue of the peer that holds most of what w waits for. */
static struct queue_wait *next_hop(const struct deadlocks *d, const struct queue_wait *w)
{
	const struct part *p = AT(d->part, struct part);
	struct queue_wait *best = NULL;
	int64_t best_bytes = 0;

	for (size_t i = 0; i < COUNT(d->part, struct part); i++) {
		struct queue_wait *to;

		if (p[i].node != w->peer || p[i].in_port != w->peer_port ||
		        p[i].priority != w->priority || p[i].bytes <= best_bytes)
			continue;
		to = find_wait(d, p[i].node, p[i].out_port, p[i].priority);
		if (!to || !to->stuck)
			continue;
		best = to;
		best_bytes = p[i].bytes;
	}
	return best;
}

static bool is_known(const struct deadlocks *d, const struct queue_wait *w)
{
	const struct pause_hop *h = AT(d->known, struct pause_hop);

	for (size_t i = 0; i < COUNT(d->known, struct pause_hop); i++)
		if (h[i].node == w->node && h[i].port == w->port &&
		        h[i].priority == w->priority)
			return true;
	return false;
}

static void know(struct deadlocks *d, const struct queue_wait *w)
{
	const struct pause_hop h = {w->node, w->port, w->priority};

	bytes_add(&d->known, &h, sizeof(h));
}

static void record(struct deadlocks *d, struct queue_wait *first, int64_t now_ps)
{
	struct deadlock_record *r = reallocarray(d->record, d->n + 1, sizeof(*r));
	struct queue_wait *w = first;

	CHECK(r);
	d->record = r;
	r += d->n++;
	memset(r, 0, sizeof(*r));
	r->t_ps = now_ps;
	do {
		if (r->n_hops < DEADLOCK_MAX_HOPS)
			r->hop[r->n_hops] = (struct pause_hop){w->node, w->port, w->priority};
		r->n_hops++;
		w = next_hop(d, w);
	} while (w != first);
	if (r->n_hops > DEADLOCK_MAX_HOPS)
		r->n_hops = DEADLOCK_MAX_HOPS;
}

/* The place in the cycle that comes first, so that it is written the same whoever led there. */
static struct queue_wait *lowest(const struct deadlocks *d, struct queue_wait *in_cycle)
{
	struct queue_wait *low = in_cycle;

	for (struct queue_wait *w = next_hop(d, in_cycle); w != in_cycle; w = next_hop(d, w))
		if (w < low)
			low = w;
	return low;
}

/* From each stuck queue that is not on record the way along the waits: it ends in a cycle, or
 * in what is known. */
static void walk(struct deadlocks *d, struct queue_wait *from, int64_t now_ps)
{
	const size_t n = COUNT(d->wait, struct queue_wait);
	struct queue_wait *w = from;

	for (size_t steps = 0; steps < n; steps++) {
		if (!w || is_known(d, w))
			break;
		w = next_hop(d, w);
	}
	if (w && !is_known(d, w)) { /* after n steps it goes in a circle */
		struct queue_wait *first = lowest(d, w);

		record(d, first, now_ps);
		w = first;
		do {
			know(d, w);
			w = next_hop(d, w);
		} while (w != first);
	}
	for (w = from; w && !is_known(d, w); w = next_hop(d, w))
		know(d, w);
}

/* Every process sees the whole. */
static void share(struct sim *s, struct bytes *b)
{
	struct world *world = s->ranks->world;
	struct world_block out[WORLD_MAX_RANKS], in[WORLD_MAX_RANKS];
	struct bytes all = {0};

	for (uint32_t r = 0; r < world->n_ranks; r++)
		out[r] = r == world->rank ? (struct world_block){0}
		                          : (struct world_block){b->at, b->len};
	world->ops->exchange(world, out, in);
	for (uint32_t r = 0; r < world->n_ranks; r++) {
		if (r == world->rank)
			bytes_add(&all, b->at, b->len);
		else
			bytes_add(&all, in[r].data, in[r].len);
	}
	bytes_fini(b);
	*b = all;
}

void deadlocks_look(struct sim *s, int64_t now_ps)
{
	struct deadlocks *d = s->deadlocks;
	bool paused = false;

	for (uint32_t n = s->topo->n_hosts; n < s->topo->n_nodes; n++)
		paused |= s->owner[n] != SIM_ELSEWHERE && s->sw[n - s->topo->n_hosts].n_paused;
	if (s->ranks)
		paused = world_max(s->ranks->world, paused) != 0;
	if (!paused)
		return;
	if (!d->waiting)
		d->waiting = calloc(s->topo->n_nodes, sizeof(*d->waiting));
	CHECK(d->waiting);
	d->wait.len = d->hold.len = d->part.len = 0;
	for (uint32_t n = s->topo->n_hosts; n < s->topo->n_nodes; n++)
		if (s->owner[n] != SIM_ELSEWHERE && s->sw[n - s->topo->n_hosts].n_paused)
			add_waits(d, &s->sw[n - s->topo->n_hosts].sw);
	if (s->ranks)
		share(s, &d->wait);
	forget_free(d);
	if (!d->wait.len)
		return;
	qsort(d->wait.at, COUNT(d->wait, struct queue_wait), sizeof(struct queue_wait),
	        by_place);
	add_contents(d, s);
	if (s->ranks) {
		share(s, &d->hold);
		share(s, &d->part);
	}
	if (!reduce(d))
		return;
	for (size_t i = 0; i < COUNT(d->wait, struct queue_wait); i++) {
		struct queue_wait *w = &AT(d->wait, struct queue_wait)[i];

		if (w->stuck && !is_known(d, w))
			walk(d, w, now_ps);
	}
}

uint64_t deadlocks_found(const struct sim *s)
{
	return s->deadlocks->n;
}

void deadlocks_collect(struct sim *s, struct run_record *r)
{
	if (s->ranks && s->ranks->world->rank) /* all know the same: the first says it */
		return;
	r->deadlock = s->deadlocks->record;
	r->n_deadlock = s->deadlocks->n;
	s->deadlocks->record = NULL;
	s->deadlocks->n = 0;
}
