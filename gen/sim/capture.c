/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/capture_int.h"

#include <stdlib.h>

static struct capture_record *one_more(struct capture_notes *n)
{
	if (n->n == n->cap) {
		n->cap = n->cap ? n->cap * 2 : 1024;
		n->at = reallocarray(n->at, n->cap, sizeof(*n->at));
		CHECK(n->at);
	}
	return &n->at[n->n++];
}

static void add(struct sim_thread *th, uint8_t what, uint32_t node, uint16_t port,
        const struct desc *d, int64_t t_ps, int64_t message_bytes)
{
	struct capture_record *r = one_more(&th->captured);

	*r = (struct capture_record){.t_ps = t_ps,
	        .message_bytes = message_bytes,
	        .node = node,
	        .port = port,
	        .what = what,
	        .d = *d};
	if (d->kind != DESC_PFC) { /* these never change once it is open */
		const struct conn *c = &th->sim->arena.conn[d->conn];

		r->src = c->src;
		r->slot = c->req.slot;
		r->conn_dst = c->req.dst;
		r->entry = c->req.entry;
		r->transport = c->req.transport;
	}
}

/* Called at its sender, which owns that half of the connection. */
static int64_t message_bytes(const struct sim *s, const struct desc *d)
{
	const struct qp_msgs *m = &s->arena.conn[d->conn].req.msgs;

	for (uint32_t k = m->una; k != m->tail; k++)
		if (m->ring[k & m->mask].psn0 == d->psn)
			return m->ring[k & m->mask].bytes;
	return d->payload_bytes;
}

/* When its last bit is in: without the pipeline of the switch, and whole where the switch goes
 * on with the head. */
static int64_t received_ps(
        const struct sim_thread *th, uint32_t to, const struct desc *d, int64_t arrival_ps)
{
	const struct topo *t = th->sim->topo;
	const struct switch_cfg *sw;

	if (d->kind == DESC_PFC || to < t->n_hosts)
		return arrival_ps;
	sw = &t->profile[t->node[to].profile];
	arrival_ps -= sw->latency_ps;
	return sw->forwarding == FORWARD_CUT_THROUGH ? arrival_ps + th->rest_ps : arrival_ps;
}

void sim_capture_note(struct sim_thread *th, uint32_t to, uint16_t in_port,
        const struct desc *d, const struct desc *seen, int64_t start_ps, int64_t arrival_ps)
{
	const struct sim *s = th->sim;
	const uint8_t *tapped = s->cfg->capture->port;
	const uint32_t at = s->topo->node[to].first_port + in_port;
	const struct topo_port *p = &s->topo->port[at];
	const uint32_t from = s->topo->node[p->peer_node].first_port + p->peer_port;

	if (p->peer_node < s->topo->n_hosts && d->kind == DESC_DATA &&
	        (d->flags & (DESC_FIRST | DESC_RETRANSMIT)) == DESC_FIRST)
		add(th, CAPTURE_MESSAGE, p->peer_node, p->peer_port, d, start_ps,
		        message_bytes(s, d));
	if (tapped[from])
		add(th, CAPTURE_SENT, p->peer_node, p->peer_port, d, start_ps, 0);
	if (tapped[at] && seen)
		add(th, CAPTURE_RECEIVED, to, in_port, seen, received_ps(th, to, d, arrival_ps),
		        0);
}

static int compare(const void *a, const void *b)
{
	const struct capture_record *x = *(const struct capture_record *const *)a;
	const struct capture_record *y = *(const struct capture_record *const *)b;

	if (x->t_ps != y->t_ps)
		return x->t_ps < y->t_ps ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->what != y->what) /* what leaves has come in before, by another port */
		return x->what < y->what ? -1 : 1;
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return x < y ? -1 : x > y; /* of one sender, in its order */
}

/* What is not yet due stays, in its order. */
static void keep_late(struct capture_notes *n, int64_t until_ps)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < n->n; i++)
		if (n->at[i].t_ps >= until_ps)
			n->at[kept++] = n->at[i];
	n->n = kept;
}

void sim_capture_flush(struct sim *s, int64_t until_ps)
{
	const struct capture_record **due;
	uint64_t n = 0, total = 0;

	for (uint32_t t = 0; t < s->n_threads; t++)
		total += s->thread[t]->captured.n;
	due = reallocarray(NULL, total + 1, sizeof(const struct capture_record *));
	CHECK(due);
	for (uint32_t t = 0; t < s->n_threads; t++) {
		const struct capture_notes *c = &s->thread[t]->captured;

		for (uint64_t i = 0; i < c->n; i++)
			if (c->at[i].t_ps < until_ps)
				due[n++] = &c->at[i];
	}
	qsort(due, n, sizeof(const struct capture_record *), compare);
	for (uint64_t i = 0; i < n; i++)
		s->cfg->capture->take(s->cfg->capture->arg, due[i]);
	free(due);
	for (uint32_t t = 0; t < s->n_threads; t++)
		keep_late(&s->thread[t]->captured, until_ps);
}
