/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part that incast, all-to-all and ring share: `repeat` rounds, each a message to every
 * peer in turn. With a period round k is due at start + k * period whatever happened before
 * (open loop); without one the next round starts when the sender's messages are all done
 * (closed loop).
 */
#ifndef LOAD_ROUNDS_H
#define LOAD_ROUNDS_H

#include "gen/load/load.h"

/* Does the last round begin within the longest run? */
NODISCARD int rounds_check_period(const struct load_entry *en, struct err *e);
NODISCARD int rounds_prepare(const struct load_entry *en, struct err *e);
/* ops.prepare of patterns among the ranks of the entry. */
NODISCARD int rounds_prepare_group(struct load_entry *en, struct err *e);
/* ops.start */
void rounds_start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st);
uint32_t rounds_rank(const struct load_state *st);

/* Fills op; true if it is a SEND, whose peer is then the caller's peer number *i < n_peers. */
bool rounds_next(const struct load_entry *en, struct load_state *st, uint32_t n_peers,
        struct load_op *op, uint32_t *i);

/* ops.fini of patterns that share nothing. */
void rounds_fini(struct load_entry *en);

#endif
