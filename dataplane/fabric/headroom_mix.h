/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mix of frames that takes most of a buffer where their sizes form no row: by dynamic
 * programming. For headroom.c. Pure; any thread.
 */
#ifndef FABRIC_HEADROOM_MIX_H
#define FABRIC_HEADROOM_MIX_H

#include "dataplane/fabric/headroom.h"
#include "dataplane/fabric/headroom_sizes.h"

/* Frames of room_bytes on the wire at most. Returns the number of runs, or -1 if the search
 * would take long or the mix has more runs. */
int headroom_mix(const struct headroom_sizes *z, int64_t room_bytes, struct headroom_run *run,
        int max_runs);

#endif
