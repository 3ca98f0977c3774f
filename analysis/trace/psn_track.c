/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/psn_track.h"

#include <stdlib.h>
#include <string.h>

static void give_up_oldest(struct psn_track *s)
{
	if (!s->hole[0].before)
		s->unfilled_given_up += (uint64_t)(s->hole[0].to - s->hole[0].from);
	s->n_holes--;
	memmove(s->hole, s->hole + 1, s->n_holes * sizeof(*s->hole));
}

/* Room for one more hole; without memory the oldest makes room. */
static bool reserve(struct psn_track *s)
{
	uint32_t max = s->max_holes ? 2 * s->max_holes : 4;
	struct psn_hole *more;

	if (s->n_holes < s->max_holes)
		return true;
	more = max <= PSN_HOLES_MAX ? realloc(s->hole, max * sizeof(*more)) : NULL;
	if (more) {
		s->hole = more;
		s->max_holes = max;
		return true;
	}
	if (!s->n_holes)
		return false;
	give_up_oldest(s);
	return true;
}

static void insert(struct psn_track *s, uint32_t at, struct psn_hole h)
{
	uint32_t before = s->n_holes;

	if (!reserve(s)) {
		if (!h.before)
			s->unfilled_given_up += (uint64_t)(h.to - h.from);
		return;
	}
	if (s->n_holes < before && at) /* the oldest made room */
		at--;
	memmove(s->hole + at + 1, s->hole + at, (s->n_holes - at) * sizeof(*s->hole));
	s->hole[at] = h;
	s->n_holes++;
}

void psn_track_gap(struct psn_track *s, int64_t from, int64_t to, int64_t t_ns)
{
	if (to <= from)
		return;
	s->missing += (uint64_t)(to - from);
	insert(s, s->n_holes, (struct psn_hole){from, to, t_ns, false});
}

/* The first hole that ends behind position p. */
static uint32_t find(const struct psn_track *s, int64_t p)
{
	uint32_t lo = 0, hi = s->n_holes;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (s->hole[mid].to > p)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Takes [p, end) out of the holes; whether there was any. */
static bool fill(struct psn_track *s, int64_t p, int64_t end, struct psn_hole *first)
{
	bool any = false;

	for (uint32_t i = find(s, p); i < s->n_holes && s->hole[i].from < end;) {
		struct psn_hole *h = &s->hole[i];
		struct psn_hole old = *h;

		if (!any)
			*first = old;
		any = true;
		if (old.from < p) {
			h->to = p;
			if (old.to > end) {
				insert(s, i + 1,
				        (struct psn_hole){end, old.to, old.t_ns, old.before});
				break;
			}
			i++;
		} else if (old.to > end) {
			h->from = end;
			break;
		} else {
			s->n_holes--;
			memmove(h, h + 1, (s->n_holes - i) * sizeof(*h));
		}
	}
	return any;
}

static void restart(struct psn_track *s, uint32_t psn, int64_t n, int64_t slack)
{
	s->unfilled_given_up = psn_track_unfilled(s);
	s->n_holes = 0;
	s->first = psn;
	s->next = psn + n;
	s->slack = slack;
	s->begun = true;
}

/* Behind the latest: by how much of it no READ request accounts for. */
static struct psn_seen ahead(
        struct psn_track *s, int64_t at, int64_t n, int64_t slack, int64_t t_ns)
{
	struct psn_seen r = {.verdict = PSN_NEW, .at = at};
	int64_t left_out = at - s->next;

	if (left_out <= s->slack)
		left_out = 0;
	if (left_out) {
		r.verdict = PSN_GAP;
		r.gap = (uint32_t)left_out;
		psn_track_gap(s, s->next, at, t_ns);
	}
	s->next = at + n;
	s->slack = slack;
	return r;
}

struct psn_seen psn_track_see(
        struct psn_track *s, uint32_t psn, int64_t n, int64_t slack, int64_t t_ns)
{
	struct psn_seen r = {.verdict = PSN_NEW};
	struct psn_hole h;
	int64_t at, end;

	if (!s->begun) {
		restart(s, psn, n, slack);
		r.at = psn;
		return r;
	}
	at = psn_track_position(s, psn);
	if (at - s->next > PSN_RESTART || s->next - at > PSN_RESTART) {
		restart(s, psn, n, slack);
		return (struct psn_seen){.verdict = PSN_RESTARTED, .at = psn};
	}
	if (at >= s->next)
		return ahead(s, at, n, slack, t_ns);
	r.at = at;
	end = at + n < s->next ? at + n : s->next;
	if (at < s->first) {
		r.verdict = PSN_BEFORE;
		if (end < s->first)
			insert(s, 0, (struct psn_hole){end, s->first, t_ns, true});
		s->first = at;
	} else if (fill(s, at, end, &h)) {
		r.verdict = h.before ? PSN_BEFORE : PSN_FILL;
		r.hole_ns = h.t_ns;
	} else {
		r.verdict = PSN_AGAIN;
	}
	if (at + n > s->next) {
		s->next = at + n;
		s->slack = slack;
	}
	return r;
}

uint64_t psn_track_unfilled(const struct psn_track *s)
{
	uint64_t n = s->unfilled_given_up;

	for (uint32_t i = 0; i < s->n_holes; i++)
		n += s->hole[i].before ? 0 : (uint64_t)(s->hole[i].to - s->hole[i].from);
	return n;
}

void psn_track_fini(struct psn_track *s)
{
	free(s->hole);
	*s = (struct psn_track){0};
}
