/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures made of a few lines: frames are built as they are on the wire and fed to an
 * analysis. A at 10.0.0.1 sends to B at 10.0.0.2; A's QP is 0x11, B's 0x22 unless the kit is
 * told.
 */
#ifndef TESTS_TRACEKIT_H
#define TESTS_TRACEKIT_H

#include "analysis/trace/trace.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/opcode.h"

struct tracekit {
	struct trace *trace;
	struct trace_options opt;
	uint32_t a_qp, b_qp;
	uint16_t sport, back_sport;
	uint32_t mtu; /* payload of FIRST and MIDDLE */
	uint8_t ecn;  /* of the next data packets */
	uint16_t ip_id;
	uint32_t interface;
	uint8_t direction;
	uint64_t number;
	int64_t t_ns; /* of the next frame */
};

/* One interface of speed_bps (0: unknown), stamps of a virtual clock. */
void kit_open(struct tracekit *k, const struct trace_options *o, int64_t speed_bps);
uint32_t kit_interface(struct tracekit *k, const char *name, int64_t speed_bps);
void kit_close(struct tracekit *k);

void kit_frame(struct tracekit *k, const struct frame_spec *s);
struct frame_spec kit_spec(const struct tracekit *k, bool from_a, uint8_t opcode, uint32_t psn);

void kit_data(struct tracekit *k, uint8_t opcode, uint32_t psn, uint32_t payload_bytes);
/* A WRITE of n packets from psn on, step_ns apart. */
void kit_write(struct tracekit *k, uint32_t psn, uint32_t n, int64_t step_ns);
void kit_ack(struct tracekit *k, uint32_t psn);
void kit_nak(struct tracekit *k, uint8_t syndrome, uint32_t psn);
void kit_cnp(struct tracekit *k); /* for A's QP */
void kit_pfc(struct tracekit *k, uint8_t mac_last, uint16_t vector, uint16_t quanta);

const struct trace_result *kit_finish(struct tracekit *k);
/* The flow with data from A to B of the kit's present QP. */
const struct trace_flow *kit_flow(const struct tracekit *k, const struct trace_result *r);

#endif
