/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of ended messages, one log per thread. With a limit it keeps a sample once there are
 * more: those whose hash of (source, number) lies below a threshold that is halved whenever the
 * log is full. Which messages remain depends on the hashes of all of them and on nothing else,
 * so logs of any number of threads, thinned once more to the lowest of their thresholds, come
 * to the same sample. A sample need not be as large as what is kept of all: `sample` is the
 * limit as soon as there is one. What is not kept goes into sums and histograms: no message is
 * unaccounted for, and memory does not grow with messages.
 */
#ifndef HOST_MSG_LOG_H
#define HOST_MSG_LOG_H

#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/msg_stats.h"
#include "dataplane/base/record.h"

struct msg_log {
	struct msg_record *rec;
	uint64_t n, cap;
	uint64_t added;         /* kept or not */
	uint64_t limit;         /* 0: keep them all */
	uint64_t sample;        /* the limit once some are not kept; 0: the same */
	uint32_t shift;         /* one in 2^shift is kept */
	struct msg_stats *rest; /* of those that are not; NULL while shift is 0 */
};

/* -ENOMEM leaves the log as it was. */
NODISCARD int msg_log_add(struct msg_log *log, const struct msg_record *r);

/* Keeps at most one in 2^shift from now on. */
NODISCARD int msg_log_thin(struct msg_log *log, uint32_t shift);

/* Takes over what is in `from` and keeps to the limit of `into`. */
NODISCARD int msg_log_merge(struct msg_log *into, struct msg_log *from);

void msg_log_fini(struct msg_log *log);

#endif
