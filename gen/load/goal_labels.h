/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of the operations of one rank while its text is read: a hash table of ranges of that
 * text. goal_labels_fini frees; all zero is empty.
 */
#ifndef LOAD_GOAL_LABELS_H
#define LOAD_GOAL_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

struct goal_label {
	const char *text;
	uint32_t len;
	uint32_t op;
	uint32_t round; /* counts only in the round in which it was added */
	uint32_t hash;
};

struct goal_labels {
	struct goal_label *at;
	uint32_t room, n, round;
};

void goal_labels_fini(struct goal_labels *l);
/* Forgets all, in constant time. */
void goal_labels_clear(struct goal_labels *l);
/* -EEXIST, without a message, if it is there. */
NODISCARD int goal_label_add(
        struct goal_labels *l, const char *text, size_t len, uint32_t op, struct err *e);
bool goal_label_find(const struct goal_labels *l, const char *text, size_t len, uint32_t *op);

#endif
