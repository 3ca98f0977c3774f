/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/heap_core.h"

#include <errno.h>
#include <stdlib.h>

#include "gen/sim/node.h"

int heap_core_init(struct heap_core *h, uint32_t n_nodes)
{
	*h = (struct heap_core){.own_key = malloc(n_nodes * sizeof(*h->own_key))};
	if (!h->own_key)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_nodes; i++)
		h->own_key[i] = SIM_KEY_NEVER;
	return 0;
}

void heap_core_fini(struct heap_core *h)
{
	free(h->e);
	free(h->own_key);
}

static bool before(const struct heap_event *a, const struct heap_event *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->node != b->node)
		return a->node < b->node;
	return a->seq < b->seq;
}

static void push(struct heap_core *h, const struct heap_event *e)
{
	uint32_t i;

	if (h->n == h->cap) {
		h->cap = h->cap ? h->cap * 2 : 64;
		h->e = reallocarray(h->e, h->cap, sizeof(*h->e));
		CHECK(h->e);
	}
	for (i = h->n++; i && before(e, &h->e[(i - 1) / 2]); i = (i - 1) / 2)
		h->e[i] = h->e[(i - 1) / 2];
	h->e[i] = *e;
}

static struct heap_event pop(struct heap_core *h)
{
	struct heap_event top = h->e[0], last = h->e[--h->n];
	uint32_t i = 0;

	for (;;) {
		uint32_t c = 2 * i + 1;

		if (c >= h->n)
			break;
		if (c + 1 < h->n && before(&h->e[c + 1], &h->e[c]))
			c++;
		if (!before(&h->e[c], &last))
			break;
		h->e[i] = h->e[c];
		i = c;
	}
	if (h->n)
		h->e[i] = last;
	return top;
}

void sim_heap_core_push(struct sim_thread *th, uint32_t node, const struct desc *d)
{
	struct heap_core *h = th->heap_core;

	if (d->t_ps >= th->end_ps) { /* the run stops before it arrives */
		sim_beyond_stop(th, d);
		return;
	}
	push(h, &(struct heap_event){.key = sim_key(d->t_ps, SIM_ARRIVAL, d->in_port),
	                .node = node,
	                .seq = h->seq++,
	                .d = *d});
}

static uint64_t next_key(const struct sim *s, uint32_t node)
{
	return node < s->topo->n_hosts ? host_next_key(&s->host[node])
	                               : switch_next_key(&s->sw[node - s->topo->n_hosts]);
}

/* Tells the heap of the node's own next event if it has changed. */
static void look(struct sim_thread *th, uint32_t node)
{
	struct heap_core *h = th->heap_core;
	uint64_t key = next_key(th->sim, node);

	if (key == h->own_key[node] || key == SIM_KEY_NEVER)
		return;
	h->own_key[node] = key;
	push(h, &(struct heap_event){.key = key, .node = node, .seq = h->seq++, .own = true});
}

static void handle(struct sim_thread *th, struct heap_event *e)
{
	struct sim *s = th->sim;
	struct heap_core *h = th->heap_core;

	if (e->own) {
		if (h->own_key[e->node] == e->key)
			h->own_key[e->node] = SIM_KEY_NEVER;
		if (next_key(s, e->node) != e->key) /* it was overtaken */
			return;
		if (e->node < s->topo->n_hosts)
			host_own(th, &s->host[e->node], e->key);
		else
			switch_own(th, &s->sw[e->node - s->topo->n_hosts], e->key);
		return;
	}
	th->n.events++;
	if (e->node < s->topo->n_hosts)
		host_arrival(th, &s->host[e->node], &e->d);
	else
		switch_arrival(th, &s->sw[e->node - s->topo->n_hosts], &e->d);
}

static void gather(struct sim_thread *th, uint32_t node, struct inbox *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		sim_heap_core_push(th, node, &b->d[i]);
	b->n = 0;
	look(th, node);
}

void sim_group_visit(struct sim_thread *th, struct group *g, const struct slot *slot)
{
	struct sim *s = th->sim;
	struct heap_core *h = th->heap_core;
	const uint64_t end_key = sim_key(th->end_ps, SIM_FAULT, 0);

	if (g->visited_window == th->window + 1)
		return;
	g->visited_window = th->window + 1;
	for (uint32_t i = 0; i < g->n_nodes; i++)
		gather(th, g->node[i], &slot->inbox[g->node[i]]);
	while (h->n && h->e[0].key < end_key) {
		struct heap_event e = pop(h);

		handle(th, &e);
		look(th, e.node);
	}
	h->n = 0;
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		uint32_t node = g->node[i];
		uint64_t key = next_key(s, node);

		h->own_key[node] = SIM_KEY_NEVER;
		if (key != SIM_KEY_NEVER)
			sim_wake(th, node, sim_key_ps(key));
	}
}
