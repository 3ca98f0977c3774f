/* SPDX-License-Identifier: Apache-2.0 */
/* A rough figure of the memory that a run takes, so that one that cannot fit is refused with a
 * message instead of being killed half-way. */
#ifndef MEMORY_NEED_H
#define MEMORY_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "scenarios/scenario.h"

struct memory_need {
	int64_t bytes;
	uint64_t messages;   /* of the workload, estimated where they are many */
	bool messages_known; /* false: there are more */
};

/* -ENOMEM when more is needed than this process, one of so many, may have; -EINVAL when the
 * workload cannot be planned. */
NODISCARD int memory_need_check(
        struct memory_need *n, const struct scenario *s, uint32_t processes, struct err *e);

#endif
