/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/switch_calm.h"

#include "gen/sim/sort.h"
#include "gen/sim/switch_port.h"
#include "gen/sim/switch_watch.h"

/* Sends what the port would have sent by until_ps. */
static ALWAYS_INLINE void drain(
        struct sim_thread *th, struct sw_node *s, uint16_t port, int64_t until_ps)
{
	struct fsw_port *p = &s->sw.port[port];
	struct desc d;

	while (p->backlog && p->busy_until_ps <= until_ps) {
		fsw_departure(&s->sw, port, &d);
		switch_transmit(th, p, &d, p->busy_until_ps);
	}
}

/* Every port. Returns when the first one that still has frames will be free. */
static int64_t drain_all(struct sim_thread *th, struct sw_node *s, int64_t until_ps)
{
	int64_t next_ps = TIME_NEVER;

	for (uint32_t w = 0; w * 64 < s->sw.n_ports; w++) {
		for (uint64_t bits = s->queued[w]; bits; bits &= bits - 1) {
			uint16_t port = (uint16_t)(w * 64 + (uint32_t)__builtin_ctzll(bits));
			const struct fsw_port *p = &s->sw.port[port];

			drain(th, s, port, until_ps);
			if (!p->backlog)
				s->queued[w] &= ~(UINT64_C(1) << (port & 63));
			else if (p->busy_until_ps < next_ps)
				next_ps = p->busy_until_ps;
		}
	}
	return next_ps;
}

static NOINLINE void leave(struct sim_thread *th, struct sw_node *s, int64_t now_ps)
{
	(void)drain_all(th, s, now_ps); /* the next ones are scheduled here */
	s->calm = false;
	for (uint32_t w = 0; w * 64 < s->sw.n_ports; w++)
		for (; s->queued[w]; s->queued[w] &= s->queued[w] - 1)
			switch_kick(s,
			        (uint16_t)(w * 64 + (uint32_t)__builtin_ctzll(s->queued[w])),
			        now_ps);
}

bool switch_calm_enter(struct sw_node *s)
{
	for (uint32_t i = 0; i < s->n_service; i++) {
		const struct fsw_port *p = &s->sw.port[sim_key_port(s->service[i])];

		if (p->pfc_xoff | p->pfc_xon)
			return false;
	}
	for (uint32_t i = 0; i < s->n_service; i++) {
		uint16_t port = sim_key_port(s->service[i]);

		s->sw.port[port].scheduled = false;
		s->queued[port >> 6] |= UINT64_C(1) << (port & 63);
	}
	s->n_service = 0;
	if (s->n_watch)
		switch_watch_forget(s);
	s->calm = true;
	return true;
}

/* False: nothing was done but to drain its port. */
static ALWAYS_INLINE bool arrival(struct sim_thread *th, struct sw_node *s, struct desc *d)
{
	const int64_t now_ps = d->t_ps;
	struct fsw_port *eg;
	uint16_t out;

	if (UNLIKELY(d->kind == DESC_PFC))
		return false;
	out = routes_port(s->routes, s->sw.node, d->dst, d->entropy);
	eg = &s->sw.port[out];
	drain(th, s, out, now_ps);
	/* nothing is paused: a port that is free has no queue */
	switch (fsw_arrival_early(&s->sw, out, d, eg->busy_until_ps <= now_ps)) {
	case FSW_PASS:
		switch_transmit(th, eg, d, now_ps);
		return true;
	case FSW_QUEUED:
		s->queued[out >> 6] |= UINT64_C(1) << (out & 63);
		return true;
	default:
		return false;
	}
}

uint32_t switch_calm_window(
        struct sim_thread *th, struct sw_node *s, struct desc *d, uint32_t n, uint64_t *next)
{
	for (uint32_t i = 0; i < n; i++) {
		struct desc *a = &d[sort_key_index(th->key[i])];

		if (UNLIKELY(!arrival(th, s, a))) {
			leave(th, s, a->t_ps);
			return i;
		}
		switch_check(s);
	}
	*next = sim_key_or_never(drain_all(th, s, th->end_ps - 1), SIM_SERVICE, 0);
	return n;
}
