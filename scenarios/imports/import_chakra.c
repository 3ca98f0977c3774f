/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chakra execution traces, one file per rank: name.0.et, name.1.et ... Collectives become the
 * ring algorithm among the ranks whose traces have one of that process group.
 */
#include "scenarios/imports/import_chakra.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/text_file.h"
#include "gen/load/sched_program.h"

#define MAX_FILE_BYTES (UINT32_C(1) << 30)
#define COLL_TAG       UINT32_C(0x40000000)
#define NONE           UINT32_MAX

static bool is_it(const char *head, size_t len)
{
	const unsigned char *p = (const unsigned char *)head;
	const size_t first = len > 2 ? p[0] : 0;

	/* GlobalMetadata{version: "0.0.4"} behind its length */
	if (!first || first > 0x7f || first + 1 >= len || p[1] != 0x0a || p[2] + 3u > first + 1)
		return false;
	for (size_t i = 3; i < p[2] + 3u; i++)
		if (!isdigit(p[i]) && p[i] != '.')
			return false;
	return p[2] > 0;
}

struct root {
	uint32_t rank, said_by, offset;
};

/* A process group and who is in it, in ascending order. */
struct group {
	uint64_t name;
	uint32_t *rank;
	uint32_t n;
	struct root *root; /* [n_roots]: of its collectives, by the first rank that has them */
	uint32_t n_roots, room_roots;
};

struct build {
	struct import_draft *d;
	struct sched *s;
	const struct chakra_trace *trace;
	uint32_t n_ranks;
	struct group *group;
	uint32_t n_groups;
	uint32_t *calls; /* of each group, by the rank being built */
	/* of the rank being built: by node, what it starts with and ends with */
	uint32_t *gate, *end;
	uint64_t *by_id; /* id and node, sorted */
	uint64_t no_time, colls, p2p;
	struct err *e;
};

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for the traces");
}

static int add_member(struct build *b, uint64_t name, uint32_t rank)
{
	struct group *g = NULL;
	void *at;

	for (uint32_t i = 0; i < b->n_groups; i++)
		if (b->group[i].name == name)
			g = &b->group[i];
	if (!g) {
		at = realloc(b->group, (b->n_groups + 1) * sizeof(*b->group));
		if (!at)
			return no_memory(b->e);
		b->group = at;
		g = &b->group[b->n_groups++];
		*g = (struct group){.name = name};
	}
	if (g->n && g->rank[g->n - 1] == rank)
		return 0;
	at = realloc(g->rank, (g->n + 1) * sizeof(*g->rank));
	if (!at)
		return no_memory(b->e);
	g->rank = at;
	g->rank[g->n++] = rank;
	return 0;
}

static int find_groups(struct build *b)
{
	int rc = 0;

	for (uint32_t r = 0; r < b->n_ranks; r++)
		for (uint32_t i = 0; i < b->trace[r].n && !rc; i++)
			if (b->trace[r].node[i].type == CHAKRA_COLL)
				rc = add_member(b, b->trace[r].node[i].group, r);
	b->calls = calloc(b->n_groups + 1, sizeof(*b->calls));
	return rc ? rc : b->calls ? 0 : no_memory(b->e);
}

static int add(struct build *b, struct sched_op o, uint32_t after, uint32_t *op)
{
	int rc = sched_add(b->s, &o, op, b->e);

	return rc || after == NONE ? rc : sched_wait(b->s, *op, after, false, b->e);
}

static int64_t part(int64_t bytes, uint32_t i, uint32_t n)
{
	return (int64_t)((__int128)bytes * (i + 1) / n - (__int128)bytes * i / n);
}

struct call {
	const struct group *g;
	uint32_t me, tag; /* me: position in the group */
	uint32_t first;   /* who in the group has position 0: the root, where there is one */
	int64_t bytes;
	uint32_t gate;
};

static uint32_t rank_at(const struct call *c, uint32_t position)
{
	return c->g->rank[(position + c->first) % c->g->n];
}

/* rounds of the ring: what came in the round before goes on. each: every message carries all of
 * bytes, else its part of them. */
static int ring(
        struct build *b, const struct call *c, uint32_t rounds, bool each, uint32_t *end)
{
	const uint32_t n = c->g->n, next = rank_at(c, c->me + 1),
	               before = rank_at(c, c->me + n - 1);
	uint32_t send = NONE, recv = NONE;
	int rc = 0;

	for (uint32_t k = 0; k < rounds && !rc; k++) {
		const uint32_t last_send = send, last_recv = recv;
		const uint32_t mine = (c->me + n - k % n) % n, its = (mine + n - 1) % n;
		struct sched_op o = {.kind = SCHED_SEND,
		        .value = each ? c->bytes : part(c->bytes, mine, n),
		        .peer = next,
		        .tag = c->tag};

		rc = add(b, o, k ? last_recv : c->gate, &send);
		if (!rc && k)
			rc = sched_wait(b->s, send, last_send, true, b->e);
		o = (struct sched_op){.kind = SCHED_RECV,
		        .value = each ? c->bytes : part(c->bytes, its, n),
		        .peer = before,
		        .tag = c->tag};
		if (!rc)
			rc = add(b, o, k ? last_recv : c->gate, &recv);
	}
	*end = recv;
	return rc;
}

/* From the first along the group, or along it to the first. */
static int chain(struct build *b, const struct call *c, bool to_first, uint32_t *end)
{
	const uint32_t n = c->g->n;
	const uint32_t at = to_first ? n - 1 - c->me : c->me;
	uint32_t recv = c->gate, send = NONE;
	int rc = 0;

	if (at > 0)
		rc = add(b,
		        (struct sched_op){.kind = SCHED_RECV,
		                .value = c->bytes,
		                .peer = rank_at(c, to_first ? c->me + 1 : c->me - 1),
		                .tag = c->tag},
		        c->gate, &recv);
	*end = recv;
	if (!rc && at + 1 < n)
		rc = add(b,
		        (struct sched_op){.kind = SCHED_SEND,
		                .value = c->bytes,
		                .peer = rank_at(c, to_first ? c->me - 1 : c->me + 1),
		                .tag = c->tag},
		        recv, &send);
	if (!rc && at == 0)
		*end = send;
	return rc;
}

/* Messages straight between pairs: everybody with everybody, or with the first alone. */
static int pairs(struct build *b, const struct call *c, bool all, bool to_first, uint32_t *end)
{
	const uint32_t n = c->g->n;
	uint32_t op, join = NONE;
	int rc = add(b, (struct sched_op){.kind = SCHED_CALC}, c->gate, &join);

	for (uint32_t k = 1; k < n && !rc; k++) {
		const uint32_t peer = (c->me + k) % n;
		const bool sends = all || (to_first ? peer == 0 : c->me == 0);
		const bool receives = all || (to_first ? c->me == 0 : peer == 0);
		/* of one with the first: the share of the other one */
		const int64_t bytes =
		        all ? c->bytes / n : part(c->bytes, c->me ? c->me : peer, n);
		struct sched_op o = {.value = bytes, .peer = rank_at(c, peer), .tag = c->tag};

		o.kind = SCHED_SEND;
		if (sends)
			rc = add(b, o, c->gate, &op);
		o.kind = SCHED_RECV;
		if (!rc && receives)
			rc = add(b, o, c->gate, &op);
		if (!rc && receives)
			rc = sched_wait(b->s, join, op, false, b->e);
	}
	*end = join;
	return rc;
}

/* The root takes the first position, and the others follow it round the group. */
static int take_root(
        struct build *b, struct call *c, const struct chakra_node *node, uint32_t rank)
{
	const uint32_t n = c->g->n;

	if (node->root == CHAKRA_NO_ROOT)
		return 0;
	while (c->first < n && c->g->rank[c->first] != node->root)
		c->first++;
	if (c->first == n)
		return err_set(b->e, -EINVAL,
		        "the root is rank %u, which is not in the process group of rank %u",
		        node->root, rank);
	c->me = (c->me + n - c->first) % n;
	return 0;
}

/* All ranks must mean the same one. */
static int same_root(struct build *b, const struct call *c, struct group *g, uint32_t i,
        uint32_t offset, uint32_t rank)
{
	const struct root *was;

	if (i == g->n_roots) {
		if (i == g->room_roots) {
			const uint32_t room = i ? 2 * i : 16;
			void *at = realloc(g->root, room * sizeof(*g->root));

			if (!at)
				return no_memory(b->e);
			g->root = at;
			g->room_roots = room;
		}
		g->root[g->n_roots++] = (struct root){rank_at(c, 0), rank, offset};
		return 0;
	}
	was = &g->root[i];
	if (i > g->n_roots || was->rank == rank_at(c, 0))
		return 0;
	return err_set(b->e, -EINVAL,
	        "the root of this collective is rank %u, but in %s, byte %u, it is rank %u: "
	        "expected the same attribute root in the traces of all ranks",
	        rank_at(c, 0), b->trace[was->said_by].name, was->offset, was->rank);
}

static int collective(struct build *b, const struct chakra_node *node, uint32_t rank,
        uint32_t gate, uint32_t *end)
{
	struct call c = {.bytes = node->bytes, .gate = gate};
	uint32_t g = 0;
	int rc;

	while (b->group[g].name != node->group)
		g++;
	c.g = &b->group[g];
	while (c.g->rank[c.me] != rank)
		c.me++;
	c.tag = COLL_TAG | ((g & 0x3ff) << 20) | (b->calls[g]++ & 0xfffff);
	b->colls++;
	*end = gate;
	rc = take_root(b, &c, node, rank);
	if (!rc)
		rc = same_root(b, &c, &b->group[g], b->calls[g] - 1, node->offset, rank);
	if (rc || c.g->n < 2)
		return rc;
	switch ((enum chakra_collective)node->collective) {
	case CHAKRA_ALL_REDUCE:
		return ring(b, &c, 2 * (c.g->n - 1), false, end);
	case CHAKRA_ALL_GATHER:
		return ring(b, &c, c.g->n - 1, true, end);
	case CHAKRA_REDUCE_SCATTER:
	case CHAKRA_REDUCE_SCATTER_BLOCK:
		return ring(b, &c, c.g->n - 1, false, end);
	case CHAKRA_ALL_TO_ALL:
		return pairs(b, &c, true, false, end);
	case CHAKRA_BROADCAST:
		return chain(b, &c, false, end);
	case CHAKRA_REDUCE:
		return chain(b, &c, true, end);
	case CHAKRA_GATHER:
		return pairs(b, &c, false, true, end);
	case CHAKRA_SCATTER:
		return pairs(b, &c, false, false, end);
	case CHAKRA_BARRIER:
		c.bytes = 8 * (int64_t)c.g->n;
		return ring(b, &c, 2 * (c.g->n - 1), false, end);
	case CHAKRA_COLLECTIVES:
		break;
	}
	return 0;
}

static int place_node(struct build *b, const struct chakra_node *n, uint32_t rank, uint32_t i)
{
	struct sched_op o = {
	        .value = n->bytes, .peer = n->peer, .tag = n->tag & (COLL_TAG - 1)};
	struct err why = {0}, *e = b->e;
	uint32_t gate;
	int rc;

	o.kind = n->type == CHAKRA_SEND   ? SCHED_SEND
	         : n->type == CHAKRA_RECV ? SCHED_RECV
	                                  : SCHED_CALC;
	if (o.kind == SCHED_CALC)
		o = (struct sched_op){.kind = SCHED_CALC,
		        .value = n->type == CHAKRA_COLL ? 0 : n->duration_ns};
	b->no_time += n->type == CHAKRA_COMP && !n->duration_ns;
	b->p2p += o.kind != SCHED_CALC;
	b->e = &why;
	rc = add(b, o, NONE, &gate);
	b->gate[i] = b->end[i] = gate;
	if (!rc && n->type == CHAKRA_COLL)
		rc = collective(b, n, rank, gate, &b->end[i]);
	b->e = e;
	if (rc)
		return err_set(
		        e, rc, "%s: byte %u: %s", b->trace[rank].name, n->offset, why.msg);
	return 0;
}

struct named {
	uint64_t id;
	uint32_t node;
};

static int by_id(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int join_nodes(struct build *b, const struct chakra_trace *t)
{
	struct named *name = malloc((t->n + 1) * sizeof(*name));
	int rc = name ? 0 : no_memory(b->e);

	for (uint32_t i = 0; i < t->n && !rc; i++)
		name[i] = (struct named){t->node[i].id, i};
	if (!rc)
		qsort(name, t->n, sizeof(*name), by_id);
	for (uint32_t i = 1; i < t->n && !rc; i++)
		if (name[i].id == name[i - 1].id)
			rc = err_set(b->e, -EINVAL,
			        "%s: byte %u: node %" PRIu64 " is there twice", t->name,
			        t->node[name[i].node].offset, name[i].id);
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		const struct chakra_node *n = &t->node[i];

		for (uint32_t k = n->first_dep; k < n->first_dep + n->n_deps && !rc; k++) {
			const struct named key = {t->dep[k], 0}, *on;

			on = bsearch(&key, name, t->n, sizeof(*name), by_id);
			if (!on)
				rc = err_set(b->e, -EINVAL,
				        "%s: byte %u: node %" PRIu64 " waits for node %" PRIu64
				        ", which is not there",
				        t->name, n->offset, n->id, t->dep[k]);
			else
				rc = sched_wait(
				        b->s, b->gate[i], b->end[on->node], false, b->e);
		}
	}
	free(name);
	return rc;
}

static int add_rank(struct build *b, uint32_t rank)
{
	const struct chakra_trace *t = &b->trace[rank];
	int rc = sched_rank(b->s, rank, b->e);

	b->gate = malloc((t->n + 1) * sizeof(*b->gate));
	b->end = malloc((t->n + 1) * sizeof(*b->end));
	if (!b->gate || !b->end)
		rc = no_memory(b->e);
	memset(b->calls, 0, (b->n_groups + 1) * sizeof(*b->calls));
	for (uint32_t i = 0; i < t->n && !rc; i++)
		rc = place_node(b, &t->node[i], rank, i);
	if (!rc)
		rc = join_nodes(b, t);
	free(b->gate);
	free(b->end);
	return rc;
}

int chakra_schedule(struct import_draft *d, const struct chakra_trace *trace, uint32_t n_ranks,
        struct err *e)
{
	struct build b = {.d = d, .s = &d->sched, .trace = trace, .n_ranks = n_ranks, .e = e};
	int rc = sched_init(&d->sched, trace[0].name, n_ranks, e);

	if (!rc)
		rc = find_groups(&b);
	for (uint32_t r = 0; r < n_ranks && !rc; r++)
		rc = add_rank(&b, r);
	if (!rc)
		rc = sched_finish(&d->sched, e);
	import_say(d, IMPORT_FOUND,
	        "%u ranks, %" PRIu64 " nodes of collectives in %u groups, %" PRIu64
	        " sends and receives",
	        n_ranks, b.colls, b.n_groups, b.p2p);
	if (b.no_time)
		import_say(d, IMPORT_UNKNOWN,
		        "how long %" PRIu64 " calculations take: the trace has no duration for "
		        "them, so they take no time",
		        b.no_time);
	for (uint32_t i = 0; i < b.n_groups; i++) {
		free(b.group[i].rank);
		free(b.group[i].root);
	}
	free(b.group);
	free(b.calls);
	return rc;
}

/* "all_reduce.3.et" is rank 3's. */
static bool rank_of_name(const char *path, uint32_t *rank)
{
	const char *end = strrchr(path, '.'), *digits = end;
	unsigned long v;

	if (!end)
		return false;
	while (digits > path && isdigit((unsigned char)digits[-1]))
		digits--;
	if (digits == end || end - digits > 6)
		return false;
	v = strtoul(digits, NULL, 10);
	*rank = (uint32_t)v;
	return true;
}

static int read_trace(struct chakra_trace *t, const char *path, struct err *e)
{
	char *data;
	size_t len;
	int rc = text_file_read(&data, &len, path, MAX_FILE_BYTES, e);

	if (rc)
		return rc;
	rc = chakra_trace_parse(t, path, (const uint8_t *)data, len, e);
	free(data);
	return rc;
}

static int read_traces(struct chakra_trace *trace, const struct import_job *job, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < job->n_paths && !rc; i++) {
		uint32_t rank = i;

		if (!rank_of_name(job->path[i], &rank) && job->n_paths > 1)
			return err_set(e, -EINVAL,
			        "%s: which rank is this? expected names such as trace.0.et",
			        job->path[i]);
		if (rank >= job->n_paths)
			return err_set(e, -EINVAL,
			        "%s: is rank %u's, but there are %u files: name the traces of "
			        "all "
			        "ranks from 0 on",
			        job->path[i], rank, job->n_paths);
		if (trace[rank].n)
			return err_set(
			        e, -EINVAL, "%s: rank %u is there twice", job->path[i], rank);
		rc = read_trace(&trace[rank], job->path[i], e);
	}
	return rc;
}

static int read_chakra(struct import_draft *d, const struct import_job *job, struct err *e)
{
	struct chakra_trace *trace;
	struct sched_program p;
	int rc;

	if (job->n_paths < 2)
		return err_set(e, -EINVAL,
		        "%s: one rank's trace alone has nobody to send to: name those of all "
		        "ranks, "
		        "such as trace.*.et",
		        job->path[0]);
	trace = calloc(job->n_paths, sizeof(*trace));
	rc = trace ? read_traces(trace, job, e) : no_memory(e);
	if (!rc)
		rc = chakra_schedule(d, trace, job->n_paths, e);
	if (!rc)
		rc = sched_compile(&p, &d->sched, e);
	if (!rc)
		sched_program_fini(&p);
	for (uint32_t i = 0; trace && i < job->n_paths; i++)
		chakra_trace_fini(&trace[i]);
	free(trace);
	d->n_hosts = job->n_paths;
	import_say(d, IMPORT_UNKNOWN,
	        "which algorithm ran a collective, and the fabric; which ranks share a "
	        "machine");
	import_say(d, IMPORT_ASSUMED,
	        "collectives run on one ring in the order of ranks, broadcast and reduce along "
	        "a "
	        "chain; the size is the buffer for all-reduce, reduce-scatter and all-to-all, "
	        "one "
	        "rank's share for all-gather, as ASTRA-sim takes it");
	import_say(d, IMPORT_ASSUMED,
	        "a process group is made of the ranks whose traces name it; rank r is host r, "
	        "all "
	        "on one switch");
	return rc;
}

const struct import_source import_chakra = {
        .name = "chakra",
        .doc = "a Chakra execution trace",
        .is_it = is_it,
        .read = read_chakra,
};
