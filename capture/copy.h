/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One capture file out of another: the packets that a filter takes, cut to a length, with the
 * interfaces, clocks and losses of the original. One thread.
 */
#ifndef CAPTURE_COPY_H
#define CAPTURE_COPY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct copy_config {
	const char *in;      /* a path, "-": standard input */
	bool follow;         /* the file may grow: wait for more until *stop */
	const char *filter;  /* words of filter.h; NULL: everything */
	uint32_t snap_bytes; /* 0: as they are */
	uint64_t max_packets;
	int64_t duration_ns; /* of the original, from its first packet; 0: all */
	const char *application, *comment;
	const atomic_bool *stop;
};

struct copy_result {
	uint64_t read, written;
	bool cut;     /* the original ends in mid-packet */
	bool stopped; /* by *stop, before the end of the original */
	uint64_t at_bytes,
	        of_bytes; /* how much of the original was read; of_bytes 0: unknown */
};

NODISCARD int copy_capture(
        const struct copy_config *c, FILE *out, struct copy_result *result, struct err *e);

#endif
