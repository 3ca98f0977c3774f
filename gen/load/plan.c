/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/load/plan_inbox.h"
#include "gen/load/time_heap.h"

struct plan_deps {
	struct plan_dep *at;
	uint32_t n, room;
};

/* A step of a lane with what the lane has waited for since the step before. */
struct plan_step {
	uint64_t count;
	struct plan_deps dep;
};

/* Steps of another lane that this one has waited for. */
struct plan_taken {
	uint32_t lane, n;
};

struct program {
	struct load_state st;
	int64_t t_ps;
	uint64_t sent;             /* by this program */
	uint64_t open;             /* of them, not waited for to complete */
	struct plan_deps dep, own; /* own: those open, oldest first */
	struct plan_deps since;    /* waited for since the last step; several lanes */
	uint32_t host;
	uint16_t entry;
	bool only_counted; /* nobody asks what it waits for */
	bool group_sent;   /* dep belongs to messages that are out: the next wait begins anew */
	enum { RUNS, WAITS_RECV, WAITS_LANE } state; /* for want_count of want */
	uint32_t want;                               /* source of messages; lane */
	uint64_t want_count;
	uint32_t first, n_lanes; /* this host's programs of the entry */
	uint64_t seq;            /* of the first lane: the host's messages of the entry */
	struct plan_step *step;
	uint32_t n_steps, room_steps;
	struct plan_taken *taken;
	uint32_t n_taken;
};

struct plan {
	const struct load_entry *entry;
	uint32_t n_entries;
	struct program *program; /* by (entry, host) */
	uint32_t n_programs;
	uint32_t *first;    /* [n_entries + 1]: an entry's programs */
	struct timed *heap; /* programs that can go on; order: sent << 32 | program */
	uint32_t n_heap;
	struct inbox inbox;
	bool stopped; /* some program reached stop.after */
	uint64_t max_messages;
	plan_fn *each;
	plan_op_fn *op; /* NULL: nobody asks */
	void *arg;
	struct plan_totals totals;
};

/* What messages are counted by: hosts fit into 16 bits. */
static uint32_t source_of(uint32_t host, uint32_t stream)
{
	return stream << 16 | host;
}

static uint32_t lanes_of(const struct load_entry *en, uint32_t host)
{
	if (!en->ops->involves(en, host))
		return 0;
	return en->ops->lanes ? en->ops->lanes(en, host) : 1;
}

static void resume(struct plan *pl, uint32_t i)
{
	const struct program *p = &pl->program[i];

	/* Ties go to whoever has sent least: a cut plan shows all ranks' first rounds. */
	time_heap_push(pl->heap, &pl->n_heap, (struct timed){p->t_ps, p->sent << 32 | i});
}

static uint32_t program_of(const struct plan *pl, uint16_t entry, uint32_t host)
{
	uint32_t lo = pl->first[entry], hi = pl->first[entry + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (pl->program[mid].host < host)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < pl->first[entry + 1] && pl->program[lo].host == host ? lo : UINT32_MAX;
}

static int deps_add(struct plan_deps *l, const struct plan_dep *d, struct err *e)
{
	struct plan_dep *last = l->n ? &l->at[l->n - 1] : NULL;

	/* Neighbours become one range. */
	if (last && last->kind == d->kind && last->src == d->src &&
	        last->last + 1 == d->first) {
		last->last = d->last;
		return 0;
	}
	if (l->n == l->room) {
		uint32_t room = l->room ? 2 * l->room : 4;
		void *at = realloc(l->at, room * sizeof(*l->at));

		if (!at)
			return err_set(e, -ENOMEM, "no memory for %u dependencies", room);
		l->at = at;
		l->room = room;
	}
	l->at[l->n++] = *d;
	return 0;
}

static int dep_add(struct program *p, const struct plan_dep *d, struct err *e)
{
	if (p->only_counted)
		return 0;
	if (p->group_sent) {
		p->dep.n = 0;
		p->group_sent = false;
	}
	/* Lanes that wait for each other's steps wait for much the same. */
	for (uint32_t i = 0; p->n_lanes > 1 && i < p->dep.n && i < 16; i++)
		if (p->dep.at[i].kind == d->kind && p->dep.at[i].src == d->src &&
		        p->dep.at[i].first <= d->first && p->dep.at[i].last >= d->last)
			return 0;
	if (p->n_lanes > 1) {
		int rc = deps_add(&p->since, d, e);

		if (rc)
			return rc;
	}
	return deps_add(&p->dep, d, e);
}

/* At most `count` unfinished: all but the last `count` are complete. */
static int wait_sends(struct program *p, uint64_t count, struct err *e)
{
	uint32_t n = 0;
	int rc = 0;

	if (p->only_counted && p->open > count)
		p->open = count;
	while (p->open > count && !rc) {
		struct plan_dep *own = &p->own.at[n], d = *own;

		if (d.last - d.first >= p->open - count)
			d.last = d.first + (p->open - count) - 1;
		rc = dep_add(p, &d, e);
		p->open -= d.last - d.first + 1;
		own->first = d.last + 1;
		n += own->first > own->last;
	}
	p->own.n -= n;
	if (n)
		memmove(p->own.at, p->own.at + n, p->own.n * sizeof(*p->own.at));
	return rc;
}

/* What a lane waited for is what those wait for who wait for its step. */
static int keep_step(struct program *p, uint64_t count, struct err *e)
{
	struct plan_step *st;

	if (p->n_steps == p->room_steps) {
		uint32_t room = p->room_steps ? 2 * p->room_steps : 4;
		void *at = realloc(p->step, room * sizeof(*p->step));

		if (!at)
			return err_set(e, -ENOMEM, "no memory for %u steps", room);
		p->step = at;
		p->room_steps = room;
	}
	st = &p->step[p->n_steps++];
	*st = (struct plan_step){.count = count, .dep = p->since};
	p->since = (struct plan_deps){0};
	return 0;
}

/* How many steps of a lane this one has waited for; NULL: no memory. */
static uint32_t *taken_of(struct program *p, uint32_t lane)
{
	void *at;

	for (uint32_t i = 0; i < p->n_taken; i++)
		if (p->taken[i].lane == lane)
			return &p->taken[i].n;
	at = realloc(p->taken, (p->n_taken + 1) * sizeof(*p->taken));
	if (!at)
		return NULL;
	p->taken = at;
	p->taken[p->n_taken] = (struct plan_taken){.lane = lane};
	return &p->taken[p->n_taken++].n;
}

/* The first step that reached count; NULL: not yet. */
static const struct plan_step *find_step(const struct program *p, uint64_t count)
{
	uint32_t lo = 0, hi = p->n_steps;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->step[mid].count < count)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->n_steps ? &p->step[lo] : NULL;
}

/* An operation begins, or a wait for another lane is over; the message that is one too many
 * does not begin. */
static int tell(struct plan *pl, uint32_t i, const struct load_op *op)
{
	const struct program *p = &pl->program[i];

	if (!pl->op || (op->kind == LOAD_SEND && pl->totals.messages == pl->max_messages))
		return 0;
	return pl->op(pl->arg, p->entry, p->host, i - p->first, op);
}

/* False with rc 0: the lane is not that far. */
static bool wait_lane(
        struct plan *pl, uint32_t i, uint32_t lane, uint64_t count, int *rc, struct err *e)
{
	struct program *p = &pl->program[i], *other = &pl->program[p->first + lane];
	const struct plan_step *st = find_step(other, count);
	uint32_t *taken;

	p->state = st ? RUNS : WAITS_LANE;
	p->want = lane;
	p->want_count = count;
	if (!st)
		return false;
	taken = taken_of(p, lane);
	if (!taken)
		*rc = err_set(e, -ENOMEM, "no memory for the steps of %u lanes", p->n_lanes);
	for (; !*rc && *taken < st - other->step + 1; ++*taken) {
		const struct plan_deps *dep = &other->step[*taken].dep;

		for (uint32_t k = 0; k < dep->n && !*rc; k++)
			*rc = dep_add(p, &dep->at[k], e);
	}
	if (!*rc)
		*rc = tell(pl, i,
		        &(struct load_op){.kind = LOAD_WAIT_LANE,
		                .lane = (uint16_t)lane,
		                .count = count});
	return true;
}

/* A lane took a step: whoever waits for it goes on from its time. */
static int step_taken(struct plan *pl, uint32_t i, uint64_t count, struct err *e)
{
	struct program *p = &pl->program[i];
	int rc = p->n_lanes > 1 ? keep_step(p, count, e) : 0;

	for (uint32_t k = p->first; k < p->first + p->n_lanes && !rc; k++) {
		struct program *w = &pl->program[k];

		if (w->state != WAITS_LANE || w->want != i - p->first || w->want_count > count)
			continue;
		if (p->t_ps > w->t_ps)
			w->t_ps = p->t_ps;
		(void)wait_lane(pl, k, w->want, w->want_count, &rc, e);
		resume(pl, k);
	}
	return rc;
}

/* False with rc 0: the messages are not sent yet. */
static bool receive(
        struct plan *pl, uint32_t i, uint32_t src, uint64_t count, int *rc, struct err *e)
{
	struct program *p = &pl->program[i];
	struct inbox_letter l;

	p->state = inbox_count(&pl->inbox, p->first, src) < count ? WAITS_RECV : RUNS;
	p->want = src;
	p->want_count = count;
	if (p->state == WAITS_RECV)
		return false;
	/* Where several lanes share the box, each takes the message that it waits for; those
	 * before it on that stream have come before it. */
	while (p->n_lanes > 1 ? inbox_take_one(&pl->inbox, p->first, src, count, &l)
	                      : inbox_take(&pl->inbox, p->first, src, count, &l)) {
		struct plan_dep d = {PLAN_ARRIVED, src & UINT16_MAX, l.seq, l.seq};

		if (l.start_ps > p->t_ps)
			p->t_ps = l.start_ps;
		*rc = dep_add(p, &d, e);
		if (*rc)
			return false;
	}
	return true;
}

/* Puts a message into its receiver's box and wakes the receiver if that is what it waits for.
 */
static int deliver(
        struct plan *pl, const struct plan_message *m, uint32_t stream, struct err *e)
{
	const uint32_t src = source_of(m->src, stream);
	uint32_t first;
	int rc;

	if (!pl->entry[m->entry].ops->receives)
		return 0;
	first = program_of(pl, m->entry, m->dst);
	if (first == UINT32_MAX)
		return 0;
	rc = inbox_put(&pl->inbox, first, src, m->seq, m->start_ps, e);
	for (uint32_t i = first; i < first + pl->program[first].n_lanes && !rc; i++) {
		struct program *p = &pl->program[i];

		if (p->state != WAITS_RECV || p->want != src ||
		        inbox_count(&pl->inbox, first, src) < p->want_count)
			continue;
		(void)receive(pl, i, p->want, p->want_count, &rc, e);
		resume(pl, i);
	}
	return rc;
}

static int emit(struct plan *pl, struct program *p, const struct load_op *op, struct err *e)
{
	struct program *first = &pl->program[p->first];
	struct plan_message m = {
	        .entry = p->entry,
	        .src = p->host,
	        .dst = op->peer,
	        .seq = first->seq,
	        .bytes = op->bytes,
	        .start_ps = op->t_ps >= 0 ? op->t_ps : p->t_ps,
	        .intended = op->t_ps >= 0,
	        .priority = op->priority,
	        .tag = op->tag,
	        .n_dep = p->dep.n,
	        .dep = p->dep.at,
	};
	int rc;

	if (pl->totals.messages == pl->max_messages) {
		pl->totals.cut = true;
		return 0;
	}
	if (pl->each) {
		rc = pl->each(pl->arg, &m);
		if (rc)
			return rc;
		rc = deps_add(
		        &p->own, &(struct plan_dep){PLAN_COMPLETED, p->host, m.seq, m.seq}, e);
		if (rc)
			return rc;
	}
	p->sent++;
	p->open++;
	first->seq++;
	p->group_sent = true;
	pl->totals.messages++;
	pl->totals.bytes += m.bytes;
	return deliver(pl, &m, op->stream, e);
}

static void sleep_until(struct program *p, int64_t t_ps)
{
	if (t_ps > p->t_ps)
		p->t_ps = t_ps;
}

static void compute(struct program *p, int64_t for_ps)
{
	p->t_ps = for_ps > INT64_MAX - p->t_ps ? INT64_MAX : p->t_ps + for_ps;
}

/* Runs one program until time passes for it, it waits, or it ends. */
static int step(struct plan *pl, uint32_t i, struct err *e)
{
	struct program *p = &pl->program[i];
	const struct load_entry *en = &pl->entry[p->entry];
	struct load_op op;
	int rc = 0;

	if (p->t_ps >= en->env.stop_ps) {
		pl->stopped = true;
		return 0;
	}
	while (!rc && !pl->totals.cut) {
		en->ops->next(en, &p->st, &op);
		rc = op.kind == LOAD_WAIT_LANE ? 0 : tell(pl, i, &op);
		if (rc)
			return rc;
		switch (op.kind) {
		case LOAD_SEND:
			rc = emit(pl, p, &op, e);
			break;
		case LOAD_RECV:
			if (!receive(pl, i, source_of(op.peer, op.stream), op.count, &rc, e))
				return rc;
			break;
		case LOAD_STEP:
			rc = step_taken(pl, i, op.count, e);
			break;
		case LOAD_WAIT_LANE:
			if (!wait_lane(pl, i, op.lane, op.count, &rc, e))
				return rc;
			break;
		case LOAD_WAIT_SENDS:
			rc = wait_sends(p, op.count, e);
			if (!rc)
				resume(pl, i);
			return rc;
		case LOAD_SLEEP_UNTIL:
			sleep_until(p, op.t_ps);
			resume(pl, i);
			return 0;
		case LOAD_COMPUTE:
			compute(p, op.t_ps);
			resume(pl, i);
			return 0;
		case LOAD_MARK:
			break;
		case LOAD_END:
			return 0;
		}
	}
	return rc;
}

static int find_programs(struct plan *pl, struct err *e)
{
	uint64_t n = 0;

	pl->first = calloc(pl->n_entries + 1, sizeof(*pl->first));
	if (!pl->first)
		return err_set(e, -ENOMEM, "no memory to plan %u entries", pl->n_entries);
	for (uint32_t k = 0; k < pl->n_entries; k++)
		for (uint32_t h = 0; h < pl->entry[k].env.n_hosts; h++)
			n += lanes_of(&pl->entry[k], h);
	if (n < UINT32_MAX) {
		pl->program = calloc(n + 1, sizeof(*pl->program));
		pl->heap = calloc(n + 1, sizeof(*pl->heap));
	}
	if (!pl->program || !pl->heap)
		return err_set(e, -ENOMEM, "no memory to plan %" PRIu64 " rank programs", n);
	for (uint32_t k = 0; k < pl->n_entries; k++) {
		const struct load_entry *en = &pl->entry[k];

		for (uint32_t h = 0; h < en->env.n_hosts; h++) {
			const uint32_t n_lanes = lanes_of(en, h), first = pl->n_programs;

			for (uint32_t lane = 0; lane < n_lanes; lane++) {
				struct program *p = &pl->program[pl->n_programs];

				*p = (struct program){.host = h,
				        .entry = (uint16_t)k,
				        .first = first,
				        .n_lanes = n_lanes,
				        .only_counted = !pl->each};
				en->ops->start(en, h, lane, &p->st);
				resume(pl, pl->n_programs++);
			}
		}
		pl->first[k + 1] = pl->n_programs;
	}
	pl->totals.programs = pl->n_programs;
	return 0;
}

/* Nothing can go on: that is the end, unless somebody still waits. */
static int check_all_done(const struct plan *pl, struct err *e)
{
	if (pl->totals.cut || pl->stopped)
		return 0;
	for (uint32_t i = 0; i < pl->n_programs; i++) {
		const struct program *p = &pl->program[i];

		if (p->state == WAITS_RECV)
			return err_set(e, -EINVAL,
			        "workload[%u]: host %u waits for ever for message %" PRIu64
			        " from host %u, which sends it only %" PRIu64,
			        p->entry, p->host, p->want_count, p->want & UINT16_MAX,
			        inbox_count(&pl->inbox, p->first, p->want));
		if (p->state == WAITS_LANE)
			return err_set(e, -EINVAL,
			        "workload[%u]: host %u: lane %u waits for ever for step "
			        "%" PRIu64 " of lane %u",
			        p->entry, p->host, i - p->first, p->want_count, p->want);
	}
	return 0;
}

static void plan_fini(struct plan *pl)
{
	for (uint32_t i = 0; i < pl->n_programs; i++) {
		struct program *p = &pl->program[i];

		for (uint32_t k = 0; k < p->n_steps; k++)
			free(p->step[k].dep.at);
		free(p->step);
		free(p->taken);
		free(p->since.at);
		free(p->dep.at);
		free(p->own.at);
	}
	free(pl->program);
	free(pl->heap);
	free(pl->first);
	inbox_fini(&pl->inbox);
}

static int run_all(struct plan *pl, struct plan_totals *out, struct err *e)
{
	int rc = find_programs(pl, e);

	while (!rc && pl->n_heap && !pl->totals.cut)
		rc = step(pl, (uint32_t)time_heap_pop(pl->heap, &pl->n_heap).order, e);
	if (!rc)
		rc = check_all_done(pl, e);
	*out = pl->totals;
	plan_fini(pl);
	return rc;
}

static uint64_t at_most(uint64_t max_messages)
{
	return max_messages < PLAN_MAX_MESSAGES ? max_messages : PLAN_MAX_MESSAGES;
}

int plan_run(const struct load_entry *entry, uint32_t n_entries, uint64_t max_messages,
        plan_fn *each, void *arg, struct plan_totals *out, struct err *e)
{
	struct plan pl = {
	        .entry = entry,
	        .n_entries = n_entries,
	        .max_messages = at_most(max_messages),
	        .each = each,
	        .arg = arg,
	};

	return run_all(&pl, out, e);
}

static int no_message(void *arg, const struct plan_message *m)
{
	(void)arg;
	(void)m;
	return 0;
}

int plan_run_ops(const struct load_entry *entry, uint32_t n_entries, uint64_t max_messages,
        plan_op_fn *op, void *arg, struct plan_totals *out, struct err *e)
{
	struct plan pl = {
	        .entry = entry,
	        .n_entries = n_entries,
	        .max_messages = at_most(max_messages),
	        .each = no_message,
	        .op = op,
	        .arg = arg,
	};

	return run_all(&pl, out, e);
}

const char *plan_id(char buf[PLAN_ID_BYTES], uint16_t entry, uint32_t src, uint64_t seq)
{
	(void)snprintf(buf, PLAN_ID_BYTES, "%u.%u.%" PRIu64, entry, src, seq);
	return buf;
}
