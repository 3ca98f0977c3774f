/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tester's ports saw: every data frame of every stream with the time it left and the
 * time it came, and every pause frame in both directions. Filled by the simulator's tap on one
 * thread; a live tester would fill it from its captures. Memory is bounded by the case.
 */
#ifndef QUALIFY_CAPTURE_H
#define QUALIFY_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/desc.h"
#include "scenarios/qualify/qualify_suite.h"

/* One frame of a stream, by the number the sender gave it. */
struct qpacket {
	int64_t sent_ps;     /* its first bit leaves the tester; -1: not sent */
	int64_t received_ps; /* its last bit is in; -1: not (yet) */
	bool marked;
};

/* A data frame as it came to a port. */
struct qarrival {
	int64_t start_ps, end_ps; /* first bit leaves the switch; last bit is in */
	uint32_t number;          /* of its stream */
	uint8_t stream, priority;
	bool marked;
};

/* A pause frame. */
struct qpause {
	int64_t start_ps, end_ps; /* leaves its sender; its last bit is in at the other end */
	uint8_t vector, xoff;     /* class-enable vector; those of it with a time above zero */
	uint16_t quanta;
	uint8_t form; /* enum pfc_form */
	bool from_switch;
};

struct qport {
	struct qarrival *in;
	uint64_t n_in, cap_in;
	struct qpause *pause;
	uint64_t n_pause, cap_pause;
};

struct qcapture {
	const struct qcase *c;
	struct qpacket *packet[QUALIFY_MAX_STREAMS]; /* [stream.packets] */
	uint8_t *stream_of;                          /* by connection; 0xff: none */
	uint32_t n_conns;
	struct qport port[QUALIFY_MAX_PORTS];
	uint32_t switch_node;
	bool out_of_memory;
};

NODISCARD int qualify_capture_init(struct qcapture *cap, const struct qcase *c, struct err *e);
void qualify_capture_fini(struct qcapture *cap);

/* For sim_cfg.tap; arg is the capture. */
void qualify_capture_tap(void *arg, uint32_t to, const struct desc *d, int64_t start_ps);

#endif
