/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/switch_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/heap.h"
#include "gen/sim/switch_port.h"

static void arm(struct sw_node *s, uint16_t port)
{
	struct watchdog *w = &s->sw.watchdog[port];
	int64_t next_ps = watchdog_next_ps(w);

	if (next_ps >= w->event_ps || next_ps >= SIM_TIME_MAX)
		return;
	w->event_ps = next_ps;
	if (s->n_watch == s->cap_watch) {
		s->cap_watch = s->cap_watch ? s->cap_watch * 2 : 16;
		s->watch = reallocarray(s->watch, s->cap_watch, sizeof(*s->watch));
		CHECK(s->watch);
	}
	heap_push(s->watch, &s->n_watch, sim_key(next_ps, SIM_TIMER, port));
	switch_rare_changed(s);
}

uint8_t switch_watch_look(struct sw_node *s, uint16_t port, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];
	uint8_t blocked = watchdog_look(&s->sw.watchdog[port], &p->pause, now_ps);

	arm(s, port);
	return blocked;
}

/* The first ones by time, as the headroom violations are kept. */
static void record(struct sim_thread *th, const struct sw_node *s, uint16_t port, int pr,
        enum watchdog_kind kind, int64_t now_ps)
{
	const struct watchdog *w = &s->sw.watchdog[port];

	if (th->n_watchdog >= RUN_WATCHDOG_KEPT && now_ps >= th->watchdog_until_ps)
		return;
	if (th->n_watchdog < RUN_WATCHDOG_KEPT)
		th->watchdog_until_ps = th->full_end_ps;
	if (th->n_watchdog == th->cap_watchdog) {
		th->cap_watchdog = th->cap_watchdog ? th->cap_watchdog * 2 : 16;
		th->watchdog =
		        reallocarray(th->watchdog, th->cap_watchdog, sizeof(*th->watchdog));
		CHECK(th->watchdog);
	}
	th->watchdog[th->n_watchdog++] = (struct watchdog_event){
	        .t_ps = now_ps,
	        .node = s->sw.node,
	        .port = port,
	        .priority = (uint8_t)pr,
	        .kind = (uint8_t)kind,
	        .paused_since_ps = w->paused_ps[pr],
	        .dropped_packets = kind == WATCHDOG_RESTORED ? w->dropped[pr] : 0,
	};
}

static void count_drop(
        struct sim_thread *th, struct sw_node *s, uint16_t port, const struct desc *d)
{
	th->n.drops_watchdog++;
	th->n.data_packets_dropped += d->kind == DESC_DATA;
	sim_count_lossless(th, d);
	s->sw.watchdog[port].dropped[d->priority]++;
	s->sw.port[port].cold->dropped_packets[d->priority]++;
}

static void empty_queue(
        struct sim_thread *th, struct sw_node *s, uint16_t port, int pr, int64_t now_ps)
{
	struct fsw_port *p = &s->sw.port[port];
	struct desc d;

	while (p->cls[pr].q.packets) {
		fsw_discard(&s->sw, port, pr, &d);
		count_drop(th, s, port, &d);
		if (s->sw.port[d.in_port].pfc_xoff | s->sw.port[d.in_port].pfc_xon)
			switch_kick(s, d.in_port, now_ps);
	}
}

static void storm_changed(
        struct sim_thread *th, struct sw_node *s, uint16_t port, int pr, int64_t now_ps)
{
	const struct watchdog *w = &s->sw.watchdog[port];

	if (!(w->storm >> pr & 1)) {
		s->n_storms--;
		th->n.watchdog_restores++;
		record(th, s, port, pr, WATCHDOG_RESTORED, now_ps);
		return;
	}
	s->n_storms++;
	th->n.watchdog_storms++;
	record(th, s, port, pr, WATCHDOG_STORM, now_ps);
	if (w->action == WATCHDOG_DROP)
		empty_queue(th, s, port, pr, now_ps);
}

void switch_watch_fire(struct sim_thread *th, struct sw_node *s, uint64_t key)
{
	const uint16_t port = sim_key_port(key);
	const int64_t now_ps = sim_key_ps(key);
	struct fsw_port *p = &s->sw.port[port];
	struct watchdog *w = &s->sw.watchdog[port];
	uint8_t changed;

	heap_pop(s->watch, &s->n_watch);
	switch_rare_changed(s);
	if (w->event_ps <= now_ps)
		w->event_ps = TIME_NEVER;
	changed = watchdog_fire(w, &p->pause, now_ps);
	for (unsigned m = changed; m; m &= m - 1)
		storm_changed(th, s, port, __builtin_ctz(m), now_ps);
	switch_unusual(s);
	switch_blocked(s, port, switch_watch_look(s, port, now_ps));
	if (fsw_ready(p))
		switch_kick(s, port, now_ps);
}

bool switch_watch_drops(
        struct sim_thread *th, struct sw_node *s, uint16_t out, const struct desc *d)
{
	uint16_t port = d->in_port; /* whose watchdog drops it */

	if (!watchdog_drops_in(&s->sw.watchdog[port], d->priority))
		port = out;
	if (!watchdog_drops_out(&s->sw.watchdog[port], d->priority))
		return false;
	count_drop(th, s, port, d);
	return true;
}

void switch_watch_forget(struct sw_node *s)
{
	while (s->n_watch) {
		uint16_t port = sim_key_port(s->watch[--s->n_watch]);

		s->sw.watchdog[port].event_ps = TIME_NEVER;
	}
	switch_rare_changed(s);
}

static int by_time(const void *a, const void *b)
{
	const struct watchdog_event *x = a, *y = b;

	if (x->t_ps != y->t_ps)
		return x->t_ps < y->t_ps ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

int switch_watch_collect(const struct sim *s, struct run_record *r)
{
	uint64_t total = 0;

	for (uint32_t t = 0; t < s->n_threads; t++)
		total += s->thread[t]->n_watchdog;
	if (!total)
		return 0;
	r->watchdog = malloc(total * sizeof(*r->watchdog));
	if (!r->watchdog)
		return -ENOMEM;
	for (uint32_t t = 0; t < s->n_threads; t++) {
		const struct sim_thread *th = s->thread[t];

		if (th->n_watchdog)
			memcpy(&r->watchdog[r->n_watchdog], th->watchdog,
			        th->n_watchdog * sizeof(*r->watchdog));
		r->n_watchdog += th->n_watchdog;
	}
	switch_watch_order(r);
	return 0;
}

void switch_watch_order(struct run_record *r)
{
	if (r->n_watchdog)
		qsort(r->watchdog, r->n_watchdog, sizeof(*r->watchdog), by_time);
	if (r->n_watchdog > RUN_WATCHDOG_KEPT)
		r->n_watchdog = RUN_WATCHDOG_KEPT;
}
