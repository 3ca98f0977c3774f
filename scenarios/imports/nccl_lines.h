/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log files of NCCL message by message. Liberal: lines may carry time stamps, mpirun's tags,
 * terminal colours, or no prefix at all, and lines of several processes may have run into each
 * other. Memory is one line. One thread.
 */
#ifndef SCENARIO_NCCL_LINES_H
#define SCENARIO_NCCL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define NCCL_LINE_BYTES 262144

struct nccl_message {
	const char *file;
	uint32_t line;
	const char *host; /* "" where the line does not say it */
	int64_t pid, tid; /* -1 likewise */
	int32_t gpu;      /* the number in brackets; -1 likewise */
	const char *text; /* what follows "NCCL INFO "; or the whole line of another program */
	int from_nccl;
};

/* Non-zero ends the reading. */
typedef int nccl_message_fn(void *arg, const struct nccl_message *m, struct err *e);

NODISCARD int nccl_lines_read(
        const char *path, nccl_message_fn *each, void *arg, struct err *e);
NODISCARD int nccl_lines_text(const char *name, const char *text, size_t len,
        nccl_message_fn *each, void *arg, struct err *e);

#endif
