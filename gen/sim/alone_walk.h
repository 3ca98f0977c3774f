/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message alone on its way, frame by frame: each starts on a link when the link is free and
 * the frame is there (whole, or its head where a switch cuts through), and the ACKs come back
 * the same way on their own links. Pure arithmetic on structures of the caller.
 *
 * Only some frames are walked. Fractions of a picosecond come back after a fixed number of
 * equal frames, so a link's busy times repeat with a period; once every link goes through a
 * period as through the one before, later by what it was busy, the other periods are
 * multiplied.
 */
#ifndef SIM_ALONE_WALK_H
#define SIM_ALONE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/link_rate.h"

#define WAY_MAX_HOPS 32

struct way_hop {
	struct link_rate rate;
	int64_t delay_ps;   /* with the pipeline latency of the switch it leads to */
	int64_t head_bytes; /* of a frame, after which it counts as arrived there; 0: all */
	int64_t free_ps;    /* end of the last frame */
	int64_t mark_ps;    /* free_ps at the start of the period */
	int64_t turn_ps;    /* a period */
	bool waited;        /* the last frame, for the one before it */
	bool always_busy;   /* so did each of this period, and was wholly there by then */
};

struct way {
	struct way_hop hop[WAY_MAX_HOPS];
	uint32_t n;
};

/* Bytes on the wire; full frames are those between the first and the last. */
struct alone_msg {
	int64_t packets;
	int64_t first_bytes, full_bytes, last_bytes; /* one packet: it is the last */
	int64_t ack_bytes;
	int64_t ack_every;
};

/* Sends one frame that is ready at ready_ps; returns when it is at the other end. */
int64_t way_walk(struct way *w, int64_t wire_bytes, int64_t ready_ps);

/* From the start of the first frame to the arrival of the last ACK: exact where the period of
 * the links is at most a quarter of max_walked packets, else to a picosecond for each link,
 * less than a frame where rates are nearly equal. Both ways must be idle. TIME_NEVER where it
 * may be beyond what virtual time can hold. */
int64_t alone_walk_ps(
        struct way *there, struct way *back, const struct alone_msg *m, int64_t max_walked);

#endif
