/* SPDX-License-Identifier: Apache-2.0 */
/* What pause frames ask for, by the standard alone: when a priority may not start a frame. */
#ifndef QUALIFY_PAUSES_H
#define QUALIFY_PAUSES_H

#include "scenarios/qualify/qualify_run.h"

/* One uninterrupted pause of one priority. */
struct qinterval {
	int64_t told_ps;  /* the first frame's last bit is in */
	int64_t until_ps; /* expiry, or the last bit of the frame that resumes */
	bool resumed;     /* by a frame, not by expiry */
};

/*
 * The pauses that the frames in one direction of a port's link ask for in one priority (IEEE
 * 802.1Q 36.1, 802.3 31B.3): a new time replaces the old one, zero resumes, frames that are not
 * valid PFC ask for nothing. *out is malloc'd. -ENOMEM.
 */
NODISCARD int qualify_intervals(struct qinterval **out, uint64_t *n, const struct qrun *r,
        uint32_t port, uint8_t priority, bool from_switch, struct err *e);

/* The longest that a port may take to stop, IEEE 802.3 31B.3.7. */
int64_t qualify_response_ps(int64_t rate_bps);

#endif
