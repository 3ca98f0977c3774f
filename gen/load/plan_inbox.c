/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/plan_inbox.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/rng.h"

#define NONE UINT32_MAX

static struct inbox_pair *slot(struct inbox_pair *pair, uint32_t room, uint64_t key)
{
	uint32_t i = (uint32_t)hash64(key) & (room - 1);

	while (pair[i].key && pair[i].key != key)
		i = (i + 1) & (room - 1);
	return &pair[i];
}

static uint64_t key_of(uint32_t program, uint32_t src)
{
	return ((uint64_t)program << 32 | src) + 1;
}

static const struct inbox_pair *find(const struct inbox *b, uint32_t program, uint32_t src)
{
	const struct inbox_pair *p;

	if (!b->room_pairs)
		return NULL;
	p = slot(b->pair, b->room_pairs, key_of(program, src));
	return p->key ? p : NULL;
}

/* At most half full, so that probing ends. */
static int grow_pairs(struct inbox *b, struct err *e)
{
	uint32_t room = b->room_pairs ? 2 * b->room_pairs : 64;
	struct inbox_pair *pair;

	if (2 * (b->n_pairs + 1) <= b->room_pairs)
		return 0;
	pair = room ? calloc(room, sizeof(*pair)) : NULL;
	if (!pair)
		return err_set(e, -ENOMEM, "no memory for %u communicating pairs", b->n_pairs);
	for (uint32_t i = 0; i < b->room_pairs; i++)
		if (b->pair[i].key)
			*slot(pair, room, b->pair[i].key) = b->pair[i];
	free(b->pair);
	b->pair = pair;
	b->room_pairs = room;
	return 0;
}

static int take_letter(struct inbox *b, uint32_t *i, struct err *e)
{
	if (b->free_letter_plus1) {
		*i = b->free_letter_plus1 - 1;
		b->free_letter_plus1 = b->letter[*i].next + 1;
		return 0;
	}
	if (b->n_letters == b->room_letters) {
		uint32_t room = b->room_letters ? 2 * b->room_letters : 64;
		void *at = room ? realloc(b->letter, room * sizeof(*b->letter)) : NULL;

		if (!at)
			return err_set(e, -ENOMEM,
			        "no memory for %u messages that nobody received yet",
			        b->n_letters);
		b->letter = at;
		b->room_letters = room;
	}
	*i = b->n_letters++;
	return 0;
}

int inbox_put(struct inbox *b, uint32_t program, uint32_t src, uint64_t seq, int64_t start_ps,
        struct err *e)
{
	struct inbox_pair *p;
	uint32_t i = 0;
	int rc = grow_pairs(b, e);

	if (!rc)
		rc = take_letter(b, &i, e);
	if (rc)
		return rc;
	p = slot(b->pair, b->room_pairs, key_of(program, src));
	if (!p->key) {
		*p = (struct inbox_pair){
		        .key = key_of(program, src), .head = NONE, .tail = NONE};
		b->n_pairs++;
	}
	b->letter[i] = (struct inbox_letter){seq, ++p->put, start_ps, NONE};
	if (p->head == NONE)
		p->head = i;
	else
		b->letter[p->tail].next = i;
	p->tail = i;
	return 0;
}

uint64_t inbox_count(const struct inbox *b, uint32_t program, uint32_t src)
{
	const struct inbox_pair *p = find(b, program, src);

	return p ? p->put : 0;
}

/* The letter is out of its pair's list. */
static void discard(struct inbox *b, struct inbox_pair *p, uint32_t i)
{
	p->got++;
	b->letter[i].next = b->free_letter_plus1 - 1; /* 0 becomes NONE */
	b->free_letter_plus1 = i + 1;
}

bool inbox_take(struct inbox *b, uint32_t program, uint32_t src, uint64_t count,
        struct inbox_letter *out)
{
	struct inbox_pair *p;
	uint32_t i;

	if (!find(b, program, src))
		return false;
	p = slot(b->pair, b->room_pairs, key_of(program, src));
	if (p->got >= count || p->head == NONE)
		return false;
	i = p->head;
	*out = b->letter[i];
	p->head = b->letter[i].next;
	discard(b, p, i);
	return true;
}

bool inbox_take_one(struct inbox *b, uint32_t program, uint32_t src, uint64_t number,
        struct inbox_letter *out)
{
	struct inbox_pair *p;
	uint32_t i, before = NONE;

	if (!find(b, program, src))
		return false;
	p = slot(b->pair, b->room_pairs, key_of(program, src));
	for (i = p->head; i != NONE && b->letter[i].number != number; i = b->letter[i].next)
		before = i;
	if (i == NONE)
		return false;
	*out = b->letter[i];
	if (before == NONE)
		p->head = out->next;
	else
		b->letter[before].next = out->next;
	if (p->tail == i)
		p->tail = before;
	discard(b, p, i);
	return true;
}

void inbox_fini(struct inbox *b)
{
	free(b->pair);
	free(b->letter);
	*b = (struct inbox){0};
}
