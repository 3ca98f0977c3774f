/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One exchange among all ranks: everybody sends to everybody else, at once or one by one. What
 * all-to-all and mixture-of-experts traffic are made of. gen/load's own.
 */
#ifndef LOAD_EXCHANGE_H
#define LOAD_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/load/load.h"

struct __attribute__((may_alias)) exchange {
	uint32_t i; /* 0 before and after an exchange */
	uint8_t turn;
};

struct exchange_plan {
	uint32_t rank;
	uint64_t number; /* of this exchange: messages are counted by it */
	uint32_t tag;
	int64_t due_ps; /* intended send time, or -1 */
	bool receives;  /* wait for everybody's message in the end */
	bool acked;     /* wait for the own messages in the end */
	/* Bytes of this rank for rank `to`. */
	int64_t (*bytes)(
	        const struct load_entry *en, const struct exchange_plan *x, uint32_t to);
};

/* Fills op, or false: the exchange is over. */
bool exchange_next(const struct load_entry *en, const struct exchange_plan *x,
        struct exchange *s, struct load_op *op);

#endif
