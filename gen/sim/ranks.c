/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/ranks.h"

#include <errno.h>

#include "gen/sim/emit.h"

/* What a rank tells another at the end of a window: this, then connections, then mail up to the
 * end of the block. */
struct rank_head {
	struct sim_vote vote;
	uint32_t n_conns;
};

int ranks_open(struct ranks **out, struct world *w, uint32_t n_nodes, struct err *e)
{
	struct ranks *rk;

	*out = NULL;
	if (!w || w->n_ranks == 1)
		return 0;
	rk = aligned_alloc(
	        CACHE_LINE, (sizeof(*rk) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
	if (!rk)
		return err_set(e, -ENOMEM, "no memory for %u processes", w->n_ranks);
	*rk = (struct ranks){.world = w,
	        .rank_of = calloc(n_nodes, sizeof(*rk->rank_of)),
	        .out = calloc(w->n_ranks, sizeof(*rk->out)),
	        .block = calloc(2 * (size_t)w->n_ranks, sizeof(*rk->block))};
	*out = rk;
	if (!rk->rank_of || !rk->out || !rk->block)
		return err_set(e, -ENOMEM, "no memory for %u processes", w->n_ranks);
	return 0;
}

void ranks_close(struct ranks *rk)
{
	if (!rk)
		return;
	for (uint32_t r = 0; rk->out && r < rk->world->n_ranks; r++)
		bytes_fini(&rk->out[r]);
	free(rk->rank_of);
	free(rk->out);
	free(rk->block);
	free(rk);
}

void ranks_mail(struct sim_thread *th, uint32_t node, const struct desc *d)
{
	const struct sim *s = th->sim;
	const size_t box = (size_t)s->n_threads * s->ring + s->ranks->rank_of[node];

	sim_mailbox_add(&th->out[box], node, d);
}

void ranks_opened(const void *sim, uint32_t src, uint32_t conn)
{
	const struct sim *s = sim;
	const uint32_t dst = s->arena.conn[conn].req.dst;

	if (s->owner[dst] == SIM_ELSEWHERE)
		bytes_add(&s->thread[s->owner[src]]->opened, &conn, sizeof(conn));
}

static void write_conns(struct sim *s, uint32_t rank, struct bytes *to)
{
	struct rank_head head;

	memcpy(&head, to->at, sizeof(head));
	for (uint32_t t = 0; t < s->n_threads; t++) {
		const struct bytes *list = &s->thread[t]->opened;

		for (size_t at = 0; at < list->len; at += sizeof(uint32_t)) {
			const struct conn *c;
			uint32_t i;

			memcpy(&i, list->at + at, sizeof(i));
			c = &s->arena.conn[i];
			if (s->ranks->rank_of[c->req.dst] != rank)
				continue;
			bytes_add(to, &i, sizeof(i));
			bytes_add(to, c, sizeof(*c));
			head.n_conns++;
		}
	}
	memcpy(to->at, &head, sizeof(head));
}

/* The requester's half is that of the source, pointers apart. The responder's half is told once
 * and lives here from then on. */
static const char *read_conn(struct sim *s, const char *at)
{
	struct conn *c;
	struct conn theirs;
	uint32_t i;

	memcpy(&i, at, sizeof(i));
	memcpy(&theirs, at + sizeof(i), sizeof(theirs));
	CHECK(i < s->arena.max);
	c = &s->arena.conn[i];
	theirs.req.msgs.ring = NULL;
	theirs.req.recovery = NULL;
	if (c->told) {
		c->req = theirs.req;
	} else {
		*c = theirs;
		c->told = true;
	}
	return at + sizeof(i) + sizeof(theirs);
}

static void read_mail(struct sim *s, const char *at, const char *end)
{
	struct sim_thread *th = s->thread[0];
	struct mail m;

	for (; at < end; at += sizeof(m)) {
		uint64_t window;

		memcpy(&m, at, sizeof(m));
		window = sim_window_of(th, m.d.t_ps);
		CHECK(s->owner[m.node] < s->n_threads);
		sim_mailbox_add(
		        &th->out[(size_t)s->owner[m.node] * s->ring + (window & s->ring_mask)],
		        m.node, &m.d);
	}
}

static void add_vote(struct sim_vote *sum, const struct sim_vote *v)
{
	if (v->next_window < sum->next_window)
		sum->next_window = v->next_window;
	sum->unfinished += v->unfinished;
	sum->on_way += v->on_way;
	sum->packet_hops += v->packet_hops;
	sum->events += v->events;
	sum->messages_done += v->messages_done;
	sum->stop |= v->stop;
	sum->failed |= v->failed;
	sum->beyond_stop |= v->beyond_stop;
}

static void read_block(struct sim *s, const struct world_block *b)
{
	const char *at = b->data;
	struct rank_head head;

	CHECK(b->len >= sizeof(head));
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	add_vote(&s->ranks->sum, &head.vote);
	while (head.n_conns--)
		at = read_conn(s, at);
	read_mail(s, at, (const char *)b->data + b->len);
}

static void write_block(struct sim *s, uint32_t rank, const struct rank_head *head)
{
	struct bytes *to = &s->ranks->out[rank];

	to->len = 0;
	bytes_add(to, head, sizeof(*head));
	write_conns(s, rank, to);
	for (uint32_t t = 0; t < s->n_threads; t++) {
		struct mailbox *m = &s->thread[t]->out[(size_t)s->n_threads * s->ring + rank];

		bytes_add(to, m->m, m->n * sizeof(*m->m));
		m->n = 0;
	}
}

void ranks_exchange(struct sim *s, const struct sim_vote *votes)
{
	struct ranks *rk = s->ranks;
	const uint32_t n = rk->world->n_ranks;
	struct rank_head head;

	memset(&head, 0, sizeof(head)); /* padding goes over the wire too */
	head.vote.next_window = UINT64_MAX;
	for (uint32_t t = 0; t < s->n_threads; t++)
		add_vote(&head.vote, &votes[t]);
	for (uint32_t r = 0; r < n; r++) {
		if (r == rk->world->rank)
			continue;
		write_block(s, r, &head);
		rk->block[r] = (struct world_block){rk->out[r].at, rk->out[r].len};
	}
	for (uint32_t t = 0; t < s->n_threads; t++)
		s->thread[t]->opened.len = 0;
	rk->world->ops->exchange(rk->world, rk->block, rk->block + n);
	rk->sum = head.vote;
	for (uint32_t r = 0; r < n; r++)
		if (r != rk->world->rank)
			read_block(s, &rk->block[n + r]);
}
