/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow-size distributions: cumulative points with straight lines between them, drawn by inverse
 * transform (the rule of the HPCC ns-3 family's traffic generator). What lies below the first
 * point's probability is the first size itself. Integer arithmetic only; pure but for cdf_load.
 */
#ifndef LOAD_CDF_H
#define LOAD_CDF_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "gen/load/load.h"

#define CDF_MAX_POINTS     65536
#define CDF_MAX_FILE_BYTES (8u << 20)
#define CDF_MAX_BYTES      (INT64_C(1) << 43)

/* A table that ships with the program. */
struct cdf_shipped {
	const char *name;
	const char *text; /* as scenarios/cdf/NAME.cdf */
};

extern const struct cdf_shipped cdf_shipped[]; /* {NULL, NULL} at the end */

/* One point as written: bytes with or without a unit; probability as a number or with %.
 * Numbers that run to 100 instead of 1 are scaled by cdf_check. */
NODISCARD int cdf_point_parse(
        struct load_cdf_point *out, const char *bytes, const char *probability, struct err *e);

/* Scales percent to 1 in place and checks: sizes and probabilities do not fall, the last
 * probability is 1. Messages begin with "point 3: ". */
NODISCARD int cdf_check(struct load_cdf_point *point, int64_t n, struct err *e);

/* A CDF file's text, checked; *out is malloc'd. name is for messages: "web.cdf:12:7: ...". */
NODISCARD int cdf_parse(struct load_cdf_point **out, int64_t *n, const char *name,
        const char *text, size_t len, struct err *e);

/* A file, relative to base_dir (NULL: the working directory), or a shipped name. */
NODISCARD int cdf_load(struct load_cdf_point **out, int64_t *n, const char *name_or_file,
        const char *base_dir, struct err *e);

/* The size at u / 2^64, 0 <= u < 2^64, to the nearest byte and at least 1. */
int64_t cdf_size(const struct load_cdf_point *point, int64_t n, uint64_t u);

/* Means over u: of cdf_size, and of the packets that it takes, in Q32; below the true value by
 * less than 2 n / 2^32. */
unsigned __int128 cdf_mean_bytes_q32(const struct load_cdf_point *point, int64_t n);
unsigned __int128 cdf_mean_packets_q32(
        const struct load_cdf_point *point, int64_t n, int64_t path_mtu_bytes);

/* What padding to four bytes adds to the last packet and, where the MTU is no multiple of four,
 * to the others: of one message, and its mean as above. */
int64_t cdf_padding(int64_t bytes, int64_t path_mtu_bytes);
unsigned __int128 cdf_mean_padding_q32(
        const struct load_cdf_point *point, int64_t n, int64_t path_mtu_bytes);

#endif
