/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the frames of a capture say about a QP that descriptors do not: the numbers of both
 * ends, the first PSN, and where messages begin and end. Numbers are given in the order in
 * which first messages are sent, so they are the same for any number of threads and any choice
 * of ports. Memory follows the QPs; of messages equal ones in a row are one entry, and old ones
 * are forgotten. One thread.
 */
#ifndef SCENARIOS_TAP_QPS_H
#define SCENARIOS_TAP_QPS_H

#include <stdint.h>

#include "dataplane/base/err.h"

#define TAP_FIRST_QPN  0x100u /* 0 and 1 are management's */
#define TAP_RANDOM_PSN (-1)

/* `count` messages of so many bytes, one behind the other. */
struct tap_messages {
	uint32_t psn, packets, count;
	uint32_t before; /* messages of the QP before them */
	int64_t bytes;
};

struct tap_qp {
	uint32_t requester, responder; /* QP numbers; 0: it has not sent yet */
	uint32_t first_psn;
	uint16_t entropy, port; /* the port for this entropy; 0: none yet */
	uint32_t n_runs, cap_runs;
	struct tap_messages *run;
};

struct tap_qps {
	struct tap_host {
		struct tap_qp *qp; /* [n] by slot */
		uint32_t n, next_qpn;
	} * host;
	uint32_t n_hosts, mtu_bytes;
	uint64_t seed;
	int64_t first_psn; /* of every QP, or TAP_RANDOM_PSN */
};

NODISCARD int tap_qps_init(struct tap_qps *q, uint32_t n_hosts, uint32_t mtu_bytes,
        uint64_t seed, int64_t first_psn, struct err *e);
void tap_qps_fini(struct tap_qps *q);

/* The QP in `slot` of host src sends its next message, to host dst, from psn on. */
void tap_qps_message(struct tap_qps *q, uint32_t src, uint32_t slot, uint32_t dst, uint32_t psn,
        int64_t bytes);

/* One that has sent a message. */
struct tap_qp *tap_qps_get(const struct tap_qps *q, uint32_t src, uint32_t slot);

/* How many of its messages are whole when psn is expected next. */
uint32_t tap_qp_messages(const struct tap_qp *q, uint32_t psn);
/* Of the message that begins at psn; `usual` if it is not known any more. */
int64_t tap_qp_message_bytes(const struct tap_qp *q, uint32_t psn, int64_t usual);

#endif
