/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture of a simulated run sees: a record for every frame that starts on a tapped port
 * and for every frame that has come in there, in one order for any number of threads. The
 * simulator keeps what threads have noted until a window is over, sorts it and hands it over
 * on its first thread while the others wait: memory follows what is under way, not the run.
 *
 * A stamp is the instant at the port itself: SENT, its first bit leaves; RECEIVED, its last bit
 * is in, before the pipeline of a switch. Both are what the simulator reckons with, so that
 * times between stamps are those of its results.
 */
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/desc.h"

enum capture_what {
	CAPTURE_MESSAGE, /* at its sender, whether tapped or not: a message is sent for the
	                    first time, d is its first packet, which follows */
	CAPTURE_RECEIVED,
	CAPTURE_SENT,
};

struct capture_record {
	int64_t t_ps;
	int64_t message_bytes; /* MESSAGE */
	uint32_t node;
	uint32_t slot; /* of its connection at its source: PFC has none */
	uint16_t port;
	uint16_t src;      /* of the connection, that is of the data */
	uint16_t conn_dst; /* where the data go */
	uint16_t entry;    /* of the workload */
	uint8_t what;      /* enum capture_what */
	uint8_t transport; /* enum qp_transport */
	/* As the frame is at this port; conn and in_port depend on threads: not to be used.
	 * With DESC_CORRUPT it was received damaged, and the receiver drops it. */
	struct desc d;
};

/* Borrowed by the simulator. */
struct sim_capture {
	const uint8_t *port; /* [topo.n_ports]: which are tapped */
	/* Records by (time, node, what, port, order on the wire), each call after the last one;
	 * on the thread that called sim_run. */
	void (*take)(void *arg, const struct capture_record *r);
	void *arg;
};

#endif
