/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/host/host.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/rng.h"

#define WAITERS ((UINT64_C(1) << HOST_WAITER_BITS) - 1) /* of a value in host.received */

static uint32_t index_of(const struct host *h, const struct host_program *p)
{
	return (uint32_t)(p - h->program);
}

/* It runs at once: in this round if those before it run, else in the next one. */
static void wake(struct host *h, uint32_t i, int64_t now_ps)
{
	h->due[i / 64] |= UINT64_C(1) << i % 64;
	if (now_ps < h->wake_ps)
		h->wake_ps = now_ps;
}

static void fall_asleep(struct host *h, uint32_t i, int64_t until_ps)
{
	time_heap_push(h->asleep, &h->n_asleep, (struct timed){until_ps, i});
}

static uint32_t lanes(const struct load_entry *en, uint32_t host)
{
	if (!en->ops->involves(en, host))
		return 0;
	return en->ops->lanes ? en->ops->lanes(en, host) : 1;
}

int host_init(struct host *h, const struct host_shared *sh, struct err *e)
{
	uint32_t n = 0;

	h->sh = sh;
	h->wake_ps = TIME_NEVER;
	for (uint32_t i = 0; i < sh->n_entries; i++)
		n += lanes(&sh->entry[i], h->nic.host);
	if (!n)
		return 0;
	if (n > HOST_MAX_PROGRAMS)
		return err_set(e, -EINVAL,
		        "workload: host %u has %u programs, at most %u are possible: use fewer "
		        "channels, thread blocks or entries",
		        h->nic.host, n, HOST_MAX_PROGRAMS);
	h->program = calloc(n, sizeof(*h->program));
	h->due = calloc((n + 63) / 64, sizeof(*h->due));
	h->asleep = malloc(n * sizeof(*h->asleep));
	if (!h->program || !h->due || !h->asleep)
		return err_set(
		        e, -ENOMEM, "no memory for %u programs of host %u", n, h->nic.host);
	for (uint32_t i = 0; i < sh->n_entries; i++) {
		const struct load_entry *en = &sh->entry[i];
		const uint32_t n_lanes = lanes(en, h->nic.host);
		const uint32_t first = h->n_programs;

		for (uint32_t lane = 0; lane < n_lanes; lane++) {
			struct host_program *p = &h->program[h->n_programs++];

			p->entry = en;
			p->first_lane = first;
			p->n_lanes = n_lanes;
			en->ops->start(en, h->nic.host, lane, &p->st);
			fall_asleep(h, index_of(h, p), en->cfg.start_ps);
		}
	}
	h->wake_ps = h->asleep[0].t_ps;
	*h->unfinished += h->n_programs;
	return 0;
}

void host_fini(struct host *h)
{
	keymap_fini(&h->qps);
	keymap_fini(&h->received);
	free(h->program);
	free(h->due);
	free(h->asleep);
	free(h->flow);
}

/* Entry and peer are below 2^16, qp below 2^31 or LOAD_QP_FRESH; bit 63 keeps keys from being
 * 0. */
static uint64_t qp_key(const struct load_entry *en, uint32_t peer, uint32_t qp)
{
	return UINT64_C(1) << 63 | (uint64_t)en->index << 48 | (uint64_t)peer << 32 | qp;
}

uint16_t host_port_entropy(uint64_t seed, uint32_t src, uint32_t dst, uint16_t port)
{
	return (uint16_t)hash_combine(hash_combine(seed, (uint64_t)src << 32 | dst), port);
}

/* port 0: one of the QP's own; else only the addresses tell flows of one port apart. */
static uint16_t entropy_of(const struct host *h, const struct load_entry *en, uint32_t peer,
        uint32_t qp, uint16_t port)
{
	uint64_t x = (uint64_t)h->nic.host << 32 | peer;

	if (!port)
		port = (uint16_t)en->cfg.udp_source_port;
	if (port)
		return host_port_entropy(h->sh->seed, h->nic.host, peer, port);
	return (uint16_t)hash_combine(
	        hash_combine(h->sh->seed, x), (uint64_t)en->index << 32 | qp);
}

static int reserve_flow(struct host *h, uint32_t slot)
{
	uint32_t cap = h->cap_flow ? h->cap_flow * 2 : 2;
	void *at;

	if (slot < h->cap_flow)
		return 0;
	at = reallocarray(h->flow, cap, sizeof(*h->flow));
	if (!at)
		return -ENOMEM;
	h->flow = at;
	h->cap_flow = cap;
	return 0;
}

static uint32_t open_qp(struct host *h, const struct load_entry *en, const struct load_op *op,
        uint8_t priority, uint16_t entropy)
{
	uint32_t i = conn_arena_new(h->sh->arena);
	struct conn *c;

	if (i == CONN_NONE) {
		*h->failure = -ENOSPC;
		return CONN_NONE;
	}
	c = &h->sh->arena->conn[i];
	if (rnic_open_qp(&h->nic, i, op->peer, priority, entropy, h->sh->window_bytes)) {
		*h->failure = -ENOSPC;
		return CONN_NONE;
	}
	if (reserve_flow(h, c->req.slot)) {
		*h->failure = -ENOMEM;
		return CONN_NONE;
	}
	h->flow[c->req.slot] =
	        (struct host_flow){.first_post_ps = TIME_NEVER, .alone_bytes = -1};
	rnic_set_transport(&h->nic, i, (enum qp_transport)en->cfg.transport);
	c->req.entry = en->index;
	c->req.stream = op->stream;
	c->req.fresh = op->qp == LOAD_QP_FRESH;
	if (h->sh->opened)
		h->sh->opened(h->sh->opened_arg, h->nic.host, i);
	return i;
}

/* The connection for a send: a fresh QP, perhaps one that has finished before, or a lasting
 * one. */
static uint32_t connection(struct host *h, struct host_program *p, const struct load_op *op)
{
	const struct load_entry *en = p->entry;
	int64_t priority = op->priority >= 0       ? op->priority
	                   : en->cfg.priority >= 0 ? en->cfg.priority
	                                           : h->sh->nic->priority;
	bool fresh = op->qp == LOAD_QP_FRESH;
	/* fresh QPs of different priorities are kept apart by the low bits of the key */
	uint32_t qp = fresh ? UINT32_C(0xfffffff0) | (uint32_t)priority
	                    : op->qp << 3 | (uint32_t)priority;
	const uint64_t key = qp_key(en, op->peer, qp);
	uint16_t entropy;
	uint64_t *at;
	uint32_t i;

	if (p->last_key == key)
		return p->last_conn;
	at = keymap_at(&h->qps, key);
	if (!at) {
		*h->failure = -ENOMEM;
		return CONN_NONE;
	}
	entropy = entropy_of(h, en, op->peer, fresh ? h->fresh_seq++ : op->qp, op->port);
	if (*at && fresh) {
		struct qp_req *q;

		i = (uint32_t)*at - 1;
		q = &h->sh->arena->conn[i].req;
		*at = q->next_free;
		q->next_free = 0;
		if (UNLIKELY(h->sh->opened != NULL) && q->stream != op->stream) {
			q->stream = op->stream;
			h->sh->opened(h->sh->opened_arg, h->nic.host, i);
		}
		q->stream = op->stream;
		h->flow[q->slot].alone_bytes = -1; /* it takes another path */
		rnic_renew_qp(&h->nic, i, entropy);
		return i;
	}
	i = *at ? (uint32_t)*at - 1 : open_qp(h, en, op, (uint8_t)priority, entropy);
	if (i != CONN_NONE && !fresh) {
		*at = (uint64_t)i + 1;
		p->last_key = key;
		p->last_conn = i;
	}
	return i;
}

static void release_fresh(struct host *h, uint32_t conn)
{
	struct qp_req *q = &h->sh->arena->conn[conn].req;
	uint64_t *at = keymap_at(&h->qps, qp_key(&h->sh->entry[q->entry], q->dst,
	                                          UINT32_C(0xfffffff0) | q->own_priority));

	if (!at || q->state == QP_FAILED)
		return;
	q->next_free = (uint32_t)*at;
	*at = (uint64_t)conn + 1;
}

static void send(
        struct host *h, struct host_program *p, const struct load_op *op, int64_t now_ps)
{
	uint32_t conn = connection(h, p, op);
	struct qp_msg m = {
	        .bytes = op->bytes,
	        .post_ps = op->t_ps >= 0 ? op->t_ps : now_ps,
	        .seq = h->next_seq++,
	        .tag = op->tag,
	        .program = (uint16_t)index_of(h, p),
	};

	if (conn == CONN_NONE)
		return;
	if (p->entry->cfg.transport == TRANSPORT_UD && m.bytes > p->entry->env.path_mtu_bytes) {
		*h->failure = -EMSGSIZE;
		return;
	}
	if (p->open == HOST_MAX_WAITING) {
		*h->failure = -EOVERFLOW;
		return;
	}
	p->open++;
	++*h->unfinished;
	h->n->messages_started++;
	if (rnic_post(&h->nic, conn, &m, now_ps))
		*h->failure = -ENOMEM;
}

/* Wakes those of a list that wait for no more than count. */
static uint32_t wake_waiters(struct host *h, uint32_t first, uint64_t count, int64_t now_ps)
{
	uint32_t kept = 0;

	while (first) {
		const uint32_t i = first - 1;
		struct host_program *w = &h->program[i];

		first = w->next_waiter;
		if (w->wait_count <= count) {
			wake(h, i, now_ps);
		} else {
			w->next_waiter = kept;
			kept = i + 1;
		}
	}
	return kept;
}

static void receive(struct host *h, struct host_program *p, const struct load_op *op)
{
	uint64_t *at = keymap_at(&h->received, qp_key(p->entry, op->peer, op->stream));

	if (!at) {
		*h->failure = -ENOMEM;
		return;
	}
	if (*at >> HOST_WAITER_BITS >= op->count)
		return;
	p->state = PROGRAM_WAITS_RECV;
	p->wait_count = op->count;
	p->next_waiter = (uint32_t)(*at & WAITERS);
	*at = (*at & ~WAITERS) | (index_of(h, p) + 1);
}

static void wait_lane(struct host *h, struct host_program *p, const struct load_op *op)
{
	struct host_program *other;

	CHECK(op->lane < p->n_lanes);
	other = &h->program[p->first_lane + op->lane];
	if (other->step >= op->count)
		return;
	p->state = PROGRAM_WAITS_LANE;
	p->wait_count = op->count;
	p->next_waiter = other->first_waiter;
	other->first_waiter = index_of(h, p) + 1;
}

static void step(struct host *h, struct host_program *p, uint64_t count, int64_t now_ps)
{
	p->step = count;
	p->first_waiter = wake_waiters(h, p->first_waiter, count, now_ps);
}

static void mark(
        struct host *h, const struct host_program *p, const struct load_op *op, int64_t now_ps)
{
	const struct iteration_mark m = {
	        .begin_ps = op->count ? TIME_NEVER : now_ps,
	        .end_ps = op->count ? now_ps : TIME_NEVER,
	        .begun = !op->count,
	        .ended = !!op->count,
	        .iteration = op->tag,
	        .slowest_host = h->nic.host,
	        .entry = p->entry->index,
	        .part = op->stream,
	};

	if (!mark_log_add(h->marks, &m))
		*h->failure = -ENOMEM;
}

static void run(struct host *h, struct host_program *p, int64_t now_ps)
{
	struct load_op op = {0};

	p->state = PROGRAM_RUNS;
	while (p->state == PROGRAM_RUNS && !*h->failure) {
		op = (struct load_op){.t_ps = -1, .priority = -1};
		p->entry->ops->next(p->entry, &p->st, &op);
		switch (op.kind) {
		case LOAD_SEND:
			send(h, p, &op, now_ps);
			break;
		case LOAD_RECV:
			receive(h, p, &op);
			break;
		case LOAD_STEP:
			step(h, p, op.count, now_ps);
			break;
		case LOAD_WAIT_LANE:
			wait_lane(h, p, &op);
			break;
		case LOAD_WAIT_SENDS:
			p->wait_count = op.count;
			if (p->open > op.count)
				p->state = PROGRAM_WAITS_SENDS;
			break;
		case LOAD_SLEEP_UNTIL:
		case LOAD_COMPUTE:
			if (op.kind == LOAD_COMPUTE)
				op.t_ps += now_ps;
			if (op.t_ps > now_ps) {
				p->state = PROGRAM_SLEEPS;
				fall_asleep(h, index_of(h, p), op.t_ps);
			}
			break;
		case LOAD_MARK:
			mark(h, p, &op, now_ps);
			break;
		case LOAD_END:
			p->state = PROGRAM_ENDED;
			--*h->unfinished;
			break;
		}
	}
}

void host_programs(struct host *h, int64_t now_ps)
{
	h->wake_ps = TIME_NEVER; /* one lane may wake another that has had its turn */
	while (h->n_asleep && h->asleep[0].t_ps <= now_ps)
		wake(h, (uint32_t)time_heap_pop(h->asleep, &h->n_asleep).order, TIME_NEVER);
	for (uint32_t word = 0; word * 64 < h->n_programs; word++) {
		uint64_t due, ahead = UINT64_MAX;

		while ((due = h->due[word] & ahead)) {
			const uint32_t bit = (uint32_t)__builtin_ctzll(due);

			h->due[word] &= ~(UINT64_C(1) << bit);
			ahead = ~UINT64_C(1) << bit;
			run(h, &h->program[word * 64 + bit], now_ps);
		}
	}
	if (h->n_asleep && h->asleep[0].t_ps < h->wake_ps)
		h->wake_ps = h->asleep[0].t_ps;
}

static int64_t alone_ps(const struct host *h, struct host_flow *f, const struct qp_req *q,
        int64_t bytes, bool completed)
{
	if (f->alone_bytes != bytes) {
		f->alone_ps = q->transport != QP_RC
		                      ? rnic_serial_ps(&h->nic, q, bytes)
		                      : h->sh->alone_ps(h->sh->alone_arg, h->nic.host, q->dst,
		                                q->entropy, bytes, completed);
		f->alone_bytes = bytes;
	}
	return f->alone_ps;
}

static void record(struct host *h, const struct conn *c, const struct qp_msg *m, uint8_t status,
        int64_t done_ps)
{
	const struct qp_req *q = &c->req;
	struct host_flow *f = &h->flow[q->slot];
	const struct msg_record r = {
	        .post_ps = m->post_ps,
	        .first_ps = m->first_ps,
	        .done_ps = done_ps,
	        .alone_ps = alone_ps(h, f, q, m->bytes, status == MSG_COMPLETED),
	        .bytes = m->bytes,
	        .src = h->nic.host,
	        .dst = q->dst,
	        .conn = q->slot,
	        .seq = m->seq,
	        .tag = m->tag,
	        .entry = q->entry,
	        .priority = q->priority,
	        .status = status,
	        .retransmits = m->retransmits,
	        .unacknowledged = q->transport != QP_RC,
	        .paused_ps = m->paused_ps,
	        .limited_ps = m->limited_ps,
	        .recovery_ps = m->recovery_ps,
	};

	if (status == MSG_COMPLETED) {
		f->completed_bytes += m->bytes;
		if (m->post_ps < f->first_post_ps)
			f->first_post_ps = m->post_ps;
		if (done_ps > f->last_done_ps)
			f->last_done_ps = done_ps;
	}
	if (msg_log_add(h->log, &r))
		*h->failure = -ENOMEM;
}

void host_collect(struct host *h, int64_t now_ps)
{
	for (uint32_t i = 0; i < h->nic.n_done; i++) {
		struct rnic_done *d = &h->nic.done[i];
		struct conn *c = &h->sh->arena->conn[d->conn];
		struct host_program *p = &h->program[d->msg.program];

		record(h, c, &d->msg, d->status,
		        d->status == MSG_COMPLETED ? d->done_ps : TIME_NEVER);
		h->n->messages_failed += d->status == MSG_FAILED;
		--*h->unfinished;
		p->open--;
		if (c->req.fresh)
			release_fresh(h, d->conn);
		if (p->state == PROGRAM_WAITS_SENDS && p->open <= p->wait_count)
			wake(h, index_of(h, p), now_ps);
	}
	h->nic.n_done = 0;
}

void host_received(struct host *h, uint32_t conn, int64_t now_ps)
{
	const struct conn *c = &h->sh->arena->conn[conn];
	const struct load_entry *en = &h->sh->entry[c->req.entry];
	uint32_t waiter;
	uint64_t *at;

	if (!en->ops->receives)
		return; /* nobody will ask */
	at = keymap_at(&h->received, qp_key(en, c->src, c->req.stream));
	if (!at) {
		*h->failure = -ENOMEM;
		return;
	}
	*at += UINT64_C(1) << HOST_WAITER_BITS;
	waiter = (uint32_t)(*at & WAITERS);
	if (waiter)
		*at = (*at & ~WAITERS) |
		      wake_waiters(h, waiter, *at >> HOST_WAITER_BITS, now_ps);
}

void host_log_unfinished(struct host *h)
{
	for (uint32_t i = 0; i < h->nic.n_slots; i++) {
		const struct conn *c = &h->sh->arena->conn[h->nic.slot_conn[i]];
		const struct qp_msgs *f = &c->req.msgs;

		for (uint32_t k = f->una; k != f->tail; k++)
			record(h, c, &f->ring[k & f->mask], MSG_UNFINISHED, TIME_NEVER);
	}
}
