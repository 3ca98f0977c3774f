/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every frame that a simulation puts on a link, and what must hold for them whatever was
 * configured. Worked out from the topology and the settings alone, without the simulator's
 * code. A failure ends the calling cmocka test and names the seed.
 */
#ifndef TESTS_TRACE_CHECK_H
#define TESTS_TRACE_CHECK_H

#include "tests/support/simkit.h"

struct trace_frame {
	int64_t start_ps;
	int64_t end_ps; /* filled by trace_check */
	uint32_t to;    /* the node it goes to, port d.in_port; d.t_ps: when it is there */
	uint32_t link;  /* index in topo.port of the receiving port */
	struct desc d;
};

struct trace {
	struct trace_frame *f; /* in the order of starting; after trace_check by link, then time
	                        */
	uint64_t n, cap;
	/* what the checks met, so that a test can tell that they had something to look at */
	uint64_t waited, paused, blocked_ps, marked;
};

/* For simkit.tap, with the trace as its argument. One thread. */
void trace_tap(void *arg, uint32_t to, const struct desc *d, int64_t start_ps);
void trace_fini(struct trace *t);

/*
 * - A link carries one frame at a time and each takes exactly its bits (design: wire bytes).
 * - A frame is at the other end after serialisation, propagation and pipeline, to the
 *   picosecond; at a switch that cuts through, when its head is.
 * - What a switch sends has come to it, whole (or by its head), unchanged but for CE, and
 *   frames of one priority leave a port in the order in which they came.
 * - A port does not idle while a frame waits for it, unless it was told to pause.
 * - No frame of a paused priority starts: IEEE 802.1Q clause 36, 802.3 clause 31B, see
 *   trace_pause.c.
 * - Hosts send no pause frames, unless they are slow.
 */
void trace_check(struct trace *t, const struct simkit *k, const struct run_record *r);

/* Part of trace_check: pause. by_link[l] .. by_link[l + 1] are the frames to port l. */
void trace_check_pause(struct trace *t, const struct simkit *k, const uint64_t *by_link);

/* 802.3 31B.3.7: the longest response, in picoseconds, of a port at this rate. */
int64_t trace_standard_response_ps(int64_t rate_bps);

/* The port at the other end of a link, and the node that it belongs to. */
uint32_t trace_other_end(const struct topo *t, uint32_t link);
uint32_t trace_node_of(const struct topo *t, uint32_t link);

#endif
