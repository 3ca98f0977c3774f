/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network as packets show it: which interfaces are the two ends of a link, which belong to
 * one device, which hosts are where, and at which of them packets were marked and lost. From
 * the order in which interfaces show the same packets and the direction in which they pass;
 * names and addresses of interfaces play no part. Where a capture does not tell (one interface
 * alone, files without directions) the answer is TRACE_NONE.
 */
#ifndef TRACE_SEEN_FABRIC_H
#define TRACE_SEEN_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/trace_result.h"
#include "dataplane/base/compiler.h"

struct seen_interface {
	uint32_t device;       /* equal for interfaces of one device */
	uint32_t link;         /* the other end */
	uint32_t host;         /* the port of this host itself */
	uint32_t far_host;     /* behind the link is this host alone */
	uint64_t marks;        /* CE that packets have since they left by it */
	uint64_t link_marks;   /* that they did not have at the other end of its link */
	uint64_t lost_on_link; /* left by it and did not come in at the other end */
	uint64_t lost_towards; /* came into the device and did not leave by it */
	uint64_t lost_inside;  /* came in here and left nowhere */
	uint64_t data_out, data_out_bytes, acks_out; /* packets and wire bytes that leave */
	uint32_t flows_out;                          /* with data */
	int64_t queue_ns; /* the longest that a packet stayed in the device before it */
	uint64_t paused_ns, longest_pause_ns; /* it may not send, by any priority */
};

/* Who asks for pauses: a pauser (by its index) with what is known of it. */
struct seen_pauser {
	uint32_t paused; /* interface that may not send; TRACE_NONE: not captured */
	uint32_t host;   /* it is this host that asks */
	uint32_t device; /* or this device; TRACE_NONE: neither is known */
	bool derived;    /* a device that is itself paused where it would send on */
	bool counts;     /* not merely seen again */
	int64_t paused_ns;
	uint64_t episodes, xoffs;
};

struct seen_fabric {
	uint32_t n_devices;
	bool directed; /* directions are known */
	bool whole;    /* flows with data are seen leaving one host and reaching another */
	struct seen_interface *interface; /* as in the result */
	struct seen_pauser *pauser;       /* as in the result */
	uint64_t lost; /* transmissions of data that did not reach their end */
	bool *sprayed; /* [flow]: several ways at once */
	bool *located; /* [flow]: where its packets were lost is known */
};

NODISCARD int seen_fabric_init(struct seen_fabric *s, const struct trace_result *r);
void seen_fabric_fini(struct seen_fabric *s);

#endif
