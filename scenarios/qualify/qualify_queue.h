/* SPDX-License-Identifier: Apache-2.0 */
/* The egress queue of one port and priority, reconstructed from the tester's own capture: what
 * had come to the switch and not left it when a packet left. Needs no counter of the switch. */
#ifndef QUALIFY_QUEUE_H
#define QUALIFY_QUEUE_H

#include "scenarios/qualify/qualify_run.h"

struct qdeparture {
	int64_t start_ps;
	int64_t behind_bytes; /* frames (with FCS, in whole cells) queued behind it as it left;
	                         those that came at that very time are not counted */
	int64_t frame_bytes;
	bool marked;
};

/* In the order of departure; malloc'd. Packets that were lost count as if they had never come.
 * -ENOMEM. */
NODISCARD int qualify_queue(struct qdeparture **out, uint64_t *n, const struct qrun *r,
        uint32_t port, uint8_t priority, struct err *e);

#endif
