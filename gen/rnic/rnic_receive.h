/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receive buffer of a NIC whose host takes packets more slowly than the wire brings them
 * (PCIe, memory, a slow root complex), and the PFC frames that the NIC then sends. Part of
 * struct rnic; a NIC with a fast host never touches it.
 */
#ifndef RNIC_RECEIVE_H
#define RNIC_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/fifo.h"
#include "dataplane/base/link_rate.h"
#include "dataplane/base/pause.h"

/* What the port and its peer decide; filled by whoever builds the host. Bytes count frame and
 * FCS, for each priority. */
struct rnic_port {
	int64_t buffer_bytes, xoff_bytes, xon_bytes;
	int64_t quanta;     /* of an XOFF; 0: until XON */
	int64_t refresh_ps; /* 0: never */
	uint32_t pfc_bytes; /* frame */
	uint8_t lossless;   /* priorities that are paused rather than dropped */
};

struct rnic_rx {
	struct fifo q;         /* data packets in the order of arrival */
	struct link_rate rate; /* of the host; bps 0: it hangs */
	int64_t due_ps;        /* when the head is out; TIME_NEVER */
	int64_t used_bytes[PRIORITIES];
	bool keeps_up; /* as fast as packets come: what the buffer holds leaves at once */
};

struct rnic_pfc_tx {
	int64_t refresh_due_ps; /* TIME_NEVER */
	int64_t storm_due_ps;   /* TIME_NEVER */
	uint8_t full;           /* priorities that wait for XON */
	uint8_t xoff, xon;      /* PFC frames waiting for their turn */
	uint8_t told;           /* priorities that the peer was told to stop */
	uint8_t held;           /* told, before the frame sent last: it refreshes those */
};

#endif
