/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each message of a collective ought to carry, written down a second time: the list of
 * byte ranges that a lane of a rank sends, in order. Tests hold the rank programs against it.
 */
#ifndef TESTS_COLL_SPEC_H
#define TESTS_COLL_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/load/load.h"

struct coll_send {
	uint32_t to;      /* rank */
	int64_t off, len; /* of the buffer */
	bool add;         /* the receiver sums it into what it has; else it replaces that */
};

struct coll_sends {
	struct coll_send *at;
	uint32_t n, room;
};

struct coll_case {
	enum load_pattern_kind pattern;
	enum load_algorithm algorithm;
	enum load_channel_order order;
	uint32_t n, channels, root;
	int64_t bytes, chunk, slices;
};

/* One iteration of lane `lane` of rank `rank`; the caller frees at. */
struct coll_sends coll_spec(const struct coll_case *c, uint32_t rank, uint32_t lane);

/* Range of an all-gather's or reduce-scatter's block of this rank. */
int64_t coll_spec_block_off(const struct coll_case *c, uint32_t rank);

#endif
