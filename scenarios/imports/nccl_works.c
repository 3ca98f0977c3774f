/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_works.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUFFER_BYTES INT64_C(67108864)
#define NONE                 UINT32_MAX

static void add(struct nccl_works *w, const struct nccl_work *work, uint64_t op_count)
{
	if (w->n == NCCL_MAX_WORKS) {
		w->more++;
		return;
	}
	w->op_count[w->n] = op_count;
	w->at[w->n++] = *work;
}

/* Calls as one process of the communicator made them; all ranks make the same. */
static void take_calls(struct nccl_works *w, const struct nccl_log *l, const struct nccl_job *j)
{
	uint32_t thread = NONE;
	bool any_of_comm = false;

	for (uint32_t i = 0; i < l->n_calls; i++)
		any_of_comm |= j->comm && l->call[i].comm == j->comm;
	for (uint32_t i = 0; i < l->n_calls; i++) {
		const struct nccl_call *c = &l->call[i];
		const struct nccl_work work = {.op = (enum nccl_op)c->op,
		        .bytes = c->bytes,
		        .root = c->root >= 0 && (uint32_t)c->root < j->n_ranks
		                        ? (uint32_t)c->root
		                        : 0};

		if (any_of_comm ? c->comm != j->comm : thread != NONE && c->thread != thread)
			continue;
		thread = c->thread;
		add(w, &work, c->op_count);
	}
}

/* Rank 0 of each communicator says what it chose for each call; where more of them do, one
 * thread is listened to. */
static bool is_tuner_of(
        const struct nccl_log *l, const struct nccl_job *j, const struct nccl_tuned *t)
{
	const uint32_t part = l->thread[t->thread].part;

	return part == NONE || j->has_part[part];
}

static void take_tuned(struct nccl_works *w, const struct nccl_log *l, const struct nccl_job *j)
{
	uint32_t thread = NONE;

	for (uint32_t i = 0; i < l->n_tuned; i++) {
		const struct nccl_tuned *t = &l->tuned[i];
		const bool known = t->op < NCCL_OPS;

		if (!is_tuner_of(l, j, t) || (thread != NONE && t->thread != thread))
			continue;
		thread = t->thread;
		add(w,
		        &(struct nccl_work){.op = known ? (enum nccl_op)t->op : NCCL_ALL_REDUCE,
		                .bytes = t->bytes},
		        i);
		w->assumed_op |= !known;
	}
}

static bool named_in_table(const struct nccl_log *l, enum nccl_op *op)
{
	static const struct {
		const char *name;
		enum nccl_op op;
	} names[] = {
	        {"all_reduce", NCCL_ALL_REDUCE},
	        {"all_gather", NCCL_ALL_GATHER},
	        {"reduce_scatter", NCCL_REDUCE_SCATTER},
	        {"broadcast", NCCL_BROADCAST},
	        {"alltoall", NCCL_ALL_TO_ALL},
	        {"reduce", NCCL_REDUCE},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(l->table_name, names[i].name)) {
			*op = names[i].op;
			return true;
		}
	return false;
}

/* Without the program's name: redop, root and busbw over algbw, which is 2 (n - 1) / n for an
 * all-reduce, (n - 1) / n for those where each rank has a share, else 1. */
static bool op_of_table(struct nccl_works *w, const struct nccl_log *l, uint32_t n_ranks,
        struct nccl_work *work)
{
	const double share = (n_ranks - 1.0) / n_ranks, bus = l->table_bus;
	const bool is_share = bus > 0 && fabs(bus - share) < 0.03 * share;

	if (l->table_root >= 0 && (uint32_t)l->table_root < n_ranks)
		work->root = (uint32_t)l->table_root;
	if (named_in_table(l, &work->op))
		return true;
	work->op = l->table_reduces ? NCCL_ALL_REDUCE : NCCL_ALL_GATHER;
	if (l->table_root >= 0)
		work->op = l->table_reduces ? NCCL_REDUCE : NCCL_BROADCAST;
	else if (is_share && l->table_reduces)
		work->op = NCCL_REDUCE_SCATTER;
	else if (!l->table_reduces)
		w->gather_or_all_to_all = true;
	return true;
}

static void take_table(struct nccl_works *w, const struct nccl_log *l, uint32_t n_ranks)
{
	struct nccl_work work = {.op = NCCL_ALL_REDUCE};

	for (uint32_t i = 0; i < l->n_table; i++)
		work.bytes = l->table_bytes[i] > work.bytes ? l->table_bytes[i] : work.bytes;
	w->assumed_op =
	        !(l->n_table ? op_of_table(w, l, n_ranks, &work) : named_in_table(l, &work.op));
	w->from = l->n_table ? WORKS_TABLE : WORKS_ASSUMED;
	add(w, &work, 0);
}

/* The rank that made a call: communicators have an address of their own in each process. */
static uint32_t caller(
        const struct nccl_log *l, const struct nccl_job *j, const struct nccl_call *c)
{
	const uint32_t last = l->thread[c->thread].part;

	for (uint32_t i = 0; i < l->n_parts; i++) {
		const struct nccl_part *p = &l->part[i];
		const struct nccl_thread *a = &l->thread[p->thread], *b = &l->thread[c->thread];

		if (c->comm && p->comm == c->comm && p->rank >= 0 && a->host == b->host &&
		        a->pid == b->pid)
			return j->has_part[i] ? (uint32_t)p->rank : NONE - 1;
	}
	if (last == NONE || l->part[last].rank < 0)
		return NONE;
	if (c->comm && l->part[last].comm && l->part[last].comm != c->comm)
		return NONE - 1; /* of another communicator */
	return j->has_part[last] ? (uint32_t)l->part[last].rank : NONE - 1;
}

static int by_pair(const void *a, const void *b)
{
	const struct nccl_sent *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	if (x->dst != y->dst)
		return x->dst < y->dst ? -1 : 1;
	if (x->by_receiver != y->by_receiver)
		return x->by_receiver ? 1 : -1;
	return (x->op_count > y->op_count) - (x->op_count < y->op_count);
}

/* Both ends say a message; where logs are missing the one that says more is taken. */
static void drop_second_side(struct nccl_works *w)
{
	uint32_t kept = 0, next;

	for (uint32_t i = 0; i < w->n_sent; i = next) {
		uint32_t sends = 0, from = i, to;

		for (next = i; next < w->n_sent && w->sent[next].src == w->sent[i].src &&
		               w->sent[next].dst == w->sent[i].dst;
		        next++)
			sends += !w->sent[next].by_receiver;
		to = i + sends;
		if (next - to > sends) {
			from = to;
			to = next;
		}
		for (uint32_t k = from; k < to; k++)
			w->sent[kept++] = w->sent[k];
	}
	w->n_sent = kept;
}

static int by_op_count(const void *a, const void *b)
{
	const struct nccl_sent *x = a, *y = b;

	if (x->op_count != y->op_count)
		return x->op_count < y->op_count ? -1 : 1;
	return by_pair(a, b);
}

static int take_pairs(
        struct nccl_works *w, const struct nccl_log *l, const struct nccl_job *j, struct err *e)
{
	if (!l->n_pairs)
		return 0;
	w->sent = malloc(l->n_pairs * sizeof(*w->sent));
	if (!w->sent)
		return err_set(e, -ENOMEM, "no memory for send and receive calls");
	for (uint32_t i = 0; i < l->n_pairs; i++) {
		const struct nccl_call *c = &l->pair[i];
		const uint32_t me = caller(l, j, c), peer = (uint32_t)c->root;

		if (me == NONE - 1)
			continue;
		if (me == NONE || me >= j->n_ranks || c->root < 0 || peer >= j->n_ranks) {
			w->lost++;
			continue;
		}
		if (me == peer)
			continue;
		w->sent[w->n_sent++] = (struct nccl_sent){.op_count = c->op_count,
		        .bytes = c->bytes,
		        .src = c->op ? peer : me,
		        .dst = c->op ? me : peer,
		        .by_receiver = c->op};
	}
	qsort(w->sent, w->n_sent, sizeof(*w->sent), by_pair);
	drop_second_side(w);
	qsort(w->sent, w->n_sent, sizeof(*w->sent), by_op_count);
	return 0;
}

/* In the order of operation counts: a collective is a step, and so are the send and receive
 * calls of one group, which NCCL counts alike. */
static void number_steps(struct nccl_works *w)
{
	uint32_t step = 0, i = 0, k = 0;

	while (i < w->n || k < w->n_sent) {
		const uint64_t op_count = k < w->n_sent ? w->sent[k].op_count : w->op_count[i];

		if (i < w->n && (k == w->n_sent || w->op_count[i] <= op_count)) {
			w->step[i++] = step++;
			continue;
		}
		for (; k < w->n_sent && w->sent[k].op_count == op_count; k++)
			w->sent[k].step = step;
		step++;
	}
}

/* The tuner's word on a call of this size, where all its words agree. */
static enum nccl_carrier picked(
        const struct nccl_log *l, const struct nccl_job *j, const struct nccl_work *work)
{
	enum nccl_carrier by = NCCL_BY_ANY;
	bool any = false;

	for (uint32_t i = 0; i < l->n_tuned; i++) {
		const struct nccl_tuned *t = &l->tuned[i];

		if (t->bytes != work->bytes || (t->op < NCCL_OPS && t->op != work->op) ||
		        !is_tuner_of(l, j, t))
			continue;
		if (any && t->by != by)
			return NCCL_BY_ANY;
		by = (enum nccl_carrier)t->by;
		any = true;
	}
	return by;
}

int nccl_works_init(struct nccl_works *w, const struct nccl_log *l, const struct nccl_job *j,
        const struct import_job *job, const char *name, struct err *e)
{
	int rc;

	*w = (struct nccl_works){.from = WORKS_CALLS};
	take_calls(w, l, j);
	rc = take_pairs(w, l, j, e);
	if (rc)
		return rc;
	if (!w->n && !w->n_sent && (l->other_calls || w->lost) && !job->buffer_bytes)
		return err_set(e, -EINVAL,
		        "%s: none of its calls can be imported: %u of %s%s%u send or receive "
		        "calls "
		        "of ranks that no line names; --buffer SIZE imports an all-reduce of "
		        "that "
		        "size instead",
		        name, l->other_calls, l->other_calls ? l->other_call : "other kinds",
		        ", ", w->lost);
	if (!w->n && !w->n_sent && l->n_tuned) {
		w->from = WORKS_TUNER;
		take_tuned(w, l, j);
	}
	if (!w->n && !w->n_sent)
		take_table(w, l, j->n_ranks);
	if (w->from == WORKS_CALLS || w->from == WORKS_TUNER) {
		w->buffer_unused = job->buffer_bytes > 0;
	} else {
		w->assumed_bytes = !w->at[0].bytes && !job->buffer_bytes;
		if (job->buffer_bytes)
			w->at[0].bytes = job->buffer_bytes;
		else if (!w->at[0].bytes)
			w->at[0].bytes = DEFAULT_BUFFER_BYTES;
	}
	number_steps(w);
	for (uint32_t i = 0; i < w->n; i++) {
		w->by[i] = picked(l, j, &w->at[i]);
		if (w->by[i] == NCCL_BY_ANY)
			w->by[i] = nccl_algorithm_of(l->algorithm, w->at[i].op);
	}
	return 0;
}

void nccl_works_fini(struct nccl_works *w)
{
	free(w->sent);
	*w = (struct nccl_works){0};
}

static void say_sent(
        struct import_draft *d, const struct nccl_works *w, const struct nccl_log *l)
{
	int64_t bytes = 0;

	for (uint32_t i = 0; i < w->n_sent; i++)
		bytes = bytes > INT64_MAX - w->sent[i].bytes ? INT64_MAX
		                                             : bytes + w->sent[i].bytes;
	if (w->n_sent) {
		import_say(d, IMPORT_FOUND,
		        "runs %u messages of send and receive calls, %" PRId64 " bytes in all",
		        w->n_sent, bytes);
		import_say(d, IMPORT_ASSUMED,
		        "data of send and receive calls uses the NIC with the number of the "
		        "rank on its machine; calls with the same opCount run together, later "
		        "ones after them");
	}
	if (w->lost)
		import_say(d, IMPORT_UNKNOWN,
		        "%u send or receive calls are not imported: no line names their rank "
		        "or peer",
		        w->lost);
	if (l->other_calls)
		import_say(d, IMPORT_UNKNOWN,
		        "%u calls such as %s are not imported: the call or its datatype is not "
		        "known here",
		        l->other_calls, l->other_call);
}

static void say_work(struct import_draft *d, const struct nccl_works *w, uint32_t i)
{
	const struct nccl_work *work = &w->at[i];
	const bool assumed = w->assumed_op || w->assumed_bytes || w->gather_or_all_to_all;

	import_say(d, assumed ? IMPORT_ASSUMED : IMPORT_FOUND,
	        "runs %s of %" PRId64 " bytes%s%s", nccl_op_name[work->op], work->bytes,
	        w->assumed_op             ? "; nothing says which collective ran"
	        : w->gather_or_all_to_all ? "; the table's rows would be the same for an "
	                                    "all-to-all"
	        : w->assumed_bytes        ? "; nothing says how much"
	                                  : "",
	        w->assumed_bytes ? " (--buffer says another size)" : "");
}

void nccl_works_say(
        struct import_draft *d, const struct nccl_works *w, const struct nccl_log *l)
{
	for (uint32_t i = 0; i < w->n && i < 8; i++)
		say_work(d, w, i);
	if (w->n > 8)
		import_say(d, IMPORT_FOUND, "and %u more calls after these", w->n - 8);
	if (w->more || l->more_calls)
		import_say(d, IMPORT_FOUND, "%u later calls are left out",
		        w->more + l->more_calls);
	say_sent(d, w, l);
	if (w->buffer_unused)
		import_say(d, IMPORT_FOUND,
		        "the size of every call, so that --buffer has no effect");
	if (l->n_table > 1 && w->from == WORKS_TABLE)
		import_say(d, IMPORT_FOUND,
		        "nccl-tests measured %u sizes, the largest of which is taken (--buffer "
		        "says another one)",
		        l->n_table + l->more_table);
}

int nccl_works_sent(struct transfers *t, const struct nccl_job *j, const struct nccl_works *w,
        struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->n_sent && !rc; i++) {
		const struct nccl_sent *s = &w->sent[i];
		const struct transfer x = {.src = nccl_job_host(j, s->src),
		        .dst = nccl_job_host(j, s->dst),
		        .n = 1,
		        .parts = 1,
		        .in_order = true,
		        .bytes = s->bytes,
		        .tag = i & 0xffffff,
		        .step = s->step};

		if (nccl_job_leaves(j, s->src, s->dst))
			rc = transfers_add(t, &x, NULL, e);
	}
	return rc;
}
