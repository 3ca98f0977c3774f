/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main loop. Time is cut into windows no longer than the shortest link between nodes, so
 * what a node does in a window can reach no other node before the next one: nodes are visited
 * one after the other, in any order, on any thread, and each works through its own events in
 * its own total order. docs/architecture.md has the picture.
 */
#include "gen/sim/capture_int.h"
#include "gen/sim/deadlock.h"
#include "gen/sim/emit.h"
#include "gen/sim/node.h"
#include "gen/sim/sort.h"

#include <string.h>

#include "dataplane/base/heap.h"
#include "gen/sim/ranks.h"

#define PROGRESS_WINDOWS 1024
#define FETCH_NODES      1024 /* fewer stay in the caches */

/* The run stops within this window: what arrives after that never does. */
static NOINLINE void forget_late(struct sim_thread *th, struct inbox *b)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		if (b->d[i].t_ps < th->end_ps)
			b->d[kept++] = b->d[i];
		else
			sim_beyond_stop(th, &b->d[i]);
	}
	b->n = kept;
}

static ALWAYS_INLINE void visit(struct sim_thread *th, uint32_t node, const struct slot *slot)
{
	struct sim *s = th->sim;
	struct inbox *b = &slot->inbox[node];
	uint64_t own;

	if (UNLIKELY(s->group_of != NULL) && s->group_of[node]) {
		sim_group_visit(th, &s->group[s->group_of[node] - 1], slot);
		return;
	}
	if (UNLIKELY(th->end_ps < th->full_end_ps))
		forget_late(th, b);
	if (node < s->topo->n_hosts) { /* one link: its inbox is in order */
		if (UNLIKELY(s->host[node].is_unsorted))
			sim_sort_inbox(b);
		own = host_window(th, &s->host[node], b->d, b->n);
	} else {
		sim_sort_arrivals(th, b);
		own = switch_window(th, &s->sw[node - s->topo->n_hosts], b->d, b->n);
	}
	th->n.events += b->n;
	b->n = 0;
	if (own != SIM_KEY_NEVER)
		sim_wake(th, node, sim_key_ps(own));
}

/* Where thousands of hosts each have a packet or two in a window, most of their time is waiting
 * for their state to come from memory. */
static ALWAYS_INLINE void fetch(const struct sim *s, uint32_t node, const struct slot *slot)
{
	if (node < s->topo->n_hosts) {
		const struct host_node *h = &s->host[node];

		__builtin_prefetch(h);
		__builtin_prefetch((const char *)h + CACHE_LINE);
		__builtin_prefetch(&h->host.wake_ps);
		__builtin_prefetch(&h->now_ps);
		__builtin_prefetch(&h->delay_ps);
	}
	__builtin_prefetch(slot->inbox[node].d);
}

/* Every active node of this thread; activity is a byte per node, looked at eight at a time. */
static void visit_active(struct sim_thread *th, const struct slot *slot)
{
	const uint32_t n_nodes = th->sim->topo->n_nodes;
	const bool ahead = n_nodes >= FETCH_NODES;
	uint8_t *active = slot->active;

	for (uint32_t w = 0; w < n_nodes; w += 8) {
		uint64_t bytes;

		memcpy(&bytes, active + w, 8);
		if (LIKELY(!bytes))
			continue;
		memset(active + w, 0, 8);
		while (bytes) {
			uint32_t i = (uint32_t)__builtin_ctzll(bytes) >> 3;

			bytes &= ~(UINT64_C(0xff) << (i * 8));
			if (ahead && bytes)
				fetch(th->sim, w + ((uint32_t)__builtin_ctzll(bytes) >> 3),
				        slot);
			visit(th, w + i, slot);
		}
	}
}

static void take_far(struct sim_thread *th, const struct slot *slot)
{
	struct sim *s = th->sim;

	while (th->n_far && th->far[0] >> FAR_NODE_BITS <= th->window) {
		uint64_t e = heap_pop(th->far, &th->n_far);
		uint32_t node = (uint32_t)e & ((1u << FAR_NODE_BITS) - 1);

		if (s->far_window[node] == e >> FAR_NODE_BITS)
			s->far_window[node] = UINT64_MAX;
		slot->active[node] = 1;
	}
}

/* What other threads sent here for this window, one sender after the other: each link has one
 * sender, so the order on a link is the order of sending. */
static void take_mail(struct sim_thread *th, const struct slot *slot)
{
	struct sim *s = th->sim;

	for (uint32_t t = 0; t < s->n_threads; t++) {
		struct mailbox *m =
		        &s->thread[t]
		                 ->out[(size_t)th->id * s->ring + (th->window & s->ring_mask)];

		for (uint32_t i = 0; i < m->n; i++) {
			uint32_t node = m->m[i].node;

			*sim_inbox_add(&slot->inbox[node]) = m->m[i].d;
			slot->active[node] = 1;
		}
		m->n = 0;
	}
}

static uint64_t next_window(const struct sim_thread *th, uint64_t from)
{
	uint64_t far = th->n_far ? th->far[0] >> FAR_NODE_BITS : UINT64_MAX;

	for (uint64_t w = from; w < from + th->sim->wake_ring - 1 && w < far; w++)
		if (th->slot[w & th->sim->wake_mask].any)
			return w;
	return far;
}

/* What there is to decide on: the votes of all threads, or the sum of all processes. */
static const struct sim_vote *all_votes(struct sim_thread *th, uint64_t round, uint64_t window)
{
	struct sim *s = th->sim;
	struct sim_vote *votes = &s->vote[(round & 1) * s->n_threads];

	votes[th->id] = (struct sim_vote){
	        .next_window = next_window(th, window),
	        .unfinished = th->unfinished,
	        .on_way = th->n.data_packets_sent - th->n.data_packets_delivered -
	                  th->n.data_packets_dropped,
	        .packet_hops = (uint64_t)th->n.packet_hops,
	        .events = (uint64_t)th->n.events,
	        .messages_done = th->log.added,
	        .captured = th->captured.n,
	        .beyond_stop = th->beyond_stop,
	        .failed = th->failure != 0,
	        .stop = th->id == 0 && s->cfg->stop &&
	                atomic_load_explicit(s->cfg->stop, memory_order_relaxed),
	};
	if (s->n_threads > 1)
		sim_barrier_wait(s->barrier);
	if (LIKELY(!s->ranks))
		return votes;
	if (th->id == 0)
		ranks_exchange(s, votes);
	if (s->n_threads > 1)
		sim_barrier_wait(s->barrier);
	return &s->ranks->sum;
}

static uint32_t n_votes(const struct sim *s)
{
	return s->ranks ? 1 : s->n_threads;
}

/* All threads decide the same from the same votes. Returns false when the run is over. */
static bool agree(struct sim_thread *th, uint64_t round, uint64_t *window)
{
	struct sim *s = th->sim;
	const struct sim_vote *votes = all_votes(th, round, *window);
	uint64_t open = 0;
	int64_t on_way = 0;
	bool stop = false, failed = false, beyond = false, done;

	*window = UINT64_MAX;
	for (uint32_t t = 0; t < n_votes(s); t++) {
		if (votes[t].next_window < *window)
			*window = votes[t].next_window;
		open += votes[t].unfinished;
		on_way += votes[t].on_way;
		stop |= votes[t].stop;
		failed |= votes[t].failed;
		beyond |= votes[t].beyond_stop;
	}
	/* without ACKs a message is complete before it has arrived */
	done = !open && !(s->unacknowledged && on_way);
	if (done || stop || failed || *window == UINT64_MAX ||
	        (int64_t)(*window * (uint64_t)s->window_ps) >= s->stop_ps) {
		if (th->id == 0)
			s->end = done                               ? RUN_WORKLOAD_DONE
			         : stop                             ? RUN_INTERRUPTED
			         : *window == UINT64_MAX && !beyond ? RUN_STALLED
			         : s->cfg->stop_ps > SIM_TIME_MAX   ? RUN_OUT_OF_TIME
			                                            : RUN_TIME_UP;
		return false;
	}
	return true;
}

static void report(const struct sim_thread *th, uint64_t round)
{
	const struct sim *s = th->sim;
	const struct sim_vote *votes =
	        s->ranks ? &s->ranks->sum : &s->vote[(round & 1) * s->n_threads];
	struct sim_progress p = {.t_ps = th->start_ps};

	if (!s->cfg->progress)
		return;
	for (uint32_t t = 0; t < n_votes(s); t++) {
		p.packet_hops += votes[t].packet_hops;
		p.events += votes[t].events;
		p.messages_done += votes[t].messages_done;
	}
	s->cfg->progress(s->cfg->progress_arg, &p);
}

/* With all nodes at the border of two windows. True: the run ends here. */
static NOINLINE bool deadlocked(struct sim_thread *th)
{
	struct sim *s = th->sim;
	const int64_t due_ps = th->look_ps; /* nothing has happened since */
	bool ends;

	if (s->n_threads > 1)
		sim_barrier_wait(s->barrier);
	if (th->id == 0)
		deadlocks_look(s, due_ps);
	if (s->n_threads > 1)
		sim_barrier_wait(s->barrier);
	th->look_ps = deadlocks_next_ps(s, th->start_ps);
	ends = s->cfg->stop_on_deadlock && deadlocks_found(s);
	if (ends)
		th->end_ps = due_ps;
	if (ends && th->id == 0)
		s->end = RUN_DEADLOCKED;
	return ends;
}

/* With all nodes at the border of two windows, often enough. */
static NOINLINE void hand_over(struct sim_thread *th, uint64_t round)
{
	struct sim *s = th->sim;
	const struct sim_vote *votes = &s->vote[(round & 1) * s->n_threads];
	uint64_t n = 0;

	for (uint32_t t = 0; t < s->n_threads; t++)
		n += votes[t].captured;
	if (n < CAPTURE_BATCH)
		return;
	if (th->id == 0)
		sim_capture_flush(s, th->start_ps);
	if (s->n_threads > 1)
		sim_barrier_wait(s->barrier);
}

void sim_thread_run(struct sim_thread *th)
{
	struct sim *s = th->sim;
	uint64_t window = 0;

	for (uint64_t round = 0; agree(th, round, &window); round++) {
		struct slot *slot = &th->slot[window & s->wake_mask];

		th->window = window;
		th->start_ps = (int64_t)window * s->window_ps;
		th->full_end_ps = th->start_ps + s->window_ps;
		th->end_ps = th->full_end_ps < s->stop_ps ? th->full_end_ps : s->stop_ps;
		if (UNLIKELY(th->start_ps >= th->look_ps) && deadlocked(th))
			break;
		if (th->id == 0 && round % PROGRESS_WINDOWS == 0)
			report(th, round);
		if (s->cfg->series_ps)
			sim_series_advance(th, th->start_ps);
		if (UNLIKELY(s->cfg->capture != NULL))
			hand_over(th, round);
		take_far(th, slot);
		if (s->n_threads > 1 || s->ranks)
			take_mail(th, slot);
		slot->any = false;
		visit_active(th, slot);
		if (th->id == 0)
			s->run_ps = th->end_ps;
		window++;
	}
	if (s->cfg->series_ps)
		sim_series_finish(th);
}
