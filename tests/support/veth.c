/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/veth.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BURST 64

bool veth_open(void)
{
	if (unshare(CLONE_NEWNET)) {
		printf("skipped: no network namespaces here: %s\n", strerror(errno));
		return false;
	}
	/* No IPv6: its neighbour discovery would send packets that the test did not. */
	if (system("sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null; "
	           "ip link add " VETH_SENDER " type veth peer name " VETH_TARGET
	           " 2>/dev/null && ip link set " VETH_SENDER " up && ip link set " VETH_TARGET
	           " up && ip link set lo up")) {
		printf("skipped: cannot make a veth pair (ip, CAP_NET_ADMIN)\n");
		return false;
	}
	return true;
}

int veth_sender_open(const char *device)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = 0};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	to.sll_ifindex = (int)if_nametoindex(device);
	if (bind(fd, (const struct sockaddr *)&to, sizeof(to))) {
		int r = -errno;

		(void)close(fd); /* nothing was sent */
		return r;
	}
	return fd;
}

uint32_t veth_send(int fd, const struct veth_frame *frames, uint32_t n)
{
	uint32_t sent = 0;

	while (sent < n) {
		struct mmsghdr m[BURST] = {0};
		struct iovec iov[BURST];
		uint32_t burst = n - sent < BURST ? n - sent : BURST;
		int r;

		for (uint32_t i = 0; i < burst; i++) {
			iov[i].iov_base = (void *)(uintptr_t)frames[sent + i].bytes;
			iov[i].iov_len = frames[sent + i].n;
			m[i].msg_hdr.msg_iov = &iov[i];
			m[i].msg_hdr.msg_iovlen = 1;
		}
		r = sendmmsg(fd, m, burst, 0);
		if (r > 0) {
			sent += (uint32_t)r;
		} else if (errno == ENOBUFS || errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};

			(void)poll(&p, 1, 10); /* and try again */
		} else {
			break;
		}
	}
	return sent;
}
