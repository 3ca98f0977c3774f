/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's descriptors as complete frames: addresses, DSCP and ECN, QP numbers, PSNs,
 * extended headers, pattern payload, ICRC. docs/capture-sim.md says what stands where. One
 * thread.
 */
#ifndef SCENARIOS_TAP_FRAMES_H
#define SCENARIOS_TAP_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/wire/build.h"
#include "gen/sim/capture.h"
#include "scenarios/scenario.h"
#include "scenarios/tap_ports.h"
#include "scenarios/tap_qps.h"

#define TAP_FRAME_MAX_BYTES 16384

/* AETH syndromes (IBTA volume 1, 9.7.5.1.6, table 45 and following). The type 10b is reserved
 * there: here it says that a packet has arrived ahead of the one expected, whose PSN the MSN
 * field holds. */
#define TAP_AETH_ACK  0x1f /* credit count: not used */
#define TAP_AETH_RNR  0x20 /* with the code of the timer */
#define TAP_AETH_SACK 0x40
#define TAP_AETH_NAK  0x60 /* PSN sequence error */

struct tap_frames {
	const struct scenario *s;
	struct tap_qps qps;
	struct tap_ports ports;
	uint8_t ip_version, n_vlan;
	bool has_reth;       /* WRITE; else SEND, which has no such header */
	bool one_port;       /* a fault gives some host one source port for all */
	uint8_t rnr_code;    /* of nic.rnr_timer */
	uint64_t other_size; /* frames with another number of bytes than simulated */
	uint8_t *pattern;
};

NODISCARD int tap_frames_init(struct tap_frames *f, const struct scenario *s, struct err *e);
void tap_frames_fini(struct tap_frames *f);

/* Builds the frame of a record; every CAPTURE_MESSAGE must be given too. Returns its bytes, 0
 * for one that no capture would hold (a pause frame that was damaged). */
uint32_t tap_frame(
        struct tap_frames *f, uint8_t out[TAP_FRAME_MAX_BYTES], const struct capture_record *r);

/* tap_addresses.c */
void tap_host_mac(uint8_t mac[6], uint32_t host);
void tap_port_mac(uint8_t mac[6], const struct topo *t, uint32_t node, uint16_t port);
void tap_host_ip(uint8_t ip[16], uint8_t version, uint32_t host);

/* tap_pause.c */
uint32_t tap_pause_frame(
        uint8_t out[TAP_FRAME_MAX_BYTES], const uint8_t src_mac[6], const struct desc *d);

#endif
