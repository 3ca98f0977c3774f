/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rank programs as a GOAL schedule. Each lane's operations keep their order: a lane's place is
 * a set of operations that must be complete or, of a send, have started; a send begins from
 * there and becomes the place. Waiting adds to the set, computing is a calculation that stands
 * behind it. Times by the clock are a chain of calculations from the beginning on, one per
 * lane. A step that other lanes wait for is one operation, if need be an empty calculation.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/load/count.h"
#include "gen/load/goal.h"
#include "gen/load/plan.h"
#include "gen/load/schedule.h"
#include "scenarios/imports/export.h"
#include "scenarios/imports/export_goal_note.h"
#include "scenarios/imports/export_messages.h"

#define NONE UINT32_MAX

/* An operation that a lane began. */
struct begun {
	int64_t value; /* SEND: bytes; SLEEP_UNTIL, COMPUTE: ps; else the count */
	uint32_t host, lane, peer, qp;
	uint16_t entry, stream;
	uint8_t kind;
};

struct begun_list {
	struct begun *at;
	uint64_t n, room;
};

/* A message as its receiver sees it. */
struct letter {
	uint64_t from; /* entry, stream, source: letters from the same place in their order */
	int64_t bytes;
	uint32_t dst;
};

struct sent {
	uint32_t op, peer, qp;
};

struct step {
	uint64_t count;
	uint32_t on; /* SCHED_ON */
};

struct place {        /* of a lane */
	uint32_t *on; /* SCHED_ON */
	uint32_t n, room;
	struct sent *open; /* sends that nobody waited for */
	uint32_t n_open, room_open, first_open;
	uint32_t clock; /* the last calculation of its clock */
	int64_t clock_ns;
	struct step *step; /* that it took */
	uint32_t n_steps, room_steps;
};

struct build {
	struct sched s;
	struct begun_list list;
	struct letter *letter;  /* by receiver, from */
	uint64_t *first_letter; /* [n_hosts + 1] */
	uint64_t n_letters;
	uint32_t *recv; /* [n_letters]: operation */
	uint64_t rounded;
	bool reuses; /* some queue pair carries several messages */
};

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for a schedule");
}

static int take_op(
        void *arg, uint16_t entry, uint32_t host, uint32_t lane, const struct load_op *op)
{
	struct begun_list *l = arg;

	if (op->kind == LOAD_MARK || op->kind == LOAD_END)
		return 0;
	if (l->n == l->room) {
		const uint64_t room = l->room ? 2 * l->room : 1024;
		void *at = realloc(l->at, room * sizeof(*l->at));

		if (!at)
			return -ENOMEM;
		l->at = at;
		l->room = room;
	}
	l->at[l->n++] = (struct begun){
	        .value = op->kind == LOAD_SEND ? op->bytes
	                 : op->kind == LOAD_SLEEP_UNTIL || op->kind == LOAD_COMPUTE
	                         ? op->t_ps
	                         : (int64_t)op->count,
	        .host = host,
	        .lane = lane,
	        .peer = op->kind == LOAD_WAIT_LANE ? op->lane : op->peer,
	        .qp = op->qp,
	        .entry = entry,
	        .stream = op->stream,
	        .kind = (uint8_t)op->kind,
	};
	return 0;
}

static uint64_t from(uint16_t entry, uint16_t stream, uint32_t src)
{
	return (uint64_t)entry << 32 | (uint64_t)stream << 16 | src;
}

static int by_receiver(const void *a, const void *b)
{
	const struct letter *x = a, *y = b;

	if (x->dst != y->dst)
		return x->dst < y->dst ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* A merge sort: letters from the same place keep their order. */
static int sort_letters(struct letter *at, uint64_t n)
{
	struct letter *room = malloc((n + 1) * sizeof(*room)), *src = at, *dst = room;

	if (!room)
		return -ENOMEM;
	for (uint64_t width = 1; width < n; width *= 2) {
		for (uint64_t lo = 0; lo < n; lo += 2 * width) {
			const uint64_t mid = lo + width < n ? lo + width : n;
			const uint64_t hi = lo + 2 * width < n ? lo + 2 * width : n;
			uint64_t i = lo, k = mid;

			for (uint64_t o = lo; o < hi; o++)
				dst[o] = i < mid && (k == hi ||
				                            by_receiver(&src[i], &src[k]) <= 0)
				                 ? src[i++]
				                 : src[k++];
		}
		struct letter *swap = src;

		src = dst;
		dst = swap;
	}
	if (src != at)
		memcpy(at, src, n * sizeof(*at));
	free(room);
	return 0;
}

static int take_letters(struct build *b, uint32_t n_hosts)
{
	for (uint64_t i = 0; i < b->list.n; i++)
		b->n_letters += b->list.at[i].kind == LOAD_SEND;
	b->letter = malloc((b->n_letters + 1) * sizeof(*b->letter));
	b->recv = malloc((b->n_letters + 1) * sizeof(*b->recv));
	b->first_letter = calloc((size_t)n_hosts + 1, sizeof(*b->first_letter));
	if (!b->letter || !b->recv || !b->first_letter)
		return -ENOMEM;
	b->n_letters = 0;
	for (uint64_t i = 0; i < b->list.n; i++) {
		const struct begun *o = &b->list.at[i];

		if (o->kind != LOAD_SEND)
			continue;
		b->letter[b->n_letters++] =
		        (struct letter){from(o->entry, o->stream, o->host), o->value, o->peer};
		b->first_letter[o->peer + 1]++;
	}
	for (uint32_t h = 0; h < n_hosts; h++)
		b->first_letter[h + 1] += b->first_letter[h];
	return sort_letters(b->letter, b->n_letters);
}

/* Letters from one place arrive in their order. */
static int add_receives(struct build *b, uint32_t host, struct err *e)
{
	int rc = 0;

	for (uint64_t i = b->first_letter[host]; i < b->first_letter[host + 1] && !rc; i++) {
		const struct letter *l = &b->letter[i];

		rc = sched_add(&b->s,
		        &(struct sched_op){.kind = SCHED_RECV,
		                .value = l->bytes,
		                .peer = (uint32_t)(l->from & UINT16_MAX),
		                .tag = (uint32_t)(l->from >> 16)},
		        &b->recv[i], e);
		if (!rc && i > b->first_letter[host] && l[-1].from == l->from)
			rc = sched_wait(&b->s, b->recv[i], b->recv[i - 1], false, e);
	}
	return rc;
}

/* The first `count` letters from a place are here: the last of them is. */
static uint32_t last_letter(
        const struct build *b, uint32_t host, uint64_t place, uint64_t count)
{
	uint64_t lo = b->first_letter[host], hi = b->first_letter[host + 1];
	const uint64_t end = hi;

	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;

		if (b->letter[mid].from < place)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!count || count > end - lo || b->letter[lo + count - 1].from != place)
		return NONE;
	return b->recv[lo + count - 1];
}

static int grow(void *array, uint32_t n, uint32_t *room, size_t size, struct err *e)
{
	void **at = array, *more;

	if (n < *room)
		return 0;
	more = realloc(*at, (*room ? 2 * (size_t)*room : 8) * size);
	if (!more)
		return no_memory(e);
	*at = more;
	*room = *room ? 2 * *room : 8;
	return 0;
}

static int stand_behind(struct place *p, uint32_t op, bool started, struct err *e)
{
	int rc = grow(&p->on, p->n, &p->room, sizeof(*p->on), e);

	if (!rc)
		p->on[p->n++] = SCHED_ON(op, started);
	return rc;
}

/* op begins where the lane stands, and that is where the lane then stands. */
static int move_to(struct build *b, struct place *p, uint32_t op, bool started, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->n && !rc; i++)
		rc = sched_wait(
		        &b->s, op, sched_on_op(p->on[i]), sched_on_started(p->on[i]), e);
	p->n = 0;
	return rc ? rc : stand_behind(p, op, started, e);
}

static int add_calc(struct build *b, int64_t ns, uint32_t *op, struct err *e)
{
	return sched_add(&b->s, &(struct sched_op){.kind = SCHED_CALC, .value = ns}, op, e);
}

static int send(struct build *b, struct place *p, const struct begun *o, struct err *e)
{
	const struct sched_op op = {.kind = SCHED_SEND,
	        .value = o->value,
	        .peer = o->peer,
	        .tag = (uint32_t)o->entry << 16 | o->stream};
	uint32_t i;
	int rc = sched_add(&b->s, &op, &i, e);

	if (!rc)
		rc = move_to(b, p, i, true, e);
	if (!rc)
		rc = grow(&p->open, p->n_open, &p->room_open, sizeof(*p->open), e);
	if (!rc)
		p->open[p->n_open++] = (struct sent){i, o->peer, o->qp};
	return rc;
}

#define LOOKED_AT 64

/* Messages of one queue pair are complete in their order, so the last of them will do; those
 * that nobody waits for can follow each other on one queue pair where this is read back. */
static bool is_covered(const struct place *p, uint32_t i, uint32_t end)
{
	const struct sent *x = &p->open[i];

	for (uint32_t k = i + 1; k < end && k < i + LOOKED_AT && x->qp != LOAD_QP_FRESH; k++)
		if (p->open[k].peer == x->peer && p->open[k].qp == x->qp)
			return true;
	return false;
}

static int wait_sends(struct place *p, uint64_t count, struct err *e)
{
	const uint32_t n = p->n_open - p->first_open;
	const uint32_t end = count < n ? p->n_open - (uint32_t)count : p->first_open;
	int rc = 0;

	for (; p->first_open < end && !rc; p->first_open++)
		if (!is_covered(p, p->first_open, end))
			rc = stand_behind(p, p->open[p->first_open].op, false, e);
	if (p->first_open == p->n_open)
		p->first_open = p->n_open = 0;
	return rc;
}

static int sleep_until(struct build *b, struct place *p, int64_t t_ps, struct err *e)
{
	const int64_t ns = t_ps / 1000;
	uint32_t op;
	int rc = 0;

	b->rounded += t_ps % 1000 != 0;
	if (ns > p->clock_ns) {
		rc = add_calc(b, ns - p->clock_ns, &op, e);
		if (!rc && p->clock != NONE)
			rc = sched_wait(&b->s, op, p->clock, false, e);
		p->clock = op;
		p->clock_ns = ns;
		if (!rc)
			rc = stand_behind(p, op, false, e);
	}
	return rc;
}

static int compute(struct build *b, struct place *p, int64_t for_ps, struct err *e)
{
	uint32_t op;
	int rc = add_calc(b, (for_ps + 500) / 1000, &op, e);

	b->rounded += for_ps % 1000 != 0;
	return rc ? rc : move_to(b, p, op, false, e);
}

static int take_step(struct build *b, struct place *p, uint64_t count, struct err *e)
{
	uint32_t op;
	int rc = 0;

	if (p->n != 1) {
		rc = add_calc(b, 0, &op, e);
		if (!rc)
			rc = move_to(b, p, op, false, e);
	}
	if (!rc)
		rc = grow(&p->step, p->n_steps, &p->room_steps, sizeof(*p->step), e);
	if (!rc)
		p->step[p->n_steps++] = (struct step){count, p->on[0]};
	return rc;
}

/* The first step of the other lane that reached the count. */
static int wait_lane(struct place *p, const struct place *other, uint64_t count, struct err *e)
{
	uint32_t lo = 0, hi = other->n_steps;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (other->step[mid].count < count)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == other->n_steps)
		return 0;
	return stand_behind(
	        p, sched_on_op(other->step[lo].on), sched_on_started(other->step[lo].on), e);
}

/* first: of the lanes of this host and entry. */
static int add_op(struct build *b, struct place *first, const struct begun *o, struct err *e)
{
	struct place *p = &first[o->lane];
	uint32_t on;

	switch (o->kind) {
	case LOAD_SEND:
		return send(b, p, o, e);
	case LOAD_RECV:
		on = last_letter(
		        b, o->host, from(o->entry, o->stream, o->peer), (uint64_t)o->value);
		return on == NONE ? 0 : stand_behind(p, on, false, e);
	case LOAD_WAIT_SENDS:
		return wait_sends(p, (uint64_t)o->value, e);
	case LOAD_STEP:
		return take_step(b, p, (uint64_t)o->value, e);
	case LOAD_WAIT_LANE:
		return wait_lane(p, &first[o->peer], (uint64_t)o->value, e);
	case LOAD_SLEEP_UNTIL:
		return sleep_until(b, p, o->value, e);
	case LOAD_COMPUTE:
		return compute(b, p, o->value, e);
	default:
		return 0;
	}
}

static uint32_t lanes_of(const struct load_entry *en, uint32_t host)
{
	if (!en->ops->involves(en, host))
		return 0;
	return en->ops->lanes ? en->ops->lanes(en, host) : 1;
}

static void places_fini(struct place *p, uint32_t n)
{
	for (uint32_t i = 0; p && i < n; i++) {
		free(p[i].on);
		free(p[i].open);
		free(p[i].step);
	}
	free(p);
}

/* ops: of this host, in the plan's order. */
static int add_rank(struct build *b, const struct scenario *s, uint32_t host,
        const struct begun *const *ops, uint64_t n, struct err *e)
{
	uint32_t *first = calloc(s->n_entries + 1, sizeof(*first));
	struct place *place = NULL;
	int rc = first ? sched_rank(&b->s, host, e) : no_memory(e);

	for (uint32_t k = 0; k < s->n_entries && !rc; k++)
		first[k + 1] = first[k] + lanes_of(&s->entry[k], host);
	if (!rc) {
		place = calloc(first[s->n_entries] + 1, sizeof(*place));
		rc = place ? add_receives(b, host, e) : no_memory(e);
	}
	for (uint32_t i = 0; place && i < first[s->n_entries]; i++)
		place[i].clock = NONE;
	for (uint64_t i = 0; i < n && !rc; i++)
		rc = add_op(b, &place[first[ops[i]->entry]], ops[i], e);
	if (place)
		places_fini(place, first[s->n_entries]);
	free(first);
	return rc;
}

static int add_ranks(struct build *b, const struct scenario *s, struct err *e)
{
	const uint32_t n_hosts = s->topo->n_hosts;
	uint64_t *first = calloc((size_t)n_hosts + 2, sizeof(*first));
	const struct begun **by_host = malloc((b->list.n + 1) * sizeof(const struct begun *));
	int rc = first && by_host ? 0 : no_memory(e);

	for (uint64_t i = 0; i < b->list.n && !rc; i++)
		first[b->list.at[i].host + 2]++;
	for (uint32_t h = 0; h < n_hosts && !rc; h++)
		first[h + 2] += first[h + 1];
	for (uint64_t i = 0; i < b->list.n && !rc; i++)
		by_host[first[b->list.at[i].host + 1]++] = &b->list.at[i];
	for (uint32_t h = 0; h < n_hosts && !rc; h++)
		rc = add_rank(b, s, h, by_host + first[h], first[h + 1] - first[h], e);
	free(first);
	free(by_host);
	return rc;
}

/* What a queue pair is known by. */
struct pair {
	uint32_t host, peer, qp, entry;
};

static int by_pair(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct pair));
}

/* Some queue pair carries one message after another, at the rate that it has come to. */
static int find_reuse(struct build *b, struct err *e)
{
	struct pair *at = malloc((b->n_letters + 1) * sizeof(*at));
	uint64_t n = 0;

	if (!at)
		return no_memory(e);
	for (uint64_t i = 0; i < b->list.n; i++) {
		const struct begun *o = &b->list.at[i];

		if (o->kind == LOAD_SEND)
			at[n++] = (struct pair){o->host, o->peer, o->qp, o->entry};
	}
	qsort(at, n, sizeof(*at), by_pair);
	for (uint64_t i = 1; i < n; i++)
		b->reuses |= by_pair(&at[i - 1], &at[i]) == 0;
	free(at);
	return 0;
}

/* A message is two operations at least. */
static int check_size(const struct scenario *s, uint64_t limit, struct err *e)
{
	const struct load_count c = load_count(s->entry, s->n_entries);
	const uint64_t messages = c.known && c.messages < limit ? c.messages : limit;

	if (messages <= SCHED_MAX_OPS / 2)
		return 0;
	return err_set(e, -EINVAL,
	        "%s: %" PRIu64
	        " messages are more than the %u that a GOAL file holds: cut them "
	        "with --limit, or lower repeat or stop.after",
	        s->path, c.known ? c.messages : messages, SCHED_MAX_OPS / 2);
}

int export_goal(FILE *f, const struct scenario *s, uint64_t limit, char note[EXPORT_NOTE_BYTES],
        struct err *e)
{
	struct plan_totals totals = {0};
	struct build b = {0};
	int rc;

	if (s->n_entries == 1 && s->entry[0].cfg.pattern == LOAD_SCHEDULE)
		return schedule_copy(f, &s->entry[0], e); /* as it came */
	if (limit > EXPORT_MAX_MESSAGES)
		limit = EXPORT_MAX_MESSAGES;
	rc = check_size(s, limit, e);
	if (rc)
		return rc;
	rc = plan_run_ops(s->entry, s->n_entries, limit, take_op, &b.list, &totals, e);
	if (rc == -ENOMEM || (!rc && take_letters(&b, s->topo->n_hosts)))
		rc = no_memory(e);
	if (!rc)
		rc = sched_init(&b.s, s->path, s->topo->n_hosts, e);
	if (!rc)
		rc = add_ranks(&b, s, e);
	if (!rc)
		rc = sched_finish(&b.s, e);
	if (!rc)
		rc = find_reuse(&b, e);
	if (!rc) {
		goal_write(f, &b.s);
		export_goal_note(note,
		        &(struct goal_losses){totals.cut, b.reuses, totals.messages, b.rounded},
		        s);
	}
	sched_fini(&b.s);
	free(b.list.at);
	free(b.letter);
	free(b.first_letter);
	free(b.recv);
	return rc;
}
