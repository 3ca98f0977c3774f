/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames out of fields: the inverse of frame_parse. struct frame_spec says what is to be sent;
 * frame_build lays it into the caller's buffer with lengths, IPv4 checksum, padding and ICRC.
 * Cold or per-packet use by captures and tests; line-rate senders patch a template (template.h)
 * instead.
 */
#ifndef WIRE_BUILD_H
#define WIRE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"

struct frame_addr {
	uint8_t mac[6];
	uint8_t ip[16]; /* IPv4 in the first four bytes */
};

struct frame_spec {
	struct frame_addr src, dst;
	uint8_t ip_version; /* 4 or 6; RoCEv1: 6 and roce_v1 */
	bool roce_v1;
	uint8_t n_vlan;
	struct {
		uint16_t tpid, tci;
	} vlan[2];
	uint8_t dscp, ecn, ttl;
	uint16_t ip_id;
	bool dont_fragment;
	uint32_t flow_label;
	uint16_t sport;

	uint8_t opcode;
	bool solicited, migreq, ack_req, fecn, becn;
	uint8_t tver;
	uint16_t pkey;
	uint32_t dqp, psn;
	uint64_t reth_va;
	uint32_t reth_rkey, reth_bytes;
	uint8_t aeth_syndrome;
	uint32_t aeth_msn, deth_qkey, deth_src_qp;
	uint64_t atomic_va, atomic_swap_add, atomic_compare, atomic_ack;
	uint32_t imm, ieth_rkey, xrceth_srq, rdeth_eecn, feth;

	const uint8_t *payload; /* NULL: zeros */
	uint32_t payload_bytes; /* padded to a multiple of four, as BTH PadCnt says */
};

/* Bytes of the frame (Ethernet header to ICRC), without the padding to 60. */
uint32_t frame_spec_bytes(const struct frame_spec *s);

/* Returns the bytes of the frame, at least 60 with `pad` (zeros after the ICRC); 0 if it does
 * not fit in max_bytes or is no frame (payload beyond 64 KiB). */
uint32_t frame_build(uint8_t *out, size_t max_bytes, const struct frame_spec *s, bool pad);

/* PFC: classes whose bit is set in vector; quanta[8]. 60 bytes. */
#define PFC_FRAME_BYTES 60
void pfc_frame_build(uint8_t out[PFC_FRAME_BYTES], const uint8_t src_mac[6], uint16_t vector,
        const uint16_t quanta[8]);

/* 802.3x, for the whole link; as long as a PFC frame. */
void pause_frame_build(uint8_t out[PFC_FRAME_BYTES], const uint8_t src_mac[6], uint16_t quanta);

#endif
