/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a NIC (PTP hardware clock) and what it is worth: steered to UTC or TAI, or free
 * and fitted to the host's clock. A fit follows the offset and drift from pairs of readings and
 * knows how far the last reading was from where it had expected it. One thread per fit.
 */
#ifndef CAPTURE_PHC_H
#define CAPTURE_PHC_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/clock.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct phc_sample {
	int64_t phc_ns, host_ns; /* read at the same time */
	int64_t window_ns;       /* within this */
};

struct phc_fit {
	int fd;        /* /dev/ptpN, -1: none */
	uint8_t kind;  /* enum clock_kind */
	uint8_t scale; /* enum clock_timescale, of the clock itself */
	int64_t tai_offset_s;
	int64_t phc_ns, offset_ns; /* host - phc at phc_ns; steered clocks: constant */
	int64_t drift_ppt;         /* of the offset, parts per 10^12 */
	int64_t residual_ns;       /* of the last reading; -1: only one so far */
};

/* What a clock is, from one reading and the kernel's TAI - UTC (0: unknown). */
void phc_fit_begin(struct phc_fit *f, const struct phc_sample *s, int64_t tai_offset_s);
/* A further reading: a free clock's offset and drift follow it. */
void phc_fit_add(struct phc_fit *f, const struct phc_sample *s);

/* A stamp of the clock in UTC. */
static inline int64_t phc_to_utc(const struct phc_fit *f, int64_t phc_ns)
{
	int64_t since = phc_ns - f->phc_ns;

	/* drift below 1000 ppm = 10^9 ppt: the product is exact for an hour and more */
	return phc_ns + f->offset_ns + since / 1000000 * f->drift_ppt / 1000000;
}

void phc_clock(
        const struct phc_fit *f, const char *device, int index, struct capture_clock *out);

NODISCARD int phc_open(struct phc_fit *f, int index, struct err *e);
NODISCARD int phc_read(const struct phc_fit *f, struct phc_sample *out);
void phc_close(struct phc_fit *f);

#endif
