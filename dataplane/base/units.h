/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Canonical units inside the program: time in int64_t picoseconds since run start, rates in
 * wire bits per second, sizes in bytes, fractions in Q32 fixed point. Text with units exists
 * only at the edges and is parsed and printed here.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define PS_PER_NS  INT64_C(1000)
#define PS_PER_US  INT64_C(1000000)
#define PS_PER_MS  INT64_C(1000000000)
#define PS_PER_S   INT64_C(1000000000000)
#define TIME_NEVER INT64_MAX
#define Q32_ONE    (INT64_C(1) << 32)

static inline int64_t ps_from_ns(int64_t t_ns)
{
	return t_ns * PS_PER_NS;
}

static inline int64_t ns_from_ps_floor(int64_t t_ps)
{
	int64_t q = t_ps / PS_PER_NS;

	return t_ps % PS_PER_NS < 0 ? q - 1 : q;
}

/* Serialisation time of wire_bytes at bps, rounded down. Exact whenever 8e12/bps is whole.
 * Safe for wire_bytes < 2.3 MB. */
static inline int64_t tx_ps_floor(int64_t wire_bytes, int64_t bps)
{
	return (int64_t)((uint64_t)wire_bytes * UINT64_C(8000000000000) / (uint64_t)bps);
}

enum unit_kind {
	UNIT_COUNT,    /* 12, 1e6 not allowed: plain whole number */
	UNIT_TIME,     /* ps ns us ms s  -> picoseconds */
	UNIT_RATE,     /* bps kbps Mbps Gbps Tbps (also Mb/s ...) -> bits per second */
	UNIT_SIZE,     /* B kB KB MB GB (10^n), KiB MiB GiB (2^n) -> bytes */
	UNIT_FRACTION, /* 20%, 0.2, 1/8 -> Q32 */
};

/*
 * Parses the whole text as one quantity. Fractions of a unit are allowed where they come out as
 * a whole number of canonical units (1.5us, 0.5KiB). Returns 0, or -EINVAL with a message that
 * says what was expected ("a time with unit, such as 1.5us") and what is wrong (missing unit,
 * unknown unit, too large, negative).
 */
NODISCARD int unit_parse(int64_t *out, enum unit_kind kind, const char *text, struct err *e);

/* Writes the shortest text that unit_parse reads back exactly; returns buf. 48 bytes suffice.
 */
const char *unit_format(char *buf, size_t len, enum unit_kind kind, int64_t value);

/* What a person should write for this kind: "a time with its unit, such as 1.5us". */
const char *unit_expected(enum unit_kind kind);

#endif
