/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/imports/nccl_nodes.h"

#define NONE      UINT32_MAX
#define MAX_COMMS 4096

/* A communicator while parts are put together. */
struct comm {
	uint64_t id;
	uint32_t n_ranks, n_nodes, local_ranks, channels, facts;
	uint8_t *seen; /* bit per rank */
};

struct grouping {
	struct comm comm[MAX_COMMS];
	uint32_t n;
	uint32_t *of; /* [n_parts]: comm */
};

static int no_memory(const char *name, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: no memory to put the ranks together", name);
}

static bool has_rank(const struct comm *c, int32_t rank)
{
	return rank >= 0 && c->seen && c->seen[rank / 8] >> (rank % 8) & 1;
}

static bool fits(const struct comm *c, const struct nccl_part *p)
{
	if (c->id && p->id)
		return c->id == p->id;
	return (!c->n_ranks || !p->n_ranks || c->n_ranks == p->n_ranks) &&
	       !has_rank(c, p->rank);
}

static int join(struct comm *c, const struct nccl_part *p)
{
	c->id = c->id ? c->id : p->id;
	c->n_ranks = p->n_ranks > c->n_ranks ? p->n_ranks : c->n_ranks;
	c->n_nodes = p->n_nodes > c->n_nodes ? p->n_nodes : c->n_nodes;
	c->local_ranks = p->local_ranks > c->local_ranks ? p->local_ranks : c->local_ranks;
	c->channels = p->channels > c->channels ? p->channels : c->channels;
	if (p->rank < 0)
		return 0;
	if (!c->seen)
		c->seen = calloc(NCCL_MAX_RANKS / 8 + 1, 1);
	if (!c->seen)
		return -ENOMEM;
	c->seen[p->rank / 8] |= (uint8_t)(1u << (p->rank % 8));
	return 0;
}

static int group_parts(
        struct grouping *g, const struct nccl_log *l, const char *name, struct err *e)
{
	g->of = malloc(((size_t)l->n_parts + 1) * sizeof(*g->of));
	if (!g->of)
		return no_memory(name, e);
	for (uint32_t i = 0; i < l->n_parts; i++) {
		uint32_t k = 0;

		while (k < g->n && !fits(&g->comm[k], &l->part[i]))
			k++;
		if (k == MAX_COMMS)
			return err_set(
			        e, -EINVAL, "%s: more than %d communicators", name, MAX_COMMS);
		if (k == g->n)
			g->comm[g->n++] = (struct comm){0};
		if (join(&g->comm[k], &l->part[i]))
			return no_memory(name, e);
		g->of[i] = k;
	}
	for (uint32_t i = 0; i < l->n_facts; i++)
		g->comm[g->of[l->fact[i].part]].facts++;
	return 0;
}

/* The one with the most ranks of those that said anything. */
static uint32_t largest(const struct grouping *g)
{
	uint32_t best = NONE;

	for (uint32_t k = 0; k < g->n; k++)
		if (g->comm[k].facts &&
		        (best == NONE || g->comm[k].n_ranks > g->comm[best].n_ranks))
			best = k;
	return best;
}

static int take_comm(struct nccl_job *j, const struct nccl_log *l, struct comm *c,
        const struct grouping *g, uint32_t which, const char *name, struct err *e)
{
	uint32_t planned = 0;
	int32_t last = -1;

	j->has_part = calloc((size_t)l->n_parts + 1, sizeof(*j->has_part));
	if (!j->has_part)
		return no_memory(name, e);
	for (uint32_t i = 0; i < l->n_parts; i++) {
		j->has_part[i] = g->of[i] == which;
		if (j->has_part[i] && l->part[i].rank == 0)
			j->comm = l->part[i].comm;
	}
	for (uint32_t i = 0; i < l->n_facts; i++) {
		const struct nccl_fact *f = &l->fact[i];

		if (!j->has_part[f->part])
			continue;
		last = f->a > last ? f->a : last;
		last = f->b > last ? f->b : last;
		/* a plan may name trees that no channel uses */
		if (f->channel >= c->channels && f->kind != NCCL_TREE_PLAN)
			c->channels = f->channel + 1u;
		else if (f->channel >= planned)
			planned = f->channel + 1u;
	}
	j->n_ranks = c->n_ranks ? c->n_ranks : (uint32_t)(last + 1);
	j->n_channels = c->channels ? c->channels : planned;
	if (last >= (int32_t)j->n_ranks)
		return err_set(e, -EINVAL,
		        "%s: rank %d is in a ring or tree of %u ranks; are these the logs of "
		        "different jobs?",
		        name, last, j->n_ranks);
	if (j->n_ranks < 2)
		return err_set(e, -EINVAL, "%s: a job of one rank sends nothing", name);
	return 0;
}

/* Next rank by rank, from the edges; NULL where nothing was said. */
static int32_t *edges_of(const struct nccl_job *j, const struct nccl_log *l, uint8_t channel,
        enum nccl_fact_kind kind, bool *any, bool *clash)
{
	int32_t *to = malloc(j->n_ranks * sizeof(*to));

	*any = *clash = false;
	for (uint32_t r = 0; to && r < j->n_ranks; r++)
		to[r] = -2;
	for (uint32_t i = 0; to && i < l->n_facts; i++) {
		const struct nccl_fact *f = &l->fact[i];

		const bool is_kind =
		        f->kind == kind || (kind == NCCL_SEND && f->kind == NCCL_RECV);

		if (!is_kind || f->channel != channel || !j->has_part[f->part])
			continue;
		*any = true;
		*clash |= to[f->a] != -2 && to[f->a] != f->b;
		to[f->a] = f->b;
	}
	return to;
}

/* One edge that nobody said can only join the ends of the path that the others make. */
static void close_ring(const struct nccl_job *j, int32_t *to)
{
	bool *has_before = calloc(j->n_ranks, sizeof(*has_before));
	int32_t first = -1, last = -1;
	uint32_t missing = 0;

	for (uint32_t r = 0; has_before && r < j->n_ranks; r++) {
		if (to[r] >= 0)
			has_before[to[r]] = true;
		else
			last = (int32_t)r;
		missing += to[r] < 0;
	}
	for (uint32_t r = 0; has_before && r < j->n_ranks; r++)
		if (!has_before[r])
			first = (int32_t)r;
	if (missing == 1 && first >= 0)
		to[last] = first;
	free(has_before);
}

/* kinds: edges of rings, or where nobody names a ring the connections that carry it. */
static int take_ring(struct nccl_job *j, const struct nccl_log *l, uint8_t channel,
        bool from_connections, struct err *e)
{
	bool any, clash;
	int32_t *to =
	        edges_of(j, l, channel, from_connections ? NCCL_SEND : NCCL_RING, &any, &clash);
	uint32_t *order = malloc(j->n_ranks * sizeof(*order)), n = 0;
	bool *seen = calloc(j->n_ranks, sizeof(*seen));
	int32_t at = 0;

	if (!to || !order || !seen) {
		free(to);
		free(order);
		free(seen);
		return no_memory("log", e);
	}
	if (any && !clash)
		close_ring(j, to);
	while (any && !clash && at >= 0 && !seen[at]) {
		seen[at] = true;
		order[n++] = (uint32_t)at;
		at = to[at];
	}
	if (any && n == j->n_ranks && at == 0) {
		j->ring[channel] = order;
		j->n_rings++;
		order = NULL;
	} else {
		j->broken_rings += any;
	}
	free(to);
	free(order);
	free(seen);
	return 0;
}

/* Every rank reaches the one root. */
static bool is_tree(int32_t *parent, uint32_t n, uint32_t *depth)
{
	uint32_t roots = 0, unsaid = 0;
	int32_t root = -1;

	for (uint32_t r = 0; r < n; r++) {
		roots += parent[r] == -1;
		unsaid += parent[r] == -2;
		root = parent[r] == -2 ? (int32_t)r : root;
	}
	if (!roots && unsaid == 1) /* all others have a parent, so this one has none */
		parent[root] = -1;
	roots = 0;
	for (uint32_t r = 0; r < n; r++) {
		if (parent[r] < -1 || parent[r] == (int32_t)r)
			return false;
		roots += parent[r] == -1;
		depth[r] = 0;
	}
	/* depth 0: not known to lead to the root yet; each rank is walked over once */
	for (uint32_t r = 0; r < n && roots == 1; r++) {
		uint32_t at = r, steps = 0;

		while (!depth[at] && parent[at] >= 0 && steps++ <= n)
			at = (uint32_t)parent[at];
		if (steps > n)
			return false;
		for (at = r; !depth[at] && parent[at] >= 0; at = (uint32_t)parent[at])
			depth[at] = 1;
	}
	return roots == 1;
}

static int take_tree(struct nccl_job *j, const struct nccl_log *l, uint8_t channel,
        bool planned, struct err *e)
{
	bool any, clash;
	int32_t *to =
	        edges_of(j, l, channel, planned ? NCCL_TREE_PLAN : NCCL_TREE, &any, &clash);
	uint32_t *depth = malloc(j->n_ranks * sizeof(*depth));

	if (!to || !depth) {
		free(to);
		free(depth);
		return no_memory("log", e);
	}
	if (any && !clash && is_tree(to, j->n_ranks, depth)) {
		j->parent[channel] = to;
		j->n_trees++;
		to = NULL;
	} else {
		j->broken_trees += any;
	}
	free(to);
	free(depth);
	return 0;
}

static bool has(const struct nccl_job *j, const struct nccl_log *l, enum nccl_fact_kind kind)
{
	for (uint32_t i = 0; i < l->n_facts; i++)
		if (l->fact[i].kind == kind && j->has_part[l->fact[i].part])
			return true;
	return false;
}

/* Which channels say anything, so that the many that do not cost nothing. */
static void mark_channels(const struct nccl_job *j, const struct nccl_log *l,
        bool ring[NCCL_MAX_CHANNELS], bool tree[NCCL_MAX_CHANNELS])
{
	for (uint32_t i = 0; i < l->n_facts; i++) {
		const struct nccl_fact *f = &l->fact[i];

		if (!j->has_part[f->part])
			continue;
		ring[f->channel] |= f->kind == NCCL_RING ||
		                    (j->rings_from_connections && f->kind >= NCCL_SEND);
		tree[f->channel] |= f->kind == NCCL_TREE || f->kind == NCCL_TREE_PLAN;
	}
}

static int take_graphs(
        struct nccl_job *j, const struct nccl_log *l, const char *name, struct err *e)
{
	bool ring[NCCL_MAX_CHANNELS] = {false}, tree[NCCL_MAX_CHANNELS] = {false};
	const bool planned = !has(j, l, NCCL_TREE), connections = !has(j, l, NCCL_RING);
	int rc = 0;

	j->rings_from_connections = connections;

	mark_channels(j, l, ring, tree);
	for (uint32_t c = 0; c < NCCL_MAX_CHANNELS && !rc; c++) {
		if (c >= j->n_channels)
			break;
		if (ring[c])
			rc = take_ring(j, l, (uint8_t)c, connections, e);
		if (!rc && tree[c])
			rc = take_tree(j, l, (uint8_t)c, planned, e);
	}
	if (rc || j->n_rings || j->n_trees)
		return rc;
	return err_set(e, -EINVAL,
	        "%s: %u rings and %u trees in it, but none is whole: give the logs of all "
	        "ranks "
	        "(NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET,COLL)",
	        name, j->broken_rings, j->broken_trees);
}

int nccl_job_init(struct nccl_job *j, const struct nccl_log *l, const char *name, struct err *e)
{
	struct grouping *g = calloc(1, sizeof(*g));
	uint32_t which = NONE;
	int rc = g ? group_parts(g, l, name, e) : no_memory(name, e);

	*j = (struct nccl_job){0};
	if (!rc) {
		which = largest(g);
		for (uint32_t k = 0; k < g->n; k++)
			if (k != which && g->comm[k].facts) {
				j->other_comms++;
				j->as_large += g->comm[k].n_ranks == g->comm[which].n_ranks;
			}
	}
	if (!rc && which == NONE)
		rc = err_set(e, -EINVAL,
		        "%s: no ring and no tree in it: log with NCCL_DEBUG=INFO and "
		        "NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET,COLL",
		        name);
	if (!rc)
		rc = take_comm(j, l, &g->comm[which], g, which, name, e);
	if (!rc)
		rc = take_graphs(j, l, name, e);
	if (!rc)
		rc = nccl_nodes(j, l, g->comm[which].n_nodes, g->comm[which].local_ranks, e);
	for (uint32_t k = 0; g && k < g->n; k++)
		free(g->comm[k].seen);
	if (g)
		free(g->of);
	free(g);
	return rc;
}

void nccl_job_fini(struct nccl_job *j)
{
	for (uint32_t c = 0; c < NCCL_MAX_CHANNELS; c++) {
		free(j->ring[c]);
		free(j->parent[c]);
	}
	free(j->node);
	free(j->local);
	free(j->node_host);
	free(j->connection);
	free(j->has_part);
	*j = (struct nccl_job){0};
}
