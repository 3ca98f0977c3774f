/* SPDX-License-Identifier: Apache-2.0 */
/* A pair of virtual interfaces in a network namespace of the test's own, and a sender on one of
 * them. The test's process moves into the namespace; the machine's interfaces are out of reach.
 */
#ifndef TESTS_SUPPORT_VETH_H
#define TESTS_SUPPORT_VETH_H

#include <stdbool.h>
#include <stdint.h>

#define VETH_SENDER "va"
#define VETH_TARGET "vb"

/* False, with the reason printed, where this machine does not permit it: exit 77. */
bool veth_open(void);

struct veth_frame {
	const uint8_t *bytes;
	uint32_t n;
};

/* A packet socket on an interface; negative errno. */
int veth_sender_open(const char *device);
/* Sends all, by sendmmsg; waits where the socket is full. How many were sent. */
uint32_t veth_send(int fd, const struct veth_frame *frames, uint32_t n);

#endif
