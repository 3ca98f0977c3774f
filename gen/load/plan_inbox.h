/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that were sent and that their receivers have not waited for yet, by (receiving
 * program, source: sender and stream): what plan.c resolves LOAD_RECV with. Memory grows with
 * pairs and with messages in the box. inbox_fini frees; all zero is an empty box.
 */
#ifndef LOAD_PLAN_INBOX_H
#define LOAD_PLAN_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"

struct inbox_letter {
	uint64_t seq;
	uint64_t number; /* in its pair, from 1 */
	int64_t start_ps;
	uint32_t next; /* in its pair, or in the list of free ones; UINT32_MAX: last */
};

struct inbox_pair {
	uint64_t key;      /* receiving program << 32 | source, plus 1; 0: free */
	uint64_t put, got; /* messages in all */
	uint32_t head, tail;
};

struct inbox {
	struct inbox_pair *pair; /* open addressing */
	uint32_t n_pairs, room_pairs;
	struct inbox_letter *letter;
	uint32_t n_letters, room_letters, free_letter_plus1;
};

NODISCARD int inbox_put(struct inbox *b, uint32_t program, uint32_t src, uint64_t seq,
        int64_t start_ps, struct err *e);

/* How many messages src has sent to the program in all. */
uint64_t inbox_count(const struct inbox *b, uint32_t program, uint32_t src);

/* Takes the oldest one out, unless `count` have been taken in all or there is none. */
bool inbox_take(struct inbox *b, uint32_t program, uint32_t src, uint64_t count,
        struct inbox_letter *out);

/* Takes this one out, unless it was taken or has not been sent. */
bool inbox_take_one(struct inbox *b, uint32_t program, uint32_t src, uint64_t number,
        struct inbox_letter *out);

void inbox_fini(struct inbox *b);

#endif
