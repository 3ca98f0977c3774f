/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/exchange.h"

#include "gen/load/load_int.h"
#include "gen/load/perm.h"
#include "gen/load/place.h"

/* The i-th that this rank sends to. */
static uint32_t peer(const struct load_entry *en, const struct exchange_plan *x, uint32_t i)
{
	const uint32_t n = en->ranks.n;

	if (en->cfg.order == ORDER_RANDOM) {
		struct perm p = perm_make(
		        hash_combine(load_draw(en, x->number, LOAD_DRAW_ORDER), x->rank),
		        n - 1);

		i = perm_at(&p, i);
	}
	return (uint32_t)(((uint64_t)x->rank + 1 + i) % n);
}

static void send(const struct load_entry *en, const struct exchange_plan *x, uint32_t i,
        struct load_op *op)
{
	const uint32_t to = peer(en, x, i), qp = (uint32_t)(x->number % (uint64_t)en->cfg.qps);

	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .peer = place_host(en, to),
	        .qp = qp,
	        .stream = (uint16_t)qp,
	        .tag = x->tag,
	        .bytes = x->bytes(en, x, to),
	        .t_ps = x->due_ps,
	        .priority = -1,
	};
}

static void receive(const struct load_entry *en, const struct exchange_plan *x, uint32_t i,
        struct load_op *op)
{
	const uint32_t n = en->ranks.n, from = (x->rank + n - 1 - i) % n;

	*op = (struct load_op){
	        .kind = LOAD_RECV,
	        .peer = place_host(en, from),
	        .stream = (uint16_t)(x->number % (uint64_t)en->cfg.qps),
	        .count = x->number / (uint64_t)en->cfg.qps + 1,
	};
}

/* Everything is out; what is left is to wait. */
static bool finish(const struct load_entry *en, const struct exchange_plan *x,
        struct exchange *s, struct load_op *op)
{
	const uint32_t others = en->ranks.n - 1, i = s->i++ - others;

	if (x->receives && i < others) {
		receive(en, x, i, op);
		return true;
	}
	if (x->acked && i == (x->receives ? others : 0)) {
		*op = (struct load_op){.kind = LOAD_WAIT_SENDS};
		return true;
	}
	*s = (struct exchange){0};
	return false;
}

bool exchange_next(const struct load_entry *en, const struct exchange_plan *x,
        struct exchange *s, struct load_op *op)
{
	if (s->i >= en->ranks.n - 1)
		return finish(en, x, s, op);
	switch (s->turn) {
	case 0:
		send(en, x, s->i, op);
		if (en->cfg.order == ORDER_PARALLEL)
			s->i++;
		else
			s->turn = en->cfg.order == ORDER_SHIFTED ? 1 : 2;
		break;
	case 1: /* who is so far below sends to this rank in the same step */
		receive(en, x, s->i, op);
		s->turn = 2;
		break;
	default:
		*op = (struct load_op){.kind = LOAD_WAIT_SENDS};
		s->i++;
		s->turn = 0;
		break;
	}
	return true;
}
