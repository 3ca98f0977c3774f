/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much can still arrive on one port and lossless priority once its switch decides XOFF, the
 * frame that made it decide included: the smallest headroom that no traffic of that port can
 * exceed. Derivation in docs/models.md, "PFC headroom". Pure; any thread.
 */
#ifndef FABRIC_HEADROOM_H
#define FABRIC_HEADROOM_H

#include <stdint.h>

#include "dataplane/fabric/fabric_cfg.h"

struct headroom_in {
	int64_t rate_bps;    /* of the link, both directions */
	int64_t delay_ps;    /* propagation, one way */
	int64_t latency_ps;  /* pipeline of the switch that asks */
	int64_t response_ps; /* of the peer: reception of XOFF to the last frame start */
	int64_t cell_bytes;  /* 0: byte-exact */
	const struct frame_cfg *frame;
};

/* Equal frames in a row. */
struct headroom_run {
	int64_t count;
	int64_t frame_bytes;
};

#define HEADROOM_MAX_RUNS 20

/*
 * The worst case as the frames that arrive back to back, in order; the first one makes the
 * switch decide. Returns the number of runs. The runs are an upper bound and may not be reached
 * with frame.time_step above 1 ps, and where headroom_mix() gives up.
 */
int headroom_worst(const struct headroom_in *in, struct headroom_run run[HEADROOM_MAX_RUNS]);

/* What those frames take in the buffer, in whole cells where there are cells. */
int64_t headroom_bound_bytes(const struct headroom_in *in);

#endif
