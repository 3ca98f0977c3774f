/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees. Chunk after chunk goes up, summed at each node, and from the root down again. Up and
 * down are lanes of their own, so that one chunk goes down while the next comes up, as in NCCL;
 * at the root the down lane waits for the up lane's step. With a pair of trees each carries
 * half of a channel's slice. A broadcast has the way down alone, in a tree turned so that the
 * root's position is 0.
 */
#include "gen/load/btree.h"
#include "gen/load/collective.h"

/* How a lane stands in its tree, positions as neighbours. */
static struct btree_node node_of(const struct load_entry *en, const struct coll_state *s)
{
	const struct coll *k = coll_of(en);

	return btree_pair_at(k->n, s->part / 2, s->position);
}

static int64_t lane_bytes(const struct load_entry *en, const struct coll_state *s)
{
	const struct coll *k = coll_of(en);
	int64_t bytes = cut_bytes(en->cfg.buffer_bytes, en->cfg.channels, s->channel);

	return cut_bytes(bytes, k->algorithm == &coll_double_tree ? 2 : 1, s->part / 2);
}

struct lane {
	struct btree_node at;
	int64_t bytes;
	uint32_t chunks;
	uint64_t number; /* of the chunk in all iterations */
};

static bool recv_from(const struct load_entry *en, const struct coll_state *s,
        struct load_op *op, const struct lane *l, uint32_t from)
{
	if (from == BTREE_NONE)
		return false;
	coll_recv(en, s, op, from, s->part, l->number);
	return true;
}

static bool send_to(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        const struct lane *l, uint32_t to)
{
	if (to == BTREE_NONE)
		return false;
	coll_send(en, s, op, to, l->number, coll_chunk_bytes(en, l->bytes, s->loop));
	return true;
}

/* Operation number s->turn of a chunk on its way up; false: this node has none there. */
static bool up(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        const struct lane *l)
{
	switch (s->turn) {
	case 0:
	case 1:
		return recv_from(en, s, op, l, l->at.down[s->turn]);
	case 2:
		if (l->at.up != BTREE_NONE)
			coll_credit(en, op, 1);
		return l->at.up != BTREE_NONE;
	default:
		if (l->at.up == BTREE_NONE)
			*op = (struct load_op){.kind = LOAD_STEP,
			        .count = coll_steps(s->iteration, s->loop + 1)};
		else
			send_to(en, s, op, l, l->at.up);
		return true;
	}
}

static bool down(const struct load_entry *en, const struct coll_state *s, struct load_op *op,
        const struct lane *l)
{
	uint32_t children = (l->at.down[0] != BTREE_NONE) + (l->at.down[1] != BTREE_NONE);

	switch (s->turn) {
	case 0:
		if (recv_from(en, s, op, l, l->at.up))
			return true;
		if (coll_job_of(en, s)->kind == COLL_BROADCAST)
			return false; /* the root has it */
		*op = (struct load_op){.kind = LOAD_WAIT_LANE,
		        .lane = (uint16_t)(s->channel * coll_of(en)->algorithm->lanes +
		                           s->part - 1),
		        .count = coll_steps(s->iteration, s->loop + 1)};
		return true;
	case 1:
		if (children)
			coll_credit(en, op, children);
		return children > 0;
	default:
		return send_to(en, s, op, l, l->at.down[s->turn - 2]);
	}
}

static bool go_on(const struct load_entry *en, struct coll_state *s, struct load_op *op,
        struct lane *l, bool is_up)
{
	for (l->chunks = coll_chunks(en, l->bytes); s->loop < l->chunks;) {
		bool there;

		l->number = (uint64_t)s->iteration * l->chunks + s->loop;
		there = is_up ? up(en, s, op, l) : down(en, s, op, l);
		if (++s->turn == 4) {
			s->turn = 0;
			s->loop++;
		}
		if (there)
			return true;
	}
	return false;
}

static bool body(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	struct lane l = {.at = node_of(en, s), .bytes = lane_bytes(en, s)};

	return go_on(en, s, op, &l, s->part % 2 == 0);
}

static bool body_down(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	const struct coll *k = coll_of(en);
	const uint32_t root = coll_position(k, s->channel, k->root);
	struct lane l = {
	        .at = btree_at(k->n, (s->position + k->n - root) % k->n),
	        .bytes = cut_bytes(en->cfg.buffer_bytes, en->cfg.channels, s->channel),
	};

	for (int i = 0; i < 2; i++)
		if (l.at.down[i] != BTREE_NONE)
			l.at.down[i] = (l.at.down[i] + root) % k->n;
	if (l.at.up != BTREE_NONE)
		l.at.up = (l.at.up + root) % k->n;
	return go_on(en, s, op, &l, false);
}

const struct coll_algorithm coll_tree = {.lanes = 2, .chunk_bytes = 512 << 10, .body = body};
const struct coll_algorithm coll_double_tree = {
        .lanes = 4, .chunk_bytes = 512 << 10, .body = body};
const struct coll_algorithm coll_tree_down = {
        .lanes = 1, .chunk_bytes = 512 << 10, .body = body_down};
