/* SPDX-License-Identifier: Apache-2.0 */
/* A broadcast round the ring: the root sends chunk after chunk to its neighbour, each rank
 * passes it on, and the one before the root keeps it. */
#include "gen/load/collective.h"

static bool body(const struct load_entry *en, struct coll_state *s, struct load_op *op)
{
	const struct coll *k = coll_of(en);
	const uint32_t hop =
	        (s->position + k->n - coll_position(k, s->channel, k->root)) % k->n;
	const int64_t bytes = cut_bytes(en->cfg.buffer_bytes, en->cfg.channels, s->channel);
	const uint32_t chunks = coll_chunks(en, bytes);

	while (s->loop < chunks) {
		const uint64_t number = (uint64_t)s->iteration * chunks + s->loop;

		switch (s->turn++) {
		case 0:
			if (!hop)
				break;
			coll_recv(
			        en, s, op, s->position ? s->position - 1 : k->n - 1, 0, number);
			return true;
		case 1:
			if (hop + 1 == k->n)
				break;
			coll_credit(en, op, 1);
			return true;
		default:
			s->turn = 0;
			s->loop++;
			if (hop + 1 == k->n)
				break;
			coll_send(en, s, op, (s->position + 1) % k->n, number,
			        coll_chunk_bytes(en, bytes, s->loop - 1));
			return true;
		}
	}
	return false;
}

const struct coll_algorithm coll_chain = {.lanes = 1, .chunk_bytes = 512 << 10, .body = body};
