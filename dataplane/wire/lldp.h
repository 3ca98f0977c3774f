/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLDP (IEEE 802.1AB): who is at the other end of a link, and which priorities it says it keeps
 * lossless. Reads captured bytes alone, allocates nothing. Any thread.
 */
#ifndef WIRE_LLDP_H
#define WIRE_LLDP_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/wire/frame.h"

#define LLDP_TEXT_BYTES 128

/* Texts are what people read: names as they came with unprintable bytes as '?', MAC addresses
 * as 02:00:..., IP addresses as usual. Empty: not said. */
struct lldp {
	char chassis[LLDP_TEXT_BYTES], port[LLDP_TEXT_BYTES];
	char system_name[LLDP_TEXT_BYTES], port_description[LLDP_TEXT_BYTES];
	uint8_t chassis_kind, port_kind; /* the standard's subtypes */
	uint16_t ttl_s;
	bool has_pfc; /* IEEE 802.1Qaz */
	bool pfc_willing;
	uint8_t pfc_enabled;      /* bit per priority */
	uint8_t pfc_classes;      /* how many it can have; 0: eight */
	uint16_t max_frame_bytes; /* IEEE 802.3 annex 79; 0: not said */
	bool truncated;
};

/* Of a frame of kind FRAME_LLDP; false: it is none, or lacks chassis or port. */
bool lldp_parse(struct lldp *l, const struct frame *f);

#endif
