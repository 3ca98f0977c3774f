/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which clock a timestamp is of. Every interface of a capture has one, and every file says it
 * in its interface description so that a reader of the file years later knows it: "squall
 * clock=eth0:phc0 kind=hardware-ptp timescale=utc tai-offset=37"
 */
#ifndef CAPTURE_CLOCK_H
#define CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clock_kind {
	CLOCK_UNKNOWN,       /* the file does not say */
	CLOCK_HARDWARE_PTP,  /* a NIC's clock that a PTP daemon steers */
	CLOCK_HARDWARE_FREE, /* a NIC's clock that runs freely, fitted to the host's */
	CLOCK_SOFTWARE,      /* the kernel's, when the packet was handed over */
	CLOCK_VIRTUAL,       /* of a simulation */
};

enum clock_timescale { TIMESCALE_UNKNOWN, TIMESCALE_UTC, TIMESCALE_TAI, TIMESCALE_VIRTUAL };

struct capture_clock {
	char name[64]; /* "system", "phc0", "virtual" */
	uint8_t kind;  /* enum clock_kind */
	uint8_t timescale;
	int64_t tai_offset_s; /* TAI - UTC that was applied; 0: none or unknown */
	int64_t residual_ns;  /* of the fit of a free-running clock; -1: no fit */
};

/* Virtual time 0 in a capture: 2000-01-01 00:00:00 UTC. */
#define CLOCK_VIRTUAL_EPOCH_NS (INT64_C(946684800) * INT64_C(1000000000))

const char *clock_kind_name(enum clock_kind k);           /* "hardware-ptp" ... */
const char *clock_timescale_name(enum clock_timescale t); /* "utc" ... */

#define CLOCK_TEXT_MARK "squall "

/* Writes and reads the form above. Reading any text is fine: unknown stays unknown. */
void clock_describe(char *out, size_t n, const struct capture_clock *c);
void clock_from_description(struct capture_clock *c, const char *text);

/* Where the clock's text begins in a description, NULL where it has none. */
const char *clock_text_find(const char *text);

#endif
