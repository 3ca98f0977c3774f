/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line of `squall capture` says. */
#ifndef CLI_CAPTURE_ARGS_H
#define CLI_CAPTURE_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/source.h"
#include "dataplane/base/err.h"

enum capture_source_kind { SOURCE_AF_PACKET, SOURCE_PCAP, SOURCE_DPDK };

struct capture_args {
	struct source_config source;
	int source_kind; /* enum capture_source_kind */
	bool follow;     /* `in` grows */
	const char *in, *out, *comment;
	char named[128]; /* the output where none was named */
	uint32_t n_buffers, buffer_bytes;
	int64_t duration_ns;
	uint64_t max_packets;
	bool quiet;
	struct err *err;
};

/* Its input is a struct capture_args whose err is set. */
extern const struct argp capture_argp;

#endif
