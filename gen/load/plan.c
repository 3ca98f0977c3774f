/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/load/plan_inbox.h"
#include "gen/load/time_heap.h"

struct program {
	struct load_state st;
	int64_t t_ps;
	uint64_t sent;
	uint64_t waited; /* messages that it has waited for to complete */
	struct plan_dep *dep;
	uint32_t n_dep, room_dep;
	uint32_t host;
	uint16_t entry;
	bool group_sent; /* dep belongs to messages that are out: the next wait begins anew */
	bool waits;      /* in LOAD_RECV, for want_count messages of want_src */
	uint32_t want_src;
	uint64_t want_count;
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
	void *arg;
	struct plan_totals totals;
};

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

static int dep_add(struct program *p, const struct plan_dep *d, struct err *e)
{
	if (p->group_sent) {
		p->n_dep = 0;
		p->group_sent = false;
	}
	/* Neighbours become one range. */
	if (p->n_dep && p->dep[p->n_dep - 1].kind == d->kind &&
	        p->dep[p->n_dep - 1].src == d->src &&
	        p->dep[p->n_dep - 1].last + 1 == d->first) {
		p->dep[p->n_dep - 1].last = d->last;
		return 0;
	}
	if (p->n_dep == p->room_dep) {
		uint32_t room = p->room_dep ? 2 * p->room_dep : 4;
		void *at = realloc(p->dep, room * sizeof(*p->dep));

		if (!at)
			return err_set(e, -ENOMEM, "no memory for %u dependencies", room);
		p->dep = at;
		p->room_dep = room;
	}
	p->dep[p->n_dep++] = *d;
	return 0;
}

/* At most `count` unfinished: all but the last `count` are complete. */
static int wait_sends(struct program *p, uint64_t count, struct err *e)
{
	uint64_t done = p->sent > count ? p->sent - count : 0;
	struct plan_dep d = {PLAN_COMPLETED, p->host, p->waited, done - 1};

	if (done <= p->waited)
		return 0;
	p->waited = done;
	return dep_add(p, &d, e);
}

/* False with rc 0: the messages are not sent yet. */
static bool receive(
        struct plan *pl, uint32_t i, uint32_t src, uint64_t count, int *rc, struct err *e)
{
	struct program *p = &pl->program[i];
	struct inbox_letter l;

	p->waits = inbox_count(&pl->inbox, i, src) < count;
	p->want_src = src;
	p->want_count = count;
	if (p->waits)
		return false;
	while (inbox_take(&pl->inbox, i, src, count, &l)) {
		struct plan_dep d = {PLAN_ARRIVED, src, l.seq, l.seq};

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
static int deliver(struct plan *pl, const struct plan_message *m, struct err *e)
{
	uint32_t i;
	int rc;

	if (!pl->entry[m->entry].ops->receives)
		return 0;
	i = program_of(pl, m->entry, m->dst);
	if (i == UINT32_MAX)
		return 0;
	rc = inbox_put(&pl->inbox, i, m->src, m->seq, m->start_ps, e);
	if (!rc && pl->program[i].waits && pl->program[i].want_src == m->src &&
	        inbox_count(&pl->inbox, i, m->src) >= pl->program[i].want_count) {
		struct program *p = &pl->program[i];

		(void)receive(pl, i, p->want_src, p->want_count, &rc, e);
		resume(pl, i);
	}
	return rc;
}

static int emit(struct plan *pl, struct program *p, const struct load_op *op, struct err *e)
{
	struct plan_message m = {
	        .entry = p->entry,
	        .src = p->host,
	        .dst = op->peer,
	        .seq = p->sent,
	        .bytes = op->bytes,
	        .start_ps = op->t_ps >= 0 ? op->t_ps : p->t_ps,
	        .intended = op->t_ps >= 0,
	        .priority = op->priority,
	        .tag = op->tag,
	        .n_dep = p->n_dep,
	        .dep = p->dep,
	};
	int rc;

	if (pl->totals.messages == pl->max_messages) {
		pl->totals.cut = true;
		return 0;
	}
	rc = pl->each(pl->arg, &m);
	if (rc)
		return rc;
	p->sent++;
	p->group_sent = true;
	pl->totals.messages++;
	pl->totals.bytes += m.bytes;
	return deliver(pl, &m, e);
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
		switch (op.kind) {
		case LOAD_SEND:
			rc = emit(pl, p, &op, e);
			break;
		case LOAD_RECV:
			if (!receive(pl, i, op.peer, op.count, &rc, e))
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
		case LOAD_STEP:
		case LOAD_WAIT_LANE:
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
			n += pl->entry[k].ops->involves(&pl->entry[k], h);
	if (n < UINT32_MAX) {
		pl->program = calloc(n + 1, sizeof(*pl->program));
		pl->heap = calloc(n + 1, sizeof(*pl->heap));
	}
	if (!pl->program || !pl->heap)
		return err_set(e, -ENOMEM, "no memory to plan %" PRIu64 " rank programs", n);
	for (uint32_t k = 0; k < pl->n_entries; k++) {
		const struct load_entry *en = &pl->entry[k];

		for (uint32_t h = 0; h < en->env.n_hosts; h++) {
			if (!en->ops->involves(en, h))
				continue;
			pl->program[pl->n_programs] =
			        (struct program){.host = h, .entry = (uint16_t)k};
			en->ops->start(en, h, 0, &pl->program[pl->n_programs].st);
			resume(pl, pl->n_programs++);
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

		if (p->waits)
			return err_set(e, -EINVAL,
			        "workload[%u]: host %u waits for ever for message %" PRIu64
			        " from host %u, which sends it only %" PRIu64,
			        p->entry, p->host, p->want_count, p->want_src,
			        inbox_count(&pl->inbox, i, p->want_src));
	}
	return 0;
}

static void plan_fini(struct plan *pl)
{
	for (uint32_t i = 0; i < pl->n_programs; i++)
		free(pl->program[i].dep);
	free(pl->program);
	free(pl->heap);
	free(pl->first);
	inbox_fini(&pl->inbox);
}

int plan_run(const struct load_entry *entry, uint32_t n_entries, uint64_t max_messages,
        plan_fn *each, void *arg, struct plan_totals *out, struct err *e)
{
	struct plan pl = {
	        .entry = entry,
	        .n_entries = n_entries,
	        .max_messages =
	                max_messages < PLAN_MAX_MESSAGES ? max_messages : PLAN_MAX_MESSAGES,
	        .each = each,
	        .arg = arg,
	};
	int rc = find_programs(&pl, e);

	while (!rc && pl.n_heap && !pl.totals.cut)
		rc = step(&pl, (uint32_t)time_heap_pop(pl.heap, &pl.n_heap).order, e);
	if (!rc)
		rc = check_all_done(&pl, e);
	*out = pl.totals;
	plan_fini(&pl);
	return rc;
}

const char *plan_id(char buf[PLAN_ID_BYTES], uint16_t entry, uint32_t src, uint64_t seq)
{
	(void)snprintf(buf, PLAN_ID_BYTES, "%u.%u.%" PRIu64, entry, src, seq);
	return buf;
}
