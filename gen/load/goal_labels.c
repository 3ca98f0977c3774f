/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/goal_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"

void goal_labels_fini(struct goal_labels *l)
{
	free(l->at);
	*l = (struct goal_labels){0};
}

void goal_labels_clear(struct goal_labels *l)
{
	l->round++;
	l->n = 0;
}

static uint32_t hash_text(const char *text, size_t len)
{
	uint64_t h = len;

	for (size_t i = 0; i < len; i += 8) {
		uint64_t part = 0;

		memcpy(&part, text + i, len - i < 8 ? len - i : 8);
		h = hash_combine(h, part);
	}
	return (uint32_t)h;
}

/* The label's slot, or the free one where it would go. */
static struct goal_label *slot(
        const struct goal_labels *l, const char *text, size_t len, uint32_t hash)
{
	uint32_t i = hash & (l->room - 1);

	while (l->at[i].text && l->at[i].round == l->round &&
	        (l->at[i].hash != hash || l->at[i].len != len ||
	                memcmp(l->at[i].text, text, len) != 0))
		i = (i + 1) & (l->room - 1);
	return &l->at[i];
}

static int grow(struct goal_labels *l, struct err *e)
{
	struct goal_labels more = {.room = l->room ? 2 * l->room : 64, .round = l->round};

	if (2 * (l->n + 1) <= l->room)
		return 0;
	more.at = calloc(more.room, sizeof(*more.at));
	if (!more.at)
		return err_set(e, -ENOMEM, "no memory for %u labels", l->n);
	for (uint32_t i = 0; i < l->room; i++) {
		const struct goal_label *a = &l->at[i];

		if (!a->text || a->round != l->round)
			continue;
		*slot(&more, a->text, a->len, a->hash) = *a;
		more.n++;
	}
	free(l->at);
	*l = more;
	return 0;
}

int goal_label_add(
        struct goal_labels *l, const char *text, size_t len, uint32_t op, struct err *e)
{
	uint32_t hash = hash_text(text, len);
	struct goal_label *s;
	int rc = grow(l, e);

	if (rc)
		return rc;
	s = slot(l, text, len, hash);
	if (s->text && s->round == l->round)
		return -EEXIST;
	*s = (struct goal_label){text, (uint32_t)len, op, l->round, hash};
	l->n++;
	return 0;
}

bool goal_label_find(const struct goal_labels *l, const char *text, size_t len, uint32_t *op)
{
	const struct goal_label *s;

	if (!l->room)
		return false;
	s = slot(l, text, len, hash_text(text, len));
	if (!s->text || s->round != l->round)
		return false;
	*op = s->op;
	return true;
}
