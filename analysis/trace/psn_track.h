/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which PSNs of a stream have been shown: everything from the first on but for the holes. PSNs
 * are 24 bits and wrap; inside they are 64-bit positions. Memory grows with holes, up to
 * PSN_HOLES_MAX: then the oldest is given up as never filled.
 */
#ifndef TRACE_PSN_TRACK_H
#define TRACE_PSN_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#define PSN_MASK      0xffffffu
#define PSN_HOLES_MAX 4096
/* A step further than this is no loss: the QP number is in use for another connection. */
#define PSN_RESTART (INT64_C(1) << 20)

struct psn_hole {
	int64_t from, to; /* positions, to excluded */
	int64_t t_ns;     /* when the packet behind it was seen */
	bool before;      /* older than what was seen first: not missing */
};

struct psn_track {
	int64_t first, next; /* positions; next: one behind the latest */
	int64_t slack; /* next may be jumped over by so much: a READ request of unknown MTU */
	struct psn_hole *hole; /* ascending */
	uint32_t n_holes, max_holes;
	uint64_t missing, unfilled_given_up; /* PSNs */
	bool begun;
};

enum psn_verdict {
	PSN_NEW,       /* the next one, or the very first */
	PSN_GAP,       /* new, behind PSNs that were not shown */
	PSN_FILL,      /* fills (part of) a hole */
	PSN_AGAIN,     /* shown before */
	PSN_RESTARTED, /* too far off: begins anew */
	PSN_BEFORE, /* older than the first that was seen: sent again, not known to be shown */
};

struct psn_seen {
	enum psn_verdict verdict;
	int64_t at;      /* position */
	uint32_t gap;    /* PSN_GAP: PSNs left out */
	int64_t hole_ns; /* PSN_FILL: when the hole was made */
};

/* A packet that takes `n` PSNs (1 but for a READ request), of which up to `slack` more may be
 * taken. */
struct psn_seen psn_track_see(
        struct psn_track *s, uint32_t psn, int64_t n, int64_t slack, int64_t t_ns);

/* Takes [from, to) as not shown although nothing was jumped over. */
void psn_track_gap(struct psn_track *s, int64_t from, int64_t to, int64_t t_ns);

/* The position that psn has, nearest to the latest. */
static inline int64_t psn_track_position(const struct psn_track *s, uint32_t psn)
{
	int32_t d = (int32_t)(((psn - (uint32_t)s->next) & PSN_MASK) << 8) >> 8;

	return s->next + d;
}

/* PSNs never shown so far. */
uint64_t psn_track_unfilled(const struct psn_track *s);

void psn_track_fini(struct psn_track *s);

#endif
