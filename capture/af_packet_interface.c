/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel interface is, and how its packets are shared out between several queues. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/af_packet_int.h"
#include "dataplane/wire/frame.h"

static void read_speed(struct af_packet *a, int fd)
{
	struct ethtool_cmd command = {.cmd = ETHTOOL_GSET};
	struct ifreq request = {0};
	uint32_t mbps;

	memcpy(request.ifr_name, a->device, IFNAMSIZ - 1);
	request.ifr_data = (char *)&command;
	if (ioctl(fd, SIOCETHTOOL, &request))
		return; /* virtual: it has none */
	mbps = ethtool_cmd_speed(&command);
	if (mbps != (uint32_t)SPEED_UNKNOWN && mbps != UINT16_MAX)
		a->speed_bps = UINT64_C(1000000) * mbps;
}

static void read_driver(struct af_packet *a, int fd)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq request = {0};
	const char *bus, *firmware;

	memcpy(request.ifr_name, a->device, IFNAMSIZ - 1);
	request.ifr_data = (char *)&info;
	if (ioctl(fd, SIOCETHTOOL, &request))
		return;
	bus = info.bus_info[0] ? info.bus_info : "no bus";
	firmware = info.fw_version[0] ? info.fw_version : "none";
	(void)snprintf(a->hardware, sizeof(a->hardware), "%.31s %.31s, firmware %.31s, %.31s",
	        info.driver, info.version, firmware, bus);
}

static int read_link(struct af_packet *a, int fd, struct err *e)
{
	struct ifreq request = {0};

	memcpy(request.ifr_name, a->device, IFNAMSIZ - 1);
	if (ioctl(fd, SIOCGIFHWADDR, &request))
		return err_set(e, -errno, "%s: %s", a->device, strerror(errno));
	switch (request.ifr_hwaddr.sa_family) {
	case ARPHRD_LOOPBACK:
		a->is_loopback = true;
		a->link = FRAME_LINK_ETHERNET;
		return 0;
	case ARPHRD_ETHER:
		a->link = FRAME_LINK_ETHERNET;
		return 0;
	case ARPHRD_NONE: /* tun: IP packets */
		a->link = FRAME_LINK_RAW;
		return 0;
	default:
		return err_set(e, -EOPNOTSUPP,
		        "%s: no Ethernet (link type %u); capture it with --source pcap",
		        a->device, request.ifr_hwaddr.sa_family);
	}
}

int af_interface_read(struct af_packet *a, int fd, struct err *e)
{
	struct ifreq request = {0};
	int r;

	memcpy(request.ifr_name, a->device, IFNAMSIZ - 1);
	if (ioctl(fd, SIOCGIFINDEX, &request))
		return errno == ENODEV
		               ? err_set(e, -EINVAL,
		                         "%s: no such interface (ip link lists them)",
		                         a->device)
		               : err_set(e, -errno, "%s: %s", a->device, strerror(errno));
	a->index = request.ifr_ifindex;
	r = read_link(a, fd, e);
	if (r)
		return r;
	if (!ioctl(fd, SIOCGIFFLAGS, &request) && !(request.ifr_flags & IFF_UP))
		return err_set(
		        e, -ENETDOWN, "%s: is down; ip link set %s up", a->device, a->device);
	read_speed(a, fd);
	read_driver(a, fd);
	return 0;
}

/* Offsets that the kernel counts from the network header, whichever way a packet goes. */
#define NET(at) ((uint32_t)SKF_NET_OFF + (at))

/*
 * The kernel's own hash takes ports: a CNP, which has its own source port, would come by
 * another queue than the marked packets that it answers. This one is the exclusive or of both
 * addresses: whatever two hosts send each other is of one queue. Everything else, PFC too, is
 * of the first.
 */
static const struct sock_filter by_hosts[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, NET(0)),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NET(12)),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NET(16)),
        BPF_STMT(BPF_JMP | BPF_JA, 4), /* to the exclusive or */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 11),
        /* IPv6: the last word of each; hosts of a subnet differ there */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NET(20)),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NET(36)),
        BPF_STMT(BPF_ALU | BPF_XOR | BPF_X, 0),
        /* The remainder by the number of queues is taken next: all bytes count. */
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 16),
        BPF_STMT(BPF_ALU | BPF_XOR | BPF_X, 0),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 8),
        BPF_STMT(BPF_ALU | BPF_XOR | BPF_X, 0),
        BPF_STMT(BPF_RET | BPF_A, 0),
        BPF_STMT(BPF_RET | BPF_K, 0),
};

int af_fanout_join(struct af_packet *a, uint32_t queue, uint16_t *group, struct err *e)
{
	struct sock_fprog program = {sizeof(by_hosts) / sizeof(by_hosts[0]),
	        (struct sock_filter *)(uintptr_t)by_hosts};
	uint32_t how = PACKET_FANOUT_CBPF | (queue ? 0 : PACKET_FANOUT_FLAG_UNIQUEID);
	uint32_t ask = *group | how << 16;
	socklen_t len = sizeof(ask);
	int fd = a->queue[queue].fd;

	if (setsockopt(fd, SOL_PACKET, PACKET_FANOUT, &ask, sizeof(ask)))
		return err_set(e, -errno, "%s: %u queues: %s", a->device, a->n_queues,
		        strerror(errno));
	if (queue)
		return 0;
	if (getsockopt(fd, SOL_PACKET, PACKET_FANOUT, &ask, &len) ||
	        setsockopt(fd, SOL_PACKET, PACKET_FANOUT_DATA, &program, sizeof(program)))
		return err_set(e, -errno, "%s: sharing packets out between %u queues: %s",
		        a->device, a->n_queues, strerror(errno));
	*group = (uint16_t)ask;
	return 0;
}
