/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/headroom_mix.h"

/* A port's search takes milliseconds at most: switches have hundreds of them. */
#define MAX_SIZES 1024
#define MAX_ROOM  16384
#define MAX_STEPS (INT64_C(2) << 20)

struct size {
	int64_t wire_bytes, cells;
};

struct search {
	const struct headroom_sizes *z;
	int n_sizes;
	struct size size[MAX_SIZES]; /* the one with most cells per wire byte is the first */
	int64_t unit;                /* divides every wire_bytes */
	int32_t most[MAX_ROOM];
	int16_t last[MAX_ROOM]; /* the size that was added last; -1: none */
};

static bool is_denser(const struct size *a, const struct size *b)
{
	return a->cells * b->wire_bytes > b->cells * a->wire_bytes;
}

/* Of the sizes that take the same cells only the smallest is of use. */
static bool list_sizes(struct search *s)
{
	const struct headroom_sizes *z = s->z;
	int64_t cells = 0;

	for (int64_t bytes = z->min_bytes; bytes <= z->max_bytes; bytes++) {
		struct size *at = &s->size[s->n_sizes];

		if (headroom_cells(z, bytes) == cells || !headroom_size_is_legal(z, bytes))
			continue;
		if (s->n_sizes == MAX_SIZES)
			return false;
		cells = headroom_cells(z, bytes);
		*at = (struct size){bytes + z->frame->gap_bytes, cells};
		if (is_denser(at, &s->size[0])) {
			struct size first = s->size[0];

			s->size[0] = *at;
			*at = first;
		}
		s->n_sizes++;
	}
	return s->n_sizes > 0;
}

/*
 * The densest size alone leaves less than one of its frames of the room, so a best mix falls
 * short of that density by less than the cells of one. A size that does so by itself is in no
 * best mix.
 */
static void drop_sizes(struct search *s)
{
	const struct size d = s->size[0];
	int n = 1;

	for (int i = 1; i < s->n_sizes; i++)
		if (s->size[i].wire_bytes * d.cells <
		        (d.cells + s->size[i].cells) * d.wire_bytes)
			s->size[n++] = s->size[i];
	s->n_sizes = n;
}

static int64_t divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * So many of the densest need no search: of w numbers some have a sum divisible by w, and those
 * frames could be replaced by the densest, so a best mix has fewer than w others.
 */
static int64_t certain(const struct search *s, int64_t room_bytes)
{
	const int64_t w = s->size[0].wire_bytes;
	int64_t longest = 0, others;

	for (int i = 1; i < s->n_sizes; i++)
		if (s->size[i].wire_bytes > longest)
			longest = s->size[i].wire_bytes;
	others = (w / s->unit - 1) * longest;
	return others < room_bytes ? (room_bytes - others) / w : 0;
}

/* A size improves a room only if it then improves every room that is built upon that one, so
 * the sizes of a mix, from the last back, stand in groups. */
static void fill_rooms(struct search *s, int64_t rooms)
{
	for (int64_t at = 0; at < rooms; at++) {
		s->most[at] = 0;
		s->last[at] = -1;
	}
	for (int i = 0; i < s->n_sizes; i++) {
		const int64_t wire = s->size[i].wire_bytes / s->unit;
		const int32_t cells = (int32_t)s->size[i].cells;

		for (int64_t at = wire; at < rooms; at++) {
			if (s->most[at - wire] + cells <= s->most[at])
				continue;
			s->most[at] = s->most[at - wire] + cells;
			s->last[at] = (int16_t)i;
		}
	}
}

static int collect(const struct search *s, int64_t room, int64_t densest,
        struct headroom_run *run, int max)
{
	const int64_t beside = s->z->frame->fcs_bytes + s->z->frame->gap_bytes;
	int n = 0, before = 0;

	if (densest)
		run[n++] = (struct headroom_run){densest, s->size[0].wire_bytes - beside};
	for (int i; (i = s->last[room]) >= 0; room -= s->size[i].wire_bytes / s->unit) {
		if (n && i == before) {
			run[n - 1].count++;
			continue;
		}
		if (n == max)
			return -1;
		run[n++] = (struct headroom_run){1, s->size[i].wire_bytes - beside};
		before = i;
	}
	return n;
}

int headroom_mix(const struct headroom_sizes *z, int64_t room_bytes, struct headroom_run *run,
        int max_runs)
{
	struct search s;
	int64_t densest, room;

	s.z = z;
	s.n_sizes = 0;
	s.size[0] = (struct size){1, 0};
	if (max_runs < 1 || !list_sizes(&s))
		return -1;
	drop_sizes(&s);
	s.unit = 0;
	for (int i = 0; i < s.n_sizes; i++)
		s.unit = divisor(s.size[i].wire_bytes, s.unit);
	densest = certain(&s, room_bytes);
	room = (room_bytes - densest * s.size[0].wire_bytes) / s.unit;
	if (room >= MAX_ROOM || room * s.n_sizes > MAX_STEPS)
		return -1;
	fill_rooms(&s, room + 1);
	return collect(&s, room, densest, run, max_runs);
}
