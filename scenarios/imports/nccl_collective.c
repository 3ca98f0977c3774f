/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_collective.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE           UINT32_MAX
#define PIPELINE_BYTES (512 << 10) /* a slice of NCCL's buffer of 4 MiB in 8 steps */
#define PIPELINE_MAX   16

static uint32_t pipeline(int64_t bytes)
{
	int64_t n = bytes / PIPELINE_BYTES;

	return n < 1 ? 1 : n > PIPELINE_MAX ? PIPELINE_MAX : (uint32_t)n;
}

/* Channel c of n carries this much. */
static int64_t share(int64_t bytes, uint32_t c, uint32_t n)
{
	return (int64_t)((__int128)bytes * (c + 1) / n - (__int128)bytes * c / n);
}

static uint32_t tag_of(uint32_t channel, uint32_t edge)
{
	return channel << 24 | (edge & 0xffffff);
}

struct ring_walk {
	struct transfers *t;
	struct nccl_job *j;
	const uint32_t *order;
	uint32_t channel, step;
	int64_t bytes;
};

/* The edge behind position i, as a transfer of n messages; NONE: it stays inside. */
static int add_edge(const struct ring_walk *w, uint32_t i, struct transfer *x, uint32_t *index,
        struct err *e)
{
	const uint32_t src = w->order[i], dst = w->order[(i + 1) % w->j->n_ranks];

	*index = NONE;
	if (!nccl_job_leaves(w->j, src, dst))
		return 0;
	nccl_job_hosts(w->j, (uint8_t)w->channel, src, dst, &x->src, &x->dst);
	x->tag = tag_of(w->channel, i);
	x->bytes = w->bytes;
	x->step = w->step;
	return transfers_add(w->t, x, index, e);
}

/* Every rank sends on in each round what came in the round before: message k of the edge behind
 * position i waits for message k - d of the edge d positions before it. */
static int add_rounds(const struct ring_walk *w, uint32_t rounds, struct err *e)
{
	const uint32_t n = w->j->n_ranks;
	uint32_t *edge = malloc(n * sizeof(*edge)), *before = malloc(n * sizeof(*before));
	uint32_t last = NONE;
	int rc = edge && before ? 0 : err_set(e, -ENOMEM, "no memory for a ring");

	/* first the edges, then what each waits for: the one before the first is the last */
	for (uint32_t i = 0; i < n && !rc; i++)
		if (nccl_job_leaves(w->j, w->order[i], w->order[(i + 1) % n]))
			last = i;
	for (uint32_t i = 0, at = last; i < n && !rc; i++) {
		before[i] = at;
		if (nccl_job_leaves(w->j, w->order[i], w->order[(i + 1) % n]))
			at = i;
	}
	/* a transfer's number is known beforehand: they are added in this order */
	for (uint32_t i = 0, next = w->t->n; i < n && !rc; i++)
		edge[i] = nccl_job_leaves(w->j, w->order[i], w->order[(i + 1) % n]) ? next++
		                                                                    : NONE;
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct transfer x = {.n = rounds, .parts = n, .position = i};
		const uint32_t lag = (i + n - before[i] - 1) % n + 1;
		uint32_t index;

		rc = add_edge(w, i, &x, &index, e);
		if (!rc && index != NONE)
			rc = transfers_wait(w->t, edge[before[i]], lag, e);
	}
	free(edge);
	free(before);
	return rc;
}

/* From the root around to the rank before it; or from the rank after it around to the root. */
static int add_chain(const struct ring_walk *w, uint32_t root, bool to_root, struct err *e)
{
	const uint32_t n = w->j->n_ranks;
	uint32_t first = 0, last = NONE;
	int rc = 0;

	while (first < n - 1 && w->order[first] != root)
		first++;
	first += to_root;
	for (uint32_t k = 0; k + 1 < n && !rc; k++) {
		struct transfer x = {.in_order = true};
		uint32_t index;

		x.n = x.parts = pipeline(w->bytes);
		rc = add_edge(w, (first + k) % n, &x, &index, e);
		if (rc || index == NONE)
			continue;
		if (last != NONE)
			rc = transfers_wait(w->t, last, 0, e);
		last = index;
	}
	return rc;
}

/* Every rank to every other one, without rings. */
static int add_all_pairs(
        struct transfers *t, struct nccl_job *j, int64_t bytes, uint32_t step, struct err *e)
{
	const uint32_t n = j->n_ranks;
	int rc = 0;

	for (uint32_t r = 0; r < n; r++)
		for (uint32_t k = 1; k < n && !rc; k++) {
			const uint32_t peer = (r + k) % n;
			struct transfer x = {.n = 1,
			        .parts = 1,
			        .in_order = true,
			        .bytes = share(bytes, peer, n),
			        .tag = r,
			        .step = step};

			if (!nccl_job_leaves(j, r, peer))
				continue;
			nccl_job_hosts(j, 0, r, peer, &x.src, &x.dst);
			rc = transfers_add(t, &x, NULL, e);
		}
	return rc;
}

int nccl_collective_ring(struct transfers *t, struct nccl_job *j, const struct nccl_work *w,
        uint32_t step, struct err *e)
{
	int rc = 0;

	if (w->op == NCCL_ALL_TO_ALL)
		return add_all_pairs(t, j, w->bytes, step, e);
	for (uint32_t c = 0; c < NCCL_MAX_CHANNELS && !rc; c++) {
		const struct ring_walk ring = {.t = t,
		        .j = j,
		        .order = j->ring[c],
		        .channel = c,
		        .step = step,
		        .bytes = share(w->bytes, c, j->n_channels)};

		if (!j->ring[c])
			continue;
		if (w->op == NCCL_ALL_REDUCE)
			rc = add_rounds(&ring, 2 * (j->n_ranks - 1), e);
		else if (w->op == NCCL_ALL_GATHER || w->op == NCCL_REDUCE_SCATTER)
			rc = add_rounds(&ring, j->n_ranks - 1, e);
		else
			rc = add_chain(&ring, w->root, w->op == NCCL_REDUCE, e);
	}
	return rc;
}

/* A tree's ranks that hang together inside one machine are one piece. */
struct tree_walk {
	struct transfers *t;
	struct nccl_job *j;
	const int32_t *parent;
	uint32_t channel, step;
	int64_t bytes;
	uint32_t *top;  /* [n_ranks]: the rank of its piece that is nearest to the root */
	uint32_t *up;   /* [n_ranks]: of a top: its transfer to the parent's piece; NONE */
	uint32_t *down; /* likewise, to it */
	/* pieces below a piece, as a list of tops */
	uint32_t *first_below, *next_below;
};

static void find_tops(struct tree_walk *w)
{
	for (uint32_t r = 0; r < w->j->n_ranks; r++)
		w->top[r] = w->up[r] = w->down[r] = w->first_below[r] = NONE;
	for (uint32_t r = 0; r < w->j->n_ranks; r++) {
		uint32_t at = r, top;

		while (w->top[at] == NONE && w->parent[at] >= 0 &&
		        !nccl_job_leaves(w->j, at, (uint32_t)w->parent[at]))
			at = (uint32_t)w->parent[at];
		top = w->top[at] == NONE ? at : w->top[at];
		for (at = r; w->top[at] == NONE && at != top; at = (uint32_t)w->parent[at])
			w->top[at] = top;
		w->top[top] = top;
	}
	for (uint32_t r = w->j->n_ranks; r-- > 0;)
		if (w->top[r] == r && w->parent[r] >= 0) {
			const uint32_t above = w->top[w->parent[r]];

			w->next_below[r] = w->first_below[above];
			w->first_below[above] = r;
		}
}

static int add_tree_edge(
        struct tree_walk *w, uint32_t child, bool up, uint32_t *index, struct err *e)
{
	const uint32_t parent = (uint32_t)w->parent[child], n = pipeline(w->bytes);
	struct transfer x = {.n = n,
	        .parts = n,
	        .in_order = true,
	        .bytes = w->bytes,
	        .step = w->step,
	        .tag = tag_of(w->channel, 2 * child + !up)};

	nccl_job_hosts(w->j, (uint8_t)w->channel, up ? child : parent, up ? parent : child,
	        &x.src, &x.dst);
	return transfers_add(w->t, &x, index, e);
}

/* What a piece has gathered from the pieces below it. */
static int wait_for_below(struct tree_walk *w, uint32_t top, struct err *e)
{
	int rc = 0;

	for (uint32_t b = w->first_below[top]; b != NONE && !rc; b = w->next_below[b])
		if (w->up[b] != NONE)
			rc = transfers_wait(w->t, w->up[b], 0, e);
	return rc;
}

/* Numbers are given out before the transfers are added, as each waits for later ones. */
static int add_tree(struct tree_walk *w, bool up, bool down, struct err *e)
{
	const uint32_t n = w->j->n_ranks;
	uint32_t next = w->t->n, index;
	int rc = 0;

	find_tops(w);
	for (uint32_t r = 0; r < n && up; r++)
		if (w->top[r] == r && w->parent[r] >= 0)
			w->up[r] = next++;
	for (uint32_t r = 0; r < n && down; r++)
		if (w->top[r] == r && w->parent[r] >= 0)
			w->down[r] = next++;
	for (uint32_t r = 0; r < n && !rc; r++) {
		if (w->up[r] == NONE)
			continue;
		rc = add_tree_edge(w, r, true, &index, e);
		if (!rc)
			rc = wait_for_below(w, r, e);
	}
	for (uint32_t r = 0; r < n && !rc; r++) {
		uint32_t above;

		if (w->down[r] == NONE)
			continue;
		above = w->top[w->parent[r]];
		rc = add_tree_edge(w, r, false, &index, e);
		if (!rc && w->down[above] != NONE)
			rc = transfers_wait(w->t, w->down[above], 0, e);
		else if (!rc)
			rc = wait_for_below(w, above, e);
	}
	return rc;
}

/* The same tree from another root: parents on the way to it turn around. */
static int32_t *rooted_at(const int32_t *parent, uint32_t n, uint32_t root)
{
	int32_t *p = malloc(n * sizeof(*p)), at = (int32_t)root, before = -1;

	if (!p)
		return NULL;
	memcpy(p, parent, n * sizeof(*p));
	while (at >= 0) {
		int32_t next = p[at];

		p[at] = before;
		before = at;
		at = next;
	}
	return p;
}

static int tree_of_channel(struct tree_walk *w, const struct nccl_work *work, struct err *e)
{
	const uint32_t n = w->j->n_ranks;
	uint32_t *room = malloc(5 * (size_t)n * sizeof(*room));
	int32_t *turned = NULL;
	int rc = room ? 0 : err_set(e, -ENOMEM, "no memory for a tree");

	if (!rc && work->op != NCCL_ALL_REDUCE) {
		turned = rooted_at(w->parent, n, work->root);
		if (!turned)
			rc = err_set(e, -ENOMEM, "no memory for a tree");
		w->parent = turned;
	}
	if (!rc) {
		w->top = room;
		w->up = room + n;
		w->down = room + 2 * (size_t)n;
		w->first_below = room + 3 * (size_t)n;
		w->next_below = room + 4 * (size_t)n;
		rc = add_tree(w, work->op != NCCL_BROADCAST, work->op != NCCL_REDUCE, e);
	}
	free(room);
	free(turned);
	return rc;
}

int nccl_collective_tree(struct transfers *t, struct nccl_job *j, const struct nccl_work *w,
        uint32_t step, struct err *e)
{
	int rc = 0;

	for (uint32_t c = 0; c < NCCL_MAX_CHANNELS && !rc; c++) {
		struct tree_walk tree = {.t = t,
		        .j = j,
		        .parent = j->parent[c],
		        .channel = c,
		        .step = step,
		        .bytes = share(w->bytes, c, j->n_channels)};

		if (j->parent[c])
			rc = tree_of_channel(&tree, w, e);
	}
	return rc;
}
