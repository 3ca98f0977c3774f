/* SPDX-License-Identifier: Apache-2.0 */
/* A captured packet and the interface that it was seen on; what every source and file yields.
 */
#ifndef CAPTURE_PACKET_H
#define CAPTURE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/clock.h"

enum capture_direction { DIRECTION_UNKNOWN, DIRECTION_IN, DIRECTION_OUT };

struct packet {
	int64_t t_ns;        /* since 1970 in the timescale of the interface's clock */
	const uint8_t *data; /* owned by the batch or source */
	uint32_t cap_bytes, wire_bytes;
	uint32_t interface; /* index in capture_interfaces of the source */
	uint8_t direction;  /* enum capture_direction */
	bool untimed;       /* the file gives it no stamp: t_ns is that of the packet before */
};

#define CAPTURE_NO_COUNT UINT64_MAX

struct capture_interface {
	char name[64];         /* "" where the file has none */
	char description[256]; /* if_description without our clock text */
	char filter[256];
	char hardware[128];
	char comment[256];
	uint32_t link;         /* enum frame_link */
	uint32_t snap_bytes;   /* 0: unlimited or unknown */
	uint64_t speed_bps;    /* 0: unknown */
	int64_t resolution_ps; /* one tick of its stamps; 0: finer than 1 ps or unknown */
	uint8_t fcs_bytes;     /* the file kept so many bytes of FCS; packets are without it */
	struct capture_clock clock;
	/* From interface statistics; CAPTURE_NO_COUNT where the file does not say. */
	uint64_t received, dropped_by_interface, dropped_by_os, filter_accepted, delivered;
	uint64_t dropped_between; /* sum of what single packets say was lost before them */
	int64_t statistics_ns;    /* when the counts were taken: it listened until then; 0: no
	                             word of it */
};

#endif
